#pragma once

#include <string>
#include <string_view>

namespace berth {

// Adds a field that is an array, an item a line; `line` makes an item's text.
template <typename Items, typename Line>
void write_lines(std::string& text, std::string_view key, const Items& items, const Line& line) {
  text += ",\n \"";
  text += key;
  text += "\": [";
  bool is_first = true;
  for (const auto& item : items) {
    text += is_first ? "\n  " : ",\n  ";
    text += line(item);
    is_first = false;
  }
  text += is_first ? "]" : "\n ]";
}

}  // namespace berth
