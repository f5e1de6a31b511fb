#include "berth/ir/schedule.h"

#include <fmt/format.h>

#include <utility>

#include "berth/base/wide.h"
#include "berth/ir/slot_table.h"

namespace berth {

Result<Schedule> Schedule::make(OpGraph graph, OpId root, std::vector<OpId> held) {
  if (root.index() >= graph.size()) {
    return input_error("root", fmt::format("found node {} of {}", root.index(), graph.size()));
  }
  if (graph[root].kind != OpKind::Linear) {
    return input_error("root",
                       fmt::format("found a {}, expected a linear", to_string(graph[root].kind)));
  }
  std::vector<OpId> roots = {root};
  for (std::size_t i = 0; i < held.size(); ++i) {
    const auto where = fmt::format("held[{}]", i);
    if (held[i].index() >= graph.size()) {
      return input_error(where, fmt::format("found node {} of {}", held[i].index(), graph.size()));
    }
    if (!graph.view(held[i])) {
      return input_error(where, fmt::format("found a {}, expected a buffer or a view of one",
                                            to_string(graph[held[i]].kind)));
    }
    roots.push_back(held[i]);
  }

  SlotTable slots;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (!std::holds_alternative<Storage>(graph[OpId(i)].attributes)) continue;
    if (auto fault = slots.add(graph, OpId(i))) {
      return input_error("ops", std::move(fault->message), std::move(fault->hint));
    }
  }
  Bytes sum;
  for (const OpId id : reachable_outside_bodies(graph, roots)) {
    if (!std::holds_alternative<Storage>(graph[id].attributes)) continue;
    const auto more = checked_add(sum, storage_extent(graph, id));
    if (!more) {
      const Wide all = Wide(sum.count()) + storage_extent(graph, id).count();
      return input_error(
          "ops",
          fmt::format("with slot {}, the sizes of all storage, each rounded up to {}, add up "
                      "to {}: that is more than 64 bits hold",
                      graph.storage(id).slot, kScheduleUnit, digits(all)));
    }
    sum = *more;
  }
  return Schedule(std::move(graph), root, std::move(held));
}

Bytes storage_extent(const OpGraph& graph, OpId id) {
  const Bytes bytes(graph.view(id)->bytes.upper);
  if (bytes == Bytes(0)) return Bytes(0);
  return round_up(bytes + Bytes(graph.storage(id).skew), *Alignment::of(kScheduleUnit));
}

bool is_disk(std::string_view device) {
  for (const std::string_view disk : {"DISK", "TINYFS"}) {
    if (device == disk) return true;
    if (device.starts_with(disk) && device.substr(disk.size()).starts_with(':')) return true;
  }
  return false;
}

}  // namespace berth
