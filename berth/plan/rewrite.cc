#include "berth/plan/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "berth/plan/pack.h"

namespace berth {
namespace {

// The slot after the largest of a buffer or alloc; params number their own.
Result<std::uint64_t> next_slot(const OpGraph& graph, std::size_t arenas) {
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const OpId id(i);
    if (graph[id].kind != OpKind::Buffer && graph[id].kind != OpKind::Alloc) continue;
    const std::uint64_t slot = graph.storage(id).slot;
    if (slot > UINT64_MAX - arenas) {
      return input_error(
          "ops", fmt::format("slot {} leaves no slots for {} arenas after it", slot, arenas));
    }
    next = std::max(next, slot + 1);
  }
  return next;
}

Result<std::vector<OpId>> add_arenas(OpGraph& graph, const Instance& instance,
                                     const Packing& packing) {
  const auto first_slot = next_slot(graph, instance.devices().size());
  if (!first_slot) return tl::unexpected(first_slot.error());
  std::vector<OpId> arenas;
  for (std::size_t device = 0; device < instance.devices().size(); ++device) {
    const auto arena = graph.add(buffer_op({.slot = *first_slot + device,
                                            .elements = packing.arenas[device].peak.count(),
                                            .device = instance.devices()[device].name}));
    if (!arena) return tl::unexpected(arena.error());
    arenas.push_back(*arena);
  }
  return arenas;
}

// Its bytes of the arena, viewed as its type.
Result<OpId> add_planned_view(OpGraph& graph, OpId arena, const Storage& storage,
                              const Buffer& buffer, Offset place) {
  const std::uint64_t begin = (place + buffer.skew).value();
  return graph.add(shrink_op(arena, {begin, begin + buffer.size.count()}))
      .and_then([&](OpId bytes) { return graph.add(bitcast_op(bytes, storage.dtype)); });
}

}  // namespace

Result<Schedule> rewrite(const Schedule& schedule, std::span<const OpId> ops,
                         const Instance& instance, const Packing& packing) {
  if (ops.empty()) return schedule;
  OpGraph graph = schedule.graph();
  const auto arenas = add_arenas(graph, instance, packing);
  if (!arenas) return tl::unexpected(arenas.error());

  std::vector<std::pair<OpId, OpId>> replacements;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Buffer& buffer = instance[BufferId(i)];
    const auto view =
        add_planned_view(graph, (*arenas)[buffer.device.index()], Storage(graph.storage(ops[i])),
                         buffer, packing.placement.places[i]);
    if (!view) return tl::unexpected(view.error());
    replacements.emplace_back(ops[i], *view);
  }

  std::vector<OpId> roots = {schedule.root()};
  roots.insert(roots.end(), schedule.held().begin(), schedule.held().end());
  auto images = substitute(graph, roots, replacements);
  if (!images) return tl::unexpected(images.error());
  return Schedule::make(std::move(graph), images->front(), {images->begin() + 1, images->end()});
}

std::optional<std::string> memory_saved(std::span<const OpId> ops, const Instance& instance,
                                        const Packing& packing) {
  Bytes before;
  Bytes after;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    before += instance.extent(BufferId(i));
  }
  for (const ArenaFigures& arena : packing.arenas) after += arena.peak;
  if (before == after) return std::nullopt;
  const auto megabytes = [](Bytes bytes) { return static_cast<double>(bytes.count()) / 1e6; };
  return fmt::format("memory reduced from {:.2f} MB -> {:.2f} MB, {} -> {} bufs", megabytes(before),
                     megabytes(after), ops.size(), packing.arenas.size());
}

Result<Schedule> memory_plan_rewrite(const Schedule& schedule, std::span<const OpId> held) {
  const auto planned = schedule_instance(schedule, held);
  if (!planned) return tl::unexpected(planned.error());
  if (planned->ops.empty()) return schedule;
  const auto answer = pack(planned->instance, {.packer = "tlsf"});
  if (!answer) return tl::unexpected(answer.error());
  // A schedule fixes no place, so it can be packed.
  return rewrite(schedule, planned->ops, planned->instance, std::get<Packing>(*answer));
}

}  // namespace berth
