#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace berth::onnx {

// Names that a node reads, its bodies from around them too, and that it writes.
struct NodeNames {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

// An order in which each node comes after those whose results it reads, and otherwise as the file
// has it: that of the file, where that is one already. The file's own where there is none.
// O(names).
std::vector<std::size_t> execution_order(std::span<const NodeNames> nodes);

// A node at or behind `reader` that writes the name, and whether what it reads comes, by others,
// from the reader itself. Only messages need it. O(names).
struct LateWriter {
  std::size_t node = 0;
  bool in_circle = false;
};
std::optional<LateWriter> late_writer(std::span<const NodeNames> nodes, std::size_t reader,
                                      const std::string& name);

}  // namespace berth::onnx
