#include "berth/certify/lower_bound.h"

#include <gtest/gtest.h>

#include "berth/certify/placement.h"
#include "tests/support/plans.h"

namespace berth {
namespace {

using test::alignment;
using test::arena;
using test::buffer;
using test::plan_of;
using Answer = BoundFinding::Answer;

Answer answer_for(const Plan& plan) {
  EXPECT_TRUE(check_placement(plan).sound());
  return check_lower_bounds(plan)[0].answer;
}

// a below b: b stands at 8, for it needs a multiple of 8, so 10 bytes are the least.
Plan with_alignment() {
  Plan plan = plan_of(arena(10), {buffer("a", {0, 1}, 2, 0), buffer("b", {0, 1}, 2, 8)});
  plan.buffers[0].alignment = plan.buffers[1].alignment = alignment(8);
  plan.arenas[0].figures.max_load = plan.arenas[0].figures.max_load_unpadded = Bytes(4);
  return plan;
}

TEST(CheckLowerBounds, WhatAlignmentCostsIsConfirmed) {
  EXPECT_EQ(answer_for(with_alignment()), Answer::Confirmed);
}

TEST(CheckLowerBounds, AllMoveDownByWhatEachOfThemMayBeMovedBy) {
  Plan plan = with_alignment();
  plan.arenas[0].figures.peak = plan.arenas[0].figures.lower_bound = Bytes(18);
  for (PlannedBuffer& it : plan.buffers) it.offset = it.offset + Bytes(8);
  const auto found = check_lower_bounds(plan)[0];
  EXPECT_EQ(found.answer, Answer::Refuted);
  EXPECT_EQ(found.fits, Bytes(10));
  plan.buffers[0].fixed = plan.buffers[0].offset;
  plan.buffers[1].fixed = plan.buffers[1].offset;
  EXPECT_EQ(answer_for(plan), Answer::Confirmed);
}

TEST(CheckLowerBounds, ABoundAboveTheHighestByteIsRefuted) {
  Plan plan = plan_of(arena(9), {buffer("a", {0, 1}, 4, 0)});
  plan.arenas[0].figures.max_load = plan.arenas[0].figures.max_load_unpadded = Bytes(4);
  EXPECT_EQ(check_lower_bounds(plan)[0].fits, Bytes(4));
}

// A taker could lie elsewhere for all that the tries know: a way that they find refutes nothing.
TEST(CheckLowerBounds, AWayThatForgetsWhoStandsOnWhomRefutesNothing) {
  Plan plan = plan_of(arena(7), {buffer("a", {0, 2}, 2, 0), buffer("b", {1, 3}, 3, 2),
                                 buffer("c", {2, 4}, 2, 5), buffer("v", {0, 1}, 1, 0)});
  plan.buffers[3].view_of = 0;
  plan.arenas[0].figures = {Bytes(7), Bytes(5), Bytes(5), Bytes(7), 1};
  EXPECT_EQ(answer_for(plan), Answer::AsTold);
  plan.buffers.pop_back();
  EXPECT_EQ(answer_for(plan), Answer::Refuted);
}

TEST(CheckLowerBounds, WithoutTriesOnlyTheMaxLoadIsConfirmed) {
  EXPECT_EQ(check_lower_bounds(with_alignment(), 0)[0].answer, Answer::AsTold);
  const Plan plan = plan_of(arena(4), {buffer("a", {0, 1}, 4, 0)});
  EXPECT_EQ(check_lower_bounds(plan, 0)[0].answer, Answer::Confirmed);
}

}  // namespace
}  // namespace berth
