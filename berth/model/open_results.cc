#include "berth/model/open_results.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/model/constants.h"
#include "berth/model/control_flow.h"
#include "berth/model/rule.h"

namespace berth {
namespace {

constexpr std::size_t kMostNamed = 8;  // in one message

// What would settle it: the names that the model gives to the sizes ("--bind length=N"); without
// such names the shape, with a dimension that is known filled in, and the element type where the
// model does not say it ("--shape 'out=1xN'").
std::string flag_for(const ModelValue& value, const Fact& fact) {
  const auto& declared = value.declared.dims;
  std::vector<std::string> each;
  std::vector<std::string> symbols;
  bool is_named = fact.element && fact.shape && declared && declared->size() == fact.shape->size();
  for (std::size_t i = 0; fact.shape && i < fact.shape->size(); ++i) {
    const Dim& dim = (*fact.shape)[i];
    each.push_back(dim ? fmt::format("{}", *dim) : "N");
    if (dim || !is_named) continue;
    is_named = !(*declared)[i].symbol.empty();
    symbols.push_back(fmt::format("--bind '{}=N'", (*declared)[i].symbol));
  }
  if (is_named) return fmt::format("{}", fmt::join(symbols, " "));
  if (each.empty()) each.emplace_back("N");
  return fmt::format("--shape '{}={}{}'", value.name, fmt::join(each, "x"),
                     fact.element ? "" : ":float32");
}

class OpenResults {
 public:
  OpenResults(const ModelGraph& graph, const ModelFacts& facts)
      : graph_(graph), facts_(facts), constants_(constants_of(graph)) {}

  Result<std::vector<std::string>> settle() {
    for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
      if (!facts_.block_runs[block]) continue;
      for (const ModelNode& node : graph_.blocks[block].nodes) look_at(node);
    }
    if (without_rule_ > 0) return tl::unexpected(no_rule());
    std::vector<std::string> notes;
    if (!at_run_time_.empty()) {
      const auto more = at_run_time_.size() == 1
                            ? std::string()
                            : fmt::format(", and the like of {} more", at_run_time_.size() - 1);
      notes.push_back(fmt::format(
          "only the run decides some sizes, so these values and what depends on them are not "
          "planned; to plan them, add {}{}",
          at_run_time_.front(), more));
    }
    return notes;
  }

 private:
  bool is_open(const Fact& fact) const { return fact.tensor && !is_sized(fact); }

  void look_at(const ModelNode& node) {
    if (is_folded(node, constants_)) return;
    const bool has_open_operand = std::ranges::any_of(node.inputs, [&](const auto& input) {
      // Of a sequence, what is taken out is open, and no rule could say.
      return input && !constants_[input->index()] && !is_sized(facts_.facts[input->index()]);
    });
    if (has_open_operand) return;
    const bool has_rule = is_known_control(node) || find_rule(node.domain, node.op) != nullptr;
    bool is_named = false;
    for (const auto& output : node.outputs) {
      if (!output || !is_open(facts_.facts[output->index()])) continue;
      const auto flag = flag_for(graph_.values[output->index()], facts_.facts[output->index()]);
      if (has_rule) {
        at_run_time_.push_back(flag);
        continue;
      }
      if (!is_named) ++without_rule_;
      if (!is_named && nodes_.size() < kMostNamed) nodes_.push_back(title_of(node));
      is_named = true;
      if (flags_.size() < kMostNamed) flags_.push_back(flag);
    }
  }

  Error no_rule() const {
    const auto more = without_rule_ > nodes_.size()
                          ? fmt::format(" (and {} more)", without_rule_ - nodes_.size())
                          : std::string();
    return Error{
        Error::Kind::Input, graph_.file,
        fmt::format("the shape that {}{} gives is not known: the model does not say it, and "
                    "there is no rule for such an operator",
                    fmt::join(nodes_, ", "), more),
        fmt::format("add {}", fmt::join(flags_, " "))};
  }

  const ModelGraph& graph_;
  const ModelFacts& facts_;
  std::vector<bool> constants_;
  std::vector<std::string> nodes_;
  std::vector<std::string> flags_;
  std::vector<std::string> at_run_time_;
  std::size_t without_rule_ = 0;
};

}  // namespace

Result<std::vector<std::string>> settle_open_results(const ModelGraph& graph,
                                                     const ModelFacts& facts) {
  return OpenResults(graph, facts).settle();
}

}  // namespace berth
