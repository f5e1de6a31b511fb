#include "berth/model/range_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/model/graph_tensors.h"
#include "berth/model/range_points.h"

namespace berth {
namespace {

std::string range_text(const Bindings& bindings) {
  std::string text;
  for (const auto& [name, range] : bindings.symbols) {
    if (!range.is_open()) continue;
    text += fmt::format("{}{}={} (of {}..{})", text.empty() ? "" : ", ", name, range.most,
                        range.least, range.most);
  }
  return text;
}

std::string point_text(const Bindings& bindings, const Bindings& point) {
  std::string text;
  for (std::size_t i = 0; i < bindings.symbols.size(); ++i) {
    const auto& [name, range] = bindings.symbols[i];
    if (!range.is_open()) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, point.symbols[i].second.most);
  }
  return text;
}

std::size_t nodes_of(const ModelGraph& graph) {
  std::size_t nodes = 0;
  for (const ModelBlock& block : graph.blocks) nodes += block.nodes.size();
  return nodes;
}

class RangeSizes {
 public:
  RangeSizes(const ModelGraph& graph, const Bindings& bindings, const ModelFacts& facts,
             std::vector<Tensor>& tensors, TakeOvers& pairs)
      : graph_(graph),
        bindings_(bindings),
        most_(facts),
        tensors_(tensors),
        pairs_(pairs),
        grew_(tensors.size(), false),
        open_(tensors.size(), false) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      open_[i] = tensors[i].dynamic && facts.facts[i] != Fact();
    }
  }

  Result<std::vector<std::string>> settle() {
    const RangePoints range = points_of_range(bindings_, nodes_of(graph_));
    if (!range.is_all && !pairs_.empty()) {
      const auto open = infer_facts(graph_, bindings_, End::Open);
      if (!open) return tl::unexpected(open.error());
      keep_sure_take_overs(graph_, *open, pairs_);
    }
    notes_.push_back("planned at the upper bound: " + range_text(bindings_));
    std::size_t tried = 1;
    for (std::size_t i = 0; i < range.points.size(); ++i) {
      const auto facts = infer_point(graph_, range.points[i], most_.block_runs);
      if (!facts && i == 0) return tl::unexpected(facts.error());
      if (!facts) {
        note_impossible(range.points[i], facts.error());
        continue;
      }
      if (auto error = take_in(*facts)) return tl::unexpected(std::move(*error));
      ++tried;
    }
    add_notes(range, tried);
    return std::move(notes_);
  }

 private:
  std::optional<Error> take_in(const ModelFacts& facts) {
    keep_take_overs(facts, pairs_);
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const Fact& fact = facts.facts[i];
      // Nothing is known of what stands in a branch that does not run with these sizes.
      if (fact == Fact() || open_[i] || tensors_[i].kind == TensorKind::Weight) continue;
      if (!is_sized(fact)) {
        open_[i] = true;
        tensors_[i].dynamic = true;
        tensors_[i].bytes = Bytes(0);
        tensors_[i].layout.reset();
        if (open_notes_.empty()) open_notes_ = facts.notes;
        continue;
      }
      const auto bytes = bytes_of(graph_, i, fact);
      if (!bytes) return bytes.error();
      if (!tensors_[i].dynamic && *bytes <= tensors_[i].bytes) continue;
      grew_[i] = grew_[i] || *bytes > tensors_[i].bytes;
      tensors_[i].dynamic = false;
      tensors_[i].bytes = *bytes;
      tensors_[i].layout = layout_of(fact);
    }
    return std::nullopt;
  }

  void note_impossible(const Bindings& point, const Error& error) {
    if (impossible_++ == 0) {
      first_impossible_ = point_text(bindings_, point) + " (" + to_string(error) + ")";
    }
  }

  void add_notes(const RangePoints& range, std::size_t tried) {
    const auto larger = std::ranges::count(grew_, true);
    if (larger > 0) {
      notes_.push_back(fmt::format(
          "{} tensors are larger at other sizes of the range, and have the largest", larger));
    }
    if (!range.is_all) {
      notes_.push_back(
          fmt::format("the range has {} points; sizes were tried at {} of them, both "
                      "ends included, and only what holds at all of them may be "
                      "written in place",
                      range.count, tried));
    }
    if (impossible_ > 0) {
      notes_.push_back(fmt::format(
          "the model cannot run with {}{}, which is passed over", first_impossible_,
          impossible_ == 1 ? "" : fmt::format(" and {} more of the range", impossible_ - 1)));
    }
    for (const std::string& note : open_notes_) {
      if (std::ranges::find(most_.notes, note) == most_.notes.end()) notes_.push_back(note);
    }
  }

  const ModelGraph& graph_;
  const Bindings& bindings_;
  const ModelFacts& most_;
  std::vector<Tensor>& tensors_;
  TakeOvers& pairs_;
  std::vector<bool> grew_;  // by TensorId
  std::vector<bool> open_;  // by TensorId: at some point, though it is touched there
  std::vector<std::string> notes_;
  std::vector<std::string> open_notes_;
  std::size_t impossible_ = 0;
  std::string first_impossible_;
};

}  // namespace

Result<std::vector<std::string>> settle_range(const ModelGraph& graph, const Bindings& bindings,
                                              const ModelFacts& facts, std::vector<Tensor>& tensors,
                                              TakeOvers& pairs) {
  return RangeSizes(graph, bindings, facts, tensors, pairs).settle();
}

}  // namespace berth
