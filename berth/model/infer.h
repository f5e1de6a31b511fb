#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/model_graph.h"
#include "berth/model/bindings.h"
#include "berth/model/fact.h"

namespace berth {

struct ModelFacts {
  std::vector<Fact> facts;       // by TensorId
  std::vector<bool> block_runs;  // a branch that a known condition never takes does not
  // To its end: a branch for other sizes of a range is left where it does not fit these.
  std::vector<bool> block_known;
  std::vector<std::string> notes;
};

// What is known of each value: what the file says and a person says, and what follows from both by
// the rules of the operators. Values of small integers and reals are followed too, since shapes are
// computed from them. What a Loop carries has the shape that holds in every turn.
//
// Where the file says a shape that its own operators do not give, the operators' is taken, and a
// note says so; a symbol that was bound to another size than an operator gives is refused. Refuses
// operands that an operator cannot take, bodies that take another number of values than they are
// passed, and sizes that stay open though a person could settle them: an operator without a rule.
// What only the run decides stays unknown, with a note. A branch is left out only where the
// condition is known for every size of a range, not just at its end. O(nodes x shape changes of
// loops); no recursion.
Result<ModelFacts> infer_facts(const ModelGraph& graph, const Bindings& bindings, End end);

// At one point of a range, all of whose sizes are bound. `block_runs`: of the whole range, as
// `infer_facts` of it says: a branch for other sizes need not fit these, and where it does not,
// what it holds stays unknown. Notes of `infer_facts`.
Result<ModelFacts> infer_point(const ModelGraph& graph, const Bindings& point,
                               const std::vector<bool>& block_runs);

// Known to the byte before the run.
bool is_sized(const Fact& fact);

}  // namespace berth
