#include "berth/certify/arena_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>

#include "berth/certify/arena_coverage.h"
#include "tests/support/arenas.h"

// Each report, held against the case that it explains by going through all there is.
namespace berth {
namespace {

using test::ArenaCase;

bool holds(const NamedRange& range, std::uint64_t address) {
  return address - range.address.value() < range.bytes.count();
}

struct Run {
  std::string phase;
  std::uint64_t launch = 0;
};

// Every instance of the execution, unrolled.
std::vector<Run> instances_of(const ArenaCase& arena) {
  std::vector<Run> runs;
  for (const auto& [first, count] : arena.submissions) {
    std::uint64_t launch = 0;
    for (const test::Item& item : arena.table) {
      const bool is_run = launch >= first && launch + item.body.size() <= first + count;
      for (std::uint64_t t = 0; is_run && t < std::max<std::uint64_t>(item.iterations, 1); ++t) {
        for (std::uint64_t i = 0; i < item.body.size(); ++i) {
          if (!runs.empty() && runs.back().phase == item.body[i].phase) continue;
          runs.push_back({item.body[i].phase, launch + i});
        }
      }
      launch += item.body.size();
    }
  }
  return runs;
}

// The kinds that there are without extents.
constexpr std::size_t kV1Kinds = 6;

class Check {
 public:
  Check(const ArenaCase& arena, const PlaneTable& planes, const LaunchSchedule& schedule)
      : arena_(arena), planes_(planes), schedule_(schedule) {}

  void operator()(const Certified& /*certified*/) const {}

  void operator()(const BadRangeReport& report) const {
    const NamedRange& range = planes_[report.bad.range];
    switch (report.bad.why) {
      case BadRange::Why::Empty:
        EXPECT_EQ(range.bytes, Bytes(0));
        break;
      case BadRange::Why::PastEnd:
        EXPECT_GT(range.address.value(), UINT64_MAX - range.bytes.count() + 1);
        break;
      case BadRange::Why::Misaligned:
        EXPECT_NE(report.past_multiple, 0u);
        EXPECT_EQ((range.address.value() - report.past_multiple) % planes_.alignment(), 0u);
        break;
    }
  }

  void operator()(const SharedRangesReport& report) const {
    const auto& [first, second] = report.ranges;
    EXPECT_TRUE(!first.phase || first.phase == second.phase);
    EXPECT_TRUE(first != second);
    for (const RangeId& id : {first, second}) {
      EXPECT_TRUE(planes_[id].extent().covers(report.bytes));
    }
    EXPECT_FALSE(report.bytes.empty());
    EXPECT_FALSE(holds(planes_[first], static_cast<std::uint64_t>(report.bytes.upper)) &&
                 holds(planes_[second], static_cast<std::uint64_t>(report.bytes.upper)));
  }

  void operator()(const UndeclaredPhase& report) const {
    for (const PhasePlanes& phase : planes_.phases()) {
      EXPECT_NE(phase.phase, schedule_.phase(report.launch));
    }
  }

  void operator()(const StrayWordReport& report) const {
    EXPECT_EQ(planes_.find(schedule_.phase(report.stray.launch)).has_value(), true);
    const Repeat* repeat = schedule_.repeat_of(report.stray.launch);
    EXPECT_EQ(report.iterations, repeat == nullptr ? 1 : repeat->iterations);
    const std::uint64_t strays_before = report.iteration.value_or(report.iterations);
    for (std::uint64_t t = 0; t < strays_before; ++t) {
      EXPECT_FALSE(strays(report.stray, value(report.stray, t))) << t;
    }
    if (!report.iteration) {
      EXPECT_GT(report.iterations, 1u);
      return;
    }
    EXPECT_EQ(report.value, value(report.stray, *report.iteration));
    EXPECT_TRUE(strays(report.stray, report.value));
    EXPECT_TRUE(report.interval.contains(report.value));
    check_near(report);
    if (report.elsewhere) {
      EXPECT_TRUE(holds(planes_[*report.elsewhere], report.value));
      EXPECT_NE(planes_[*report.elsewhere->phase].phase, schedule_.phase(report.stray.launch));
    }
  }

  void operator()(const LostValueReport& report) const {
    const auto runs = instances_of(arena_);
    const auto& [instance, launch, plane] = report.lost;
    ASSERT_LT(instance, runs.size());
    EXPECT_EQ(runs[instance].launch, launch.index());
    EXPECT_EQ(runs[instance].phase, planes_[*plane.phase].phase);
    EXPECT_TRUE(planes_[*plane.phase].planes[plane.index].carried);

    std::optional<Declaration> declared;
    std::optional<Declaration> overwritten;
    for (std::uint64_t i = 0; i < instance; ++i) {
      const PhaseId phase = *planes_.find(runs[i].phase);
      for (std::uint32_t other = 0; other < planes_[phase].planes.size(); ++other) {
        const Declaration declaration = {i, LaunchId(runs[i].launch), {phase, other}};
        const NamedRange& range = planes_[declaration.plane];
        if (range == planes_[plane]) {
          declared = declaration;
          overwritten.reset();
        } else if (range.extent().overlaps(planes_[plane].extent()) && declared && !overwritten) {
          overwritten = declaration;
        }
      }
    }
    EXPECT_EQ(report.declared, declared);
    EXPECT_EQ(report.overwritten, overwritten);
    EXPECT_EQ(declared.has_value(), overwritten.has_value());
  }

  void operator()(const StrayAccessReport& report) const {
    const StrayWord word = {report.stray.launch, report.stray.word};
    const std::uint64_t length =
        std::max({std::uint64_t{1}, report.extent.reads, report.extent.writes});
    for (std::uint64_t t = 0; t < report.iteration.value_or(report.iterations); ++t) {
      EXPECT_FALSE(bytes_stray(word, value(word, t), length)) << t;
    }
    if (!report.iteration) {
      EXPECT_GT(report.iterations, 1u);
      return;
    }
    EXPECT_EQ(report.value, value(word, *report.iteration));
    EXPECT_TRUE(bytes_stray(word, report.value, length));
    EXPECT_TRUE(report.interval.covers({report.value, WideAddress(report.value) + length}));
    const auto ranges = named(word);
    const bool is_held = std::ranges::any_of(
        ranges, [&](const NamedRange& range) { return holds(range, report.value); });
    EXPECT_EQ(report.range.has_value(), is_held);
    if (!report.range) return;
    const NamedRange& range = planes_[*report.range];
    EXPECT_TRUE(holds(range, report.value));
    EXPECT_EQ(range.extent().upper + report.past, report.value + WideAddress(length));
    EXPECT_GT(report.past, 0u);
  }

  // The bytes that are said to be missing are of a fresh plane, are read by that word in some
  // iteration, and no launch before it in its instance has written them.
  void operator()(const UnwrittenRead& read) const {
    EXPECT_FALSE(planes_[*read.plane.phase].planes[read.plane.index].carried);
    EXPECT_FALSE(read.missing.empty());
    EXPECT_TRUE(planes_[read.plane].extent().covers(read.missing));
    EXPECT_TRUE(read.bytes.covers(read.missing));
    const Repeat* repeat = schedule_.repeat_of(read.reader);
    if (repeat != nullptr && repeat->iterations > 64) return;  // it may stand for all iterations
    EXPECT_TRUE(reads_what_is_missing(read));
  }

 private:
  bool reads_what_is_missing(const UnwrittenRead& read) const {
    std::uint64_t instance = 0;
    const std::string* phase = nullptr;
    std::vector<AddressRange> written;
    for (const auto& [launch, t] : executed()) {
      if (phase == nullptr || *phase != schedule_.phase(launch)) {
        instance += phase == nullptr ? 0 : 1;
        phase = &schedule_.phase(launch);
        written.clear();
      }
      for (const Extent& extent : schedule_.extents(launch)) {
        const std::uint64_t at = value({launch, extent.word}, t);
        const AddressRange bytes = {at, at + WideAddress(extent.reads)};
        const bool is_it = instance == read.instance && launch == read.reader &&
                           extent.word == read.word && bytes == read.bytes;
        if (!is_it) continue;
        return std::ranges::none_of(
            written, [&](AddressRange other) { return other.overlaps(read.missing); });
      }
      for (const Extent& extent : schedule_.extents(launch)) {
        const std::uint64_t at = value({launch, extent.word}, t);
        written.push_back({at, at + WideAddress(extent.writes)});
      }
    }
    return false;
  }

  std::vector<std::pair<LaunchId, std::uint64_t>> executed() const {
    std::vector<std::pair<LaunchId, std::uint64_t>> launches;
    for (const auto& [first, count] : arena_.submissions) {
      std::uint64_t launch = 0;
      for (const test::Item& item : arena_.table) {
        const bool is_run = launch >= first && launch + item.body.size() <= first + count;
        for (std::uint64_t t = 0; is_run && t < std::max<std::uint64_t>(item.iterations, 1); ++t) {
          for (std::uint64_t i = 0; i < item.body.size(); ++i) {
            launches.emplace_back(LaunchId(launch + i), t);
          }
        }
        launch += item.body.size();
      }
    }
    return launches;
  }

  bool bytes_stray(const StrayWord& word, std::uint64_t at, std::uint64_t length) const {
    const AddressRange bytes = {at, at + WideAddress(length)};
    if (bytes.upper > kAddressEnd) return true;
    const auto ranges = named(word);
    return std::ranges::none_of(
        ranges, [&](const NamedRange& range) { return range.extent().covers(bytes); });
  }

  // Of the word at an iteration, from the case as it was drawn.
  std::uint64_t value(const StrayWord& stray, std::uint64_t t) const {
    std::uint64_t first = 0;
    for (const test::Item& item : arena_.table) {
      if (stray.launch.index() >= first + item.body.size()) {
        first += item.body.size();
        continue;
      }
      const auto position = stray.launch.index() - first;
      for (const Frame& frame : item.frames) {
        if (frame.launch == position && frame.word == stray.word) return frame.values[t];
      }
      std::uint64_t sum = item.body[position].words[stray.word];
      for (const Delta& delta : item.deltas) {
        if (delta.launch != position || delta.word != stray.word) continue;
        for (std::uint64_t i = 0; i < t; ++i) sum += static_cast<std::uint64_t>(delta.step);
      }
      return sum;
    }
    ADD_FAILURE() << "no such launch";
    return 0;
  }

  std::vector<NamedRange> named(const StrayWord& stray) const {
    std::vector<NamedRange> ranges(planes_.globals().begin(), planes_.globals().end());
    for (const Plane& plane : planes_[*planes_.find(schedule_.phase(stray.launch))].planes) {
      ranges.push_back(plane.range);
    }
    return ranges;
  }

  bool strays(const StrayWord& stray, std::uint64_t at) const {
    const auto in_window = [&](const Window& window) {
      return holds({"", window.address, window.bytes}, at);
    };
    if (std::ranges::none_of(planes_.windows(), in_window)) return false;
    return std::ranges::none_of(named(stray),
                                [&](const NamedRange& range) { return holds(range, at); });
  }

  void check_near(const StrayWordReport& report) const {
    std::optional<std::uint64_t> below;
    std::optional<std::uint64_t> above;
    for (const NamedRange& range : named(report.stray)) {
      const std::uint64_t first = range.address.value();
      const std::uint64_t last = first + range.bytes.count() - 1;
      if (last < report.value) below = std::min(below.value_or(UINT64_MAX), report.value - last);
      if (first > report.value) above = std::min(above.value_or(UINT64_MAX), first - report.value);
    }
    EXPECT_EQ(below, report.below ? std::optional(report.below->distance) : std::nullopt);
    EXPECT_EQ(above, report.above ? std::optional(report.above->distance) : std::nullopt);
    if (report.below) {
      EXPECT_TRUE(holds(planes_[report.below->range], report.value - report.below->distance));
    }
    if (report.above) {
      EXPECT_TRUE(holds(planes_[report.above->range], report.value + report.above->distance));
    }
  }

  const ArenaCase& arena_;
  const PlaneTable& planes_;
  const LaunchSchedule& schedule_;
};

TEST(ArenaReport, WindowsThatTouchCoverWhatLiesAcrossThem) {
  const auto outside = [](std::uint64_t second_window) {
    const PlaneTable planes =
        PlaneTable::make(1, {{Address(0), Bytes(8)}, {Address(second_window), Bytes(8)}},
                         {test::range("across", 4, 8)}, {})
            .value();
    return arena_coverage(planes, LaunchScheduleBuilder().build().value()).outside.size();
  };
  EXPECT_EQ(outside(8), 0u);
  EXPECT_EQ(outside(9), 1u);
}

bool is_in_a_window(const PlaneTable& planes, std::uint64_t value) {
  return std::ranges::any_of(planes.windows(), [&](const Window& window) {
    return addresses(window.address, window.bytes).contains(value);
  });
}

// Words of which some iteration's value is in a window.
std::uint64_t words_in_windows(const ArenaCase& arena, const PlaneTable& planes) {
  std::uint64_t count = 0;
  for (const test::Item& item : arena.table) {
    for (std::uint32_t i = 0; i < item.body.size(); ++i) {
      for (std::uint32_t word = 0; word < item.body[i].words.size(); ++word) {
        bool is_in = false;
        for (std::uint64_t t = 0; t < std::max<std::uint64_t>(item.iterations, 1); ++t) {
          std::uint64_t value = item.body[i].words[word];
          for (const Delta& delta : item.deltas) {
            if (delta.launch != i || delta.word != word) continue;
            value += t * static_cast<std::uint64_t>(delta.step);
          }
          for (const Frame& frame : item.frames) {
            if (frame.launch == i && frame.word == word) value = frame.values[t];
          }
          is_in = is_in || is_in_a_window(planes, value);
        }
        count += is_in ? 1 : 0;
      }
    }
  }
  return count;
}

// What several tensors take among the planes of the phases that run, byte by byte.
void expect_shared_bytes(const ArenaCase& arena, const PlaneTable& planes,
                         const ArenaCoverage& coverage) {
  std::set<std::string> run;
  for (const Run& instance : instances_of(arena)) run.insert(instance.phase);
  std::map<std::uint64_t, std::set<std::tuple<std::string, std::uint64_t, std::uint64_t>>> takers;
  std::uint64_t count = 0;
  for (const PhasePlanes& phase : planes.phases()) {
    if (!run.contains(phase.phase)) continue;
    for (const Plane& plane : phase.planes) {
      const auto& [name, address, bytes] = plane.range;
      ++count;
      for (std::uint64_t i = 0; i < bytes.count(); ++i) {
        takers[address.value() + i].insert({name, address.value(), bytes.count()});
      }
    }
  }
  EXPECT_EQ(coverage.planes, count);
  const auto shared =
      std::ranges::count_if(takers, [](const auto& byte) { return byte.second.size() > 1; });
  EXPECT_EQ(coverage.shared_bytes, static_cast<WideAddress>(shared));
}

// Holds the report and the coverage of a case against going through it; which report it is.
std::size_t reported_kind(const ArenaCase& arena) {
  const PlaneTable planes = arena.planes();
  const auto schedule = test::build(arena.table, &arena.submissions).value();
  const Verdict verdict = judge_arena(planes, schedule);
  const ArenaReport report = arena_report(planes, schedule, verdict);
  EXPECT_EQ(report.index(), verdict.finding.index());
  std::visit(Check(arena, planes, schedule), report);
  const ArenaCoverage coverage = arena_coverage(planes, schedule);
  EXPECT_EQ(coverage.instances, instances_of(arena).size());
  EXPECT_EQ(coverage.launches, schedule.size());
  EXPECT_EQ(coverage.words_in_windows, words_in_windows(arena, planes));
  EXPECT_LE(coverage.with_extents, coverage.words_in_windows);
  if (verdict.code() != 1) expect_shared_bytes(arena, planes, coverage);
  return report.index();
}

TEST(ArenaReport, SaysOfRandomCasesWhatGoingThroughThemSays) {
  std::mt19937_64 random(7);
  std::array<int, std::variant_size_v<ArenaReport>> kinds{};
  for (int i = 0; i < 20'000; ++i) {
    ++kinds[reported_kind(test::random_arena(random))];
    ASSERT_FALSE(HasFailure()) << "case " << i;
  }
  for (std::size_t i = 0; i < kV1Kinds; ++i) EXPECT_GT(kinds[i], 100) << i;
}

TEST(ArenaReport, SaysOfRandomExtentsWhatGoingThroughThemSays) {
  std::mt19937_64 random(8);
  std::array<int, std::variant_size_v<ArenaReport>> kinds{};
  for (int i = 0; i < 20'000; ++i) {
    ++kinds[reported_kind(test::random_arena_with_extents(random))];
    ASSERT_FALSE(HasFailure()) << "case " << i;
  }
  for (const int count : kinds) EXPECT_GT(count, 100);
}

}  // namespace
}  // namespace berth
