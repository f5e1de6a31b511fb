#include "berth/reside/choose.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "berth/reside/components.h"
#include "berth/reside/search.h"
#include "berth/reside/windows.h"

namespace berth {
namespace {

constexpr std::size_t kMany = 10'000;
constexpr std::uint64_t kShort = 66;  // nodes of a first search: just past its walk

// The component's tree, in the terms of the whole choice.
PricePart part_of(const Component& component, std::vector<PriceNode> nodes,
                  std::optional<std::uint64_t> walk) {
  for (PriceNode& node : nodes) {
    if (node.branch) node.branch->item = component.items[node.branch->item];
    for (PhasePrice& price : node.prices) price.phase = component.phases[price.phase];
  }
  return {component.items, std::move(nodes), walk};
}

// What a short search does not prove is first made better where it can be, so that the long one has
// more to leave out.
Found settle(const Choice& choice, std::vector<std::uint64_t> start, std::uint64_t& effort) {
  // The linear program of many items takes longer than all else: it is solved once.
  if (choice.items.size() > kMany) return search(choice, std::move(start), effort);
  std::uint64_t first = std::min(effort, kShort);
  effort -= first;
  Found found = search(choice, std::move(start), first);
  effort += first;
  if (found.is_most || effort == 0) return found;
  std::uint64_t for_windows = effort / 2;
  effort -= for_windows;
  improve_in_windows(choice, found.kept, for_windows);
  effort += for_windows;
  return search(choice, std::move(found.kept), effort);
}

}  // namespace

Chosen choose_best(const Choice& choice, const std::vector<std::uint64_t>& start,
                   const ChooseOptions& options) {
  assert(start.size() == choice.items.size());
  Chosen chosen;
  // What competes with nobody stays.
  for (const ChoiceItem& item : choice.items) chosen.kept.push_back(item.count);
  std::uint64_t effort = options.effort;
  for (const Component& component : components_of(choice)) {
    std::vector<std::uint64_t> begin;
    for (const std::size_t item : component.items) begin.push_back(start[item]);
    Found found = settle(component.choice, std::move(begin), effort);
    for (std::size_t i = 0; i < component.items.size(); ++i) {
      chosen.kept[component.items[i]] = found.kept[i];
    }
    chosen.nodes += found.nodes.size();
    chosen.prices.parts.push_back(part_of(component, std::move(found.nodes), found.walk));
  }
  for (std::size_t i = 0; i < choice.items.size(); ++i) {
    chosen.saved += *checked_multiply(choice.items[i].moved, chosen.kept[i]);
  }
  return chosen;
}

}  // namespace berth
