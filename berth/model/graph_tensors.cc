#include "berth/model/graph_tensors.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "berth/ir/tensor_size.h"

namespace berth {

Result<Bytes> bytes_of(const ModelGraph& graph, std::size_t value, const Fact& fact) {
  if (!is_sized(fact)) return Bytes(0);
  std::vector<std::uint64_t> dims;
  for (const Dim& dim : *fact.shape) dims.push_back(*dim);
  const auto bytes = tensor_bytes(dims, fact.element->bits());
  if (bytes) return *bytes;
  return input_error(fmt::format("{}: value '{}'", graph.file, graph.values[value].name),
                     fmt::format("shape {} of {} needs {} bytes, more than 64 bits hold",
                                 text_of(fact.shape), fact.element->name(), bytes.error()));
}

std::optional<TileLayout> layout_of(const Fact& fact) {
  if (!is_sized(fact)) return std::nullopt;
  TileLayout layout;
  for (const Dim& dim : *fact.shape) layout.dims.push_back(*dim);
  layout.tile.assign(layout.dims.size(), 1);
  const unsigned bits = fact.element->bits();
  if (bits % 8 != 0) layout.packed_bits = bits;
  layout.tile_bytes = Bytes(bits / 8);
  return layout;
}

Result<std::vector<Tensor>> tensors_of(const ModelGraph& graph, const ModelFacts& facts,
                                       const std::vector<bool>& constants) {
  std::vector<Tensor> tensors;
  tensors.reserve(graph.values.size());
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const auto bytes = bytes_of(graph, i, facts.facts[i]);
    if (!bytes) return tl::unexpected(bytes.error());
    Tensor tensor;
    tensor.name = graph.values[i].name;
    tensor.kind = constants[i] ? TensorKind::Weight : TensorKind::Intermediate;
    tensor.bytes = *bytes;
    tensor.dynamic = !constants[i] && !is_sized(facts.facts[i]);
    tensor.layout = layout_of(facts.facts[i]);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace berth
