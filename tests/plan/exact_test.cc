#include "berth/plan/exact.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "bench/generate.h"
#include "berth/plan/floor_search.h"
#include "berth/plan/greedy.h"
#include "berth/plan/pack.h"
#include "tests/plan/oracle.h"

namespace berth {
namespace {

// Tries every place of every buffer, one buffer after another. A step's bytes are the bits of a
// word.
class BruteForce {
 public:
  explicit BruteForce(const Instance& instance) : instance_(instance) {
    for (std::size_t i = 0; i < instance.size(); ++i) {
      for (const Section& section : instance.sections(BufferId(i))) {
        const auto ones = (std::uint64_t{1} << (section.bytes.upper - section.bytes.lower)) - 1;
        for (Step step = section.steps.lower; step < section.steps.upper; ++step) {
          shapes_[i][step] |= ones << section.bytes.lower;
        }
      }
    }
  }

  // Capacities below 64.
  bool fits(std::uint64_t capacity) { return fits_from(0, capacity); }

 private:
  using Grid = std::array<std::uint64_t, 8>;  // by step

  bool fits_from(std::size_t next, std::uint64_t capacity) {
    if (next == instance_.size()) return true;
    const BufferId id(next);
    const auto extent = instance_.extent(id).count();
    if (extent == 0) return fits_from(next + 1, capacity);
    const auto fixed = instance_[id].fixed;
    const auto stride = instance_.alignment(id).value();
    for (auto place = fixed ? fixed->value() : 0; place + extent <= capacity; place += stride) {
      if (is_free(shapes_[next], place)) {
        flip(shapes_[next], place);
        const bool all_fit = fits_from(next + 1, capacity);
        flip(shapes_[next], place);
        if (all_fit) return true;
      }
      if (fixed) break;
    }
    return false;
  }

  bool is_free(const Grid& shape, std::uint64_t place) const {
    for (std::size_t step = 0; step < shape.size(); ++step) {
      if ((taken_[step] & (shape[step] << place)) != 0) return false;
    }
    return true;
  }
  void flip(const Grid& shape, std::uint64_t place) {
    for (std::size_t step = 0; step < shape.size(); ++step) taken_[step] ^= shape[step] << place;
  }

  const Instance& instance_;
  std::array<Grid, 16> shapes_{};  // by buffer
  Grid taken_{};
};

bool fits(const Instance& instance, std::uint64_t capacity) {
  EXPECT_LT(capacity, 64u);
  return BruteForce(instance).fits(capacity);
}

Placement placement_of(const Instance& instance, const Problem& problem, const Places& places) {
  Placement placement;
  placement.places.resize(instance.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    placement.places[problem.tasks()[i].buffer.index()] = Offset(places[i]);
  }
  return placement;
}

// A poor start, so that the search has something to do.
Candidate solved(const Problem& problem, const Shortcuts& shortcuts = {}) {
  ExactOptions options;
  options.most_nodes = 10'000'000;
  options.shortcuts = shortcuts;
  const GreedyRule poor = {{Order::Key::Start, false, false}, Fit::First};
  return improve_exactly(problem, pack_greedily(problem, poor), options);
}

// Sound, proved least, and indeed least: with a byte less nothing fits.
void expect_least(const Instance& instance, const Shortcuts& shortcuts = {}) {
  const auto problem = Problem::of_each_device(instance)[0];
  const auto candidate = solved(problem, shortcuts);
  ASSERT_EQ(oracle::find_fault(instance, placement_of(instance, problem, candidate.places)),
            std::nullopt);
  const auto peak = problem.peak(candidate.places);
  ASSERT_EQ(candidate.lower_bound, peak);
  ASSERT_FALSE(peak > 0 && fits(instance, peak - 1)) << "below " << peak;
}

struct Kind {
  std::string name;
  generate::Traits traits;
};

std::vector<Kind> kinds(std::size_t buffers, std::uint64_t largest) {
  const generate::Traits plain = {.buffers = buffers, .steps = 6, .largest = largest};
  auto aligned = plain;
  aligned.alignment = true;
  auto gaps = plain;
  gaps.gaps = true;
  auto fixed = plain;
  fixed.fixed = true;
  auto everything = plain;
  everything.alignment = everything.gaps = everything.fixed = everything.empty = true;
  return {{"plain", plain},
          {"aligned", aligned},
          {"gaps", gaps},
          {"fixed", fixed},
          {"everything", everything}};
}

TEST(Exact, IsBruteForceOnTenThousandSmallInstances) {
  for (const Kind& kind : kinds(6, 4)) {
    for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
      SCOPED_TRACE(kind.name + " " + std::to_string(seed));
      const auto instance = generate::small(kind.traits, seed);
      if (!oracle::fixed_are_at_fault(instance)) expect_least(instance);
      if (HasFatalFailure()) return;
    }
  }
}

// Bit i of `which` turns shortcut i off.
Shortcuts without(unsigned which) {
  const auto stays = [&](unsigned i) { return (which >> i & 1u) == 0; };
  return {stays(0), stays(1), stays(2), stays(3), stays(4), stays(5), stays(6), stays(7)};
}

TEST(Exact, NoCombinationOfShortcutsChangesTheAnswer) {
  for (const Kind& kind : kinds(5, 3)) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const auto instance = generate::small(kind.traits, seed);
      if (oracle::fixed_are_at_fault(instance)) continue;
      for (unsigned which = 0; which < 256; ++which) {
        SCOPED_TRACE(kind.name + " " + std::to_string(seed) + " " + std::to_string(which));
        expect_least(instance, without(which));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Exact, FindsWhatNoGreedyOrderDoes) {
  // Largest first and first fit in time order both need 10.
  const auto instance =
      generate::on_one_device({generate::buffer(0, 4, {1, 3}), generate::buffer(1, 3, {3, 6}),
                               generate::buffer(2, 3, {2, 5}), generate::buffer(3, 3, {3, 5})});
  const auto problem = Problem::of_each_device(instance)[0];
  EXPECT_EQ(problem.peak(solved(problem).places), 9u);
  expect_least(instance);
}

// No step holds more than 9 bytes, and yet no placement does with 9.
TEST(Exact, ProvesAnArenaAboveTheMaxLoad) {
  const std::vector<std::pair<std::uint64_t, LiveRange>> shapes = {
      {3, {5, 7}}, {1, {0, 7}}, {2, {0, 4}}, {3, {1, 2}}, {1, {2, 6}},
      {3, {0, 4}}, {3, {4, 7}}, {1, {4, 6}}, {2, {2, 5}}, {2, {6, 7}}};
  std::vector<Buffer> buffers;
  for (const auto& [size, life] : shapes) {
    buffers.push_back(generate::buffer(buffers.size(), size, life));
  }
  const auto instance = generate::on_one_device(buffers);
  const auto problem = Problem::of_each_device(instance)[0];
  EXPECT_EQ(problem.lower_bound(), 9u);
  EXPECT_EQ(solved(problem).lower_bound, 10u);
  expect_least(instance);
}

TEST(Exact, ProvesWhatAlignmentCosts) {
  std::vector<Buffer> buffers = {generate::buffer(0, 3, {0, 1}), generate::buffer(1, 3, {0, 1})};
  buffers[0].alignment = buffers[1].alignment = *Alignment::of(4);
  const auto problem = Problem::of_each_device(generate::on_one_device(buffers))[0];
  EXPECT_EQ(problem.max_load(), 6u);
  EXPECT_EQ(solved(problem).lower_bound, 7u);
}

TEST(Exact, WithoutNodesReturnsItsStart) {
  const auto problem =
      Problem::of_each_device(generate::small({.buffers = 30, .steps = 20, .largest = 50}, 1))[0];
  const auto start = pack_greedily(problem, {{Order::Key::Start, false, false}, Fit::First});
  const auto same = improve_exactly(problem, start, {});
  EXPECT_EQ(same.places, start.places);
  EXPECT_EQ(same.packer, start.packer);
}

TEST(Exact, IsTheSameEveryTime) {
  const auto problem =
      Problem::of_each_device(generate::small({.buffers = 40, .steps = 30, .largest = 90}, 2))[0];
  ExactOptions options;
  options.most_nodes = 5'000;
  const auto start = pack_greedily(problem, GreedyRule{});
  const auto once = improve_exactly(problem, start, options);
  const auto twice = improve_exactly(problem, start, options);
  EXPECT_EQ(once.places, twice.places);
  EXPECT_EQ(once.nodes, twice.nodes);
  // The decision that it stops after may be one that moves much.
  EXPECT_LE(once.nodes, start.nodes + options.most_nodes + 100);
}

TEST(Board, KeepsOnlyColumnsThatNoNeighbourContains) {
  // Slots [0,1) a, [1,2) ab, [2,3) abc, [3,4) c: only abc is maximal.
  const auto instance =
      generate::on_one_device({generate::buffer(0, 2, {0, 3}), generate::buffer(1, 4, {1, 3}),
                               generate::buffer(2, 6, {2, 4})});
  const auto problem = Problem::of_each_device(instance)[0];
  const auto board = Board::of(problem, {}, 100);
  ASSERT_TRUE(board.has_value());
  EXPECT_EQ(board->column_count(), 1u);
  EXPECT_EQ(board->load(0), 6u);
  EXPECT_EQ(board->unit(), 2u);
  Shortcuts none = without(255);
  EXPECT_EQ(Board::of(problem, none, 100)->load(2), 12u);
}

TEST(Board, CountsInTheLargestUnitThatAlignmentAllows) {
  auto a = generate::buffer(0, 6, {0, 2});
  auto b = generate::buffer(1, 12, {0, 2});
  EXPECT_EQ(Board::of(Problem::of_each_device(generate::on_one_device({a, b}))[0], {}, 9)->unit(),
            6u);
  b.alignment = *Alignment::of(2);  // Every multiple of 6 is one.
  EXPECT_EQ(Board::of(Problem::of_each_device(generate::on_one_device({a, b}))[0], {}, 9)->unit(),
            6u);
  b.alignment = *Alignment::of(4);
  EXPECT_EQ(Board::of(Problem::of_each_device(generate::on_one_device({a, b}))[0], {}, 9)->unit(),
            2u);
}

TEST(Board, IsNotMadeWhereItWouldBeTooLarge) {
  const auto problem = Problem::of_each_device(generate::chain(100))[0];
  EXPECT_FALSE(Board::of(problem, {}, 100).has_value());
  EXPECT_TRUE(Board::of(problem, {}, 200).has_value());
}

TEST(FloorSearch, SaysWhichCapacityWouldHaveBeenNeeded) {
  const auto problem = Problem::of_each_device(generate::chain(4, 10))[0];
  const auto board = Board::of(problem, {}, 100);
  FloorSearch search(*board, {});
  Strategy strategy;
  EXPECT_EQ(search.run(1, strategy, 100), FloorSearch::Outcome::DoesNot);
  EXPECT_EQ(search.least_capacity(), 2u);  // In units of 10 bytes.
  EXPECT_EQ(search.run(2, strategy, 100), FloorSearch::Outcome::Fits);
}

}  // namespace
}  // namespace berth
