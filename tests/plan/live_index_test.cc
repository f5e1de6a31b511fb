#include "berth/plan/live_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "bench/generate.h"

namespace berth {
namespace {

TEST(LiveIndex, FindsWhatLookingAtEveryTaskFinds) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto instance = generate::mixed_lives(1'000, seed);
    const auto problem = Problem::of_each_device(instance)[0];
    const LiveIndex index(problem);
    generate::Dice dice(seed);
    for (int round = 0; round < 50; ++round) {
      const auto from = static_cast<Slot>(dice.between(0, problem.slot_count()));
      const SlotRange window = {from, from + static_cast<Slot>(dice.between(0, 60))};
      auto found = index.live_in(window);
      std::sort(found.begin(), found.end());
      std::vector<std::uint32_t> live;
      for (std::uint32_t i = 0; i < problem.tasks().size(); ++i) {
        if (problem.tasks()[i].slots.overlaps(window)) live.push_back(i);
      }
      ASSERT_EQ(found, live);
    }
  }
}

TEST(LiveIndex, OfNothingIsEmpty) {
  const auto problem = Problem::of_each_device(generate::on_one_device({}))[0];
  EXPECT_TRUE(LiveIndex(problem).live_in({0, 8}).empty());
}

}  // namespace
}  // namespace berth
