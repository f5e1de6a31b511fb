#pragma once

#include <string>
#include <string_view>

#include "berth/render/map_layout.h"

namespace berth {

inline constexpr Length kPixel = 100;
inline constexpr Length kLetter = 620;  // a wide guess at an average letter of the 11-pixel font

// How long text of the 11-pixel font may get, by the widest of the fonts that may show it.
Length length_of(std::string_view text);

// "12.5": pixels without idle zeros.
std::string px(Length length);

// Elements, each on a line of its own. `text` may hold any bytes.
std::string rect(std::string_view classes, const Box& box);
std::string line(std::string_view classes, Length x1, Length y1, Length x2, Length y2);
std::string text_at(std::string_view classes, Length x, Length y, std::string_view text);

}  // namespace berth
