#include "berth/render/columns.h"

#include <algorithm>

#include "berth/render/text.h"

namespace berth {

std::string columns(const std::vector<std::vector<std::string>>& rows, std::size_t text_from) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool is_text = i == 0 || i >= text_from;
      const bool is_last = i + 1 == row.size();
      line += " ";
      line += is_text ? (is_last ? row[i] : left_aligned(row[i], widths[i]))
                      : right_aligned(row[i], widths[i]);
      if (!is_last) line += " ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace berth
