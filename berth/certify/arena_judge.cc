#include "berth/certify/arena_judge.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "berth/certify/arena.h"
#include "berth/certify/arena_exact.h"
#include "berth/certify/arena_extents.h"

namespace berth {
namespace {

constexpr std::uint64_t kWordsAThread = std::uint64_t{1} << 20;
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

// Rule C on threads, each of which takes the next stretch that nobody has: where one gets no
// processor, the others do its work.
class StraySearch {
 public:
  StraySearch(const ArenaChecker& checker, const LaunchSchedule& schedule,
              const ArenaChecker::DeclaredPhases& declared, WordRule rule)
      : checker_(checker),
        schedule_(schedule),
        declared_(declared),
        rule_(rule),
        begin_(stretches(schedule)),
        strays_(begin_.size() - 1) {}

  std::optional<Finding> search(std::uint64_t threads) {
    {
      std::vector<std::jthread> others;
      for (std::uint64_t i = 1; i < threads; ++i) others.emplace_back([this] { work(); });
      work();
    }
    const auto found = std::ranges::find_if(strays_, [](const auto& s) { return s.has_value(); });
    return found == strays_.end() ? std::nullopt : *found;
  }

 private:
  void work() {
    for (std::size_t i = next_++; i < strays_.size(); i = next_++) {
      strays_[i] = checker_.find_stray(schedule_, declared_, begin_[i], begin_[i + 1], rule_);
      if (strays_[i]) next_ = strays_.size();  // those before it have been taken
    }
  }

  const ArenaChecker& checker_;
  const LaunchSchedule& schedule_;
  const ArenaChecker::DeclaredPhases& declared_;
  WordRule rule_;
  std::vector<std::size_t> begin_;
  std::vector<std::optional<Finding>> strays_;  // by stretch
  std::atomic<std::size_t> next_ = 0;
};

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
                          : StraySearch(checker, schedule, declared, one_by_one).search(count);
  if (!found) found = checker.find_lost(schedule, declared);
  return {found.value_or(Certified()), schedule.size()};
}

}  // namespace

Verdict judge_arena(const PlaneTable& planes, const LaunchSchedule& schedule, Words rule,
                    unsigned threads) {
  return judge_extents(planes, schedule, rule, judge_words(planes, schedule, rule, threads));
}

}  // namespace berth
