#include "berth/reside/windows.h"

#include <gtest/gtest.h>

#include <random>

#include "berth/certify/prices.h"

namespace berth {
namespace {

// Some take turns in pairs, and some may stay more than once.
Choice random_choice(std::mt19937_64& random) {
  Choice choice;
  const Step phases = 5 + random() % 40;
  for (Step i = 0; i < phases; ++i) choice.capacity.emplace_back(random() % 2'000);
  for (std::uint64_t i = 41 + random() % 80; i > 0; --i) {
    const Step first = random() % phases;
    const Step last = std::min<Step>(phases - 1, first + random() % 8);
    ChoiceItem item{"p", "i", {first, last + 1}, Bytes(1 + random() % 500), Bytes(random() % 900)};
    item.count = random() % 8 == 0 ? random() % 3 : 1;
    if (random() % 8 == 0) {
      item.turns = LiveRange{choice.capacity.size(), choice.capacity.size() + 1};
      choice.capacity.push_back(item.bytes);
      choice.items.push_back(item);
      item.phases = {0, 1};
    }
    choice.items.push_back(std::move(item));
  }
  return choice;
}

TEST(Windows, KeepAChoiceThatFitsAndIsNoWorse) {
  std::mt19937_64 random(31);
  int better = 0;
  for (int round = 0; round < 40; ++round) {
    const Choice choice = random_choice(random);
    std::vector<std::uint64_t> kept(choice.items.size(), 0);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      kept[i] = random() % 2;
      if (!saved_by(choice, kept)) kept[i] = 0;
    }
    const Bytes before = saved_by(choice, kept).value();
    std::uint64_t effort = 300;
    improve_in_windows(choice, kept, effort);
    const auto after = saved_by(choice, kept);
    ASSERT_TRUE(after) << round;
    ASSERT_GE(*after, before) << round;
    better += *after > before ? 1 : 0;
  }
  EXPECT_GT(better, 35);
}

TEST(Windows, SpendNoMoreThanTheEffort) {
  std::mt19937_64 random(32);
  const Choice choice = random_choice(random);
  const std::vector<std::uint64_t> nothing(choice.items.size(), 0);
  auto kept = nothing;
  std::uint64_t effort = 0;
  improve_in_windows(choice, kept, effort);
  EXPECT_EQ(kept, nothing);
  EXPECT_EQ(effort, 0u);
}

}  // namespace
}  // namespace berth
