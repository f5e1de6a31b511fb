#include "berth/lower/entry_calls.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "berth/live/schedule_lives.h"

namespace berth {
namespace {

// What a loop repeats, entry by entry: a call or a loop is one.
std::vector<OpId> repeated_by(const OpGraph& graph, OpId loop) {
  const OpId repeated = graph[loop].sources[0];
  if (graph[repeated].kind != OpKind::Linear) return {repeated};
  return graph[repeated].sources;
}

EntryCalls each_call_once(const OpGraph& graph, OpId entry) {
  EntryCalls run;
  std::unordered_set<OpId> seen;
  std::vector<OpId> open = {entry};  // the next one last
  while (!open.empty()) {
    const OpId id = open.back();
    open.pop_back();
    ++run.walked;
    if (!seen.insert(id).second) continue;
    if (graph[id].kind == OpKind::Call) {
      run.calls.push_back(id);
      continue;
    }
    if (runs_no_time(graph, id)) continue;
    const std::vector<OpId> inner = repeated_by(graph, id);
    open.insert(open.end(), inner.rbegin(), inner.rend());
  }
  return run;
}

}  // namespace

EntryCalls entry_calls(const OpGraph& graph, OpId entry) {
  if (graph[entry].kind == OpKind::Call) return {{entry}, {}, 1};
  if (graph[entry].kind == OpKind::End && !runs_no_time(graph, entry)) {
    const std::vector<OpId> inner = repeated_by(graph, entry);
    const bool is_flat =
        std::ranges::all_of(inner, [&](OpId id) { return graph[id].kind == OpKind::Call; });
    const auto count = std::get<LoopCount>(graph[entry].attributes).count;
    if (is_flat) return {inner, count, inner.size()};
  }
  return each_call_once(graph, entry);
}

}  // namespace berth
