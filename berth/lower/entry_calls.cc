#include "berth/lower/entry_calls.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace berth {
namespace {

// Entries of what a loop repeats: itself where it is a call.
std::vector<OpId> repeated_by(const OpGraph& graph, OpId loop) {
  const OpId repeated = graph[loop].sources[0];
  if (graph[repeated].kind == OpKind::Call) return {repeated};
  return graph[repeated].sources;
}

std::vector<OpId> each_call_once(const OpGraph& graph, OpId entry) {
  std::vector<OpId> calls;
  std::unordered_set<OpId> seen;
  std::vector<OpId> open = {entry};  // the next one last
  while (!open.empty()) {
    const OpId id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    if (graph[id].kind == OpKind::Call) {
      calls.push_back(id);
      continue;
    }
    const std::vector<OpId> inner = repeated_by(graph, id);
    open.insert(open.end(), inner.rbegin(), inner.rend());
  }
  return calls;
}

}  // namespace

EntryCalls entry_calls(const OpGraph& graph, OpId entry) {
  if (graph[entry].kind == OpKind::Call) return {{entry}, {}, true};
  const auto count = std::get<LoopCount>(graph[entry].attributes).count;
  const std::vector<OpId> inner = repeated_by(graph, entry);
  const bool is_flat =
      std::ranges::all_of(inner, [&](OpId id) { return graph[id].kind == OpKind::Call; });
  if (graph[entry].kind == OpKind::End && is_flat && count > 0U) return {inner, count, true};
  return {each_call_once(graph, entry), {}, count != 0U};
}

}  // namespace berth
