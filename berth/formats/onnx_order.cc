#include "berth/formats/onnx_order.h"

#include <functional>
#include <numeric>
#include <queue>
#include <unordered_map>

#include "berth/base/seeded_hash.h"

namespace berth::onnx {
namespace {

using Writers = std::unordered_map<std::string, std::size_t, SeededHash>;

Writers writers_of(std::span<const NodeNames> nodes) {
  Writers writers;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    for (const std::string& output : nodes[node].outputs) writers.emplace(output, node);
  }
  return writers;
}

// Does `from` read, directly or through others, what `to` writes?
bool depends_on(std::span<const NodeNames> nodes, const Writers& writers, std::size_t from,
                std::size_t to) {
  std::vector<bool> seen(nodes.size(), false);
  std::vector<std::size_t> open = {from};
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    if (node == to) return true;
    if (seen[node]) continue;
    seen[node] = true;
    for (const std::string& input : nodes[node].inputs) {
      const auto writer = writers.find(input);
      if (writer != writers.end()) open.push_back(writer->second);
    }
  }
  return false;
}

}  // namespace

std::vector<std::size_t> execution_order(std::span<const NodeNames> nodes) {
  const Writers writers = writers_of(nodes);
  std::vector<std::vector<std::size_t>> readers(nodes.size());
  std::vector<std::size_t> waits_for(nodes.size(), 0);
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    for (const std::string& input : nodes[node].inputs) {
      const auto writer = writers.find(input);
      if (input.empty() || writer == writers.end()) continue;
      readers[writer->second].push_back(node);
      ++waits_for[node];
    }
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    if (waits_for[node] == 0) ready.push(node);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const std::size_t reader : readers[order.back()]) {
      if (--waits_for[reader] == 0) ready.push(reader);
    }
  }
  if (order.size() == nodes.size()) return order;
  order.resize(nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

std::optional<LateWriter> late_writer(std::span<const NodeNames> nodes, std::size_t reader,
                                      const std::string& name) {
  const Writers writers = writers_of(nodes);
  const auto writer = writers.find(name);
  if (writer == writers.end() || writer->second < reader) return std::nullopt;
  return LateWriter{writer->second, depends_on(nodes, writers, writer->second, reader)};
}

}  // namespace berth::onnx
