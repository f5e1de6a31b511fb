#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/ir/dtype.h"

namespace berth {

// What was asked of a plan beyond its file, as far as it changes the problem: a plan tells it, so
// that whoever checks it, or compares with it, need not ask again and notices other questions.

// A size that a model leaves open, from the least to the most, both included.
struct AskedSize {
  std::string name;
  std::uint64_t least = 0;
  std::uint64_t most = 0;

  friend bool operator==(const AskedSize&, const AskedSize&) = default;
};

struct AskedShape {
  std::string name;
  std::vector<std::uint64_t> dims;
  std::optional<Dtype> element;

  friend bool operator==(const AskedShape&, const AskedShape&) = default;
};

struct Asked {
  std::optional<Alignment> alignment;
  std::vector<std::pair<std::string, Bytes>> capacity;  // by device; "" stands for every device
  Bytes reserve;
  std::vector<std::pair<std::string, Bytes>> scratch;  // by step
  std::vector<std::string> hold;
  std::vector<AskedSize> sizes;
  std::vector<AskedShape> shapes;
  std::vector<std::pair<std::string, std::string>> states;  // input, output
  bool views = false;
  bool in_place = false;
  bool offline_plan = false;
  bool reorder = false;
  bool planner_off = false;

  friend bool operator==(const Asked&, const Asked&) = default;
};

}  // namespace berth
