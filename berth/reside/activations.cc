#include "berth/reside/activations.h"

#include <algorithm>
#include <cassert>
#include <queue>
#include <tuple>
#include <utility>

namespace berth {
namespace {

bool is_placed_kind(const Program& program, const Demand& demand, TensorId tensor) {
  const Tensor& it = program.tensors[tensor.index()];
  return it.kind == TensorKind::Intermediate && demand[tensor].root == tensor &&
         demand[tensor].life.has_value() && !it.host;
}

// One chip's phases from first to last. What a spill takes away is live at no earlier phase that
// has been settled, or was within the room there, so no phase is looked at twice; and only where
// something begins can a phase overflow that the one before did not.
class Scan {
 public:
  // `tensors`: those of the chip that are live in its SRAM, spilled or not.
  Scan(const Program& program, const Target& target, const Demand& demand, ChipId chip,
       std::vector<TensorId> tensors)
      : program_(program),
        target_(target),
        demand_(demand),
        chip_(chip),
        room_(room_beside_buffers(target, demand, chip)),
        begins_(std::move(tensors)),
        ends_(begins_) {
    std::ranges::stable_sort(begins_, {}, [&](TensorId id) { return demand_[id].life->lower; });
    std::ranges::stable_sort(ends_, {}, [&](TensorId id) { return demand_[id].life->upper; });
  }

  void run(Activations& result) {
    const auto& scratch = demand_.scratch[chip_.index()];
    auto next_begin = begins_.begin();
    auto next_end = ends_.begin();
    auto next_scratch = scratch.begin();
    while (next_begin != begins_.end() || next_scratch != scratch.end()) {
      Step step = UINT64_MAX;
      if (next_begin != begins_.end()) step = demand_[*next_begin].life->lower;
      if (next_scratch != scratch.end()) step = std::min(step, next_scratch->phase);

      for (; next_end != ends_.end() && demand_[*next_end].life->upper <= step; ++next_end) {
        if (result.on_chip[next_end->index()]) live_ -= bytes_of(*next_end);
      }
      for (; next_begin != begins_.end() && demand_[*next_begin].life->lower == step;
           ++next_begin) {
        enter(*next_begin, result);
      }
      const bool has_scratch = next_scratch != scratch.end() && next_scratch->phase == step;
      settle(step, has_scratch ? (next_scratch++)->bytes : Bytes(0), result);
    }
  }

 private:
  Bytes bytes_of(TensorId tensor) const { return program_.tensors[tensor.index()].bytes; }

  void settle(Step step, Bytes scratch, Activations& result) {
    while (live_ + scratch > room_ && !victims_.empty() && victims_.top().end > step) {
      const TensorId tensor = victims_.top().tensor;
      victims_.pop();
      result.spilled.push_back({tensor, chip_, step, live_ + scratch - room_,
                                program_.tensors[tensor.index()].tier, demand_[tensor].moved});
      result.on_chip[tensor.index()] = false;
      live_ -= bytes_of(tensor);
    }
    if (live_ + scratch > room_) note_pinned(step, live_ + scratch, result);
  }

  void enter(TensorId tensor, Activations& result) {
    live_ += bytes_of(tensor);
    result.on_chip[tensor.index()] = true;
    if (may_leave(program_, target_, demand_, tensor) && bytes_of(tensor) > Bytes(0)) {
      victims_.push({demand_[tensor].life->upper, bytes_of(tensor), tensor});
    }
  }

  // Said once a chip, at the first phase.
  void note_pinned(Step step, Bytes load, Activations& result) {
    if (std::exchange(noted_, true)) return;
    Obstacle obstacle{.kind = Obstacle::Kind::PinnedPastSram,
                      .program = program_.name,
                      .chip = chip_,
                      .phase = step,
                      .needed = load,
                      .available = room_};
    for (const TensorId tensor : fewest_pinned(step, load)) {
      obstacle.names.push_back(program_.tensors[tensor.index()].name);
    }
    result.obstacles.push_back(std::move(obstacle));
  }

  // A minimal set of those that must stay and do not fit together: the largest until they do not.
  std::vector<TensorId> fewest_pinned(Step step, Bytes load) const {
    std::vector<TensorId> pinned;
    for (const TensorId tensor : begins_) {
      const bool is_held = must_stay(program_, target_, demand_, tensor) &&
                           bytes_of(tensor) > Bytes(0) && demand_[tensor].life->contains(step);
      if (is_held) pinned.push_back(tensor);
      if (is_held) load -= bytes_of(tensor);
    }
    std::ranges::stable_sort(pinned, std::ranges::greater(),
                             [&](TensorId id) { return bytes_of(id); });
    std::size_t count = 0;
    for (; count < pinned.size() && load <= room_; ++count) load += bytes_of(pinned[count]);
    pinned.resize(count);
    return pinned;
  }

  struct Victim {
    Step end;
    Bytes bytes;
    TensorId tensor;

    // The next to leave is the largest.
    bool operator<(const Victim& other) const {
      return std::tuple(end, bytes, other.tensor) < std::tuple(other.end, other.bytes, tensor);
    }
  };

  const Program& program_;
  const Target& target_;
  const Demand& demand_;
  ChipId chip_;
  Bytes room_;
  Bytes live_;
  bool noted_ = false;
  std::vector<TensorId> begins_;         // by first phase
  std::vector<TensorId> ends_;           // by last
  std::priority_queue<Victim> victims_;  // those whose end has passed lie below all others
};

}  // namespace

bool may_leave(const Program& program, const Target& target, const Demand& demand,
               TensorId tensor) {
  const Tensor& it = program.tensors[tensor.index()];
  return is_placed_kind(program, demand, tensor) && holds_tensors_on_chip(target, it.chip) &&
         !it.pinned && it.tier != Tier::Sram;
}

// Where the chip holds no tensors, what was declared in SRAM is still there, and what was only
// pinned is not.
bool must_stay(const Program& program, const Target& target, const Demand& demand,
               TensorId tensor) {
  const Tensor& it = program.tensors[tensor.index()];
  if (!is_placed_kind(program, demand, tensor)) return false;
  return it.tier == Tier::Sram || (it.pinned && holds_tensors_on_chip(target, it.chip));
}

Bytes room_beside_buffers(const Target& target, const Demand& demand, ChipId chip) {
  const Bytes sram = target.chips[chip.index()].sram();
  const Bytes buffers = demand.buffers[chip.index()];
  return sram < buffers ? Bytes(0) : sram - buffers;
}

Activations place_activations(const Program& program, const Target& target, const Demand& demand) {
  Activations result;
  result.on_chip.assign(program.tensors.size(), false);
  std::vector<std::vector<TensorId>> by_chip(target.chips.size());
  for (std::size_t i = 0; i < program.tensors.size(); ++i) {
    const TensorId tensor(i);
    const bool is_live =
        may_leave(program, target, demand, tensor) || must_stay(program, target, demand, tensor);
    if (is_live) by_chip[program.tensors[i].chip.index()].push_back(tensor);
  }
  for (std::size_t chip = 0; chip < by_chip.size(); ++chip) {
    Scan(program, target, demand, ChipId(chip), std::move(by_chip[chip])).run(result);
  }
  for (std::size_t i = 0; i < result.on_chip.size(); ++i) {
    result.on_chip[i] = result.on_chip[demand.tensors[i].root.index()];
  }
  return result;
}

Result<Activations> place_activations(const Program& program, const Target& target) {
  const auto demand = program_demand(program, target);
  if (!demand) return tl::unexpected(demand.error());
  return place_activations(program, target, *demand);
}

std::vector<Bytes> sram_footprint(const Program& program, const Demand& demand,
                                  const std::vector<bool>& on_chip,
                                  std::span<const PartlyKept> partly) {
  struct Change {
    ChipId chip;
    Bytes bytes;
  };
  std::vector<std::vector<Change>> begins(program.phases.size());
  std::vector<std::vector<Change>> ends(program.phases.size() + 1);
  const auto add = [&](LiveRange life, Change change) {
    begins[life.lower].push_back(change);
    ends[life.upper].push_back(change);
  };
  for (std::size_t i = 0; i < program.tensors.size(); ++i) {
    const Tensor& tensor = program.tensors[i];
    if (!on_chip[i] || !is_placed_kind(program, demand, TensorId(i))) continue;
    add(*demand[TensorId(i)].life, {tensor.chip, tensor.bytes});
  }
  for (const PartlyKept& it : partly) {
    const Bytes bytes = program.tensors[it.tensor.index()].bytes;
    for (const KeptStretch& stretch : it.stretches) add(stretch.phases, {it.chip, bytes});
  }
  for (std::size_t chip = 0; chip < demand.scratch.size(); ++chip) {
    for (const auto& [phase, bytes] : demand.scratch[chip]) {
      add({phase, phase + 1}, {ChipId(chip), bytes});
    }
  }

  std::vector<Bytes> live(demand.buffers.size());
  std::vector<Bytes> peak(demand.buffers.size());
  for (Step step = 0; step < program.phases.size(); ++step) {
    for (const auto& [chip, bytes] : ends[step]) live[chip.index()] -= bytes;
    for (const auto& [chip, bytes] : begins[step]) {
      live[chip.index()] += bytes;
      peak[chip.index()] = std::max(peak[chip.index()], live[chip.index()]);
    }
  }
  for (std::size_t i = 0; i < peak.size(); ++i) peak[i] += demand.buffers[i];
  return peak;
}

std::vector<Obstacle> find_buffer_obstacles(const Program& program, const Target& target,
                                            const Demand& demand) {
  std::vector<Obstacle> obstacles;
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const SiteBuffer& buffer = program.buffers[i];
    const Bytes end = Bytes(buffer.offset.value()) + buffer.bytes;
    const Bytes has = *target.chips[buffer.chip.index()].site_bytes(buffer.site);
    if (end <= has) continue;
    obstacles.push_back({.kind = Obstacle::Kind::BufferPastSite,
                         .program = program.name,
                         .chip = buffer.chip,
                         .site = buffer.site,
                         .buffer = i,
                         .needed = end,
                         .available = has});
  }
  for (std::size_t i = 0; i < target.chips.size(); ++i) {
    if (demand.buffers[i] <= target.chips[i].sram()) continue;
    obstacles.push_back({.kind = Obstacle::Kind::BuffersPastSram,
                         .program = program.name,
                         .chip = ChipId(i),
                         .needed = demand.buffers[i],
                         .available = target.chips[i].sram()});
  }
  return obstacles;
}

}  // namespace berth
