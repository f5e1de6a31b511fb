#include "berth/certify/arena_judge.h"

#include <algorithm>
#include <thread>

#include "berth/certify/arena.h"
#include "berth/certify/arena_exact.h"
#include "berth/certify/arena_extents.h"

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

// Rules A to D.
Verdict judge_words(const PlaneTable& planes, const LaunchSchedule& schedule, Words rule,
                    unsigned threads) {
  const ArenaChecker checker(planes);
  if (checker.fault()) return {*checker.fault(), schedule.size()};
  const std::uint64_t count =
      std::clamp<std::uint64_t>(schedule.word_count() / kWordsAThread, 1, std::max(threads, 1U));

  const auto declared = checker.declared_phases(schedule);
  const auto begin = stretches(schedule, count);
  std::vector<std::optional<Finding>> strays(count);
  const auto judge = [&](std::size_t i) {
    strays[i] = checker.find_stray(schedule, declared, begin[i], begin[i + 1],
                                   rule == Words::OneByOne ? no_value_strays : nullptr);
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

}  // namespace

Verdict judge_arena(const PlaneTable& planes, const LaunchSchedule& schedule, Words rule,
                    unsigned threads) {
  return judge_extents(planes, schedule, rule, judge_words(planes, schedule, rule, threads));
}

}  // namespace berth
