#include "berth/model/stated.h"

#include <fmt/format.h>

#include <utility>

namespace berth {
namespace {

std::string name_of(const std::optional<Dtype>& element) {
  return element ? std::string(element->name()) : "text";
}

// "[2, 3]", where it is open because more than one holds: "more than one".
std::string given_text(const Fact& fact) {
  if (!fact.varies) return text_of(fact.shape) + ", which is planned";
  return fact.shape ? text_of(fact.shape) + ", where ? is more than one size"
                    : std::string("more than one");
}

}  // namespace

Statements::Statements(const ModelGraph& graph, const Bindings& bindings, End end)
    : graph_(graph), bindings_(bindings) {
  said_.reserve(graph.values.size());
  for (const ModelValue& value : graph.values) said_.push_back(stated_fact(value, bindings, end));
  for (const TensorId input : graph.blocks[0].inputs) {
    const auto& dims = graph.values[input.index()].declared.dims;
    for (std::size_t i = 0; dims && i < dims->size(); ++i) input_symbols_.insert((*dims)[i].symbol);
  }
}

Fact Statements::filled(TensorId value, Fact follows) const {
  const Fact& said = said_[value.index()];
  if (const auto* given = bindings_.shape(graph_.values[value.index()].name)) {
    if (follows.shape != said.shape) follows.numbers.reset();
    follows.tensor = true;
    follows.varies = false;
    follows.shape = said.shape;
    if (given->element || !follows.element) follows.element = said.element;
    return follows;
  }
  if (!said.tensor) {
    if (follows.tensor && follows.element) return follows;
    Fact unsized = follows.tensor ? unsized_fact() : std::move(follows);
    if (!unsized.shape) unsized.shape = said.shape;  // of text it is known all the same
    return unsized;
  }
  if (!follows.tensor || follows.varies) return follows;
  if (!follows.element) follows.element = said.element;
  if (!said.shape) return follows;
  if (!follows.shape) {
    follows.shape = said.shape;
    return follows;
  }
  if (follows.shape->size() != said.shape->size()) return follows;
  for (std::size_t i = 0; i < said.shape->size(); ++i) {
    Dim& dim = (*follows.shape)[i];
    if (!dim) dim = (*said.shape)[i];
  }
  return follows;
}

std::optional<std::string> Statements::find_refusal(TensorId id, const Fact& follows,
                                                    const std::string& by) {
  const ModelValue& value = graph_.values[id.index()];
  const Fact& said = said_[id.index()];
  if (bindings_.shape(value.name) != nullptr) return std::nullopt;
  const auto differs = [&](const char* what, const std::string& one, const std::string& other) {
    remember(id, fmt::format("the model says {}{} of '{}', but {} gives {}", what, one, value.name,
                             by, other));
    return std::nullopt;
  };
  if (!said.tensor && follows.tensor && follows.element) {
    return differs("no tensor", "", "a tensor, which is planned");
  }
  if (said.element && follows.element && said.element != follows.element) {
    return differs("type ", name_of(said.element), name_of(follows.element) + ", which is planned");
  }
  if (!said.shape || !follows.tensor) return std::nullopt;
  if (!follows.shape) {
    if (!follows.varies) return std::nullopt;
    return differs("shape ", text_of(said.shape), given_text(follows));
  }
  if (said.shape->size() != follows.shape->size()) {
    return differs("shape ", text_of(said.shape), given_text(follows));
  }
  for (std::size_t i = 0; i < said.shape->size(); ++i) {
    const Dim& one = (*said.shape)[i];
    const Dim& other = (*follows.shape)[i];
    if (!one || one == other || (!other && !follows.varies)) continue;
    const std::string& symbol = (*value.declared.dims)[i].symbol;
    if (other && bindings_.symbol(symbol) != nullptr && !input_symbols_.contains(symbol)) {
      return fmt::format("dimension {} of its result '{}' is {}, but '{}' is bound to {}", i,
                         value.name, *other, symbol, *one);
    }
    return differs("shape ", text_of(said.shape), given_text(follows));
  }
  return std::nullopt;
}

void Statements::remember(TensorId value, std::string text) {
  if (contradicted_.empty()) first_ = std::move(text);
  contradicted_.insert(value.index());
}

std::optional<std::string> Statements::note() const {
  if (contradicted_.empty()) return std::nullopt;
  const std::size_t more = contradicted_.size() - 1;
  return first_ + (more == 0 ? "" : fmt::format(" (and {} more such)", more));
}

}  // namespace berth
