#include "berth/pipeline/lay_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "berth/certify/explain_placement.h"
#include "berth/certify/placement.h"
#include "berth/plan/pack.h"

namespace berth {
namespace {

constexpr std::uint64_t kEffort = 100'000;    // nodes of a packing
constexpr std::uint64_t kTryEffort = 10'000;  // of one that tries a spill
constexpr std::size_t kSingles = 16;          // spills tried one by one
constexpr std::size_t kMostBack = 32;         // spills that are tried to come back

// What one program keeps on one chip: its tensors, and scratch, which has no tensor.
struct Part {
  std::optional<TensorId> tensor;
  Bytes bytes;
  LiveRange life;
  Bytes moved;
  bool may_leave = false;
  std::optional<LiveRange> stretch = std::nullopt;  // where the tensor stays for parts of its life
};

struct Task {
  std::vector<Part> parts;
  Bytes room;
  Alignment alignment;
};

// Places by part; of what left, none.
struct Packed {
  std::vector<std::optional<Offset>> places;
  ArenaFigures figures;
};

class Packer {
 public:
  explicit Packer(const Task& task) : task_(task) {}

  const std::optional<BrokenPromise>& broken() const { return broken_; }

  Result<Packed> pack_without(const std::vector<bool>& left, std::uint64_t effort) {
    Packed packed{.places = std::vector<std::optional<Offset>>(task_.parts.size())};
    std::vector<std::size_t> parts;
    std::vector<Buffer> buffers;
    for (std::size_t i = 0; i < task_.parts.size(); ++i) {
      if (left[i]) continue;
      const Part& part = task_.parts[i];
      parts.push_back(i);
      buffers.push_back({.name = fmt::format("part {}", i), .size = part.bytes, .life = part.life});
    }
    if (buffers.empty()) return packed;
    const Device device = {.name = "SRAM", .capacity = task_.room};
    auto instance = Instance::make({device}, std::move(buffers), task_.alignment);
    if (!instance) return tl::unexpected(instance.error());
    auto answer = pack(*instance, {.effort = effort});
    if (!answer) return tl::unexpected(answer.error());
    const auto& packing = std::get<Packing>(*answer);  // nothing is fixed, so there is a placement
    packed.figures = packing.arenas[0];
    for (std::size_t i = 0; i < parts.size(); ++i) {
      packed.places[parts[i]] = packing.placement.places[i];
    }
    check(*instance, packing);
    return packed;
  }

  bool fits(const Packed& packed) const { return packed.figures.peak <= task_.room; }

 private:
  void check(const Instance& instance, const Packing& packing) {
    Plan plan;
    plan.arenas.push_back(
        {.device = "SRAM", .figures = packing.arenas[0], .unit = task_.alignment});
    for (std::size_t i = 0; i < instance.size(); ++i) {
      const Buffer& buffer = instance.buffers()[i];
      plan.buffers.push_back({.name = buffer.name,
                              .offset = packing.placement.places[i],
                              .bytes = buffer.size,
                              .alignment = task_.alignment,
                              .life = buffer.life});
    }
    const PlacementVerdict verdict = check_placement(plan);
    if (!verdict.sound() && !broken_) broken_ = BrokenPromise{explain(verdict, plan)};
  }

  const Task& task_;
  std::optional<BrokenPromise> broken_;
};

// Looks for the cheapest spills with which the rest has a layout.
class Fitter {
 public:
  explicit Fitter(const Task& task) : task_(task), packer_(task), left_(task.parts.size(), false) {}

  const std::optional<BrokenPromise>& broken() const { return packer_.broken(); }
  const std::vector<bool>& left() const { return left_; }

  Result<Packed> fit() {
    auto packed = packer_.pack_without(left_, kEffort);
    if (packed) max_load_ = packed->figures.max_load;
    std::size_t batch = 1;
    while (packed && !packer_.fits(*packed)) {
      const auto order = by_traffic(*packed);
      if (order.empty()) return packed;
      auto single = try_singles(order);
      if (!single || *single) {
        return single ? come_back(**std::move(single))
                      : Result<Packed>(tl::unexpected(single.error()));
      }
      for (std::size_t i = 0; i < std::min(batch, order.size()); ++i) left_[order[i]] = true;
      batch *= 2;
      packed = packer_.pack_without(left_, kTryEffort);
    }
    return packed ? come_back(*std::move(packed)) : packed;
  }

  Bytes max_load() const { return max_load_; }

 private:
  // Who may leave and is live while something reaches past the room, cheapest first.
  std::vector<std::size_t> by_traffic(const Packed& packed) const {
    std::vector<LiveRange> high;
    for (std::size_t i = 0; i < task_.parts.size(); ++i) {
      const Part& part = task_.parts[i];
      const bool is_high =
          packed.places[i] && Bytes(packed.places[i]->value()) + part.bytes > task_.room;
      if (is_high) high.push_back(part.life);
    }
    std::ranges::sort(high, {}, [](LiveRange life) { return std::pair(life.lower, life.upper); });
    // The latest end of those that begin by each of them, so that one look-up tells who meets any.
    std::vector<Step> reaches;
    for (const LiveRange life : high) {
      reaches.push_back(std::max(life.upper, reaches.empty() ? Step{0} : reaches.back()));
    }
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < task_.parts.size(); ++i) {
      const Part& part = task_.parts[i];
      if (left_[i] || !part.may_leave) continue;
      const auto after = std::ranges::lower_bound(high, part.life.upper, {}, &LiveRange::lower);
      const auto before = static_cast<std::size_t>(after - high.begin());
      if (before > 0 && reaches[before - 1] > part.life.lower) order.push_back(i);
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return task_.parts[i].moved; });
    return order;
  }

  Result<std::optional<Packed>> try_singles(const std::vector<std::size_t>& order) {
    for (std::size_t i = 0; i < std::min(kSingles, order.size()); ++i) {
      left_[order[i]] = true;
      auto packed = packer_.pack_without(left_, kTryEffort);
      if (!packed) return tl::unexpected(packed.error());
      if (packer_.fits(*packed)) return std::optional(*std::move(packed));
      left_[order[i]] = false;
    }
    return std::optional<Packed>();
  }

  // Those that left and still fit come back, what moves most first.
  Result<Packed> come_back(Packed packed) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (left_[i]) order.push_back(i);
    }
    if (order.size() < 2) return packed;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return task_.parts[a].moved > task_.parts[b].moved;
    });
    order.resize(std::min(order.size(), kMostBack));
    for (const std::size_t i : order) {
      left_[i] = false;
      auto with = packer_.pack_without(left_, kTryEffort);
      if (!with) return with;
      left_[i] = !packer_.fits(*with);
      if (!left_[i]) packed = *std::move(with);
    }
    return packed;
  }

  const Task& task_;
  Packer packer_;
  std::vector<bool> left_;
  Bytes max_load_;
};

Bytes less(Bytes from, Bytes what) {
  return from < what ? Bytes(0) : from - what;
}

// Where the states on a chip end, each instance on its alignment. Nothing past 64 bits.
std::optional<Bytes> states_end(const Residency& plan, const Target& target, ChipId chip) {
  const Alignment alignment = target.chips[chip.index()].alignment;
  std::optional<Bytes> end = Bytes(0);
  for (const ClassResidency& it : plan.classes) {
    if (it.state.chip != chip || it.on_chip() == 0) continue;
    const auto padded = checked_round_up(it.state.bytes, alignment);
    const auto held = padded ? checked_multiply(*padded, it.on_chip()) : std::nullopt;
    end = end && held ? checked_add(*end, *held) : std::nullopt;
  }
  return end;
}

class LayoutMaker {
 public:
  LayoutMaker(const Deployment& deployment, const Target& target, const DeploymentDemand& demand,
              const Residency& plan)
      : deployment_(deployment), target_(target), demand_(demand), plan_(plan) {
    for (std::size_t chip = 0; chip < target.chips.size(); ++chip) {
      states_.push_back(states_end(plan, target, ChipId(chip)));
    }
  }

  const std::optional<BrokenPromise>& broken() const { return broken_; }

  Result<std::vector<Layout>> of_program(std::size_t index) {
    std::vector<std::vector<Part>> parts = parts_of(index);
    std::vector<Layout> layouts;
    for (std::size_t chip = 0; chip < parts.size(); ++chip) {
      if (parts[chip].empty()) continue;
      auto layout = lay(index, ChipId(chip), std::move(parts[chip]));
      if (!layout) return tl::unexpected(layout.error());
      layouts.push_back(*std::move(layout));
    }
    return layouts;
  }

 private:
  // By chip: what is kept and has bytes, tables for the whole program, and scratch.
  std::vector<std::vector<Part>> parts_of(std::size_t index) const {
    const Program& program = deployment_.programs[index].program;
    const Demand& demand = demand_.programs[index];
    const ProgramResidency& kept = plan_.programs[index];
    const LiveRange all = {0, std::max<Step>(program.phases.size(), 1)};
    std::vector<std::vector<Part>> parts(target_.chips.size());
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
      const TensorId id(i);
      const Tensor& tensor = program.tensors[i];
      const bool is_whole = tensor.kind == TensorKind::State;
      if (!kept.on_chip[i] || demand[id].root != id || tensor.bytes == Bytes(0)) continue;
      if (!demand[id].life) continue;  // nobody reads what stands there
      parts[tensor.chip.index()].push_back({id, tensor.bytes, is_whole ? all : *demand[id].life,
                                            demand[id].moved,
                                            may_leave(program, target_, demand, id)});
    }
    for (const PartlyKept& it : kept.partly) {
      const Bytes bytes = program.tensors[it.tensor.index()].bytes;
      for (const auto& [phases, saved] : it.stretches) {
        parts[it.chip.index()].push_back({it.tensor, bytes, phases, saved, true, phases});
      }
    }
    for (std::size_t chip = 0; chip < parts.size(); ++chip) {
      for (const auto& [phase, bytes] : demand.scratch[chip]) {
        parts[chip].push_back({std::nullopt, bytes, {phase, phase + 1}, Bytes(0), false});
      }
    }
    return parts;
  }

  Result<Layout> lay(std::size_t index, ChipId chip, std::vector<Part> parts) {
    const Bytes beside_buffers = room_beside_buffers(target_, demand_.programs[index], chip);
    const auto& states = states_[chip.index()];
    const Task task = {std::move(parts), states ? less(beside_buffers, *states) : Bytes(0),
                       target_.chips[chip.index()].alignment};
    Fitter fitter(task);
    const auto packed = fitter.fit();
    if (!packed) return tl::unexpected(packed.error());
    if (!broken_) broken_ = fitter.broken();
    Layout layout{.chip = chip,
                  .room = task.room,
                  .arena = packed->figures.peak,
                  .max_load = fitter.max_load(),
                  .lower_bound = packed->figures.lower_bound,
                  .fits = packed->figures.peak <= task.room};
    for (std::size_t i = 0; i < task.parts.size(); ++i) {
      const Part& part = task.parts[i];
      if (!part.tensor) layout.scratch.push_back({part.life.lower, *packed->places[i]});
      if (!part.tensor) continue;
      if (packed->places[i]) {
        layout.places.push_back({*part.tensor, *packed->places[i], part.stretch});
      }
      if (!fitter.left()[i]) continue;
      layout.forced_out.push_back(*part.tensor);
      layout.forced_traffic += part.moved;
    }
    return layout;
  }

  const Deployment& deployment_;
  const Target& target_;
  const DeploymentDemand& demand_;
  const Residency& plan_;
  std::vector<std::optional<Bytes>> states_;  // by ChipId
  std::optional<BrokenPromise> broken_;
};

}  // namespace

Result<std::variant<Layouts, BrokenPromise>> lay_out(const Deployment& deployment,
                                                     const Target& target,
                                                     const DeploymentDemand& demand,
                                                     const Residency& plan) {
  LayoutMaker maker(deployment, target, demand, plan);
  Layouts layouts;
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    auto of_program = maker.of_program(i);
    if (!of_program) return tl::unexpected(of_program.error());
    layouts.push_back(*std::move(of_program));
  }
  if (maker.broken()) return *maker.broken();
  return layouts;
}

}  // namespace berth
