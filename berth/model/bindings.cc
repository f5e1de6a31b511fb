#include "berth/model/bindings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "berth/model/control_flow.h"
#include "berth/model/numbers.h"

namespace berth {
namespace {

template <typename Value>
const Value* find(const std::vector<std::pair<std::string, Value>>& pairs,
                  const std::string& name) {
  const auto at = std::ranges::find(pairs, name, &std::pair<std::string, Value>::first);
  return at == pairs.end() ? nullptr : &at->second;
}

// In single quotes where a shell would take it apart.
std::string quoted(const std::string& text) {
  const bool is_plain = std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./:=+,").find(c) != std::string_view::npos;
  });
  return is_plain ? text : "'" + text + "'";
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

std::optional<Error> find_unknown_name(const ModelGraph& graph, const Bindings& bindings) {
  std::set<std::string> symbols;
  std::set<std::string> names;
  for (const ModelValue& value : graph.values) {
    names.insert(value.name);
    if (!value.declared.dims) continue;
    for (const DeclaredDim& dim : *value.declared.dims) {
      if (!dim.symbol.empty()) symbols.insert(dim.symbol);
    }
  }
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

// What no rule will find out: what the model is given, and what operators that we know nothing of
// give to their bodies.
std::vector<TensorId> given_values(const ModelGraph& graph) {
  std::vector<TensorId> given = graph.blocks[0].inputs;
  for (const ModelBlock& block : graph.blocks) {
    for (const ModelNode& node : block.nodes) {
      if (is_known_control(node)) continue;
      for (const ModelBody& body : node.bodies) {
        const auto& inputs = graph.blocks[body.block].inputs;
        given.insert(given.end(), inputs.begin(), inputs.end());
      }
    }
  }
  return given;
}

class OpenSizes {
 public:
  OpenSizes(const ModelGraph& graph, const Bindings& bindings)
      : graph_(graph), bindings_(bindings) {}

  std::optional<Error> find() {
    for (const TensorId id : given_values(graph_)) look_at(graph_.values[id.index()]);
    if (flags_.empty()) return std::nullopt;
    return Error{Error::Kind::Input, graph_.file,
                 fmt::format("leaves {} open: {}", flags_.size() == 1 ? "a size" : "sizes",
                             fmt::join(what_, ", ")),
                 fmt::format("add {}", fmt::join(flags_, " "))};
  }

 private:
  void look_at(const ModelValue& value) {
    if (!value.declared.tensor || bindings_.shape(value.name) != nullptr) return;
    if (!value.declared.dims) return ask_for_shape(value);
    const bool has_nameless = std::ranges::any_of(*value.declared.dims, [](const DeclaredDim& dim) {
      return !dim.size && dim.symbol.empty();
    });
    if (has_nameless) return ask_for_shape(value);
    for (const DeclaredDim& dim : *value.declared.dims) {
      if (dim.size || bindings_.symbol(dim.symbol) != nullptr) continue;
      if (!asked_.insert(dim.symbol).second) continue;
      what_.push_back(dim.symbol);
      flags_.push_back("--bind " + quoted(dim.symbol + "=N"));
    }
  }

  void ask_for_shape(const ModelValue& value) {
    std::string dims = "...";
    if (value.declared.dims) {
      std::vector<std::string> each;
      for (const DeclaredDim& dim : *value.declared.dims) {
        const SizeRange* bound = bindings_.symbol(dim.symbol);
        const auto size = dim.size ? dim.size : bound ? std::optional(bound->most) : std::nullopt;
        each.push_back(size ? fmt::format("{}", *size) : "N");
      }
      dims = fmt::format("{}", fmt::join(each, "x"));
    }
    what_.push_back("the shape of '" + value.name + "'");
    flags_.push_back("--shape " + quoted(value.name + "=" + dims));
  }

  const ModelGraph& graph_;
  const Bindings& bindings_;
  std::set<std::string> asked_;
  std::vector<std::string> what_;
  std::vector<std::string> flags_;
};

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
    const SizeRange* bound = dim.symbol.empty() ? nullptr : bindings.symbol(dim.symbol);
    if (bound != nullptr && bound->is_open() && end == End::Open) {
      fact.shape->emplace_back();
    } else if (bound != nullptr) {
      fact.shape->push_back(end == End::Least ? bound->least : bound->most);
    } else {
      fact.shape->push_back(dim.size);
    }
  }
  return fact;
}

std::optional<Error> find_open_sizes(const ModelGraph& graph, const Bindings& bindings) {
  if (auto error = find_unknown_name(graph, bindings)) return error;
  return OpenSizes(graph, bindings).find();
}

}  // namespace berth
