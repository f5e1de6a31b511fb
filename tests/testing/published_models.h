#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "berth/model/bindings.h"

namespace berth::testing {

// The rows of the last table of the page on ONNX models: "| `model` | `flags` | 7 | 8 | ...".
inline std::vector<std::vector<std::string>> published_models() {
  std::ifstream page(BERTH_ROOT "/docs/formats/onnx.md");
  std::vector<std::vector<std::string>> rows;
  bool is_table = false;
  for (std::string line; std::getline(page, line);) {
    is_table = is_table || line.starts_with("| model | flags");
    if (!is_table || !line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    std::istringstream split(line.substr(2));
    for (std::string cell; std::getline(split, cell, '|');) {
      std::erase(cell, '`');
      const auto end = cell.find_last_not_of(' ');
      cells.push_back(end == std::string::npos ? "" : cell.substr(0, end + 1));
    }
    rows.push_back(cells);
  }
  return rows;
}

// What the flags of a row bind: "--bind batch=1 --shape input=1x512".
inline Bindings bindings_of(const std::string& flags) {
  Bindings bindings;
  std::istringstream words(flags);
  for (std::string flag, text; words >> flag >> text;) {
    const auto equals = text.rfind('=');
    const std::string name = text.substr(0, equals);
    const std::string value = text.substr(equals + 1);
    if (flag == "--bind") {
      bindings.symbols.push_back({name, {std::stoull(value), std::stoull(value)}});
      continue;
    }
    GivenShape shape;
    std::istringstream dims(value);
    for (std::string dim; std::getline(dims, dim, 'x');) shape.dims.push_back(std::stoull(dim));
    bindings.shapes.emplace_back(name, shape);
  }
  return bindings;
}

}  // namespace berth::testing
