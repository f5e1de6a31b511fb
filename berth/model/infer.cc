#include "berth/model/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/model/control_flow.h"
#include "berth/model/mapped_bodies.h"
#include "berth/model/open_results.h"
#include "berth/model/rule.h"
#include "berth/model/stated.h"

namespace berth {
namespace {

using Fault = std::optional<Error>;

constexpr std::size_t kMostDims = 64;
// Loops in loops whose shapes change are walked again and again.
constexpr std::uint64_t kMostVisits = 50'000'000;

class Inference {
 public:
  Inference(const ModelGraph& graph, const Bindings& bindings, End end)
      : graph_(graph), stated_(graph, bindings, end) {
    facts_.facts.resize(graph.values.size());
    facts_.block_runs.assign(graph.blocks.size(), false);
    facts_.block_known.assign(graph.blocks.size(), false);
    entered_.assign(graph.blocks.size(), false);
    for (std::size_t i = 0; i < graph.values.size(); ++i) {
      if (graph.values[i].constant) facts_.facts[i] = stated_[TensorId(i)];
    }
  }

  // `runs`: by block, those that may run, where that is known already.
  Result<ModelFacts> infer(std::optional<std::vector<bool>> runs = std::nullopt) {
    runs_ = std::move(runs);
    for (const TensorId input : graph_.blocks[0].inputs) fact(input) = stated_[input];
    facts_.block_runs[0] = true;
    frames_.push_back({0});
    while (!frames_.empty()) {
      Fault fault = advance();
      if (fault && !drop_untaken_branch()) return tl::unexpected(std::move(*fault));
    }
    if (runs_) facts_.block_runs = *std::move(runs_);
    if (auto note = stated_.note()) facts_.notes.push_back(*std::move(note));
    return std::move(facts_);
  }

 private:
  struct Frame {
    std::size_t block = 0;
    std::size_t node = 0;
    std::size_t body = 0;  // of that node
  };

  Fact& fact(TensorId id) { return facts_.facts[id.index()]; }
  const ModelBlock& body_of(const ModelNode& node, std::size_t body) const {
    return graph_.blocks[node.bodies[body].block];
  }

  Fault refused(const ModelNode& node, const std::string& why) const {
    return Error{Error::Kind::Input, fmt::format("{}: {}", graph_.file, title_of(node)), why,
                 branch_hint()};
  }

  // A branch that is never taken need not fit.
  std::string branch_hint() const {
    for (std::size_t i = frames_.size(); i-- > 0;) {
      const Frame& frame = frames_[i];
      const auto& nodes = graph_.blocks[frame.block].nodes;
      if (i + 1 == frames_.size() || control_of(nodes[frame.node]) != Control::If) continue;
      return fmt::format(
          "it stands in the {} of {}; where an input decides that, --bind INPUT=N "
          "leaves the other branch out",
          nodes[frame.node].bodies[frame.body].name, title_of(nodes[frame.node]));
    }
    return "";
  }

  Fault advance() {
    Frame& now = frames_.back();
    const auto& nodes = graph_.blocks[now.block].nodes;
    if (++visits_ > kMostVisits) {
      return Error{Error::Kind::Limit, graph_.file,
                   fmt::format("its loops change shapes for more than {} steps", kMostVisits),
                   "give the shapes of what they carry with --shape"};
    }
    if (now.node == nodes.size()) {
      facts_.block_known[now.block] = true;
      frames_.pop_back();
      return frames_.empty() ? std::nullopt : leave_body();
    }
    const ModelNode& node = nodes[now.node];
    if (now.body == 0) {
      if (auto why = find_passing_fault(graph_, node)) return refused(node, *why);
    }
    if (now.body < node.bodies.size()) {
      if (enter_body(node, now.body)) {
        frames_.push_back({node.bodies[now.body].block});
      } else {
        ++now.body;
      }
      return std::nullopt;
    }
    now.body = 0;
    ++now.node;
    return finish(node);
  }

  // --- Bodies ---

  bool enter_body(const ModelNode& node, std::size_t body) {
    const std::size_t block = node.bodies[body].block;
    if (control_of(node) == Control::If && !may_run(node, body)) return false;
    facts_.block_runs[block] = true;
    const auto& inputs = graph_.blocks[block].inputs;
    auto passed = passed_to(node, inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      // A body that is walked again keeps what held of its inputs before.
      if (entered_[block]) passed[i] = joined(fact(inputs[i]), passed[i]);
      fact(inputs[i]) = stated_.filled(inputs[i], std::move(passed[i]));
    }
    entered_[block] = true;
    return true;
  }

  // Where the condition is known, the other branch never runs. Of a range, it may be another one
  // for other sizes.
  bool may_run(const ModelNode& node, std::size_t body) const {
    return runs_ ? (*runs_)[node.bodies[body].block] : is_taken(node, body);
  }

  // With the sizes of this end.
  bool is_taken(const ModelNode& node, std::size_t body) const {
    if (node.inputs.empty() || !node.inputs[0]) return true;
    const auto flag = Call(node, std::span(&facts_.facts[node.inputs[0]->index()], 1)).ints(0);
    if (!flag || flag->size() != 1) return true;
    return (flag->front() != 0) == (node.bodies[body].name == "then_branch");
  }

  // A branch for other sizes of a range need not fit those of this end: it is left where it stands.
  bool drop_untaken_branch() {
    for (std::size_t i = frames_.size(); runs_ && i-- > 1;) {
      Frame& around = frames_[i - 1];
      const ModelNode& node = graph_.blocks[around.block].nodes[around.node];
      if (control_of(node) != Control::If || is_taken(node, around.body)) continue;
      frames_.resize(i);
      ++around.body;
      return true;
    }
    return false;
  }

  std::vector<Fact> passed_to(const ModelNode& node, const std::vector<TensorId>& inputs) {
    std::vector<Fact> passed(inputs.size());
    const Control control = control_of(node);
    if (control == Control::Other) {
      for (std::size_t i = 0; i < inputs.size(); ++i) passed[i] = stated_[inputs[i]];
      return facts_passed(node, operands_of(node), std::move(passed));
    }
    if (control == Control::If) return passed;
    if (control == Control::Loop) {
      passed[0] = turn_number(node, stated_[inputs[0]]);
      passed[1] = operand(node, 1);
      if (node.inputs.size() < 2 || !node.inputs[1]) {
        passed[1] = tensor_fact(Dtype::of("bool"), Shape());
        passed[1].numbers = Numbers{Numbers::Ints{1}};
      }
    }
    const CarriedValues carried = carried_values(node);
    for (std::size_t i = 0; i < carried.count; ++i) {
      passed[carried.body_input + i] = operand(node, carried.operand + i);
    }
    for (std::size_t i = 0; i < carried.scanned; ++i) {
      passed[carried.count + i] = slice_of(node, i, operand(node, carried.count + i));
    }
    return passed;
  }

  // Which turn it is, counted from 0.
  Fact turn_number(const ModelNode& node, const Fact& said) {
    Fact number = tensor_fact(Dtype::of("int64"), said.shape.value_or(Shape()));
    if (most_turns(node) == Dim(1)) {
      number.numbers = Numbers{Numbers::Ints{0}};
    } else {
      number.varies = true;
    }
    return number;
  }

  // By the limit alone.
  Dim most_turns(const ModelNode& node) {
    const std::vector<Fact> facts = {operand(node, 0)};
    const auto limit = Call(node, facts).ints(0);
    if (!limit || limit->size() != 1) return std::nullopt;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(limit->front(), 0));
  }

  Fact operand(const ModelNode& node, std::size_t index) {
    return index < node.inputs.size() && node.inputs[index] ? fact(*node.inputs[index]) : Fact();
  }

  static std::size_t scan_axis(const ModelNode& node, const char* attribute, std::size_t index,
                               std::size_t rank) {
    const auto* value = node.attribute(attribute);
    const auto* axes = value == nullptr ? nullptr : std::get_if<std::vector<std::int64_t>>(value);
    if (axes == nullptr || index >= axes->size()) return 0;
    return axis_of((*axes)[index], rank).value_or(0);
  }

  static Fact slice_of(const ModelNode& node, std::size_t index, Fact whole) {
    whole.varies = whole.varies || whole.numbers;  // each turn has others
    whole.numbers.reset();
    if (!whole.shape || whole.shape->empty()) return whole;
    const std::size_t axis = scan_axis(node, "scan_input_axes", index, whole.shape->size());
    whole.shape->erase(whole.shape->begin() + static_cast<std::ptrdiff_t>(axis));
    return whole;
  }

  // A loop whose carried values change shape is walked again, with what holds of all turns.
  Fault leave_body() {
    Frame& now = frames_.back();
    const ModelNode& node = graph_.blocks[now.block].nodes[now.node];
    const Control control = control_of(node);
    if (control == Control::Loop || control == Control::Scan) {
      if (widen_carried(node)) {
        frames_.push_back({node.bodies[0].block});
        return std::nullopt;
      }
    }
    ++now.body;
    return std::nullopt;
  }

  bool widen_carried(const ModelNode& node) {
    const ModelBlock& body = body_of(node, 0);
    const CarriedValues carried = carried_values(node);
    bool is_changed = false;
    const auto widen = [&](TensorId input, const Fact& next) {
      Fact wider = joined(fact(input), stated_.filled(input, next));
      (void)stated_.find_refusal(input, wider, "a later turn of " + title_of(node));
      wider = stated_.filled(input, std::move(wider));
      if (wider == fact(input)) return;
      fact(input) = std::move(wider);
      is_changed = true;
    };
    for (std::size_t i = 0; i < carried.count; ++i) {
      widen(body.inputs[carried.body_input + i], fact(body.outputs[carried.body_output + i]));
    }
    if (control_of(node) == Control::Loop) widen(body.inputs[1], fact(body.outputs[0]));
    return is_changed;
  }

  // --- Results ---

  Fault finish(const ModelNode& node) {
    auto results = results_of(node);
    if (!results) return refused(node, results.error());
    results->resize(node.outputs.size());
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (!node.outputs[i]) continue;
      const TensorId id = *node.outputs[i];
      const auto& shape = (*results)[i].shape;
      if (shape && shape->size() > kMostDims) {
        return refused(node, fmt::format("its result '{}' has {} dimensions; the limit is {}",
                                         graph_.values[id.index()].name, shape->size(), kMostDims));
      }
      if (auto why = stated_.find_refusal(id, (*results)[i], title_of(node))) {
        return refused(node, *why);
      }
      fact(id) = stated_.filled(id, std::move((*results)[i]));
    }
    return std::nullopt;
  }

  Answer results_of(const ModelNode& node) {
    switch (control_of(node)) {
      case Control::If:
        return results_of_branches(node);
      case Control::Loop:
      case Control::Scan:
        return results_of_turns(node);
      case Control::Other:
        break;
    }
    const ShapeRule rule = find_rule(node.domain, node.op);
    if (rule == nullptr) return std::vector<Fact>();
    const std::vector<Fact> operands = operands_of(node);
    if (is_batched_scan(node)) {
      std::vector<Fact> given;
      for (const TensorId output : body_of(node, 0).outputs) given.push_back(fact(output));
      return facts_scanned(node, operands, given);
    }
    auto results = rule(Call(node, operands));
    if (!results) return results;
    if (std::ranges::any_of(operands, is_text)) mark_text(*results);
    const bool varies = std::ranges::any_of(operands, &Fact::varies);
    for (Fact& result : *results) result.varies = varies && is_open(result);
    return results;
  }

  // Of text there is a shape, yet no fixed size; of lists there is no shape.
  static bool is_text(const Fact& fact) { return !fact.tensor && fact.shape; }

  // What is made of text and has no other type is text.
  static void mark_text(std::vector<Fact>& results) {
    for (Fact& result : results) {
      if (!result.element) result.tensor = false;
    }
  }

  std::vector<Fact> operands_of(const ModelNode& node) {
    std::vector<Fact> operands;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) operands.push_back(operand(node, i));
    return operands;
  }

  // Each branch with what the file says of the result: it may fill in what a branch leaves open,
  // but says nothing where the branches differ.
  std::vector<Fact> results_of_branches(const ModelNode& node) {
    std::vector<Fact> results;
    bool is_first = true;
    for (std::size_t at = 0; at < node.bodies.size(); ++at) {
      if (!facts_.block_runs[node.bodies[at].block] || !is_taken(node, at)) continue;
      const auto& outputs = body_of(node, at).outputs;
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        Fact given = fact(outputs[i]);
        if (node.outputs[i]) given = stated_.filled(*node.outputs[i], std::move(given));
        if (is_first) {
          results.push_back(std::move(given));
        } else {
          results[i] = joined(results[i], given);
        }
      }
      is_first = false;
    }
    return results;
  }

  // The last carried values, then what each turn gave, stacked.
  std::vector<Fact> results_of_turns(const ModelNode& node) {
    const ModelBlock& body = body_of(node, 0);
    const CarriedValues carried = carried_values(node);
    std::vector<Fact> results;
    for (std::size_t i = 0; i < carried.count; ++i) {
      // Where no turn runs, it is what came in.
      results.push_back(left_behind(fact(body.inputs[carried.body_input + i])));
    }
    const Dim turns = turns_of(node);
    for (std::size_t i = carried.body_output + carried.count; i < body.outputs.size(); ++i) {
      Fact stacked = left_behind(fact(body.outputs[i]));
      stacked.numbers.reset();
      if (stacked.shape) {
        const std::size_t at = i - carried.body_output - carried.count;
        const std::size_t axis = scan_axis(node, "scan_output_axes", at, stacked.shape->size() + 1);
        stacked.shape->insert(stacked.shape->begin() + static_cast<std::ptrdiff_t>(axis), turns);
      }
      results.push_back(std::move(stacked));
    }
    return results;
  }

  // Elements that were others in each turn are merely not known once the loop is over; of several
  // shapes the last one is still any.
  static Fact left_behind(Fact fact) {
    if (fact.element && fact.shape && is_known(*fact.shape)) fact.varies = false;
    return fact;
  }

  Dim turns_of(const ModelNode& node) {
    const CarriedValues carried = carried_values(node);
    if (control_of(node) == Control::Scan) {
      if (carried.scanned == 0) return std::nullopt;
      const Fact whole = operand(node, carried.count);
      if (!whole.shape || whole.shape->empty()) return std::nullopt;
      return (*whole.shape)[scan_axis(node, "scan_input_axes", 0, whole.shape->size())];
    }
    const std::vector<Fact> facts = {operand(node, 0), fact(body_of(node, 0).outputs[0]),
                                     fact(body_of(node, 0).inputs[1])};
    const Call said(node, facts);
    const auto is_true = [&](std::size_t index) {
      const auto flag = said.ints(index);
      return flag && flag->size() == 1 && flag->front() != 0;
    };
    return is_true(1) && is_true(2) ? most_turns(node) : std::nullopt;
  }

  const ModelGraph& graph_;
  Statements stated_;
  std::optional<std::vector<bool>> runs_;
  ModelFacts facts_;
  std::vector<bool> entered_;  // by block
  std::vector<Frame> frames_;
  std::uint64_t visits_ = 0;
};

}  // namespace

bool is_sized(const Fact& fact) {
  return fact.tensor && fact.element && fact.shape && is_known(*fact.shape);
}

namespace {

Result<ModelFacts> settled(const ModelGraph& graph, const Bindings& bindings, const OpenSizes& open,
                           Result<ModelFacts> facts) {
  if (!facts) return facts;
  auto notes = settle_open_results(graph, *facts, bindings, open);
  if (!notes) return tl::unexpected(notes.error());
  facts->notes.insert(facts->notes.end(), notes->begin(), notes->end());
  return facts;
}

}  // namespace

Result<ModelFacts> infer_facts(const ModelGraph& graph, const Bindings& bindings, End end) {
  if (auto error = find_unknown_name(graph, bindings)) return tl::unexpected(std::move(*error));
  const OpenSizes open = open_sizes(graph, bindings);
  std::optional<std::vector<bool>> runs;
  if (bindings.has_range()) {
    const auto all = Inference(graph, bindings, End::Open).infer();
    if (!all) return tl::unexpected(open.flags.empty() ? all.error() : question(graph, open));
    runs = all->block_runs;
  }
  auto facts = Inference(graph, bindings, end).infer(std::move(runs));
  // While sizes are open, a branch that does not fit may be one that they leave out.
  if (!facts && !open.flags.empty()) return tl::unexpected(question(graph, open));
  return settled(graph, bindings, open, std::move(facts));
}

Result<ModelFacts> infer_point(const ModelGraph& graph, const Bindings& point,
                               const std::vector<bool>& block_runs) {
  const OpenSizes open = open_sizes(graph, point);
  return settled(graph, point, open, Inference(graph, point, End::Most).infer(block_runs));
}

}  // namespace berth
