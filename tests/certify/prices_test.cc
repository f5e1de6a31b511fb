#include "berth/certify/prices.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

ChoiceItem item(Step first, Step last, std::uint64_t bytes, std::uint64_t moved) {
  return {"p", "i", {first, last + 1}, Bytes(bytes), Bytes(moved)};
}

PriceNode leaf(std::vector<PhasePrice> prices) {
  return {.prices = std::move(prices)};
}

std::uint64_t bound(const Choice& choice, const Prices& prices) {
  const auto verdict = check_prices(choice, prices);
  const auto* proved = std::get_if<ProvedBound>(&verdict);
  EXPECT_NE(proved, nullptr);
  return proved == nullptr ? 0 : proved->saved.count();
}

// Three of 30 bytes where one fits: together they move 210.
const Choice kTight = {{Bytes(30), Bytes(30), Bytes(30), Bytes(30)},
                       {item(0, 1, 30, 60), item(1, 2, 30, 90), item(2, 3, 30, 60)}};

TEST(CheckPrices, PricesOfTwoPhasesProveATightBound) {
  const Prices prices = {{{{0, 1, 2}, {leaf({{1, 2}, {2, 1}})}}}};
  EXPECT_EQ(bound(kTight, prices), 120u);
}

TEST(CheckPrices, WithoutPricesAllIsTheBound) {
  EXPECT_EQ(bound(kTight, {}), 210u);
  EXPECT_EQ(bound(kTight, {{{{0, 1, 2}, {leaf({})}}}}), 210u);
}

// A long one that moves 600 and a short one that moves 120, of which one fits.
const Choice kBranchy = {std::vector<Bytes>(10, Bytes(100)),
                         {item(0, 9, 60, 600), item(3, 4, 60, 120)}};

TEST(CheckPrices, ABranchProvesWhatPricesAloneDoNot) {
  // 200 by the price of the phase, 480 by the long one, nothing by the short one, rounded down to a
  // multiple of 120. The capacity counts as 60, since both are multiples of that.
  const PriceNode priced = leaf({{3, 2}});
  EXPECT_EQ(bound(kBranchy, {{{{0, 1}, {priced}}}}), 600u);
  Choice odd = kBranchy;
  odd.items[1].bytes = Bytes(61);
  odd.items[1].moved = Bytes(121);
  EXPECT_EQ(bound(odd, {{{{0, 1}, {priced}}}}), 680u);
  const PriceNode branch = {.branch = PriceBranch{0, 0, 1, 2}};
  EXPECT_EQ(bound(odd, {{{{0, 1}, {branch, leaf({}), leaf({})}}}}), 600u);
}

TEST(CheckPrices, WhatMustStayAndDoesNotFitHoldsNoChoice) {
  const Choice choice = {{Bytes(10)}, {item(0, 0, 20, 7), item(0, 0, 10, 3)}};
  const PriceNode branch = {.branch = PriceBranch{0, 0, 1, 2}};
  EXPECT_EQ(bound(choice, {{{{0, 1}, {branch, leaf({}), leaf({})}}}}), 3u);
}

TEST(CheckPrices, PricesPastAllRangesProveNothingWrong) {
  const PriceNode wide = {.scale = UINT64_MAX, .prices = {{1, UINT64_MAX}, {2, UINT64_MAX}}};
  EXPECT_GE(bound(kTight, {{{{0, 1, 2}, {wide}}}}), 120u);
}

std::string fault(const Prices& prices) {
  const auto verdict = check_prices(kTight, prices);
  const auto* found = std::get_if<PriceFault>(&verdict);
  return found == nullptr ? "none" : found->where;
}

TEST(CheckPrices, ATreeThatIsNoneIsNamed) {
  const PriceNode branch = {.branch = PriceBranch{0, 0, 1, 2}};
  EXPECT_EQ(fault({{{{0}, {}}}}), "parts[0].nodes[0]");
  EXPECT_EQ(fault({{{{0, 0}, {leaf({})}}}}), "parts[0].items");
  EXPECT_EQ(fault({{{{3}, {leaf({})}}}}), "parts[0].items");
  EXPECT_EQ(fault({{{{1}, {branch, leaf({}), leaf({})}}}}), "parts[0].nodes[0]");
  EXPECT_EQ(fault({{{{0}, {branch, leaf({})}}}}), "parts[0].nodes[0]");
  EXPECT_EQ(fault({{{{0}, {{.branch = PriceBranch{0, 0, 1, 1}}, leaf({})}}}}), "parts[0].nodes[0]");
  EXPECT_EQ(fault({{{{0}, {leaf({}), leaf({})}}}}), "parts[0].nodes[1]");
  EXPECT_EQ(fault({{{{0}, {leaf({{2, 1}, {1, 1}})}}}}), "parts[0].nodes[0]");
  EXPECT_EQ(fault({{{{0}, {leaf({{4, 1}})}}}}), "parts[0].nodes[0]");
  EXPECT_EQ(fault({{{{0}, {{.scale = 0}}}}}), "parts[0].nodes[0]");
}

TEST(SavedBy, AChoiceThatOverflowsIsNone) {
  EXPECT_EQ(saved_by(kTight, {1, 0, 1}), Bytes(120));
  EXPECT_EQ(saved_by(kTight, {1, 1, 0}), std::nullopt);
  EXPECT_EQ(saved_by(kTight, {2, 0, 0}), std::nullopt);
  EXPECT_EQ(saved_by(kTight, {1, 0}), std::nullopt);
}

}  // namespace
}  // namespace berth
