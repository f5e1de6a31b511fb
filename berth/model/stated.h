#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "berth/ir/model_graph.h"
#include "berth/model/bindings.h"
#include "berth/model/fact.h"

namespace berth {

// What the file and a person say of each value, beside what follows from the operators.
//
// What a person says of a value is taken. What the file says fills in what the operators leave
// open, and nothing more: where they give another type, another shape, or more than one
// (Fact::varies), the operators' is taken, and a note says so.
class Statements {
 public:
  // Both outlive the statements.
  Statements(const ModelGraph& graph, const Bindings& bindings, End end);

  const Fact& operator[](TensorId value) const { return said_[value.index()]; }

  Fact filled(TensorId value, Fact follows) const;

  // Why what follows cannot be, after `by`: a person bound a size, that no input has, to another.
  // Otherwise what differs is remembered for the note.
  std::optional<std::string> find_refusal(TensorId value, const Fact& follows,
                                          const std::string& by);

  // Of all that was remembered.
  std::optional<std::string> note() const;

 private:
  void remember(TensorId value, std::string text);

  const ModelGraph& graph_;
  const Bindings& bindings_;
  std::vector<Fact> said_;  // by TensorId
  std::set<std::string> input_symbols_;
  std::set<std::size_t> contradicted_;  // by TensorId
  std::string first_;
};

}  // namespace berth
