#include "berth/pipeline/compose_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "berth/base/sha256.h"
#include "berth/formats/file.h"
#include "berth/ir/planes.h"
#include "berth/live/schedule_lives.h"
#include "berth/lower/address_map.h"
#include "berth/pipeline/asked_options.h"

namespace berth {
namespace {

constexpr std::uint64_t kFirstAddress = 0x10000000;
constexpr std::uint64_t kPage = 4096;

// What the executor must keep. On one device, order is all: what takes over bytes runs after what
// had them. Where work on another device may touch them too (a copy from here to there is its
// work), an arena is one allocation: who writes it waits for every earlier use of it, there too.
std::string ordering_of(const Question& question) {
  std::set<std::string_view> devices;
  if (const auto* form = std::get_if<ScheduleForm>(&question.form)) {
    const OpGraph& graph = form->schedule.graph();
    for (const StorageLife& life : storage_lives(form->schedule)) {
      devices.insert(graph.storage(life.storage).device);
    }
  } else {
    for (const Device& device : question.instance.devices()) devices.insert(device.name);
  }
  return devices.size() > 1 && question.instance.size() > 0 ? kByAllocation : kInOrderPerDevice;
}

// What every place in the arena asks of its first byte.
Alignment alignment_of_arena(const Instance& instance, DeviceId device) {
  Alignment alignment = instance.unit();
  for (std::size_t i = 0; i < instance.size(); ++i) {
    const BufferId id(i);
    if (instance[id].device == device) alignment = std::max(alignment, instance.alignment(id));
  }
  return alignment;
}

std::optional<Address> base_of(const std::string& device, const PlanOptions& options) {
  for (const auto& [name, address] : options.base) {
    if (name == device) return address;
  }
  return std::nullopt;
}

std::optional<Error> find_unknown_base(const InputFile& file, const Instance& instance,
                                       const PlanOptions& options) {
  for (const auto& [name, address] : options.base) {
    const bool is_known = std::ranges::any_of(
        instance.devices(), [&](const Device& device) { return device.name == name; });
    if (is_known) continue;
    return Error{Error::Kind::Usage, "--base",
                 fmt::format("{} has no device '{}'", file.path, name),
                 "name a device as the table or the plan names it"};
  }
  return std::nullopt;
}

AddressRange extent_of(const PlannedArena& arena) {
  return addresses(arena.address, arena.figures.peak);
}

// An arena that cannot stand where --base puts it; the places that we choose ourselves always do.
std::optional<Error> find_base_fault(std::span<const PlannedArena> arenas) {
  for (const PlannedArena& arena : arenas) {
    const std::uint64_t address = arena.address.value();
    std::string why;
    if (address % arena.alignment.value() != 0) {
      why = fmt::format("which is no multiple of its alignment {}", arena.alignment.value());
    } else if (extent_of(arena).upper > kAddressEnd) {
      why = fmt::format("since its {} bytes end past 64 bits", arena.figures.peak.count());
    }
    if (why.empty()) continue;
    return Error{Error::Kind::Usage, "--base",
                 fmt::format("arena {} cannot begin at {}, {}", arena.device, address, why),
                 "choose another address"};
  }
  return std::nullopt;
}

// The first page past `end`, or address 0 (each device has addresses of its own) where an arena of
// `bytes` from there would pass 64 bits.
Address next_page(Address end, Bytes bytes, Alignment alignment) {
  const Alignment page = std::max(*Alignment::of(kPage), alignment);
  const auto start = checked_round_up(Bytes(end.value()), page);
  if (!start || !checked_add(*start, bytes)) return Address(0);
  return Address(start->count());
}

// Where --base puts arenas, in order.
std::vector<AddressRange> asked_places(const Instance& instance, const Packing& packing,
                                       const PlanOptions& options) {
  std::vector<AddressRange> places;
  for (std::size_t i = 0; i < instance.devices().size(); ++i) {
    const auto base = base_of(instance.devices()[i].name, options);
    if (base) places.push_back(addresses(*base, packing.arenas[i].peak));
  }
  std::ranges::sort(places, {}, &AddressRange::lower);
  return places;
}

// The first page past `end` from which no asked place is met.
Address page_apart(Address end, Bytes bytes, Alignment alignment,
                   std::span<const AddressRange> asked) {
  Address page = next_page(end, bytes, alignment);
  for (const AddressRange& place : asked) {
    if (!addresses(page, bytes).overlaps(place) || place.upper >= kAddressEnd) continue;
    page = next_page(Address(static_cast<std::uint64_t>(place.upper)), bytes, alignment);
  }
  return page;
}

std::vector<PlannedArena> arenas_of(const Instance& instance, const Packing& packing,
                                    const PlanOptions& options) {
  std::vector<PlannedArena> arenas;
  const auto asked = asked_places(instance, packing, options);
  Address free_from(kFirstAddress);
  for (std::size_t i = 0; i < instance.devices().size(); ++i) {
    const Device& device = instance.devices()[i];
    const ArenaFigures& figures = packing.arenas[i];
    const Alignment alignment = alignment_of_arena(instance, DeviceId(i));
    const auto base = base_of(device.name, options);
    const Address address = base.value_or(page_apart(free_from, figures.peak, alignment, asked));
    if (!base) free_from = Address(address.value() + figures.peak.count());
    arenas.push_back({.device = device.name,
                      .figures = figures,
                      .unit = instance.unit(),
                      .alignment = alignment,
                      .capacity = device.capacity,
                      .reserve = device.reserve,
                      .address = address,
                      .beside = device.beside});
  }
  return arenas;
}

PlannedBuffer planned_buffer(const Instance& instance, const Packing& packing, BufferId id) {
  const Buffer& buffer = instance[id];
  return {.name = buffer.name,
          .arena = buffer.device.index(),
          .offset = packing.placement.places[id.index()] + buffer.skew,
          .bytes = buffer.size,
          .skew = buffer.skew,
          .alignment = instance.alignment(id),
          .life = buffer.life,
          .gaps = buffer.gaps,
          .fixed = buffer.fixed};
}

// A row a member. A buffer that others view lives as long as they do.
std::vector<PlannedBuffer> member_rows(const Instance& instance, const Packing& packing,
                                       std::span<const Member> members) {
  std::vector<PlannedBuffer> rows;
  rows.reserve(members.size());
  for (const Member& member : members) {
    const Buffer& buffer = instance[member.buffer];
    const Offset place = packing.placement.places[member.buffer.index()];
    rows.push_back({.name = member.name,
                    .arena = buffer.device.index(),
                    .offset = place + buffer.skew + member.offset,
                    .bytes = member.bytes,
                    .skew = buffer.skew,
                    .alignment = member.alignment,
                    .life = member.life,
                    .gaps = member.gaps,
                    .view_of = member.view_of,
                    .reuses = member.reuses});
    if (buffer.fixed) rows.back().fixed = *buffer.fixed + member.offset;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (auto base = rows[i].view_of; base; base = rows[*base].view_of) {
      rows[*base].life = {std::min(rows[*base].life.lower, rows[i].life.lower),
                          std::max(rows[*base].life.upper, rows[i].life.upper)};
    }
  }
  return rows;
}

// Buffers that values share are told value by value; scratch, and everything else, is a row by
// itself.
std::vector<PlannedBuffer> rows_of(const Question& question, const Packing& packing) {
  const auto members = members_of(question);
  auto rows = member_rows(question.instance, packing, members);
  std::size_t told = 0;
  for (const Member& member : members) told = std::max(told, member.buffer.index() + 1);
  for (std::size_t i = told; i < question.instance.size(); ++i) {
    rows.push_back(planned_buffer(question.instance, packing, BufferId(i)));
  }
  return rows;
}

// Of a model, which operator of its file each step is.
std::vector<std::optional<PhaseOrigin>> origins_of(const Question& question) {
  const auto* model = std::get_if<ModelForm>(&question.form);
  std::vector<std::optional<PhaseOrigin>> origins;
  bool is_told = false;
  for (std::size_t i = 0; model != nullptr && i < model->program.phases.size(); ++i) {
    origins.push_back(model->program.phases[i].origin);
    is_told = is_told || origins.back();
  }
  if (!is_told) origins.clear();
  return origins;
}

}  // namespace

Result<Plan> compose_plan(const InputFile& file, const Question& question, const Packing& packing,
                          const PlanOptions& options) {
  if (auto error = find_unknown_base(file, question.instance, options)) {
    return tl::unexpected(std::move(*error));
  }
  auto arenas = arenas_of(question.instance, packing, options);
  if (auto error = find_base_fault(arenas)) return tl::unexpected(std::move(*error));
  const auto steps = question.instance.step_names();
  return Plan{.source = {base_name(file.path), sha256(file.content)},
              .packer = options.pack.packer,
              .found_by = packing.packer,
              .seed = options.pack.seed,
              .arenas = std::move(arenas),
              .ordering = ordering_of(question),
              .cut = packing.cut,
              .buffers = rows_of(question, packing),
              .kept = question.kept,
              .step_names = {steps.begin(), steps.end()},
              .origins = origins_of(question),
              .not_counted = question.not_counted,
              .estimate = question.estimate,
              .order = question.order,
              .asked = asked_of(options)};
}

std::optional<Error> find_bases_that_meet(const Plan& plan) {
  std::vector<AddressRange> extents;
  for (const PlannedArena& arena : plan.arenas) extents.push_back(extent_of(arena));
  const auto two = find_that_meet(extents);
  if (!two) return std::nullopt;
  const PlannedArena& below = plan.arenas[two->first];
  const PlannedArena& above = plan.arenas[two->second];
  return Error{Error::Kind::Usage, "--base",
               fmt::format("arena {} at {}, of {} bytes, runs into arena {} at {}", below.device,
                           below.address.value(), below.figures.peak.count(), above.device,
                           above.address.value()),
               "the memories of a target are one space of addresses: move one of them"};
}

}  // namespace berth
