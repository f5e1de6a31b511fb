#include "berth/lower/row_count.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "berth/live/schedule_lives.h"
#include "berth/lower/entry_calls.h"

namespace berth {
namespace {

constexpr std::uint64_t kNameOfARow = 32;  // bytes

std::uint64_t rows_of_name(const std::string& name) {
  return 1 + name.size() / kNameOfARow;
}

std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

RowCount rows_of_entry(const OpGraph& graph, OpId entry) {
  const EntryCalls run = entry_calls(graph, entry);
  RowCount count;
  const std::vector<OpId> storages = taken_in_run(graph, entry);
  for (const OpId storage : storages) {
    count.rows += rows_of_name(graph.storage(storage).name);
  }
  for (const OpId call : run.calls) {
    const auto& sources = graph[call].sources;
    count.rows += rows_of_name(std::get<BodyName>(graph[sources[0]].attributes).name);
    count.rows += sources.size() - 1;
  }
  const bool runs_without_a_call = run.calls.empty() && !storages.empty();
  count.executed = runs_without_a_call ? 1 : times(run.calls.size(), run.repeat.value_or(1));
  count.walked = run.walked;
  return count;
}

}  // namespace

RowCount count_rows(const Schedule& schedule, std::uint64_t most) {
  RowCount sum;
  std::unordered_map<OpId, RowCount> known;  // by entry; looked up, never iterated
  for (const OpId entry : schedule.entries()) {
    const auto [at, is_new] = known.try_emplace(entry);
    if (is_new) {
      at->second = rows_of_entry(schedule.graph(), entry);
      sum.walked = plus(sum.walked, at->second.walked);
    }
    sum.rows = plus(sum.rows, plus(at->second.rows, 1));
    sum.executed = plus(sum.executed, at->second.executed);
    if (sum.rows > most || sum.walked > most) break;
  }
  return sum;
}

}  // namespace berth
