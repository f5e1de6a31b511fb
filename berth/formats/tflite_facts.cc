// What a model says beside its steps: which sizes are placeholders, and how much its runtime for
// small cores is likely to keep for itself.
#include <algorithm>

#include "berth/formats/tflite.h"
#include "berth/formats/tflite_file.h"
#include "berth/formats/tflite_graph.h"
#include "berth/formats/tflite_types.h"

namespace berth {
namespace {

using tflite::Graph;
using tflite::Network;
using tflite::Node;
using tflite::Value;

// A batch of one says itself: nobody is surprised by it.
bool is_batch_of_one(const Value& value) {
  return value.open.size() == 1 && value.open[0] == 0 && value.shape[0] == 1;
}

// What is asked for is no placeholder any more.
bool is_asked(const std::string& name, const TfliteOptions& options) {
  const auto is_it = [&](const std::string& asked) {
    return asked == name || (asked.ends_with(']') && asked.starts_with(name + "["));
  };
  return std::ranges::any_of(options.shapes, [&](const auto& it) { return is_it(it.first); }) ||
         std::ranges::any_of(options.sizes, [&](const auto& it) { return is_it(it.first); });
}

std::vector<OpenShape> open_inputs(const Network& network, const TfliteOptions& options) {
  std::vector<OpenShape> open;
  for (const TensorId input : network.graphs[0].inputs) {
    const Value& value = network.values[input.index()];
    if (value.open.empty() || is_batch_of_one(value)) continue;
    if (is_asked(value.name, options)) continue;
    open.push_back({value.name, {value.shape.begin(), value.shape.end()}, value.open});
  }
  return open;
}

// Bytes on a core of 32 bits, from how the runtime's structures are laid out there.
constexpr std::uint64_t kRuntime = 320;  // the interpreter's allocator and planner
constexpr std::uint64_t kTensor = 12;    // where its data is, its dimensions and its type
constexpr std::uint64_t kNode = 96;      // an operator: its operands, parsed options, own data
constexpr std::uint64_t kEnd = 112;      // what the caller sees of an input or output
constexpr std::uint64_t kChannel = 8;    // a multiplier and a shift of a quantized filter
constexpr std::uint64_t kSubgraph = 8;
constexpr std::uint64_t kMost = std::uint64_t{1} << 50;  // sums stop there

std::uint64_t channels_of(const Node& node, const Network& network) {
  if (!tflite::has_channels(node.code) || node.inputs.size() < 2) return 0;
  return network.values[node.inputs[1].index()].scales;
}

// An IF copies its operands and results through bytes that it keeps.
std::uint64_t copied_by(const Node& node, const Network& network) {
  if (static_cast<tflite::Builtin>(node.code) != tflite::Builtin::If) return 0;
  std::uint64_t sum = 0;
  for (const auto* list : {&node.inputs, &node.outputs}) {
    for (const TensorId tensor : *list) {
      sum = std::min(kMost, sum + std::min(kMost, network.values[tensor.index()].bytes.count()));
    }
  }
  return sum;
}

Bytes micro_bytes(const Network& network) {
  std::uint64_t sum = kRuntime + kTensor * network.values.size();
  for (const Graph& graph : network.graphs) {
    sum += kSubgraph + kNode * graph.nodes.size();
    for (const Node& node : graph.nodes) {
      sum = std::min(kMost, sum + kChannel * channels_of(node, network) + copied_by(node, network));
    }
  }
  const Graph& main = network.graphs[0];
  return Bytes(sum + kEnd * (main.inputs.size() + main.outputs.size()));
}

}  // namespace

Result<TfliteFacts> read_tflite_facts(std::string_view bytes, std::string_view file_name,
                                      const TfliteOptions& options) {
  const auto file = tflite::File::open(bytes, std::string(file_name));
  if (!file) return tl::unexpected(file.error());
  const auto network = tflite::read_network(*file);
  if (!network) return tl::unexpected(network.error());
  return TfliteFacts{open_inputs(*network, options), micro_bytes(*network)};
}

}  // namespace berth
