#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "berth/base/bytes.h"

namespace berth {

// How many characters well-formed text shows.
std::size_t width_of(std::string_view text);

// A name as it may be shown, in at most `width` characters (3 or more): a longer one loses its
// middle, for names often differ in their ends.
std::string shortened(std::string_view name, std::size_t width);

std::string left_aligned(std::string_view text, std::size_t width);
std::string right_aligned(std::string_view text, std::size_t width);

// "54.0 KiB"; "12 B" below 1 KiB.
std::string human(Bytes bytes);

// `part` of `whole` in per cent with one decimal, halves up: "12.5 %". `whole` is not 0.
std::string per_cent(Bytes part, Bytes whole);

// Text and attribute values of XML and HTML, from any bytes.
std::string xml_text(std::string_view text);

// Text of several lines, whose names are printable already: its line ends stay.
std::string xml_lines(std::string_view text);

// A JSON string with its quotes, from any bytes, that may stand inside a <script>.
std::string json_text(std::string_view text);

}  // namespace berth
