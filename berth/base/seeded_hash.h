#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace berth {

// Hashes for tables that are looked up and never iterated, and whose keys files choose: the seed is
// drawn anew in each process, so that no file can be written whose keys collide and make a table a
// list. (Each step multiplies to 128 bits and folds, as wyhash does; for tables alone, no digest.)
class SeededHash {
 public:
  std::size_t operator()(std::string_view text) const;
  std::size_t operator()(std::uint64_t value) const;
};

// The same of several values in turn.
class HashState {
 public:
  void add(std::uint64_t value);
  void add(std::string_view text);
  std::size_t value() const { return static_cast<std::size_t>(state_); }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace berth
