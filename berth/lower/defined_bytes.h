#pragma once

#include <cstdint>
#include <map>

#include "berth/base/interval.h"
#include "berth/ir/op_graph.h"

namespace berth {

// Which bytes of a buffer have been written, as stretches that do not touch.
class DefinedBytes {
 public:
  // O(log stretches), amortised.
  void add(ByteRange bytes);

  bool empty() const { return stretches_.empty(); }
  // How many of these bytes, from the first on, are there without a hole. O(log stretches).
  std::uint64_t count_from_first(ByteRange bytes) const;
  bool hold(ByteRange bytes) const {
    return bytes.empty() || count_from_first(bytes) == bytes.upper - bytes.lower;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> stretches_;  // the first byte, and the end
};

}  // namespace berth
