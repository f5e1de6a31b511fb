#pragma once

#include <map>

#include "berth/ir/planes.h"

namespace berth {

// A set of bytes, as stretches that do not touch.
class ByteSet {
 public:
  void clear() { stretches_.clear(); }
  // O(log stretches), amortised.
  void add(AddressRange bytes);
  // The first stretch of these bytes that is not in the set; empty if all are. O(log stretches).
  AddressRange first_missing(AddressRange bytes) const;

 private:
  std::map<WideAddress, WideAddress> stretches_;  // the first byte, and the end
};

}  // namespace berth
