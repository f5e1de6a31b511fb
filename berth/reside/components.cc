#include "berth/reside/components.h"

#include <algorithm>
#include <utility>

namespace berth {
namespace {

// The loads if all stayed, by phase.
std::vector<Bytes> full_load(const Choice& choice) {
  std::vector<Bytes> starts(choice.capacity.size() + 1);
  std::vector<Bytes> ends(choice.capacity.size() + 1);
  for (const ChoiceItem& item : choice.items) {
    const Bytes bytes = *checked_multiply(item.bytes, item.count);
    starts[item.phases.lower] += bytes;
    ends[item.phases.upper] += bytes;
  }
  std::vector<Bytes> load;
  Bytes sum;
  for (std::size_t phase = 0; phase < choice.capacity.size(); ++phase) {
    sum -= ends[phase];
    sum += starts[phase];
    load.push_back(sum);
  }
  return load;
}

// Phases that decide: they can overflow, and no neighbour among them has all their items and no
// more room. `starts` and `ends` count, by phase, the items that begin there, or have ended.
std::vector<Step> deciding_phases(const Choice& choice) {
  const auto load = full_load(choice);
  std::vector<std::size_t> starts(choice.capacity.size() + 1, 0);
  std::vector<std::size_t> ends(choice.capacity.size() + 1, 0);
  for (const ChoiceItem& item : choice.items) {
    ++starts[item.phases.lower];
    ++ends[item.phases.upper];
  }
  for (std::size_t i = 1; i < starts.size(); ++i) {
    starts[i] += starts[i - 1];
    ends[i] += ends[i - 1];
  }
  std::vector<Step> phases;
  for (Step phase = 0; phase < choice.capacity.size(); ++phase) {
    if (load[phase] <= choice.capacity[phase]) continue;
    bool decides = true;
    while (!phases.empty()) {
      const Step before = phases.back();
      const bool nothing_ended = ends[phase] == ends[before];
      const bool nothing_began = starts[phase] == starts[before];
      if (nothing_ended && choice.capacity[phase] <= choice.capacity[before]) {
        phases.pop_back();  // all that lives there lives here
        continue;
      }
      decides = !(nothing_began && choice.capacity[before] <= choice.capacity[phase]);
      break;
    }
    if (decides) phases.push_back(phase);
  }
  return phases;
}

// The deciding phases that an item lives in, by their places.
LiveRange places_of(const ChoiceItem& item, const std::vector<Step>& phases) {
  const auto place = [&](Step step) {
    return static_cast<Step>(std::ranges::lower_bound(phases, step) - phases.begin());
  };
  return {place(item.phases.lower), place(item.phases.upper)};
}

}  // namespace

std::vector<Component> components_of(const Choice& choice) {
  const auto phases = deciding_phases(choice);
  std::vector<std::pair<LiveRange, std::size_t>> lives;
  for (std::size_t i = 0; i < choice.items.size(); ++i) {
    const bool takes_room = choice.items[i].bytes > Bytes(0) && choice.items[i].count > 0;
    const LiveRange places = places_of(choice.items[i], phases);
    if (takes_room && !places.empty()) lives.emplace_back(places, i);
  }
  std::ranges::sort(lives, {},
                    [](const auto& life) { return std::pair(life.first.lower, life.second); });

  std::vector<Component> components;
  Step end = 0;  // of the component, by place
  Step first = 0;
  for (const auto& [places, index] : lives) {
    if (components.empty() || places.lower >= end) {
      components.emplace_back();
      first = places.lower;
      end = places.lower;
    }
    Component& component = components.back();
    for (; end < places.upper; ++end) {
      component.phases.push_back(phases[end]);
      component.choice.capacity.push_back(choice.capacity[phases[end]]);
    }
    ChoiceItem item = choice.items[index];
    item.phases = {places.lower - first, places.upper - first};
    component.choice.items.push_back(std::move(item));
    component.items.push_back(index);
  }
  return components;
}

}  // namespace berth
