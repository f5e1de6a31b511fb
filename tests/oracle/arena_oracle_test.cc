#include "tests/oracle/arena_oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>

#include "berth/certify/arena_judge.h"

// The certificate against the oracle. BERTH_ARENA_CASES and BERTH_ARENA_SEED in the environment ask
// for a longer run, or another one:
//
//   BERTH_ARENA_CASES=100000000 build/dev/tests/oracle_tests --gtest_filter='*RandomShare*'

namespace berth {
namespace {

using test::ArenaCase;
using test::Item;

std::uint64_t code(const ArenaCase& arena, const PlaneTable& planes, const LaunchSchedule& schedule,
                   bool exact) {
  const auto rule = exact ? Words::OneByOne : Words::ByInterval;
  const std::uint64_t found = judge_arena(planes, schedule, rule).code();
  EXPECT_EQ(found, oracle::arena_code(arena, exact));
  return found;
}

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Where no word moves, the exact rule asks what the other one does.
bool has_moving_words(const ArenaCase& arena) {
  return std::ranges::any_of(
      arena.table, [](const Item& item) { return !item.deltas.empty() || !item.frames.empty(); });
}

// Shares of one run, which may run beside each other.
constexpr std::uint64_t kShares = 4;
class RandomShare : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(ArenaOracle, RandomShare, testing::Range(std::uint64_t{0}, kShares));

TEST_P(RandomShare, AgreesOnRandomCasesOfEveryVerdict) {
  const std::uint64_t cases = number_from_environment("BERTH_ARENA_CASES", 1'000'000) / kShares;
  std::mt19937_64 random(number_from_environment("BERTH_ARENA_SEED", 1) * kShares + GetParam());
  std::array<std::uint64_t, 4> classes{};  // certified, bad plan, stray, lost
  for (std::uint64_t i = 0; i < cases; ++i) {
    const ArenaCase arena = test::random_arena(random);
    const PlaneTable planes = arena.planes();
    const auto schedule = test::build(arena.table, &arena.submissions);
    ASSERT_TRUE(schedule) << to_string(schedule.error());
    const std::uint64_t interval = code(arena, planes, *schedule, false);
    const std::uint64_t exact = judge_arena(planes, *schedule, Words::OneByOne).code();
    EXPECT_EQ(exact, has_moving_words(arena) ? oracle::arena_code(arena, true) : interval);
    ASSERT_FALSE(HasFailure()) << "case " << i;
    ASSERT_TRUE(interval == exact || interval >= 2) << "case " << i;
    const bool is_lost = interval >= 2 + schedule->size();
    ++classes[interval < 2 ? interval : (is_lost ? 3 : 2)];
  }
  for (const std::uint64_t count : classes) {
    EXPECT_GT(count * 20, cases) << classes[0] << " certified, " << classes[1] << " bad plans, "
                                 << classes[2] << " stray, " << classes[3] << " lost";
  }
}

// Whether some word that says which bytes it reaches moves through more iterations than are
// followed one by one: of these the certificate knows less than all, and may refuse what the oracle
// does not.
bool has_many_moving_extents(const ArenaCase& arena) {
  return std::ranges::any_of(arena.table, [](const Item& item) {
    return item.iterations > 64 && !item.extents.empty() &&
           (!item.deltas.empty() || !item.frames.empty());
  });
}

// Bytes too: a fifth as many cases.
TEST_P(RandomShare, AgreesOnWhatExtentsAdd) {
  const std::uint64_t cases = number_from_environment("BERTH_ARENA_CASES", 1'000'000) / kShares / 5;
  std::mt19937_64 random(number_from_environment("BERTH_ARENA_SEED", 1) * kShares + GetParam());
  std::array<std::uint64_t, std::variant_size_v<Finding>> findings{};
  std::uint64_t refused_more = 0;
  std::uint64_t accepted_many = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const ArenaCase arena = test::random_arena_with_extents(random);
    const PlaneTable planes = arena.planes();
    const auto schedule = test::build(arena.table, &arena.submissions).value();
    const bool exact = i % 2 == 1;
    const Words rule = exact ? Words::OneByOne : Words::ByInterval;
    const Verdict verdict = judge_arena(planes, schedule, rule);
    const std::uint64_t expected = oracle::arena_code(arena, exact);
    ++findings[verdict.finding.index()];
    if (verdict.code() != expected) {
      ASSERT_TRUE(has_many_moving_extents(arena))
          << "case " << i << ": " << verdict.code() << ", expected " << expected;
      ASSERT_TRUE(std::holds_alternative<UnwrittenRead>(verdict.finding)) << "case " << i;
      ASSERT_TRUE(expected == 0 || verdict.code() < expected) << "case " << i;
      ++refused_more;
    } else if (verdict.certified() && has_many_moving_extents(arena)) {
      ++accepted_many;
    }
  }
  for (const std::uint64_t count : findings) EXPECT_GT(count * 200, cases);
  EXPECT_LT(refused_more * 100, cases);
  EXPECT_GT(accepted_many * 500, cases);
}

// A plane of two bytes, fresh or carried, with another byte beside it that is a hole: every way in
// which three launches, or one and then one that is repeated, read and write from each address on.
TEST(ArenaOracle, AgreesOnEveryReadAndWriteOfTwoBytes) {
  const auto each_launch = [](std::uint64_t choice) {
    return test::launch("p", choice % 3, choice / 3 % 3, choice / 9 % 3);
  };
  constexpr std::uint64_t kChoices = 27;
  for (const bool carried : {false, true}) {
    ArenaCase arena{.windows = {{Address(0), Bytes(3)}}};
    arena.phases = {{"q", {{test::range("a", 0, 2)}}}, {"p", {{test::range("a", 0, 2), carried}}}};
    const PlaneTable planes = arena.planes();
    const auto agrees = [&](std::vector<Item> table) {
      arena.table = std::move(table);
      std::uint64_t launches = 0;
      for (const Item& item : arena.table) launches += item.body.size();
      arena.submissions = {{0, launches}, {0, launches}};
      const auto schedule = test::build(arena.table, &arena.submissions).value();
      code(arena, planes, schedule, false);
      return !HasFailure();
    };
    for (std::uint64_t i = 0; i < kChoices * kChoices; ++i) {
      const Item first = each_launch(i % kChoices);
      const Item second = each_launch(i / kChoices);
      for (std::uint64_t j = 0; j < kChoices; ++j) {
        ASSERT_TRUE(agrees({test::launch("q"), first, second, each_launch(j)})) << i << " " << j;
      }
      for (const std::uint64_t iterations : {1, 2, 3}) {
        for (const std::int64_t step : {-1, 0, 1}) {
          const Item body = test::repeat(iterations, {first, second}, {{1, 0, step}});
          ASSERT_TRUE(agrees({test::launch("q"), body})) << i << " " << iterations << " " << step;
          const Item two_phases =
              test::repeat(iterations, {test::launch("q"), first, second}, {{2, 0, step}});
          ASSERT_TRUE(agrees({two_phases})) << i << " " << iterations << " " << step;
        }
      }
    }
  }
}

// Every way to make each of four bytes no window, a hole, or a byte of one of two planes, with
// every small progression over them.
TEST(ArenaOracle, AgreesOnEveryProgressionOverFourBytes) {
  constexpr std::uint64_t kBytes = 4;
  constexpr std::uint64_t origin = UINT64_MAX - test::kArenaRegion + 1;
  for (std::uint64_t map = 0; map < 256; ++map) {
    ArenaCase arena{.origin = origin, .phases = {{"p", {}}}, .submissions = {{0, 1}}};
    for (std::uint64_t byte = 0, left = map; byte < kBytes; ++byte, left /= 4) {
      // The last bytes of all, so that steps wrap.
      const Address at(UINT64_MAX - kBytes + 1 + byte);
      if (left % 4 > 0) arena.windows.push_back({at, Bytes(1)});
      if (left % 4 < 2) continue;
      const std::string name = left % 4 == 2 ? "a" : "b";
      auto& planes = arena.phases[0].planes;
      const bool grows = !planes.empty() && planes.back().range.name == name &&
                         planes.back().range.extent().upper == at.value();
      if (grows) {
        planes.back().range.bytes += Bytes(1);
      } else {
        planes.push_back({{name, at, Bytes(1)}});
      }
    }
    const PlaneTable planes = arena.planes();
    for (std::uint64_t base = 0; base < kBytes + 2; ++base) {
      for (std::int64_t step = -3; step <= 3; ++step) {
        for (const std::uint64_t iterations : {1, 2, 3, 65}) {
          arena.table = {test::repeat(iterations, {test::launch("p", {UINT64_MAX - kBytes + base})},
                                      {{0, 0, step}})};
          const auto schedule = test::build(arena.table, &arena.submissions).value();
          code(arena, planes, schedule, false);
          code(arena, planes, schedule, true);
          ASSERT_FALSE(HasFailure()) << map << " " << base << " " << step << " " << iterations;
        }
      }
    }
  }
}

// Three phases of one plane each, every choice of four tensors fresh or carried, under every table
// of four launches with every stretch of it repeated once to three times.
TEST(ArenaOracle, AgreesOnEveryOrderOfThreePhases) {
  const std::array tensors = {test::range("a", 0, 1), test::range("b", 1, 1),
                              test::range("ab", 0, 2), test::range("a'", 0, 1)};
  constexpr std::uint64_t kChoices = 8;
  for (std::uint64_t plan = 0; plan < kChoices * kChoices * kChoices; ++plan) {
    ArenaCase arena;
    for (std::uint64_t phase = 0, left = plan; phase < 3; ++phase, left /= kChoices) {
      const Plane plane = {tensors[left % 4], left % kChoices >= 4};
      arena.phases.push_back({std::to_string(phase), {plane}});
    }
    const PlaneTable planes = arena.planes();
    for (std::uint64_t order = 0; order < 27; ++order) {
      std::array<Item, 4> launches;
      for (std::uint64_t i = 0, left = order; i < 3; ++i, left /= 3) {
        launches[i] = test::launch(std::to_string(left % 3));
      }
      launches[3] = launches[0];
      for (const std::uint64_t times : {1, 2, 3, 4}) {
        for (std::uint64_t begin = 0; begin < 2; ++begin) {
          arena.table = {launches.begin(), launches.begin() + static_cast<std::ptrdiff_t>(begin)};
          arena.table.push_back(test::repeat(times, {launches[begin], launches[begin + 1]}));
          arena.table.insert(arena.table.end(),
                             launches.begin() + static_cast<std::ptrdiff_t>(begin) + 2,
                             launches.end());
          arena.submissions = {{0, 4}, {0, begin}};
          const auto schedule = test::build(arena.table, &arena.submissions).value();
          code(arena, planes, schedule, false);
          ASSERT_FALSE(HasFailure()) << plan << " " << order << " " << times << " " << begin;
        }
      }
    }
  }
}

}  // namespace
}  // namespace berth
