#include "berth/render/occupancy.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "berth/certify/relations.h"

namespace berth {
namespace {

constexpr std::uint64_t kTop = std::numeric_limits<std::uint64_t>::max();

std::uint64_t sum_or_top(std::uint64_t a, std::uint64_t b) {
  return checked_add(Bytes(a), Bytes(b)).value_or(Bytes(kTop)).count();
}

Bytes extent_of(const PlannedBuffer& buffer, Alignment unit) {
  const auto skewed = checked_add(buffer.skew, buffer.bytes);
  const auto rounded = skewed ? checked_round_up(*skewed, unit) : std::nullopt;
  return rounded.value_or(Bytes(kTop));
}

// By buffer, the one on whose bytes it stands; itself where the plan's indices lead nowhere.
std::vector<std::size_t> safe_hosts_of(const Plan& plan) {
  const auto exists = [&](const std::optional<std::size_t>& index) {
    return !index || *index < plan.buffers.size();
  };
  const bool all_exist = std::all_of(plan.buffers.begin(), plan.buffers.end(), [&](const auto& b) {
    return exists(b.view_of) && exists(b.reuses);
  });
  if (all_exist) return hosts_of(plan, storage_of(plan));
  std::vector<std::size_t> hosts(plan.buffers.size());
  std::iota(hosts.begin(), hosts.end(), std::size_t{0});
  return hosts;
}

// What a buffer adds to the load: nothing if it is a view; if it takes over, no padding unless it
// needs all of the buffer on which it stands.
Bytes load_of(const Plan& plan, const PlannedBuffer& buffer, const PlannedBuffer& host) {
  if (buffer.view_of) return Bytes(0);
  const bool all_of_host = buffer.offset == host.offset && buffer.bytes == host.bytes;
  return all_of_host ? extent_of(host, plan.arenas[buffer.arena].unit) : buffer.bytes;
}

// The tiles of one buffer, with the load that each adds.
std::vector<Tile> tiles_of(const Plan& plan, std::size_t index, const PlannedBuffer& host) {
  const PlannedBuffer& buffer = plan.buffers[index];
  std::vector<Tile> tiles;
  if (buffer.bytes == Bytes(0)) return tiles;
  const Bytes whole_load = load_of(plan, buffer, host);
  Step from = buffer.life.lower;
  const auto add_until = [&](Step until, ByteRange own, bool whole) {
    const std::uint64_t begin = buffer.offset.value();
    const ByteRange bytes = {sum_or_top(begin, own.lower), sum_or_top(begin, own.upper)};
    if (from >= until || bytes.empty()) return;
    const Bytes raw(own.upper - own.lower);
    const Bytes unpadded = buffer.view_of ? Bytes(0) : raw;
    tiles.push_back({index, {from, until}, bytes, whole, whole ? whole_load : unpadded, unpadded});
  };
  const ByteRange all = {0, buffer.bytes.count()};
  for (const Gap& gap : buffer.gaps) {
    const LiveRange steps = {std::max(gap.steps.lower, from),
                             std::min(gap.steps.upper, buffer.life.upper)};
    if (steps.empty()) continue;
    add_until(steps.lower, all, true);
    from = steps.lower;
    if (gap.kept && !gap.kept->empty()) {
      add_until(steps.upper, {gap.kept->lower, std::min(gap.kept->upper, all.upper)}, false);
    }
    from = steps.upper;
  }
  add_until(buffer.life.upper, all, true);
  return tiles;
}

struct Change {
  Step step = 0;
  bool starts = false;
  Bytes bytes;
};

std::vector<LoadStep> curve_of(std::vector<Change> changes) {
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.step < b.step; });
  __extension__ using Wide = __int128;  // an unsound plan's sums may pass 64 bits
  std::vector<LoadStep> curve;
  Wide sum = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    sum += changes[i].starts ? Wide(changes[i].bytes.count()) : -Wide(changes[i].bytes.count());
    if (i + 1 < changes.size() && changes[i + 1].step == changes[i].step) continue;
    const Bytes load(static_cast<std::uint64_t>(std::min(sum, Wide(kTop))));
    if (curve.empty() || curve.back().load != load) curve.push_back({changes[i].step, load});
  }
  return curve;
}

// In a taker's first step its donor, no smaller, counts for both.
void add_changes(const Plan& plan, const Tile& tile, std::vector<Change>& changes) {
  const PlannedBuffer& buffer = plan.buffers[tile.buffer];
  LiveRange steps = tile.steps;
  if (buffer.reuses && steps.lower == buffer.life.lower) ++steps.lower;
  if (tile.load == Bytes(0) || steps.empty()) return;
  changes.push_back({steps.lower, true, tile.load});
  changes.push_back({steps.upper, false, tile.load});
}

}  // namespace

std::vector<Occupancy> occupancy_of(const Plan& plan) {
  std::vector<Occupancy> by_arena(plan.arenas.size());
  std::vector<std::vector<Change>> changes(plan.arenas.size());
  const std::vector<std::size_t> hosts = safe_hosts_of(plan);
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const std::size_t arena = plan.buffers[i].arena;
    if (arena >= plan.arenas.size()) continue;
    Occupancy& occupancy = by_arena[arena];
    const std::vector<Tile> tiles = tiles_of(plan, i, plan.buffers[hosts[i]]);
    occupancy.buffers += tiles.empty() ? 0 : 1;
    for (const Tile& tile : tiles) {
      occupancy.top = std::max(occupancy.top, Bytes(tile.bytes.upper));
      occupancy.tiles.push_back(tile);
      add_changes(plan, tile, changes[arena]);
    }
  }
  for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
    by_arena[i].load = curve_of(std::move(changes[i]));
  }
  return by_arena;
}

std::vector<Tile> live_at(const Plan& plan, const Occupancy& occupancy, Step step) {
  std::vector<Tile> live;
  for (const Tile& tile : occupancy.tiles) {
    if (tile.steps.contains(step) && !plan.buffers[tile.buffer].view_of) live.push_back(tile);
  }
  std::sort(live.begin(), live.end(), [](const Tile& a, const Tile& b) {
    return std::tuple(b.load, b.load_unpadded, a.buffer) <
           std::tuple(a.load, a.load_unpadded, b.buffer);
  });
  return live;
}

std::vector<ByteRange> holes_at(const Occupancy& occupancy, Step step, Bytes top) {
  std::vector<ByteRange> held;
  for (const Tile& tile : occupancy.tiles) {
    if (tile.steps.contains(step)) held.push_back(tile.bytes);
  }
  std::sort(held.begin(), held.end(), [](const ByteRange& a, const ByteRange& b) {
    return std::pair(a.lower, a.upper) < std::pair(b.lower, b.upper);
  });
  std::vector<ByteRange> holes;
  std::uint64_t reached = 0;
  const auto add_hole_until = [&](std::uint64_t until) {
    const ByteRange hole = {reached, std::min(until, top.count())};
    if (!hole.empty()) holes.push_back(hole);
  };
  for (const ByteRange& range : held) {
    add_hole_until(range.lower);
    reached = std::max(reached, range.upper);
  }
  add_hole_until(top.count());
  return holes;
}

}  // namespace berth
