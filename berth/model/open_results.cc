#include "berth/model/open_results.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/model/constants.h"
#include "berth/model/control_flow.h"
#include "berth/model/rule.h"

namespace berth {
namespace {

constexpr std::size_t kMostNamed = 8;       // operators in one message, and flags in one note
constexpr std::size_t kMostFlags = 10'000;  // in one message

// Why a value has no size; the larger reason wins.
enum class Open { No, Asked, Run };

class OpenResults {
 public:
  OpenResults(const ModelGraph& graph, const ModelFacts& facts, const Bindings& bindings,
              const OpenSizes& open)
      : graph_(graph),
        facts_(facts),
        bindings_(bindings),
        open_(open),
        asked_(open.flags),
        symbols_(whole_symbols(graph)),
        constants_(constants_of(graph)),
        why_(graph.values.size(), Open::No) {}

  Result<std::vector<std::string>> settle() {
    for (const TensorId input : graph_.blocks[0].inputs) {
      // Of text and lists, what is taken out is open, and no rule could say.
      const Fact& fact = facts_.facts[input.index()];
      if (!is_sized(fact)) why_[input.index()] = fact.tensor ? Open::Asked : Open::Run;
    }
    look_into(0);
    if (!asked_.empty()) return tl::unexpected(asked_question());
    std::vector<std::string> notes;
    if (at_run_time_ > 0) notes.push_back(note());
    return notes;
  }

 private:
  void look_into(std::size_t block) {
    if (!facts_.block_known[block]) return;
    for (const ModelNode& node : graph_.blocks[block].nodes) look_at(node);
  }

  Open reason_of(const std::vector<std::optional<TensorId>>& operands) const {
    Open reason = Open::No;
    for (const auto& operand : operands) {
      if (!operand || constants_[operand->index()]) continue;
      // What an operator with a body gives may be open although nothing that it takes is.
      const bool is_open = !is_sized(facts_.facts[operand->index()]);
      if (is_open) reason = std::max({reason, why_[operand->index()], Open::Asked});
    }
    return reason;
  }

  bool has_unknown_operator(const ModelNode& node) const {
    if (!is_known_control(node) && find_rule(node.domain, node.op) == nullptr) return true;
    return std::ranges::any_of(node.bodies, [&](const ModelBody& body) {
      return std::ranges::any_of(graph_.blocks[body.block].nodes, [&](const ModelNode& inner) {
        return has_unknown_operator(inner);
      });
    });
  }

  // What follows from its operands goes into its bodies, and from there to its results. What a loop
  // carries is open also where an operator inside gives it that is asked for.
  Open reason_inside(const ModelNode& node, Open outside) {
    Open reason = outside;
    if (node.bodies.empty()) return reason;
    const Open carried = outside != Open::No          ? outside
                         : has_unknown_operator(node) ? Open::Asked
                                                      : Open::Run;
    for (const ModelBody& body : node.bodies) {
      const ModelBlock& block = graph_.blocks[body.block];
      for (const TensorId input : block.inputs) {
        if (!is_sized(facts_.facts[input.index()])) why_[input.index()] = carried;
      }
      look_into(body.block);
      for (const TensorId output : block.outputs) {
        const bool is_asked = why_[output.index()] == Open::Asked;
        if (is_asked && !constants_[output.index()]) reason = std::max(reason, Open::Asked);
      }
    }
    return reason;
  }

  void look_at(const ModelNode& node) {
    if (is_folded(node, constants_)) return;
    const bool has_rule = is_known_control(node) || find_rule(node.domain, node.op) != nullptr;
    const Open outside = reason_of(node.inputs);
    const Open reason = reason_inside(node, outside);
    bool is_named = false;
    for (const auto& output : node.outputs) {
      if (!output) continue;
      const Fact& fact = facts_.facts[output->index()];
      if (is_sized(fact)) continue;
      const bool is_asked = fact.tensor && !has_rule && outside != Open::Run;
      const bool is_decided_later = !fact.tensor || reason == Open::No;
      why_[output->index()] = is_asked ? Open::Asked : is_decided_later ? Open::Run : reason;
      if (is_asked) {
        if (asked_.list().size() < kMostFlags) add_flags(*output, asked_);
        if (!is_named) name(node);
        is_named = true;
      } else if (fact.tensor && reason == Open::No) {
        ++at_run_time_;
        if (at_run_time_ <= kMostNamed) add_flags(*output, run_time_flags_);
      }
    }
  }

  void add_flags(TensorId value, Flags& flags) const {
    add_flags_for(graph_.values[value.index()], facts_.facts[value.index()], bindings_, symbols_,
                  flags);
  }

  void name(const ModelNode& node) {
    ++without_rule_;
    if (nodes_.size() < kMostNamed) nodes_.push_back(title_of(node));
  }

  Error asked_question() const {
    std::string text = open_.flags.empty() ? "" : text_of(open_);
    if (without_rule_ > 0) {
      const auto more = without_rule_ > nodes_.size()
                            ? fmt::format(" (and {} more)", without_rule_ - nodes_.size())
                            : std::string();
      const bool is_one = without_rule_ == 1;
      text += fmt::format(
          "{}the {} that {}{} {} not known: the model does not say {}, and "
          "there is no rule for such {}",
          text.empty() ? "" : "; and ", is_one ? "shape" : "shapes", fmt::join(nodes_, ", "), more,
          is_one ? "gives is" : "give are", is_one ? "it" : "them",
          is_one ? "an operator" : "operators");
    }
    return Error{Error::Kind::Input, graph_.file, text, hint_of(asked_)};
  }

  std::string note() const {
    const std::size_t named = std::min(at_run_time_, kMostNamed);
    const auto more = at_run_time_ > named
                          ? fmt::format(", and the like of {} more", at_run_time_ - named)
                          : std::string();
    return fmt::format(
        "only the run decides some sizes, so these values and what depends on them are not "
        "planned; to plan them, add {}{}",
        run_time_flags_.line(), more);
  }

  const ModelGraph& graph_;
  const ModelFacts& facts_;
  const Bindings& bindings_;
  const OpenSizes& open_;
  Flags asked_;
  std::set<std::string> symbols_;
  std::vector<bool> constants_;
  std::vector<Open> why_;           // by value
  std::vector<std::string> nodes_;  // without a rule, the first of them
  std::size_t without_rule_ = 0;
  Flags run_time_flags_;
  std::size_t at_run_time_ = 0;
};

}  // namespace

Result<std::vector<std::string>> settle_open_results(const ModelGraph& graph,
                                                     const ModelFacts& facts,
                                                     const Bindings& bindings,
                                                     const OpenSizes& open) {
  return OpenResults(graph, facts, bindings, open).settle();
}

}  // namespace berth
