#include "berth/plan/squeaky_wheel.h"

#include <gtest/gtest.h>

#include <vector>

#include "bench/generate.h"
#include "berth/plan/greedy.h"

namespace berth {
namespace {

constexpr std::uint64_t kEffort = 100'000;

Problem problem_of(const Instance& instance) {
  return Problem::of_each_device(instance)[0];
}

std::uint64_t peak_of(const Problem& problem, std::uint64_t effort) {
  return problem.peak(pack_by_squeaky_wheel(problem, effort).places);
}

// Whether two tasks share a byte, told by putting one after the other where they are.
bool is_sound(const Problem& problem, const Places& places) {
  Occupancy occupancy(problem.slot_count());
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    const Task& task = problem.tasks()[i];
    const auto rects = problem.rects(task);
    if (FreePlaces(occupancy, task, rects).at_or_above(places[i]) != places[i]) return false;
    occupancy.add(rects, places[i]);
  }
  return true;
}

TEST(SqueakyWheel, TasksOfManyLevelsAndBlocksShareNoByte) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto problem = problem_of(generate::mixed_lives(8'000, seed));
    for (const std::uint64_t effort : {std::uint64_t{0}, kEffort}) {
      EXPECT_TRUE(is_sound(problem, pack_by_squeaky_wheel(problem, effort).places));
    }
  }
}

TEST(SqueakyWheel, LearnsAnOrderThatIsBetterThanItsFirst) {
  const auto problem = problem_of(generate::mixed_lives(3'000, 1));
  EXPECT_LT(peak_of(problem, kEffort), peak_of(problem, 0));
}

TEST(SqueakyWheel, SpendsNoMoreThanItsEffortOnRepairs) {
  const auto problem = problem_of(generate::mixed_lives(3'000, 1));
  for (const std::uint64_t effort : {std::uint64_t{0}, std::uint64_t{5'000}, kEffort}) {
    EXPECT_LE(pack_by_squeaky_wheel(problem, effort).nodes, problem.tasks().size() + effort);
  }
}

TEST(SqueakyWheel, AChainNeedsNoRepair) {
  const auto problem = problem_of(generate::chain(5'000));
  const auto candidate = pack_by_squeaky_wheel(problem, kEffort);
  EXPECT_EQ(problem.peak(candidate.places), problem.lower_bound());
  EXPECT_EQ(candidate.nodes, problem.tasks().size());
}

TEST(SqueakyWheel, TwiceTheTasksCostAtMostTwoPointThreeTimesAsMuch) {
  const auto work_of = [](const Instance& instance) {
    return pack_by_squeaky_wheel(problem_of(instance), 0).work;
  };
  EXPECT_LE(10 * work_of(generate::chain(40'000)), 23 * work_of(generate::chain(20'000)));
  EXPECT_LE(10 * work_of(generate::mixed_lives(40'000, 1)),
            23 * work_of(generate::mixed_lives(20'000, 1)));
}

TEST(SqueakyWheel, StacksWhatIsLeftWhenTheTimeIsOver) {
  const auto problem = problem_of(generate::mixed_lives(500, 1));
  const auto candidate = pack_by_squeaky_wheel(problem, kEffort, Deadline(0.0));
  EXPECT_TRUE(candidate.cut);
  EXPECT_TRUE(is_sound(problem, candidate.places));
}

TEST(Problem, APartIsItsTasksCutToTheWindowOnAClockOfTheirOwn) {
  const auto problem = problem_of(
      generate::on_one_device({generate::buffer(0, 8, {0, 10}), generate::buffer(1, 4, {2, 3}),
                               generate::buffer(2, 4, {4, 6}), generate::buffer(3, 4, {9, 20})}));
  // Slots begin at steps 0, 2, 3, 4, 6, 9 and 10.
  const std::vector<std::uint32_t> tasks = {2, 0};
  const auto part = problem.part(tasks, {1, 5});
  ASSERT_EQ(part.tasks().size(), 2u);
  EXPECT_EQ(part.tasks()[0].slots, (SlotRange{1, 2}));
  EXPECT_EQ(part.tasks()[1].slots, (SlotRange{0, 3}));
  EXPECT_EQ(part.lower_bound(), problem.lower_bound());
}

}  // namespace
}  // namespace berth
