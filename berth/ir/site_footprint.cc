#include "berth/ir/site_footprint.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace berth {

std::map<ChipId, Bytes> site_footprint(const Program& program) {
  std::map<std::pair<ChipId, std::uint64_t>, Bytes> highest;  // by site
  for (const SiteBuffer& buffer : program.buffers) {
    Bytes& end = highest[{buffer.chip, buffer.site}];
    end = std::max(end, Bytes(buffer.offset.value()) + buffer.bytes);
  }
  std::map<ChipId, Bytes> by_chip;
  for (const auto& [place, end] : highest) by_chip[place.first] += end;
  return by_chip;
}

}  // namespace berth
