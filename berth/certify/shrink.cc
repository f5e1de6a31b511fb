#include "berth/certify/shrink.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>
#include <vector>

#include "berth/certify/arena_cut.h"

namespace berth {
namespace {

constexpr std::uint64_t kMostWork = std::uint64_t{1} << 28;

class Shrinker {
 public:
  Shrinker(const PlaneTable& planes, const LaunchSchedule& schedule, Words rule, ShrinkTo to)
      : cut_(planes, schedule),
        rule_(rule),
        to_(to),
        verdict_(judge_arena(planes, schedule, rule)),
        kind_(fault_kind(arena_report(planes, schedule, verdict_))) {
    assert(!verdict_.certified());
    for (int kind = 0; kind < ArenaCut::kKinds; ++kind) {
      parts_[kind].resize(cut_.count(ArenaCut::Kind(kind)));
      std::iota(parts_[kind].begin(), parts_[kind].end(), 0);
    }
  }

  ShrunkArena shrink() {
    bool changes = true;
    while (changes && !is_spent()) {
      changes = false;
      for (int kind = 0; kind < ArenaCut::kKinds; ++kind) {
        changes = leave_out(ArenaCut::Kind(kind)) || changes;
      }
      for (const std::size_t repeat : parts_[ArenaCut::Repeats]) {
        changes = lower(cut_.iterations(repeat)) || changes;
      }
    }
    auto planes = cut_.planes();
    auto schedule = cut_.schedule();
    const Verdict verdict = judge_arena(planes, schedule, rule_);
    return {std::move(planes), std::move(schedule), verdict, tries_, !is_spent()};
  }

 private:
  bool is_spent() const { return work_ > kMostWork; }

  bool is_same() {
    const PlaneTable planes = cut_.planes();
    const LaunchSchedule schedule = cut_.schedule();
    ++tries_;
    work_ += 1 + schedule.size() + schedule.word_count() + parts_[ArenaCut::Planes].size();
    const Verdict verdict = judge_arena(planes, schedule, rule_);
    if (to_ == ShrinkTo::SameCode && verdict.code() != verdict_.code()) return false;
    return fault_kind(arena_report(planes, schedule, verdict)) == kind_;
  }

  // Runs of parts, from all of them down to single ones.
  bool leave_out(ArenaCut::Kind kind) {
    auto& parts = parts_[kind];
    const std::size_t before = parts.size();
    for (std::size_t run = parts.size(); run > 0; run = run == 1 ? 0 : (run + 1) / 2) {
      for (std::size_t begin = 0; begin < parts.size() && !is_spent();) {
        const std::size_t end = std::min(begin + run, parts.size());
        const auto set = [&](bool kept) {
          for (std::size_t i = begin; i < end; ++i) cut_.keep(kind, parts[i], kept);
        };
        set(false);
        if (is_same()) {
          const auto first = parts.begin() + static_cast<std::ptrdiff_t>(begin);
          parts.erase(first, first + static_cast<std::ptrdiff_t>(end - begin));
        } else {
          set(true);
          begin = end;
        }
      }
    }
    return parts.size() < before;
  }

  // A number of iterations, by less and less at a time.
  bool lower(std::uint64_t& iterations) {
    const std::uint64_t before = iterations;
    for (std::uint64_t by = iterations / 2; by > 0 && !is_spent();) {
      if (by < iterations) {
        iterations -= by;
        if (is_same()) continue;
        iterations += by;
      }
      by /= 2;
    }
    return iterations < before;
  }

  ArenaCut cut_;
  Words rule_;
  ShrinkTo to_;
  Verdict verdict_;
  FaultKind kind_;
  std::vector<std::size_t> parts_[ArenaCut::kKinds];  // that are kept
  std::uint64_t tries_ = 0;
  std::uint64_t work_ = 0;
};

}  // namespace

FaultKind fault_kind(const ArenaReport& report) {
  FaultKind kind{report.index()};
  if (const auto* bad = std::get_if<BadRangeReport>(&report)) {
    kind.variety = static_cast<int>(bad->bad.why);
  } else if (const auto* stray = std::get_if<StrayWordReport>(&report)) {
    kind.variety = stray->iteration ? 1 : 0;
  } else if (const auto* lost = std::get_if<LostValueReport>(&report)) {
    kind.variety = lost->declared ? 1 : 0;
  } else if (const auto* access = std::get_if<StrayAccessReport>(&report)) {
    kind.variety = access->iteration ? 1 : 0;
  }
  return kind;
}

ShrunkArena shrink_arena(const PlaneTable& planes, const LaunchSchedule& schedule, Words rule,
                         ShrinkTo to) {
  return Shrinker(planes, schedule, rule, to).shrink();
}

}  // namespace berth
