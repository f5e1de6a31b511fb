#pragma once

#include <stdint.h>

// The arithmetic that the certificate rests on, in the part of C++ that is C: scripts/prove holds
// each function against its contract, with Frama-C WP and Z3. Ranges are given by their first and
// their last address, which is an address where a range ends at 2^64 too. Nothing here wraps: every
// sum is shown to be one.

#ifdef __cplusplus
namespace berth {
#endif

/*@ // What a device adds up to, when a word rises from `base` by `by` modulo 2^64, or falls.
    logic integer risen(integer base, integer by) =
      base + by <= 18446744073709551615 ? base + by : base + by - 18446744073709551616;
    logic integer fallen(integer base, integer by) =
      base - by >= 0 ? base - by : base - by + 18446744073709551616;

    // In the stretch from `first` to `last`, which goes on at 0 where the last is the lower one.
    predicate from_to(integer first, integer last, integer at) =
      first <= last ? first <= at <= last : at >= first || at <= last;

    lemma more_steps_go_further:
      \forall integer a, b, step; 0 <= step && a <= b ==> a * step <= b * step;
*/

/*@ // Whether some address is in both: if so, the later of the two firsts is.
    requires a_first <= a_last && b_first <= b_last;
    assigns \nothing;
    ensures \result && a_first <= b_first ==> a_first <= b_first <= a_last && b_first <= b_last;
    ensures \result && b_first <= a_first ==> b_first <= a_first <= b_last && a_first <= a_last;
    ensures \forall integer at;
      a_first <= at <= a_last && b_first <= at <= b_last ==> \result;
*/
static inline int ranges_overlap(uint64_t a_first, uint64_t a_last, uint64_t b_first,
                                 uint64_t b_last) {
  return a_first <= b_last && b_first <= a_last;
}

/*@ assigns \nothing;
    ensures \result <==> first <= address <= last;
*/
static inline int range_holds(uint64_t first, uint64_t last, uint64_t address) {
  return (first <= address) & (address <= last);
}

/*@ assigns \nothing;
    ensures \result <==> base + travel > 18446744073709551615;
*/
static inline int rises_past_end(uint64_t base, uint64_t travel) {
  return travel > UINT64_MAX - base;
}

/*@ // The last of the values of a word that rises from `base` by `travel`: it ends there, and all
    // of them lie from its base to there.
    assigns \nothing;
    ensures \result == risen(base, travel);
    ensures base + travel > 18446744073709551615 <==> \result < base;
    ensures \forall integer t; 0 <= t <= travel ==> from_to(base, \result, risen(base, t));
*/
static inline uint64_t last_above(uint64_t base, uint64_t travel) {
  if (rises_past_end(base, travel)) return travel - (UINT64_MAX - base) - 1;
  return base + travel;
}

/*@ // The same of one that falls: its values lie from there to its base.
    assigns \nothing;
    ensures \result == fallen(base, travel);
    ensures travel > base <==> \result > base;
    ensures \forall integer t; 0 <= t <= travel ==> from_to(\result, base, fallen(base, t));
*/
static inline uint64_t last_below(uint64_t base, uint64_t travel) {
  if (travel > base) return UINT64_MAX - (travel - base) + 1;
  return base - travel;
}

/*@ // The first t at which t steps reach `distance`.
    requires step > 0;
    assigns \nothing;
    ensures \result * step >= distance;
    ensures \forall integer t; t * step >= distance ==> t >= \result;
*/
static inline uint64_t steps_to(uint64_t distance, uint64_t step) {
  const uint64_t whole = distance / step;
  const uint64_t rest = distance % step;
  /*@ assert distance == whole * step + rest; */
  /*@ assert rest < step; */
  /*@ assert (whole + 1) * step == whole * step + step; */
  if (rest == 0) return whole;
  /*@ assert whole < 18446744073709551615; */
  return whole + 1;
}

/*@ // Whether a word that moves by steps from `base`, and never past 2^64, is ever from `first` to
    // `last`, which lie above it. If so, it is after steps_to(first - base, step) iterations first.
    requires step > 0 && iterations > 0 && base < first <= last;
    requires base + (iterations - 1) * step <= 18446744073709551615;
    assigns \nothing;
    ensures \result <==>
      \exists integer t; 0 <= t < iterations && first <= base + t * step <= last;
*/
static inline int rises_into(uint64_t base, uint64_t step, uint64_t iterations, uint64_t first,
                             uint64_t last) {
  const uint64_t t = steps_to(first - base, step);
  if (t >= iterations) return 0;
  /*@ assert t * step <= (iterations - 1) * step; */
  /*@ assert first <= base + t * step; */
  /*@ assert \forall integer u; first <= base + u * step ==> u >= t; */
  /*@ assert \forall integer u; u >= t ==> t * step <= u * step; */
  /*@ assert base + t * step <= last ==>
        (0 <= t < iterations && first <= base + t * step <= last); */
  return base + t * step <= last;
}

#ifdef __cplusplus
}  // namespace berth
#endif
