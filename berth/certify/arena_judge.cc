#include "berth/certify/arena_judge.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "berth/base/parallel.h"
#include "berth/certify/arena.h"
#include "berth/certify/arena_exact.h"
#include "berth/certify/arena_extents.h"

namespace berth {
namespace {

// What takes one thread longer than a busy machine lets another wait.
constexpr std::uint64_t kWordsAThread = std::uint64_t{1} << 22;
constexpr std::uint64_t kWordsAStretch = std::uint64_t{1} << 17;

// Launches cut into stretches of about as many words each: where each begins, and the end.
std::vector<std::size_t> stretches(const LaunchSchedule& schedule) {
  const auto words_begin = schedule.table().words_begin;
  std::vector<std::size_t> begin = {0};
  for (std::uint64_t word = kWordsAStretch; word < schedule.word_count(); word += kWordsAStretch) {
    const auto at = std::ranges::lower_bound(words_begin, word);
    begin.push_back(static_cast<std::size_t>(at - words_begin.begin()));
  }
  begin.push_back(schedule.size());
  return begin;
}

// Rule C on threads.
std::optional<Finding> find_stray(const ArenaChecker& checker, const LaunchSchedule& schedule,
                                  const ArenaChecker::DeclaredPhases& declared, WordRule rule,
                                  std::uint64_t threads) {
  const auto begin = stretches(schedule);
  std::vector<std::optional<Finding>> strays(begin.size() - 1);  // by stretch
  const auto first = find_index(strays.size(), threads, [&](std::size_t i) {
    strays[i] = checker.find_stray(schedule, declared, begin[i], begin[i + 1], rule);
    return strays[i].has_value();
  });
  return first ? strays[*first] : std::nullopt;
}

// Rules A to D.
Verdict judge_words(const PlaneTable& planes, const LaunchSchedule& schedule, Words rule,
                    unsigned threads) {
  const ArenaChecker checker(planes);
  if (checker.fault()) return {*checker.fault(), schedule.size()};
  const std::uint64_t count =
      std::clamp<std::uint64_t>(schedule.word_count() / kWordsAThread, 1, std::max(threads, 1U));
  const auto declared = checker.declared_phases(schedule);
  const WordRule one_by_one = rule == Words::OneByOne ? no_value_strays : nullptr;
  auto found = count == 1 ? checker.find_stray(schedule, declared, 0, schedule.size(), one_by_one)
                          : find_stray(checker, schedule, declared, one_by_one, count);
  if (!found) found = checker.find_lost(schedule, declared);
  return {found.value_or(Certified()), schedule.size()};
}

}  // namespace

Verdict judge_arena(const PlaneTable& planes, const LaunchSchedule& schedule, Words rule,
                    unsigned threads) {
  return judge_extents(planes, schedule, rule, judge_words(planes, schedule, rule, threads));
}

}  // namespace berth
