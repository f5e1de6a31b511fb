#include "berth/ir/plan_diff.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace berth {
namespace {

using Kind = BufferChange::Kind;
using Key = std::pair<std::string, std::size_t>;  // a name, and which of its bearers

std::map<Key, BufferPlace> places_of(const Plan& plan) {
  std::map<std::string, std::size_t> bearers;
  std::map<Key, BufferPlace> places;
  for (const PlannedBuffer& buffer : plan.buffers) {
    places.emplace(
        Key(buffer.name, bearers[buffer.name]++),
        BufferPlace{name_of(plan.arenas[buffer.arena]), buffer.offset, buffer.bytes, buffer.life});
  }
  return places;
}

Kind kind_of(const BufferPlace& before, const BufferPlace& after) {
  if (after.bytes > before.bytes) return Kind::Larger;
  if (after.bytes < before.bytes) return Kind::Smaller;
  const bool is_moved = before.arena != after.arena || before.offset != after.offset;
  return is_moved ? Kind::Moved : Kind::Lives;
}

std::uint64_t bytes_changed(const BufferChange& change) {
  const auto before = change.before ? change.before->bytes.count() : 0;
  const auto after = change.after ? change.after->bytes.count() : 0;
  return std::max(before, after) - std::min(before, after);
}

std::vector<ArenaChange> arena_changes(const Plan& before, const Plan& after) {
  std::vector<ArenaChange> changes;
  for (const PlannedArena& arena : after.arenas) {
    changes.push_back({name_of(arena), std::nullopt, arena.figures.peak});
  }
  for (const PlannedArena& arena : before.arenas) {
    const std::string name = name_of(arena);
    auto change = std::ranges::find_if(
        changes, [&](const ArenaChange& other) { return other.name == name && !other.before; });
    if (change == changes.end()) {
      changes.push_back({name, std::nullopt, std::nullopt});
      change = changes.end() - 1;
    }
    change->before = arena.figures.peak;
  }
  return changes;
}

}  // namespace

std::string name_of(const PlannedArena& arena) {
  if (arena.device.empty() && arena.tier.empty()) return "arena";
  return arena.tier.empty() ? arena.device : arena.device + " " + arena.tier;
}

bool PlanDiff::same() const {
  return buffers.empty() && std::ranges::all_of(arenas, [](const ArenaChange& arena) {
           return arena.before == arena.after;
         });
}

PlanDiff diff_plans(const Plan& before, const Plan& after) {
  PlanDiff diff;
  diff.arenas = arena_changes(before, after);
  const auto old_places = places_of(before);
  const auto new_places = places_of(after);
  for (const auto& [key, place] : old_places) {
    const auto now = new_places.find(key);
    if (now == new_places.end()) {
      diff.buffers.push_back({Kind::Gone, key.first, place, std::nullopt});
    } else if (now->second != place) {
      diff.buffers.push_back({kind_of(place, now->second), key.first, place, now->second});
    }
  }
  for (const auto& [key, place] : new_places) {
    if (old_places.contains(key)) continue;
    diff.buffers.push_back({Kind::New, key.first, std::nullopt, place});
  }
  std::ranges::stable_sort(diff.buffers, {}, [](const BufferChange& change) {
    return std::tuple(change.kind, UINT64_MAX - bytes_changed(change), change.name);
  });
  return diff;
}

}  // namespace berth
