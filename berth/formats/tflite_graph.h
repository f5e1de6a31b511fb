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
  Bytes bytes;            // by shape and type; of a dynamic one: 0
  Bytes stored;           // the data in the file, which may be packed
  bool constant = false;  // it has data in the file
  bool variable = false;  // it keeps its bytes from one run to the next
  bool dynamic = false;   // its size is known only at run time
};

// A subgraph that an operator runs. `name` is its part in the operator: "then", "body".
struct Callee {
  const char* name = "";
  std::size_t graph = 0;
};

struct Node {
  std::int32_t code = 0;
  std::string name;              // of the operator; of a custom one, the name that it goes by
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

// Refuses, naming the table, the index and its limit, what points outside a table; and a tensor of
// an unknown type, a negative dimension or a size that 64 bits do not hold.
Result<Network> read_network(const File& file);

// "model.tflite: subgraph 1, operator 3 (ADD)"
std::string place_of(const Network& network, std::size_t graph, std::size_t node);

// "'conv1' (7)": its name, and its index over all subgraphs.
std::string text_of(const Network& network, TensorId tensor);

}  // namespace berth::tflite
