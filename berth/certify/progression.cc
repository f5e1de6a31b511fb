#include "berth/certify/progression.h"

#include <array>

#include "berth/certify/arena_arithmetic.h"

// Write a for the step, m for the modulus, and [l, r] for the range with its last value.
//
// Where 2a > m, walk the other way round: a t is in [l, r] iff (m - a) t is in [m - r, m - l].
// So a <= m / 2. A multiple of a in [l, r] is met before the first wrap, and the least is met
// first. Where there is none, y wraps must help: a multiple of a lies in [l + m y, r + m y] iff
//
//   ((-m mod a) * y) mod a   is in   [l mod a, r mod a]
//
// (with no multiple of a in [l, r], the residues of l to r do not wrap). That is the same question
// with modulus a, at most half of m; the least y gives the least t = ceil((l + m y) / a).

namespace berth {
namespace {

struct Level {
  WideAddress step{};
  WideAddress modulus{};
  WideAddress lower{};
};

constexpr std::size_t kDeepest = 65;  // the modulus halves from 2^64 down

WideAddress divided_up(WideAddress a, WideAddress by) {
  return (a + by - 1) / by;
}

}  // namespace

std::optional<std::uint64_t> first_hit(WideAddress step, WideAddress modulus, AddressRange range) {
  std::array<Level, kDeepest> levels;
  std::size_t depth = 0;
  WideAddress lower = range.lower;
  WideAddress upper = range.upper - 1;
  if (lower == 0) return 0;
  WideAddress t{};
  while (true) {  // lower is no multiple of the last step, so its residue is never 0
    if (step == 0) return std::nullopt;
    if (step > modulus - step) {
      step = modulus - step;
      const WideAddress highest = modulus - lower;
      lower = modulus - upper;
      upper = highest;
    }
    t = steps_to(static_cast<std::uint64_t>(lower), static_cast<std::uint64_t>(step));
    if (t * step <= upper) break;
    levels[depth++] = {step, modulus, lower};
    const WideAddress rest = modulus % step;
    modulus = step;
    lower %= step;
    upper %= step;
    step = rest == 0 ? 0 : modulus - rest;
  }
  while (depth > 0) {
    const Level& level = levels[--depth];
    t = divided_up(level.lower + level.modulus * t, level.step);
  }
  return static_cast<std::uint64_t>(t);
}

}  // namespace berth
