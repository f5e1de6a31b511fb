#include "berth/model/open_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "berth/model/control_flow.h"
#include "berth/model/mapped_bodies.h"
#include "berth/model/size_expression.h"

namespace berth {
namespace {

// A line that is longer is no help; what is behind it is asked for in the next round.
constexpr std::size_t kLongestLine = 64 * 1024;

// In single quotes where a shell would take it apart.
std::string quoted(const std::string& text) {
  const bool is_plain = std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./:=+,").find(c) != std::string_view::npos;
  });
  if (is_plain) return text;
  std::string inside;
  for (const char c : text) inside += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + inside + "'";
}

// Which names to bind for a symbol: its parts, where each of them is a size in its own right.
std::vector<std::string> names_to_bind(const std::string& symbol,
                                       const std::set<std::string>& symbols,
                                       const Bindings& bindings) {
  std::vector<std::string> names;
  for (std::string& part : parts_of(symbol)) {
    if (bindings.symbol(part) != nullptr) continue;
    if (!symbols.contains(part)) return {symbol};
    names.push_back(std::move(part));
  }
  return names.empty() ? std::vector{symbol} : names;
}

// What no rule will find out: what the model is given, and what operators that we know nothing of
// give to their bodies.
std::vector<TensorId> given_values(const ModelGraph& graph) {
  std::vector<TensorId> given = graph.blocks[0].inputs;
  for (const ModelBlock& block : graph.blocks) {
    for (const ModelNode& node : block.nodes) {
      if (is_known_control(node) || is_mapped(node)) continue;
      for (const ModelBody& body : node.bodies) {
        const auto& inputs = graph.blocks[body.block].inputs;
        given.insert(given.end(), inputs.begin(), inputs.end());
      }
    }
  }
  return given;
}

std::string shape_flag(const ModelValue& value, const std::optional<Shape>& shape, bool has_type) {
  std::vector<std::string> each;
  if (!shape) each.emplace_back("DIMS");
  for (const Dim& dim : shape.value_or(Shape())) {
    each.push_back(dim ? fmt::format("{}", *dim) : "N");
  }
  return "--shape " +
         quoted(fmt::format("{}={}{}", value.name, fmt::join(each, "x"), has_type ? "" : ":TYPE"));
}

}  // namespace

std::string Flags::line() const {
  std::string line;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (line.size() + list_[i].size() > kLongestLine) {
      return fmt::format("{} (and {} more)", line, list_.size() - i);
    }
    line += (i == 0 ? "" : " ") + list_[i];
  }
  return line;
}

std::set<std::string> whole_symbols(const ModelGraph& graph) {
  std::set<std::string> symbols;
  for (const ModelValue& value : graph.values) {
    if (!value.declared.dims) continue;
    for (const DeclaredDim& dim : *value.declared.dims) symbols.insert(dim.symbol);
  }
  return symbols;
}

void add_flags_for(const ModelValue& value, const Fact& fact, const Bindings& bindings,
                   const std::set<std::string>& symbols, Flags& flags) {
  const auto& declared = value.declared.dims;
  bool is_named = fact.element && fact.shape && declared && declared->size() == fact.shape->size();
  std::vector<std::string> binds;
  for (std::size_t i = 0; is_named && i < fact.shape->size(); ++i) {
    if ((*fact.shape)[i]) continue;
    const std::string& symbol = (*declared)[i].symbol;
    // A name that has a size already settles nothing more.
    is_named = !symbol.empty() && !size_at(bindings, symbol, End::Most);
    if (!is_named) break;
    for (const std::string& name : names_to_bind(symbol, symbols, bindings)) {
      binds.push_back("--bind " + quoted(name + "=N"));
    }
  }
  if (!is_named) binds = {shape_flag(value, fact.shape, fact.element.has_value())};
  for (std::string& bind : binds) flags.add(std::move(bind));
}

OpenSizes open_sizes(const ModelGraph& graph, const Bindings& bindings) {
  OpenSizes open;
  std::set<std::string> asked;
  const std::set<std::string> symbols = whole_symbols(graph);
  for (const TensorId id : given_values(graph)) {
    const ModelValue& value = graph.values[id.index()];
    if (!value.declared.tensor || bindings.shape(value.name) != nullptr) continue;
    const Fact said = stated_fact(value, bindings, End::Most);
    const bool has_names =
        said.shape && std::ranges::all_of(*value.declared.dims, [](const DeclaredDim& dim) {
          return dim.size || !dim.symbol.empty();
        });
    if (!has_names) {
      open.what.push_back("the shape of '" + value.name + "'");
      // Where its type is not said either, that is no size: it is asked for by the same flag.
      open.flags.add(shape_flag(value, said.shape, said.element.has_value()));
      continue;
    }
    for (std::size_t i = 0; i < said.shape->size(); ++i) {
      if ((*said.shape)[i]) continue;
      const std::string& symbol = (*value.declared.dims)[i].symbol;
      for (const std::string& name : names_to_bind(symbol, symbols, bindings)) {
        if (!asked.insert(name).second) continue;
        open.what.push_back(name);
        open.flags.add("--bind " + quoted(name + "=N"));
      }
    }
  }
  return open;
}

std::string text_of(const OpenSizes& open) {
  return fmt::format("leaves {} open: {}", open.flags.list().size() == 1 ? "a size" : "sizes",
                     fmt::join(open.what, ", "));
}

std::string hint_of(const Flags& flags) {
  const auto has = [&](std::string_view placeholder) {
    return std::ranges::any_of(flags.list(), [&](const std::string& flag) {
      return flag.starts_with("--shape") && flag.find(placeholder) != std::string::npos;
    });
  };
  return fmt::format("add {}{}{}", flags.line(),
                     has("=DIMS") ? "; for DIMS write sizes, such as 1x64" : "",
                     has(":TYPE") ? "; for TYPE an element type, such as float32" : "");
}

Error question(const ModelGraph& graph, const OpenSizes& open) {
  return Error{Error::Kind::Input, graph.file, text_of(open), hint_of(open.flags)};
}

}  // namespace berth
