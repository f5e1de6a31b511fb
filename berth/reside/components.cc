#include "berth/reside/components.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace berth {
namespace {

__extension__ using Wide = unsigned __int128;

// The loads if all stayed, by phase. Those that take turns may sum past 64 bits.
std::vector<Wide> full_load(const Choice& choice) {
  std::vector<Wide> starts(choice.capacity.size() + 1);
  std::vector<Wide> ends(choice.capacity.size() + 1);
  for (const ChoiceItem& item : choice.items) {
    const Wide bytes = Wide(item.bytes.count()) * item.count;
    for (const LiveRange range : item.ranges()) {
      starts[range.lower] += bytes;
      ends[range.upper] += bytes;
    }
  }
  std::vector<Wide> load;
  Wide sum = 0;
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
    for (const LiveRange range : item.ranges()) {
      ++starts[range.lower];
      ++ends[range.upper];
    }
  }
  for (std::size_t i = 1; i < starts.size(); ++i) {
    starts[i] += starts[i - 1];
    ends[i] += ends[i - 1];
  }
  std::vector<Step> phases;
  for (Step phase = 0; phase < choice.capacity.size(); ++phase) {
    if (load[phase] <= choice.capacity[phase].count()) continue;
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

// The deciding phases of a range, by their places.
LiveRange places_of(LiveRange range, const std::vector<Step>& phases) {
  const auto place = [&](Step step) {
    return static_cast<Step>(std::ranges::lower_bound(phases, step) - phases.begin());
  };
  return {place(range.lower), place(range.upper)};
}

// An item of the whole choice, by the places of the deciding phases that it takes room in.
struct Competitor {
  std::size_t item = 0;
  LiveRange places;
  std::optional<LiveRange> turns;  // further ones, where they do not follow at once
};

std::vector<Competitor> competitors_of(const Choice& choice, const std::vector<Step>& phases) {
  std::vector<Competitor> competitors;
  for (std::size_t i = 0; i < choice.items.size(); ++i) {
    const ChoiceItem& item = choice.items[i];
    if (item.bytes == Bytes(0) || item.count == 0) continue;
    const auto [first, second] = item.ranges();
    Competitor it{i, places_of(first, phases), std::nullopt};
    const LiveRange turns = places_of(second, phases);
    if (it.places.empty()) {
      it.places = turns;
    } else if (it.places.upper == turns.lower) {
      it.places.upper = turns.upper;
    } else if (!turns.empty()) {
      it.turns = turns;
    }
    if (!it.places.empty()) competitors.push_back(it);
  }
  std::ranges::sort(competitors, {},
                    [](const Competitor& it) { return std::pair(it.places.lower, it.item); });
  return competitors;
}

// Which places belong together: those of a run, each of which shares an item with the next, and
// runs that an item's turns join.
class Groups {
 public:
  Groups(const std::vector<Competitor>& competitors, std::size_t places) {
    std::vector<std::ptrdiff_t> joins(places + 1, 0);
    const auto join = [&](LiveRange range) {
      ++joins[range.lower];
      --joins[range.upper - 1];
    };
    for (const Competitor& it : competitors) {
      join(it.places);
      if (it.turns) join(*it.turns);
    }
    std::ptrdiff_t joined = 0;
    for (std::size_t place = 0; place < places; ++place) {
      if (joined == 0) group_of_.push_back(group_of_.size());
      run_.push_back(group_of_.size() - 1);
      joined += joins[place];
    }
    for (const Competitor& it : competitors) {
      if (it.turns) group_of_[root(it.turns->lower)] = root(it.places.lower);
    }
  }

  // Its number among the groups; the same for all of its places.
  std::size_t root(Step place) {
    std::size_t group = run_[place];
    while (group_of_[group] != group) {
      group_of_[group] = group_of_[group_of_[group]];
      group = group_of_[group];
    }
    return group;
  }

 private:
  std::vector<std::size_t> run_;       // by place
  std::vector<std::size_t> group_of_;  // by run, one that it was joined to, or itself
};

}  // namespace

std::vector<Component> components_of(const Choice& choice) {
  const auto phases = deciding_phases(choice);
  const auto competitors = competitors_of(choice, phases);
  Groups groups(competitors, phases.size());
  constexpr std::size_t kNone = SIZE_MAX;
  std::vector<std::size_t> component_of(phases.size(), kNone);  // by group
  std::vector<Component> components;
  std::vector<Step> local(phases.size());  // by place
  for (const Competitor& it : competitors) {
    std::size_t& component = component_of[groups.root(it.places.lower)];
    if (component == kNone) component = components.size();
    if (component == components.size()) components.emplace_back();
  }
  for (Step place = 0; place < phases.size(); ++place) {
    const std::size_t index = component_of[groups.root(place)];
    if (index == kNone) continue;
    local[place] = components[index].phases.size();
    components[index].phases.push_back(phases[place]);
    components[index].choice.capacity.push_back(choice.capacity[phases[place]]);
  }
  const auto within = [&](LiveRange places) {
    return LiveRange{local[places.lower], local[places.upper - 1] + 1};
  };
  for (const Competitor& it : competitors) {
    Component& component = components[component_of[groups.root(it.places.lower)]];
    ChoiceItem item = choice.items[it.item];
    item.phases = within(it.places);
    item.turns.reset();
    if (it.turns && item.phases.upper == within(*it.turns).lower) {
      item.phases.upper = within(*it.turns).upper;
    } else if (it.turns) {
      item.turns = within(*it.turns);
    }
    component.choice.items.push_back(std::move(item));
    component.items.push_back(it.item);
  }
  return components;
}

}  // namespace berth
