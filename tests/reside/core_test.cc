#include "berth/reside/core.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "berth/certify/core.h"
#include "berth/certify/prices.h"
#include "berth/reside/choose.h"
#include "tests/reside/try_all.h"

namespace berth {
namespace {

Choice random_choice(std::mt19937_64& random) {
  Choice choice{.capacity = {Bytes(random() % 60)}};
  for (std::uint64_t i = random() % 8; i > 0; --i) {
    const std::uint64_t count = random() % 3 == 0 ? random() % 4 : 1;
    choice.items.push_back(
        {"p", "i", {0, 1}, Bytes(1 + random() % 20), Bytes(random() % 30), count});
  }
  return choice;
}

PriceNode random_price(std::mt19937_64& random) {
  PriceNode node{.scale = 1 + random() % 4};
  if (random() % 6 > 0) node.prices.push_back({0, random() % 8});
  return node;
}

std::vector<std::uint64_t> nothing(const Choice& choice) {
  return std::vector<std::uint64_t>(choice.items.size(), 0);
}

std::uint64_t saved(const Choice& choice, const std::vector<std::uint64_t>& kept) {
  return saved_by(choice, kept).value().count();
}

Prices walk_of(const Choice& choice, const PriceNode& node, std::uint64_t claimed) {
  PricePart part{.nodes = {node}, .walk = claimed};
  part.items.resize(choice.items.size());
  std::iota(part.items.begin(), part.items.end(), std::size_t{0});
  return {{part}};
}

TEST(Core, FindsWhatTryingAllFindsWhateverThePrice) {
  std::mt19937_64 random(21);
  for (int round = 0; round < 5000; ++round) {
    const Choice choice = random_choice(random);
    const auto found = pack_core(choice, random_price(random), nothing(choice));
    const std::uint64_t most = test::most_by_trying(choice);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->saved, most) << round;
    ASSERT_EQ(found->most, most) << round;
    ASSERT_EQ(saved(choice, found->kept), most) << round;
  }
}

TEST(Core, IsProvedByTheIndependentOneWhateverIsClaimed) {
  std::mt19937_64 random(22);
  for (int round = 0; round < 5000; ++round) {
    const Choice choice = random_choice(random);
    const PriceNode price = random_price(random);
    std::uint64_t everything = 0;
    for (const ChoiceItem& item : choice.items) everything += item.moved.count() * item.count;
    const std::uint64_t most = test::most_by_trying(choice);
    for (const std::uint64_t claimed : {std::uint64_t{0}, most / 2, most, most + 7}) {
      const std::uint64_t proved = std::min(everything, std::max(most, claimed));
      ASSERT_EQ(check_prices(choice, walk_of(choice, price, claimed)),
                PriceVerdict(ProvedBound{Bytes(proved)}))
          << round << " claimed " << claimed;
    }
  }
}

// One that moves more than its bytes by one, and one byte: floating point cannot tell them apart.
TEST(Core, IsExactOnLargeNumbers) {
  const std::uint64_t large = 1ULL << 62;
  const Choice choice{.capacity = {Bytes(large)},
                      .items = {{"p", "x", {0, 1}, Bytes(large), Bytes(large + 1)},
                                {"p", "y", {0, 1}, Bytes(1), Bytes(1)},
                                {"p", "z", {0, 1}, Bytes(large - 1), Bytes(large - 1)}}};
  const Chosen best = choose_best(choice, nothing(choice));
  EXPECT_EQ(best.saved, Bytes(large + 1));
  EXPECT_EQ(check_prices(choice, best.prices), PriceVerdict(ProvedBound{best.saved}));
}

TEST(Core, LargeNumbersProveNothingWrong) {
  const std::uint64_t largest = UINT64_MAX;
  Choice choice{.capacity = {Bytes(largest)},
                .items = {{"p", "x", {0, 1}, Bytes(largest - 1), Bytes(largest - 1)},
                          {"p", "y", {0, 1}, Bytes(1), Bytes(1)},
                          {"p", "z", {0, 1}, Bytes(0), Bytes(0), largest}}};
  choice.capacity = {Bytes(largest - 1)};
  for (const std::uint64_t scale : {std::uint64_t{1}, std::uint64_t{1} << 40, largest}) {
    for (const std::uint64_t price : {std::uint64_t{0}, std::uint64_t{1} << 40, largest}) {
      const PriceNode node{.scale = scale, .prices = {{0, price}}};
      for (const std::uint64_t claimed : {std::uint64_t{0}, largest - 1, largest}) {
        const auto verdict = check_prices(choice, walk_of(choice, node, claimed));
        if (const auto* bound = std::get_if<ProvedBound>(&verdict)) {
          EXPECT_GE(bound->saved, Bytes(largest - 1)) << scale << " " << price << " " << claimed;
        }
      }
      const auto found = pack_core(choice, node, nothing(choice));
      EXPECT_TRUE(!found || found->most >= largest - 1) << scale << " " << price;
    }
  }
}

// The phase in which all live decides where it has the least room, wherever it stands.
TEST(Core, TheTightestPhaseOfAllDecides) {
  const Choice choice{.capacity = {Bytes(9), Bytes(6), Bytes(8)},
                      .items = {{"p", "a", {0, 3}, Bytes(5), Bytes(9), 2},
                                {"p", "b", {1, 2}, Bytes(3), Bytes(5), 3},
                                {"p", "c", {0, 2}, Bytes(2), Bytes(3)}}};
  const std::uint64_t most = test::most_by_trying(choice);
  EXPECT_EQ(check_prices(choice, walk_of(choice, {.prices = {{1, 2}}}, most)),
            PriceVerdict(ProvedBound{Bytes(most)}));
  // Where another phase has less room, it does not: items that stay twice are then refused.
  Choice other = choice;
  other.capacity[2] = Bytes(4);
  EXPECT_TRUE(std::holds_alternative<PriceFault>(
      check_prices(other, walk_of(other, {.prices = {{1, 2}}}, most))));
}

TEST(Core, IsRefusedWhereThereAreTooManyChoices) {
  std::mt19937_64 random(23);
  Choice choice{.capacity = {Bytes(1ULL << 40)}};
  for (int i = 0; i < 60; ++i) {
    const std::uint64_t bytes = (1ULL << 35) + random() % (1ULL << 30);
    choice.items.push_back({"p", "i", {0, 1}, Bytes(bytes), Bytes(bytes + (1ULL << 33))});
  }
  EXPECT_TRUE(std::holds_alternative<PriceFault>(check_prices(choice, walk_of(choice, {}, 0))));
  const auto found = pack_core(choice, {.prices = {{0, 1}}}, nothing(choice));
  ASSERT_TRUE(found);
  EXPECT_GE(found->most, found->saved);
  EXPECT_EQ(saved(choice, found->kept), found->saved);
}

}  // namespace
}  // namespace berth
