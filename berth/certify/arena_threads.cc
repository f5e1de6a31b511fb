#include "berth/certify/arena_threads.h"

#include <algorithm>
#include <thread>

namespace berth {
namespace {

constexpr std::uint64_t kWordsAThread = std::uint64_t{1} << 20;

// Launches cut into so many stretches of about as many words each: where each begins, and the end.
std::vector<std::size_t> stretches(const LaunchSchedule& schedule, std::uint64_t count) {
  const auto words_begin = schedule.table().words_begin;
  std::vector<std::size_t> begin;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto at = std::ranges::lower_bound(words_begin, schedule.word_count() / count * i);
    begin.push_back(i == 0 ? 0 : static_cast<std::size_t>(at - words_begin.begin()));
  }
  begin.push_back(schedule.size());
  return begin;
}

}  // namespace

Verdict certify_arena_on_threads(const PlaneTable& planes, const LaunchSchedule& schedule,
                                 WordRule rule, unsigned threads) {
  const auto made = ArenaChecker::make(planes);
  if (const auto* fault = std::get_if<Finding>(&made)) return {*fault, schedule.size()};
  const auto& checker = std::get<ArenaChecker>(made);
  const std::uint64_t count =
      std::clamp<std::uint64_t>(schedule.word_count() / kWordsAThread, 1, std::max(threads, 1U));

  const auto declared = checker.declared_phases(schedule);
  const auto begin = stretches(schedule, count);
  std::vector<std::optional<Finding>> strays(count);
  const auto judge = [&](std::size_t i) {
    strays[i] = checker.find_stray(schedule, declared, rule, begin[i], begin[i + 1]);
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < count; ++i) others.emplace_back(judge, i);
    judge(0);
  }
  for (const auto& stray : strays) {
    if (stray) return {*stray, schedule.size()};
  }
  return {checker.find_lost(schedule, declared).value_or(Certified()), schedule.size()};
}

}  // namespace berth
