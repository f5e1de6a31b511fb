#pragma once

#include <string>

#include "berth/ir/plan.h"
#include "berth/render/map_layout.h"

namespace berth {

// What rectangles carry besides their place.
enum class TileNotes {
  Titles,   // what a viewer shows on hovering
  Indices,  // data-b, the buffer's index, for a script
};

// How long a name may be among `tiles` rectangles.
std::size_t name_limit(std::size_t tiles);

// "1.5 MiB", "64 KiB": without a decimal that says nothing.
std::string short_size(std::uint64_t bytes);

// A buffer's rectangle. Its name, if noted, has at most `limit` letters.
std::string tile_rect(const Plan& plan, const MapTile& drawn, TileNotes notes, std::size_t limit);

// Its name inside it, upright or turned, where that fits; else nothing.
std::string tile_label(const Plan& plan, const MapTile& drawn);

}  // namespace berth
