#include "berth/certify/arena_filter.h"

#include <cassert>

#include "berth/certify/arena_arithmetic.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace berth {

std::size_t filter_words_one_by_one(std::span<const std::uint64_t> words, std::uint64_t first,
                                    std::uint64_t last, std::uint64_t* kept) {
  std::size_t count = 0;
  for (const std::uint64_t word : words) {
    kept[count] = word;
    count += static_cast<std::size_t>(range_holds(first, last, word));
  }
  return count;
}

#if defined(__x86_64__)
namespace {

// For each set of four lanes, the halves of those lanes, in order, at the front.
using Order = std::array<std::uint32_t, 8>;
constexpr auto kOrders = [] {
  std::array<Order, 16> orders{};
  for (std::uint32_t set = 0; set < 16; ++set) {
    std::size_t to = 0;
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
      if ((set >> lane & 1) == 0) continue;
      orders[set][to++] = 2 * lane;
      orders[set][to++] = 2 * lane + 1;
    }
  }
  return orders;
}();

// Vectors compare signed numbers: with the highest bit flipped, the order is that of unsigned ones.
__attribute__((target("avx2,popcnt"))) std::size_t filter_words_by_four(
    std::span<const std::uint64_t> words, std::uint64_t first, std::uint64_t last,
    std::uint64_t* kept) {
  constexpr std::uint64_t kHighest = std::uint64_t{1} << 63;
  const __m256i from = _mm256_set1_epi64x(static_cast<long long>(first));
  const __m256i most = _mm256_set1_epi64x(static_cast<long long>((last - first) ^ kHighest));
  const __m256i highest = _mm256_set1_epi64x(static_cast<long long>(kHighest));
  std::size_t count = 0;
  for (std::size_t i = 0; i < words.size(); i += 4) {
    const auto* at = reinterpret_cast<const __m256i*>(words.data() + i);
    const __m256i four = _mm256_loadu_si256(at);
    const __m256i ahead = _mm256_xor_si256(_mm256_sub_epi64(four, from), highest);
    const __m256i is_past = _mm256_cmpgt_epi64(ahead, most);
    const auto past = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(is_past)));
    const unsigned set = ~past & 0xF;
    const auto* order = reinterpret_cast<const __m256i*>(kOrders[set].data());
    const __m256i packed = _mm256_permutevar8x32_epi32(four, _mm256_loadu_si256(order));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(kept + count), packed);
    count += static_cast<std::size_t>(__builtin_popcount(set));
  }
  return count;
}

}  // namespace
#endif

std::size_t filter_words(std::span<const std::uint64_t> words, std::uint64_t first,
                         std::uint64_t last, FilteredWords& kept) {
  assert(words.size() <= kFilterChunk);
  std::size_t count = 0;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    const auto fours = words.first(words.size() / 4 * 4);
    count = filter_words_by_four(fours, first, last, kept.data());
    words = words.subspan(fours.size());
  }
#endif
  return count + filter_words_one_by_one(words, first, last, kept.data() + count);
}

}  // namespace berth
