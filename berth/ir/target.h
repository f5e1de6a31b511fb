#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/bytes.h"

namespace berth {

// A tile has no more sides than a tensor has dimensions.
inline constexpr std::size_t kMostTileSides = 64;

// Sites of a chip whose local memories are alike.
struct SiteGroup {
  std::uint64_t count = 1;
  Bytes bytes;  // of each site

  friend bool operator==(const SiteGroup&, const SiteGroup&) = default;
};

struct Chip {
  std::vector<SiteGroup> sites;  // numbered through, group by group
  Bytes reserved;                // of its SRAM, that nobody may use
  Bytes hbm;                     // 0: it has none
  std::optional<Bytes> dram;     // nothing: not limited; 0: it has none
  Bytes flash;                   // of constants, read in place; 0: it has none
  Alignment alignment;           // of what stands in its SRAM
  // Bytes a second, where the file gives them.
  std::optional<std::uint64_t> sram_speed;
  std::optional<std::uint64_t> hbm_speed;
  std::optional<std::uint64_t> dram_speed;
  std::optional<std::uint64_t> flash_speed;

  // The sum of its sites' bytes, less what is reserved. Known to fit.
  Bytes sram() const;
  std::uint64_t site_count() const;
  // Nothing past the last site.
  std::optional<Bytes> site_bytes(std::uint64_t site) const;

  friend bool operator==(const Chip&, const Chip&) = default;
};

struct Target {
  std::string name;
  // Whether a tensor in the SRAM can be read from every site: a property of the chip and its
  // compiler together.
  bool any_site_reaches_any = false;
  std::vector<Chip> chips;          // by ChipId
  std::vector<std::uint64_t> tile;  // that its tensors are stored in; may be empty

  friend bool operator==(const Target&, const Target&) = default;
};

}  // namespace berth
