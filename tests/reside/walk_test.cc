#include "berth/reside/walk.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "berth/certify/prices.h"
#include "berth/certify/walk.h"
#include "berth/reside/choose.h"
#include "tests/reside/try_all.h"

namespace berth {
namespace {

// Items that all take room, so that they may stand in a walk.
Choice random_choice(std::mt19937_64& random) {
  Choice choice;
  for (std::uint64_t i = 1 + random() % 6; i > 0; --i) {
    choice.capacity.emplace_back(random() % 40);
  }
  for (std::uint64_t i = random() % 9; i > 0; --i) {
    const Step first = random() % choice.capacity.size();
    const Step last = first + random() % (choice.capacity.size() - first);
    choice.items.push_back(
        {"p", "i", {first, last + 1}, Bytes(1 + random() % 20), Bytes(random() % 50)});
  }
  return choice;
}

PriceNode random_prices(std::mt19937_64& random, const Choice& choice) {
  PriceNode node{.scale = 1 + random() % 4};
  for (Step phase = 0; phase < choice.capacity.size(); ++phase) {
    if (random() % 3 > 0) node.prices.push_back({phase, random() % 6});
  }
  return node;
}

Prices walk_of(const Choice& choice, const PriceNode& node, std::uint64_t claimed) {
  PricePart part{.nodes = {node}, .walk = claimed};
  part.items.resize(choice.items.size());
  std::iota(part.items.begin(), part.items.end(), std::size_t{0});
  return {{part}};
}

TEST(Walk, FindsWhatTryingAllFindsWhateverThePrices) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 5000; ++round) {
    const Choice choice = random_choice(random);
    const PriceNode prices = random_prices(random, choice);
    const std::uint64_t most = test::most_by_trying(choice);
    const auto found = walk(choice, prices, 0);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->saved, most) << round;
    if (most > 0) {
      const std::vector<std::uint64_t> kept(found->kept.begin(), found->kept.end());
      ASSERT_EQ(saved_by(choice, kept), Bytes(most)) << round;
    }
    ASSERT_EQ(walk(choice, prices, most)->saved, 0u) << round;
  }
}

TEST(Walk, IsProvedByTheIndependentOneWhateverIsClaimed) {
  std::mt19937_64 random(10);
  for (int round = 0; round < 5000; ++round) {
    const Choice choice = random_choice(random);
    const PriceNode prices = random_prices(random, choice);
    const std::uint64_t most = test::most_by_trying(choice);
    for (const std::uint64_t claimed : {std::uint64_t{0}, most / 2, most, most + 7}) {
      std::uint64_t everything = 0;
      for (const ChoiceItem& item : choice.items) everything += item.moved.count();
      const std::uint64_t proved = std::min(everything, std::max(most, claimed));
      ASSERT_EQ(check_prices(choice, walk_of(choice, prices, claimed)),
                PriceVerdict(ProvedBound{Bytes(proved)}))
          << round << " claimed " << claimed << " most " << most << " of " << everything;
    }
  }
}

TEST(Walk, ProvesAProgramOfThreeHundred) {
  std::mt19937_64 random(1);
  Choice choice;
  for (std::size_t i = 0; i < 300; ++i) {
    const Step first = i / 3;
    const Step last = std::min<Step>(99, first + 1 + (random() % 8 == 0 ? random() % 20 : 0));
    const std::uint64_t bytes = 1024 * (1 + random() % 1000);
    choice.items.push_back(
        {"p", "i", {first, last + 1}, Bytes(bytes), Bytes(bytes * (2 + random() % 3))});
  }
  choice.capacity.assign(100, Bytes(2'000'000));
  const Chosen best = choose_best(choice, std::vector<std::uint64_t>(300, 0));
  EXPECT_EQ(saved_by(choice, best.kept), best.saved);
  EXPECT_EQ(check_prices(choice, best.prices), PriceVerdict(ProvedBound{best.saved}));
}

TEST(Walk, IsRefusedWhereItIsTooLarge) {
  // Neither phase alone decides.
  Choice choice{.capacity = {Bytes(64), Bytes(64)}};
  choice.items.assign(65, {"p", "i", {0, 1}, Bytes(1), Bytes(1)});
  choice.items.push_back({"p", "j", {1, 2}, Bytes(65), Bytes(1)});
  EXPECT_FALSE(walk(choice, {}, 0));
  EXPECT_TRUE(std::holds_alternative<PriceFault>(check_prices(choice, walk_of(choice, {}, 64))));
  choice.items = {{"p", "i", {0, 1}, Bytes(40), Bytes(1), 2},
                  {"p", "j", {1, 2}, Bytes(65), Bytes(1)}};
  EXPECT_FALSE(walk(choice, {}, 0));
  EXPECT_TRUE(std::holds_alternative<PriceFault>(check_prices(choice, walk_of(choice, {}, 1))));
  Prices branched = walk_of(choice, {}, 1);
  branched.parts[0].nodes = {{.branch = PriceBranch{0, 0, 1, 2}}, {}, {}};
  EXPECT_TRUE(std::holds_alternative<PriceFault>(check_prices(choice, branched)));
}

}  // namespace
}  // namespace berth
