#include "berth/replay/tensors.h"

#include <algorithm>
#include <utility>

namespace berth {
namespace {

bool is_storage(const OpGraph& graph, OpId id) {
  return graph.view(id) && graph.view(id)->base == id;
}

}  // namespace

bool looks_like_arena(const OpGraph& graph, OpId id) {
  if (graph[id].kind != OpKind::Buffer) return false;
  const Storage& storage = graph.storage(id);
  return storage.dtype == Dtype::int8() && storage.name.empty() && storage.skew == 0 &&
         !is_disk(storage.device);
}

SliceTensors::SliceTensors(const Schedule& schedule)
    : graph_(schedule.graph()), is_arena_(graph_.size()) {
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    const OpId id(i);
    slice_.push_back(id);
    typed_.push_back(id);
    if (!graph_.view(id) || is_storage(graph_, id)) continue;
    const OpId viewed = graph_[id].sources[0];
    if (is_storage(graph_, viewed)) continue;
    slice_.back() = slice_[viewed.index()];
    if (viewed != slice_.back()) typed_.back() = typed_[viewed.index()];
  }
  find_arenas(schedule);
}

void SliceTensors::find_arenas(const Schedule& schedule) {
  std::vector<OpId> roots(schedule.held().begin(), schedule.held().end());
  roots.push_back(schedule.root());
  std::vector<std::pair<std::uint64_t, OpId>> slots;
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    is_arena_[i] =
        looks_like_arena(graph_, OpId(i)) && graph_.storage(OpId(i)).elements % kScheduleUnit == 0;
  }
  for (const OpId held : schedule.held()) is_arena_[graph_.view(held)->base.index()] = false;
  for (const OpId id : reachable(graph_, roots)) {
    const Op& op = graph_[id];
    if (op.kind == OpKind::Buffer || op.kind == OpKind::Alloc) {
      slots.emplace_back(graph_.storage(id).slot, id);
    }
    const bool is_body_use = op.kind == OpKind::Kernel || op.kind == OpKind::Store;
    for (std::size_t i = 0; i < op.sources.size() && !is_body_use; ++i) {
      const bool is_slice = op.kind == OpKind::Shrink || (op.kind == OpKind::After && i > 0);
      if (is_storage(graph_, op.sources[i]) && !is_slice) is_arena_[op.sources[i].index()] = false;
    }
  }
  std::ranges::sort(slots, std::greater());
  bool are_arenas = true;  // from the last slot down
  for (const auto& [slot, id] : slots) {
    are_arenas = are_arenas && is_arena_[id.index()];
    is_arena_[id.index()] = are_arenas;
  }
}

OpId SliceTensors::tensor(OpId id) const {
  const OpId base = graph_.view(id)->base;
  if (!is_arena_[base.index()]) return base;
  const OpId typed = typed_[id.index()];
  return graph_[typed].kind == OpKind::Bitcast ? typed : slice_[id.index()];
}

}  // namespace berth
