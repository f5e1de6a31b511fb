#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/model_graph.h"
#include "berth/model/bindings.h"
#include "berth/model/fact.h"

namespace berth {

// The flags that settle what is open, each once, in the order in which it was met: a line to paste.
class Flags {
 public:
  void add(std::string flag) {
    if (seen_.insert(flag).second) list_.push_back(std::move(flag));
  }
  bool empty() const { return list_.empty(); }
  const std::vector<std::string>& list() const { return list_; }
  std::string line() const;

 private:
  std::set<std::string> seen_;
  std::vector<std::string> list_;
};

// What would settle a value: the names that the model gives to its sizes, or to their parts
// ("--bind length=N"); without such names its shape, in which N stands for each size that is not
// known, DIMS for all of them where not even their number is, and TYPE for the type of an element
// ("--shape out=1xN:TYPE"). The three are no guesses, and none of them is taken for an answer.
// `fact`: what follows of it; `symbols`: of the model, whole.
void add_flags_for(const ModelValue& value, const Fact& fact, const Bindings& bindings,
                   const std::set<std::string>& symbols, Flags& flags);
std::set<std::string> whole_symbols(const ModelGraph& graph);

// Sizes of what the model is given that nobody has said.
struct OpenSizes {
  std::vector<std::string> what;  // "batch", "the shape of 'x'"
  Flags flags;
};
OpenSizes open_sizes(const ModelGraph& graph, const Bindings& bindings);

// Asks for them.
Error question(const ModelGraph& graph, const OpenSizes& open);
std::string text_of(const OpenSizes& open);  // "leaves sizes open: batch, seq"
std::string hint_of(const Flags& flags);     // "add --bind batch=N --bind seq=N"

}  // namespace berth
