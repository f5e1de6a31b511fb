#pragma once

#include <cstdint>
#include <map>

#include "berth/base/interval.h"
#include "berth/ir/op_graph.h"

namespace berth {

// One argument of one call (or a back edge's flag), at an entry of the schedule.
struct ArgumentUse {
  Step step = 0;
  OpId call;
  std::uint32_t argument = 0;
  OpId tensor;      // that it names
  ByteRange bytes;  // of the tensor

  friend bool operator==(const ArgumentUse&, const ArgumentUse&) = default;
};

// What a byte knows: in which write it was written, by whom, and which byte of the tensor it is.
struct Tag {
  std::uint64_t version = 0;  // no two writes have the same
  ArgumentUse writer;
  std::uint64_t shift = 0;  // byte b of the memory is byte b + shift of the tensor, modulo 2^64

  // Whether the same byte of the same write stands where `other` says.
  bool matches(const Tag& other) const { return version == other.version && shift == other.shift; }
  friend bool operator==(const Tag&, const Tag&) = default;
};

// A memory whose bytes know who wrote them. Bytes that are written together are kept together.
class TaggedBytes {
 public:
  void put(ByteRange bytes, const Tag& tag);

  // Calls `visit(stretch, tag)` for stretches that cover `bytes`, in order, each of one tag: null
  // where nobody wrote. Stops where it returns false, and returns whether none did.
  template <typename Visit>
  bool each(ByteRange bytes, const Visit& visit) const {
    auto at = stretches_.upper_bound(bytes.lower);
    if (at != stretches_.begin() && bytes.lower < std::prev(at)->second.end) --at;
    while (!bytes.empty()) {
      const bool is_last = at == stretches_.end() || bytes.upper <= at->first;
      const std::uint64_t begin = is_last ? bytes.upper : at->first;
      if (bytes.lower < begin) {
        if (!visit(ByteRange{bytes.lower, begin}, static_cast<const Tag*>(nullptr))) return false;
      }
      if (is_last) return true;
      const ByteRange stretch = {std::max(bytes.lower, begin),
                                 std::min(bytes.upper, at->second.end)};
      if (!visit(stretch, &at->second.tag)) return false;
      bytes.lower = stretch.upper;
      ++at;
    }
    return true;
  }

 private:
  struct Stretch {
    std::uint64_t end = 0;
    Tag tag;
  };

  std::map<std::uint64_t, Stretch> stretches_;  // by first byte, disjoint
};

}  // namespace berth
