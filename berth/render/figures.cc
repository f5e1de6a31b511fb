#include "berth/render/figures.h"

#include <algorithm>

#include "berth/render/text.h"

namespace berth {
namespace {

struct Cells {
  std::string exact;
  std::string human;
};

Cells cells_of(const FigureRow& row) {
  if (!row.bytes) return {"more than 64 bits hold", ""};
  return {std::to_string(row.bytes->count()) + " B",
          *row.bytes < Bytes(1024) ? "" : human(*row.bytes)};
}

}  // namespace

std::string aligned(const std::vector<FigureRow>& rows) {
  std::size_t label = 0;
  std::size_t exact = 0;
  std::size_t human_size = 0;
  for (const FigureRow& row : rows) {
    const Cells cells = cells_of(row);
    label = std::max(label, width_of(row.label));
    exact = std::max(exact, width_of(cells.exact));
    human_size = std::max(human_size, width_of(cells.human));
  }
  std::string text;
  for (const FigureRow& row : rows) {
    const Cells cells = cells_of(row);
    std::string line =
        "  " + left_aligned(row.label, label) + "  " + right_aligned(cells.exact, exact);
    if (human_size > 0) line += "  " + right_aligned(cells.human, human_size);
    line += "  " + row.note;
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace berth
