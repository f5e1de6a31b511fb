#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace berth {

inline constexpr std::size_t kFilterChunk = 256;  // words at most at a time
// Room for what is kept of a chunk, and for four more words: vectors are written whole.
using FilteredWords = std::array<std::uint64_t, kFilterChunk + 4>;

// Writes the words from `first` to `last` to `kept`, in order, and returns how many there are.
// Without a branch on any word: whether it is an address, nobody can foretell.
std::size_t filter_words(std::span<const std::uint64_t> words, std::uint64_t first,
                         std::uint64_t last, FilteredWords& kept);

// The same word by word, as filter_words does it where the machine has no vectors.
std::size_t filter_words_one_by_one(std::span<const std::uint64_t> words, std::uint64_t first,
                                    std::uint64_t last, std::uint64_t* kept);

}  // namespace berth
