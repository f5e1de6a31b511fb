#include "berth/plan/greedy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "berth/plan/occupancy.h"

namespace berth {
namespace {

struct NamedFit {
  std::string_view name;
  Fit fit;
};

constexpr std::array<NamedFit, 2> kFits = {{{"first", Fit::First}, {"best", Fit::Best}}};

class Placer {
 public:
  explicit Placer(const Problem& problem, Fit fit)
      : problem_(problem),
        fit_(fit),
        occupancy_(problem.slot_count()),
        places_(problem.tasks().size()) {}

  void put(std::uint32_t index, std::uint64_t place) {
    const Task& task = problem_.tasks()[index];
    places_[index] = place;
    peak_ = std::max(peak_, place + task.extent);
    occupancy_.add(problem_.rects(task), place);
  }

  void put_where_free(std::uint32_t index) {
    const Task& task = problem_.tasks()[index];
    FreePlaces free(occupancy_, task, problem_.rects(task));
    const auto first = free.at_or_above(0);
    if (task.hint && hint_is_good(task, first)) {
      put(index, *task.hint);
    } else {
      put(index, fit_ == Fit::First ? first : best_from(first, task, free));
    }
  }

  Candidate result(std::string packer) && {
    return {std::move(packer), std::move(places_), problem_.lower_bound(), problem_.tasks().size(),
            occupancy_.work()};
  }

 private:
  bool hint_is_good(const Task& task, std::uint64_t first_fit) {
    const auto hint = *task.hint;
    const auto ceiling = std::max({problem_.lower_bound(), peak_, first_fit + task.extent});
    if (task.align_up(hint) != hint || hint + task.extent > ceiling) return false;
    return FreePlaces(occupancy_, task, problem_.rects(task)).at_or_above(hint) == hint;
  }

  // The open room above everything counts as what is left of the arena so far, or of the least that
  // it will be, so that a tight hole goes before it and a wide one after.
  std::uint64_t best_from(std::uint64_t first, const Task& task, FreePlaces& free) const {
    const auto top = std::max(problem_.lower_bound(), peak_);
    auto best = first;
    auto least_room = std::numeric_limits<std::uint64_t>::max();
    for (auto place = first; place + task.extent <= top;) {
      const auto highest = free.highest_in_reach();
      const auto room = highest.value_or(top - task.extent) - place;
      if (room < least_room) {
        least_room = room;
        best = place;
      }
      if (!highest || room == 0) break;
      place = free.at_or_above(*highest + 1);
    }
    return best;
  }

  const Problem& problem_;
  Fit fit_;
  Occupancy occupancy_;
  Places places_;
  std::uint64_t peak_ = 0;
};

}  // namespace

std::string name(GreedyRule rule) {
  const auto fit = std::find_if(kFits.begin(), kFits.end(),
                                [&](const NamedFit& named) { return named.fit == rule.fit; });
  return fmt::format("greedy:{}:{}", name(rule.order), fit->name);
}

std::vector<GreedyRule> all_greedy_rules() {
  std::vector<GreedyRule> rules;
  for (const Order order : all_orders()) {
    for (const NamedFit& fit : kFits) rules.push_back({order, fit.fit});
  }
  return rules;
}

Candidate pack_greedily(const Problem& problem, GreedyRule rule) {
  Placer placer(problem, rule.fit);
  for (std::uint32_t i = 0; i < problem.tasks().size(); ++i) {
    const auto& fixed = problem.tasks()[i].fixed;
    if (fixed) placer.put(i, *fixed);
  }
  for (const auto index : tasks_in_order(problem, rule.order)) {
    if (!problem.tasks()[index].fixed) placer.put_where_free(index);
  }
  return std::move(placer).result(name(rule));
}

}  // namespace berth
