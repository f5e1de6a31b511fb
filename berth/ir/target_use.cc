#include "berth/ir/target_use.h"

namespace berth {

std::optional<Bytes> TierUse::free() const {
  if (!capacity) return std::nullopt;
  return *capacity < peak ? Bytes(0) : *capacity - peak;
}

}  // namespace berth
