#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/id.h"
#include "berth/base/result.h"
#include "berth/formats/tflite_file.h"

namespace berth::tflite {

// A model with every index checked, every size known and the tensors of all subgraphs in one table:
// those of subgraph 0 first, each subgraph's in its own order.

struct Value {
  std::string name;
  std::vector<std::int32_t> shape;
  std::int8_t type = 0;
  Bytes bytes;             // by shape and type; of a dynamic one: 0
  Bytes stored;            // the data in the file, which may be packed
  bool constant = false;   // it has data in the file
  bool variable = false;   // it keeps its bytes from one run to the next
  bool dynamic = false;    // its size is known only at run time
  std::size_t scales = 0;  // how many scales it is quantized by: more than one a channel
  bool sparse = false;     // its data in the file is not element by element
  // The dimensions that the converter left open, whose sizes in `shape` are placeholders.
  std::vector<std::size_t> open{};
};

// A subgraph that an operator runs. `name` is its part in the operator: "then", "body".
struct Callee {
  const char* name = "";
  std::size_t graph = 0;
};

struct Node {
  std::int32_t code = 0;
  std::string name;              // of the operator; of a custom one, the name that it goes by
  std::size_t index = 0;         // in its subgraph's list in the file
  std::vector<TensorId> inputs;  // absent ones left out
  std::vector<TensorId> outputs;
  std::vector<Callee> callees;
  // Of an operator that copies its inputs as they are behind one another along an axis.
  std::optional<std::int32_t> joins_along{};
};

struct Graph {
  std::string name;
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  std::vector<Node> nodes;  // in execution order
};

struct Network {
  std::string file;
  std::vector<Value> values;  // by TensorId
  std::vector<Graph> graphs;  // 0 is the main one
};

// Refuses, naming the table, the index and its limit, what points outside a table; a tensor of an
// unknown type, a negative dimension or a size that 64 bits do not hold; and a constant that is not
// as long as its data in the file.
Result<Network> read_network(const File& file);

// "model.tflite: subgraph 1, operator 3 (ADD)"
std::string place_of(const Network& network, std::size_t graph, std::size_t node);

// "'conv1' (7)": its name, and its index over all subgraphs.
std::string text_of(const Network& network, TensorId tensor);

}  // namespace berth::tflite
