#include "berth/model/bindings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "berth/model/numbers.h"
#include "berth/model/size_expression.h"

namespace berth {
namespace {

template <typename Value>
const Value* find(const std::vector<std::pair<std::string, Value>>& pairs,
                  const std::string& name) {
  const auto at = std::ranges::find(pairs, name, &std::pair<std::string, Value>::first);
  return at == pairs.end() ? nullptr : &at->second;
}

// Of one number, whose value may decide sizes and branches.
bool is_scalar_input(const ModelGraph& graph, const std::string& name) {
  return std::ranges::any_of(graph.blocks[0].inputs, [&](TensorId id) {
    const ModelValue& input = graph.values[id.index()];
    const auto& dims = input.declared.dims;
    return input.name == name && dims &&
           std::ranges::all_of(*dims, [](const DeclaredDim& dim) { return dim.size == 1u; });
  });
}

// The names of sizes, and of what they are computed from.
std::set<std::string> symbols_of(const ModelGraph& graph) {
  std::set<std::string> symbols;
  for (const ModelValue& value : graph.values) {
    if (!value.declared.dims) continue;
    for (const DeclaredDim& dim : *value.declared.dims) {
      if (dim.symbol.empty() || !symbols.insert(dim.symbol).second) continue;
      for (std::string& part : parts_of(dim.symbol)) symbols.insert(std::move(part));
    }
  }
  return symbols;
}

}  // namespace

const SizeRange* Bindings::symbol(const std::string& name) const {
  return find(symbols, name);
}

const GivenShape* Bindings::shape(const std::string& name) const {
  return find(shapes, name);
}

bool Bindings::has_range() const {
  return std::ranges::any_of(symbols, [](const auto& entry) { return entry.second.is_open(); });
}

std::optional<std::uint64_t> size_at(const Bindings& bindings, const std::string& symbol, End end) {
  const auto bound = [&](const std::string& name) -> std::optional<std::uint64_t> {
    const SizeRange* range = bindings.symbol(name);
    if (range == nullptr || (range->is_open() && end == End::Open)) return std::nullopt;
    return end == End::Least ? range->least : range->most;
  };
  if (symbol.empty()) return std::nullopt;
  if (bindings.symbol(symbol) != nullptr) return bound(symbol);
  return computed_size(symbol, bound);
}

Fact stated_fact(const ModelValue& value, const Bindings& bindings, End end) {
  if (value.constant) return fact_of(*value.constant);
  Fact fact;
  fact.tensor = value.declared.tensor;
  fact.element = value.declared.element;
  if (const GivenShape* given = bindings.shape(value.name)) {
    fact.tensor = true;
    fact.shape = Shape(given->dims.begin(), given->dims.end());
    if (given->element) fact.element = given->element;
    return fact;
  }
  if (!value.declared.dims) return fact;
  const SizeRange* number = bindings.symbol(value.name);
  if (number != nullptr && fact.element) {
    fact.numbers = fitted({Numbers::Ints{static_cast<std::int64_t>(number->most)}}, fact.element);
  }
  fact.shape.emplace();
  for (const DeclaredDim& dim : *value.declared.dims) {
    fact.shape->push_back(dim.size ? dim.size : size_at(bindings, dim.symbol, end));
  }
  return fact;
}

std::optional<Error> find_unknown_name(const ModelGraph& graph, const Bindings& bindings) {
  const std::set<std::string> symbols = symbols_of(graph);
  std::set<std::string> names;
  for (const ModelValue& value : graph.values) names.insert(value.name);
  for (const auto& [name, range] : bindings.symbols) {
    if (symbols.contains(name)) continue;
    if (is_scalar_input(graph, name)) {
      if (!range.is_open()) continue;
      return Error{Error::Kind::Usage, "--bind",
                   fmt::format("'{}' is an input, and its value no size", name),
                   "give it one value, not a range"};
    }
    const auto known = symbols.empty() ? std::string("its sizes have no names")
                                       : fmt::format("it has {}", fmt::join(symbols, ", "));
    return Error{Error::Kind::Usage, "--bind",
                 fmt::format("{} has no dimension '{}'", graph.file, name), known};
  }
  for (const auto& [name, shape] : bindings.shapes) {
    if (names.contains(name)) continue;
    return Error{Error::Kind::Usage, "--shape",
                 fmt::format("{} has no value '{}'", graph.file, name),
                 "name an input of the model, or a result as the model names it"};
  }
  return std::nullopt;
}

}  // namespace berth
