#include "berth/pipeline/placed_deployment.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "berth/live/schedule_lives.h"
#include "berth/plan/figures.h"

namespace berth {
namespace {

using Place = std::pair<ChipId, Tier>;

// The part of an arena in which one program's runs stand.
struct ProgramArena {
  std::map<TensorId, Offset> places;
  Bytes bytes;        // of it
  Bytes lower_bound;  // of any such part
};

Error too_large(const Deployment& deployment) {
  return {Error::Kind::Input, deployment.name,
          "what it stores takes more than 2^64 bytes of one memory", ""};
}

class Placer {
 public:
  Placer(const Deployment& deployment, const Target& target, const DeploymentLives& lives,
         const DeploymentDemand& demand, std::span<const Tier> tiers, Alignment unit)
      : deployment_(deployment),
        target_(target),
        lives_(lives),
        demand_(demand),
        tiers_(tiers),
        unit_(unit) {
    for (std::size_t i = 0; i < lives.tensors.size(); ++i) devices_.emplace(place_of(i), 0);
    for (const StoredScratch& it : lives.scratch) devices_.emplace(sram_of(it.chip), 0);
    for (const StoredSites& it : lives.sites) devices_.emplace(sram_of(it.chip), 0);
    std::size_t next = 0;
    for (auto& [place, id] : devices_) id = DeviceId(next++);
    lasting_.resize(devices_.size());
    bounds_.resize(devices_.size());
  }

  Result<PlacedDeployment> place(const ResidencyAnswer& answer, const PackOptions& options) {
    if (auto fault = stack_lasting()) return tl::unexpected(*std::move(fault));
    take_layouts(answer);
    if (auto fault = pack_below(options)) return tl::unexpected(*std::move(fault));
    if (auto fault = add_buffers()) return tl::unexpected(*std::move(fault));
    auto instance = Instance::make(devices(), std::move(buffers_), unit_, lives_.step_names);
    if (!instance) return tl::unexpected(instance.error());
    Packing packing{.placement = {std::move(places_)}, .packer = options.packer, .cut = cut_};
    packing.arenas = arena_figures(*instance, packing.placement);
    for (std::size_t i = 0; i < packing.arenas.size(); ++i) {
      // What lasts takes its bytes from every step, so that a bound on the rest adds to them.
      ArenaFigures& figures = packing.arenas[i];
      figures.lower_bound = std::max(figures.lower_bound, lasting_[i] + bounds_[i]);
    }
    return PlacedDeployment{*std::move(instance), std::move(packing), std::move(lasting_)};
  }

 private:
  const Tensor& tensor_of(const StoredTensor& row) const {
    return deployment_.programs[row.program].program.tensors[row.tensor.index()];
  }
  Place place_of(std::size_t row) const {
    return {tensor_of(lives_.tensors[row]).chip, tiers_[row]};
  }
  static Place sram_of(ChipId chip) { return {chip, Tier::Sram}; }
  std::size_t device_of(Place place) const { return devices_.at(place).index(); }

  std::vector<Device> devices() const {
    std::vector<Device> devices;
    for (const auto& [place, id] : devices_) {
      const Chip& chip = target_.chips[place.first.index()];
      const auto capacity = place.second == Tier::Sram    ? std::optional(chip.sram())
                            : place.second == Tier::Hbm   ? std::optional(chip.hbm)
                            : place.second == Tier::Flash ? std::optional(chip.flash)
                                                          : chip.dram;
      devices.push_back({.name = device_name(place.first, place.second), .capacity = capacity});
    }
    return devices;
  }

  std::optional<Error> stack_lasting() {
    places_.resize(lives_.tensors.size());
    for (std::size_t i = 0; i < lives_.tensors.size(); ++i) {
      const StoredTensor& row = lives_.tensors[i];
      if (!outlives_step(row.as)) continue;
      Bytes& end = lasting_[device_of(place_of(i))];
      places_[i] = Offset(end.count());
      const auto padded = checked_round_up(tensor_of(row).bytes, unit_);
      const auto next = padded ? checked_add(end, *padded) : std::nullopt;
      if (!next) return too_large(deployment_);
      end = *next;
    }
    return std::nullopt;
  }

  void take_layouts(const ResidencyAnswer& answer) {
    for (std::size_t program = 0; program < answer.layouts.size(); ++program) {
      for (const Layout& layout : answer.layouts[program]) {
        ProgramArena& arena = arenas_[{program, sram_of(layout.chip)}];
        arena.bytes = layout.arena;
        arena.lower_bound = layout.lower_bound;
        for (const PlacedTensor& it : layout.places) arena.places[it.tensor] = it.offset;
        for (const PlacedScratch& it : layout.scratch) {
          scratch_[{program, layout.chip, it.phase}] = it.offset;
        }
      }
    }
  }

  // Each program's intermediates and tables in one tier below the SRAM.
  std::optional<Error> pack_below(const PackOptions& options) {
    std::map<std::pair<std::size_t, Place>, std::vector<TensorId>> below;
    for (std::size_t i = 0; i < lives_.tensors.size(); ++i) {
      const StoredTensor& row = lives_.tensors[i];
      if (outlives_step(row.as) || tiers_[i] == Tier::Sram || row.layer > 0) continue;
      below[{row.program, place_of(i)}].push_back(row.tensor);
    }
    for (const auto& [key, tensors] : below) {
      if (auto fault = pack_one(key.first, tensors, options, arenas_[key])) return fault;
    }
    return std::nullopt;
  }

  std::optional<Error> pack_one(std::size_t program, const std::vector<TensorId>& tensors,
                                const PackOptions& options, ProgramArena& arena) {
    const Program& it = deployment_.programs[program].program;
    std::vector<Buffer> buffers;
    for (const TensorId id : tensors) {
      const Tensor& tensor = it.tensors[id.index()];
      const bool is_table = tensor.kind == TensorKind::State;
      const LiveRange life =
          is_table ? LiveRange{0, it.phases.size()} : *demand_.programs[program][id].life;
      buffers.push_back({.name = tensor.name, .size = tensor.bytes, .life = life});
    }
    auto instance = Instance::make({Device{.name = "below"}}, std::move(buffers), unit_);
    if (!instance) return instance.error();
    auto answer = pack(*instance, options);
    if (!answer) return answer.error();
    const auto& packing = std::get<Packing>(*answer);  // nothing is fixed, so there is a placement
    cut_ = cut_ || packing.cut;
    arena.bytes = packing.arenas[0].peak;
    arena.lower_bound = packing.arenas[0].lower_bound;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      arena.places[tensors[i]] = packing.placement.places[i];
    }
    return std::nullopt;
  }

  std::optional<Error> add_buffers() {
    for (std::size_t i = 0; i < lives_.tensors.size(); ++i) {
      const StoredTensor& row = lives_.tensors[i];
      const std::size_t device = device_of(place_of(i));
      buffers_.push_back({.name = row.name,
                          .size = tensor_of(row).bytes,
                          .life = row.life,
                          .alignment = unit_,
                          .device = DeviceId(device)});
      if (outlives_step(row.as)) continue;
      const ProgramArena& arena = arenas_.at({row.program, place_of(i)});
      const auto place = after_lasting(device, arena.places.at(row.tensor).value());
      if (!place) return too_large(deployment_);
      places_[i] = *place;
    }
    for (const StoredScratch& it : lives_.scratch) {
      const Offset inside = scratch_.at({it.program, it.chip, it.phase});
      if (auto fault = add(it.name, it.bytes, {it.step, it.step + 1}, it.chip, inside.value())) {
        return fault;
      }
    }
    // Above all that the program places itself.
    for (const StoredSites& it : lives_.sites) {
      const auto arena = arenas_.find({it.program, sram_of(it.chip)});
      const Bytes below = arena == arenas_.end() ? Bytes(0) : arena->second.bytes;
      if (auto fault = add(it.name, it.bytes, it.life, it.chip, below.count())) return fault;
    }
    for (const auto& [key, arena] : arenas_) {
      const auto device = devices_.find(key.second);
      const bool runs = deployment_.programs[key.first].layers > 0;
      if (!runs || device == devices_.end()) continue;
      Bytes& bound = bounds_[device->second.index()];
      bound = std::max(bound, arena.lower_bound);
    }
    return std::nullopt;
  }

  std::optional<Error> add(const std::string& name, Bytes bytes, LiveRange life, ChipId chip,
                           std::uint64_t inside) {
    const std::size_t device = device_of(sram_of(chip));
    const auto place = after_lasting(device, inside);
    if (!place) return too_large(deployment_);
    places_.push_back(*place);
    buffers_.push_back({.name = name,
                        .size = bytes,
                        .life = life,
                        .alignment = unit_,
                        .device = DeviceId(device)});
    return std::nullopt;
  }

  std::optional<Offset> after_lasting(std::size_t device, std::uint64_t inside) const {
    const auto place = checked_add(lasting_[device], Bytes(inside));
    return place ? std::optional(Offset(place->count())) : std::nullopt;
  }

  const Deployment& deployment_;
  const Target& target_;
  const DeploymentLives& lives_;
  const DeploymentDemand& demand_;
  std::span<const Tier> tiers_;
  Alignment unit_;
  std::map<Place, DeviceId> devices_;  // chip by chip, tier by tier
  std::vector<Bytes> lasting_;         // by DeviceId
  std::vector<Bytes> bounds_;          // by DeviceId: of the part in which programs take turns
  std::map<std::pair<std::size_t, Place>, ProgramArena> arenas_;
  std::map<std::tuple<std::size_t, ChipId, Step>, Offset> scratch_;
  std::vector<Buffer> buffers_;
  std::vector<Offset> places_;
  bool cut_ = false;
};

}  // namespace

Result<PlacedDeployment> place_deployment(const Deployment& deployment, const Target& target,
                                          const DeploymentLives& lives,
                                          const DeploymentDemand& demand,
                                          const ResidencyAnswer& answer,
                                          std::span<const Tier> tiers, Alignment unit,
                                          const PackOptions& options) {
  return Placer(deployment, target, lives, demand, tiers, unit).place(answer, options);
}

namespace {

// Scratch of one entry on one device: what overlaps there (phases of one loop, which take turns)
// is one range.
struct ScratchRange {
  std::size_t entry = 0;
  DeviceId device;
  ByteRange bytes;
};

std::vector<ScratchRange> scratch_ranges(const DeploymentLives& lives,
                                         const DeployedSchedule& scheduled,
                                         const PlacedDeployment& placed) {
  std::vector<ScratchRange> ranges;
  for (std::size_t i = 0; i < lives.scratch.size(); ++i) {
    const BufferId id(lives.tensors.size() + i);
    const DeviceId device = placed.instance[id].device;
    const std::uint64_t begin = placed.packing.placement.places[id.index()].value() -
                                placed.lasting[device.index()].count();
    ranges.push_back({scheduled.entries[lives.scratch[i].step],
                      device,
                      {begin, begin + placed.instance.extent(id).count()}});
  }
  std::ranges::sort(ranges, {}, [](const ScratchRange& it) {
    return std::tuple(it.entry, it.device, it.bytes.lower, it.bytes.upper);
  });
  std::vector<ScratchRange> merged;
  for (const ScratchRange& it : ranges) {
    const bool meets = !merged.empty() && merged.back().entry == it.entry &&
                       merged.back().device == it.device && merged.back().bytes.overlaps(it.bytes);
    if (!meets) {
      merged.push_back(it);
    } else {
      merged.back().bytes.upper = std::max(merged.back().bytes.upper, it.bytes.upper);
    }
  }
  return merged;
}

// The devices that the schedule's own arenas are on, in order.
class ArenaDevices {
 public:
  explicit ArenaDevices(const PlacedDeployment& placed) : placed_(placed) {}

  DeviceId of(DeviceId whole) {
    const auto [found, is_new] = ids_.emplace(whole, DeviceId(whole_.size()));
    if (is_new) whole_.push_back(whole);
    return found->second;
  }
  std::vector<Device> devices() const {
    std::vector<Device> devices;
    for (const DeviceId id : whole_) devices.push_back({.name = placed_.instance[id].name});
    return devices;
  }
  const std::vector<DeviceId>& whole() const { return whole_; }

 private:
  const PlacedDeployment& placed_;
  std::map<DeviceId, DeviceId> ids_;
  std::vector<DeviceId> whole_;
};

}  // namespace

Result<ScheduledArenas> scheduled_arenas(const DeploymentLives& lives,
                                         const DeployedSchedule& scheduled,
                                         const PlacedDeployment& placed) {
  std::map<OpId, LiveRange> life_of;
  for (const StorageLife& it : storage_lives(scheduled.schedule)) life_of[it.storage] = it.life;
  ArenaDevices devices(placed);
  std::vector<Buffer> buffers;
  std::vector<OpId> ops;
  Placement placement;
  for (std::size_t i = 0; i < lives.tensors.size(); ++i) {
    if (outlives_step(lives.tensors[i].as)) continue;
    const Buffer& whole = placed.instance[BufferId(i)];
    buffers.push_back({.name = whole.name,
                       .size = whole.size,
                       .life = life_of.at(scheduled.ops[i]),
                       .alignment = whole.alignment,
                       .device = devices.of(whole.device)});
    ops.push_back(scheduled.ops[i]);
    placement.places.emplace_back(placed.packing.placement.places[i].value() -
                                  placed.lasting[whole.device.index()].count());
  }
  for (const ScratchRange& it : scratch_ranges(lives, scheduled, placed)) {
    buffers.push_back({.name = fmt::format("scratch of entry {} at {} of {}", it.entry,
                                           it.bytes.lower, placed.instance[it.device].name),
                       .size = Bytes(it.bytes.upper - it.bytes.lower),
                       .life = {it.entry, it.entry + 1},
                       .device = devices.of(it.device)});
    placement.places.emplace_back(it.bytes.lower);
  }
  std::vector<std::string> names(scheduled.schedule.entries().size());
  for (std::size_t step = 0; step < scheduled.entries.size(); ++step) {
    std::string& name = names[scheduled.entries[step]];
    name += (name.empty() ? "" : ", ") + lives.step_names[step];
  }
  auto instance = Instance::make(devices.devices(), std::move(buffers), placed.instance.unit(),
                                 std::move(names));
  if (!instance) return tl::unexpected(instance.error());
  Packing packing{.placement = std::move(placement), .packer = placed.packing.packer};
  packing.arenas = arena_figures(*instance, packing.placement);
  return ScheduledArenas{*std::move(instance), std::move(packing), std::move(ops), devices.whole()};
}

}  // namespace berth
