#include "berth/pipeline/against_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "berth/certify/input_rows.h"
#include "berth/pipeline/compose_plan.h"
#include "berth/pipeline/plan_on_target.h"
#include "berth/pipeline/unpermitted.h"

namespace berth {
namespace {

// A memory of the target, by the name of its device.
struct Memory {
  std::string device;
  std::optional<Bytes> has;  // nothing: not limited
};

std::vector<Memory> memories_of(const Target& target) {
  std::vector<Memory> memories;
  for (std::size_t i = 0; i < target.chips.size(); ++i) {
    const Chip& chip = target.chips[i];
    const std::array<std::pair<const char*, std::optional<Bytes>>, 4> tiers = {
        {{"sram", chip.sram()}, {"hbm", chip.hbm}, {"dram", chip.dram}, {"flash", chip.flash}}};
    for (const auto& [tier, has] : tiers)
      memories.push_back({fmt::format("chip{}.{}", i, tier), has});
  }
  return memories;
}

std::string size_text(const std::optional<Bytes>& bytes) {
  return bytes ? fmt::format("{} bytes", bytes->count()) : "no limit";
}

// What is less than a unit at the end of an SRAM nobody can use, and the plan may leave out.
bool is_size_of(const std::optional<Bytes>& said, const Memory& memory, Bytes unit) {
  if (said == memory.has) return true;
  const bool is_sram = memory.device.ends_with(".sram");
  return is_sram && said && memory.has && *said < *memory.has && *memory.has - *said < unit;
}

std::string device_of(const TierUse& use) {
  static constexpr std::array<std::string_view, 4> kTiers = {"sram", "hbm", "dram", "flash"};
  return fmt::format("chip{}.{}", use.chip.index(), kTiers[static_cast<std::size_t>(use.tier)]);
}

// What `on_target` says of memories otherwise than their arenas, or not at all.
std::optional<std::string> find_other_use(const Plan& plan) {
  if (!plan.target) return std::nullopt;
  std::map<std::string_view, const PlannedArena*> arenas;
  for (const PlannedArena& arena : plan.arenas) arenas.emplace(arena.device, &arena);
  for (const TierUse& use : plan.target->tiers) {
    const std::string device = device_of(use);
    const auto found = arenas.find(device);
    if (found == arenas.end()) {
      if (use.peak == Bytes(0)) continue;
      return fmt::format("on_target says that {} bytes of {} are used, where there is no arena",
                         use.peak.count(), device);
    }
    const PlannedArena& arena = *found->second;
    if (arena.reserve > Bytes(0)) {
      return fmt::format("arena {} has {} bytes in reserve: a target says what nobody may use",
                         device, arena.reserve.count());
    }
    if (use.peak == arena.figures.peak && use.capacity == arena.capacity) {
      arenas.erase(found);
      continue;
    }
    return fmt::format("arena {} takes {} bytes and has {}, on_target says {} and {}", device,
                       arena.figures.peak.count(), size_text(arena.capacity), use.peak.count(),
                       size_text(use.capacity));
  }
  if (arenas.empty()) return std::nullopt;
  return fmt::format("on_target does not tell of arena {}", arenas.begin()->first);
}

}  // namespace

std::optional<std::string> find_past_target(const Plan& plan, const Target* target) {
  std::set<std::string_view> devices;
  for (const PlannedArena& arena : plan.arenas) {
    if (!devices.insert(arena.device).second) {
      return fmt::format("the plan has two arenas in {}", arena.device);
    }
    if (plan.target && !arena.device.ends_with("." + arena.tier)) {
      return fmt::format("arena {} calls its tier '{}'", arena.device, arena.tier);
    }
  }
  if (auto fault = find_other_use(plan)) return fault;
  if (target == nullptr) return std::nullopt;
  if (plan.target && plan.target->tile != target->tile) {
    return fmt::format("the plan stores tensors in tiles [{}], the target in tiles [{}]",
                       fmt::join(plan.target->tile, ", "), fmt::join(target->tile, ", "));
  }
  const auto memories = memories_of(*target);
  Alignment unit;
  for (const PlannedArena& arena : plan.arenas) {
    const auto memory = std::ranges::find(memories, arena.device, &Memory::device);
    if (memory == memories.end()) return fmt::format("the target has no memory '{}'", arena.device);
    if (memory->has && arena.figures.peak > *memory->has) {
      return fmt::format("arena {} takes {} bytes, the target has {}", arena.device,
                         arena.figures.peak.count(), memory->has->count());
    }
    unit = std::max(unit, arena.unit);
  }
  if (!plan.target) return std::nullopt;
  for (const TierUse& use : plan.target->tiers) {
    const std::string device = device_of(use);
    const auto memory = std::ranges::find(memories, device, &Memory::device);
    if (memory != memories.end() && is_size_of(use.capacity, *memory, Bytes(unit.value()))) {
      continue;
    }
    return fmt::format("{} has {} in the plan, in the target {}", device, size_text(use.capacity),
                       memory == memories.end() ? "it is not there" : size_text(memory->has));
  }
  return std::nullopt;
}

Result<std::optional<std::string>> find_other_on_target(const Plan& plan, const InputFile& input,
                                                        const Target* target,
                                                        const PlanOptions& options) {
  const Target as_told{.name = "", .tile = plan.target->tile};
  auto asked = rows_on_target(input, target ? *target : as_told, options);
  if (!asked) return tl::unexpected(asked.error());
  // Each memory is a device of its own, and those that the plan uses are its arenas.
  const bool on_several = plan.arenas.size() > 1 && !asked->rows.buffers.empty();
  asked->rows.ordering = on_several ? kByAllocation : kInOrderPerDevice;
  auto mismatch = find_mismatch(plan, asked->rows);
  if (!mismatch) mismatch = find_unpermitted(plan, asked->rows, {});  // there nothing shares
  if (mismatch) return mismatch;
  std::map<std::string_view, std::size_t> row_of;
  for (std::size_t i = 0; i < asked->rows.buffers.size(); ++i) {
    row_of.emplace(asked->rows.buffers[i].name, i);
  }
  for (const PlannedBuffer& buffer : plan.buffers) {
    const bool in_sram = plan.arenas[buffer.arena].tier == "sram";
    const SramRule rule = asked->sram[row_of.at(buffer.name)];
    if (rule == SramRule::Never && in_sram) {
      return std::optional(fmt::format("buffer {} is in SRAM, where it may not be", buffer.name));
    }
    if (rule == SramRule::Always && !in_sram) {
      return std::optional(fmt::format("buffer {} is not in SRAM, where it must be", buffer.name));
    }
  }
  return std::optional<std::string>();
}

}  // namespace berth
