#include "berth/live/program_lives.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/testing/instance_facts.h"

namespace berth {
namespace {

using testing::brute_max_load;
using testing::find_kept;
using testing::find_member;

TensorAccess reads(std::size_t tensor) {
  return {TensorId(tensor), TensorAccess::Kind::Read, std::nullopt};
}

TensorAccess writes(std::size_t tensor) {
  return {TensorId(tensor), TensorAccess::Kind::Write, std::nullopt};
}

TensorAccess writes_over(std::size_t tensor, std::size_t operand) {
  return {TensorId(tensor), TensorAccess::Kind::Write, TensorId(operand)};
}

Tensor sized(std::string name, std::uint64_t bytes) {
  return {std::move(name), TensorKind::Intermediate, Bytes(bytes)};
}

Tensor view(std::string name, std::uint64_t bytes, std::size_t of, std::uint64_t offset) {
  return {std::move(name), TensorKind::Intermediate, Bytes(bytes),
          TensorView{TensorId(of), Bytes(offset)}};
}

ProgramInstance planned(const Program& program, Alignment unit = {}) {
  auto instance = program_instance(program, unit);
  EXPECT_TRUE(instance) << to_string(instance.error());
  return std::move(*instance);
}

// a at step 0, b over a at step 1, and a last reader of b.
Program taking_over(std::uint64_t a, std::uint64_t b) {
  return {.name = "",
          .tensors = {sized("a", a), sized("b", b)},
          .phases = {
              {"make", {writes(0)}}, {"step", {reads(0), writes_over(1, 0)}}, {"use", {reads(1)}}}};
}

TEST(ProgramInstance, ALifeIsFromTheFirstWriteToTheLastReadBothIncluded) {
  const auto plan = planned({.name = "",
                             .tensors = {sized("a", 4), sized("b", 2)},
                             .phases = {{"", {writes(0)}}, {"", {}}, {"", {reads(0), writes(1)}}}});
  EXPECT_EQ(find_member(plan, "a")->life, (LiveRange{0, 3}));
  EXPECT_EQ(find_member(plan, "b")->life, (LiveRange{2, 3}));
}

TEST(ProgramInstance, SizesAreRoundedUpToTheUnit) {
  const Program program = {.name = "",
                           .tensors = {sized("a", 3), sized("b", 5), sized("c", 7)},
                           .phases = {{"", {writes(0), writes(1), writes(2)}}}};
  EXPECT_EQ(brute_max_load(planned(program, *Alignment::of(16)).instance), 48U);
}

TEST(ProgramInstance, AViewAtAnOffsetKeepsItsWholeBaseAlive) {
  const auto plan =
      planned({.name = "",
               .tensors = {sized("B", 1024), view("S", 256, 0, 256), sized("C", 1024)},
               .phases = {{"", {writes(0)}},
                          {"", {reads(0)}},
                          {"", {}},
                          {"", {writes(2)}},
                          {"", {reads(1), reads(2)}}}});
  const Member* part = find_member(plan, "S");
  EXPECT_EQ(part->buffer, find_member(plan, "B")->buffer);
  EXPECT_EQ(part->offset, Bytes(256));
  EXPECT_EQ(plan.instance[part->buffer].life, (LiveRange{0, 5}));
  EXPECT_EQ(brute_max_load(plan.instance), 2048U);
}

TEST(ProgramInstance, RefusesAViewPastTheEndOfItsBase) {
  const auto plan =
      program_instance({.name = "", .tensors = {sized("a", 256), view("v", 192, 0, 128)}}, {});
  ASSERT_FALSE(plan);
  EXPECT_EQ(to_string(plan.error()),
            "tensor v: it views tensor a at byte 128, but its end 320 > 256");
}

TEST(ProgramInstance, RefusesViewsThatGoRoundInACircle) {
  const Program program = {.name = "", .tensors = {view("a", 8, 1, 0), view("b", 8, 0, 0)}};
  EXPECT_FALSE(program_instance(program, {}));
  EXPECT_FALSE(program_instance({.name = "", .tensors = {view("a", 8, 0, 0)}}, {}));
}

TEST(ProgramInstance, ViewsOfViewsAddUp) {
  const auto plan = planned({.name = "",
                             .tensors = {view("c", 8, 1, 4), view("b", 32, 2, 16), sized("a", 64)},
                             .phases = {{"", {writes(2)}}, {"", {reads(0)}}}});
  EXPECT_EQ(find_member(plan, "c")->offset, Bytes(20));
  EXPECT_EQ(find_kept(plan, "b")->why, KeptWhy::Unused);
  EXPECT_FALSE(find_member(plan, "c")->view_of);  // the one between them has no place of its own
}

TEST(ProgramInstance, ViewsOfWeightsAreConstantToo) {
  Program program = {.name = "",
                     .tensors = {sized("w", 64), view("v", 64, 0, 0), sized("y", 8)},
                     .phases = {{"", {reads(1), writes(2)}}}};
  program.tensors[0].kind = TensorKind::Weight;
  EXPECT_EQ(find_kept(planned(program), "v")->why, KeptWhy::Constant);
}

TEST(ProgramInstance, AWriteThatMayTakeOverADyingOperandDoesSo) {
  const auto plan = planned(taking_over(64, 64));
  EXPECT_EQ(plan.instance.size(), 1U);
  EXPECT_EQ(plan.instance.buffers()[0].life, (LiveRange{0, 3}));
  EXPECT_TRUE(plan.instance.buffers()[0].gaps.empty());
  EXPECT_EQ(find_member(plan, "b")->reuses, 0U);
}

TEST(ProgramInstance, WhatASmallerResultDoesNotNeedIsFree) {
  const auto plan = planned(taking_over(64, 16));
  const Gap rest = {{2, 3}, ByteRange{0, 16}};
  EXPECT_EQ(plan.instance.buffers()[0].gaps, std::vector{rest});
  EXPECT_EQ(testing::load_at(plan.instance, 1), 64U);
  EXPECT_EQ(testing::load_at(plan.instance, 2), 16U);
}

TEST(ProgramInstance, ALargerResultTakesNothingOver) {
  EXPECT_EQ(planned(taking_over(16, 64)).instance.size(), 2U);
}

TEST(ProgramInstance, AnOutputIsNeverTakenOver) {
  auto program = taking_over(64, 64);
  program.phases.pop_back();
  EXPECT_EQ(planned(program).instance.size(), 1U);
  program.outputs = {TensorId(0)};  // it lives to the end, which is that very step
  EXPECT_EQ(planned(program).instance.size(), 2U);
}

TEST(ProgramInstance, AnOperandReadUnderASecondNameIsNotTakenOver) {
  auto program = taking_over(64, 64);
  program.tensors.push_back(view("v", 32, 0, 32));
  program.phases[1].accesses.insert(program.phases[1].accesses.begin(), reads(2));
  EXPECT_EQ(planned(program).instance.size(), 2U);
}

TEST(ProgramInstance, AViewThatIsReadLaterKeepsItsBaseFromBeingTakenOver) {
  auto program = taking_over(64, 64);
  program.tensors.push_back(view("v", 32, 0, 32));
  program.phases[2].accesses.push_back(reads(2));
  EXPECT_EQ(planned(program).instance.size(), 2U);
}

TEST(ProgramInstance, OneOperandIsTakenOverByOneResult) {
  auto program = taking_over(64, 64);
  program.tensors.push_back(sized("c", 64));
  program.phases[1].accesses.push_back(writes_over(2, 0));
  EXPECT_EQ(planned(program).instance.size(), 2U);
}

TEST(ProgramInstance, AResultThatLivesEarlierTakesNothingOver) {
  auto program = taking_over(64, 64);
  program.phases[0].accesses.push_back(writes(1));
  EXPECT_EQ(planned(program).instance.size(), 2U);
}

TEST(ProgramInstance, AResultTakesOverAPartOnlyWhereItsPlaceIsAligned) {
  const auto program = [](std::uint64_t offset) {
    return Program{
        .name = "",
        .tensors = {sized("a", 64), view("v", 16, 0, offset), sized("b", 16)},
        .phases = {{"", {writes(0)}}, {"", {reads(1), writes_over(2, 1)}}, {"", {reads(2)}}}};
  };
  const auto aligned = planned(program(32), *Alignment::of(16));
  EXPECT_EQ(find_member(aligned, "b")->offset, Bytes(32));
  const Gap rest = {{2, 3}, ByteRange{32, 48}};
  EXPECT_EQ(aligned.instance.buffers()[0].gaps, std::vector{rest});
  EXPECT_EQ(planned(program(36), *Alignment::of(16)).instance.size(), 2U);
}

TEST(ProgramInstance, FixedPlacesAreThoseOfTheBuffersUnderTheTensors) {
  const Program program = {.name = "",
                           .tensors = {sized("a", 64), view("v", 16, 0, 32)},
                           .phases = {{"", {writes(0)}}, {"", {reads(1)}}}};
  const std::vector<std::optional<Offset>> at_view = {std::nullopt, Offset(96)};
  EXPECT_EQ(program_instance(program, {}, at_view)->instance.buffers()[0].fixed, Offset(64));
  const std::vector<std::optional<Offset>> too_low = {std::nullopt, Offset(16)};
  EXPECT_FALSE(program_instance(program, {}, too_low));
  const std::vector<std::optional<Offset>> at_odds = {Offset(0), Offset(48)};
  const auto refused = program_instance(program, {}, at_odds);
  ASSERT_FALSE(refused);
  EXPECT_EQ(to_string(refused.error()),
            "tensor v: its fixed offset 48 does not go with that of a: both stand on the same "
            "bytes");
}

TEST(ProgramInstance, ALoopOverPhasesCountsAsOnePhase) {
  const auto plan = planned({.name = "",
                             .tensors = {sized("inside", 4), sized("into", 2), sized("after", 1)},
                             .phases = {{"", {writes(1)}},
                                        {"", {writes(0)}},
                                        {"", {reads(0)}},
                                        {"", {reads(1), writes(2)}},
                                        {"", {reads(2)}}},
                             .loops = {{{1, 4}, 8}}});
  EXPECT_EQ(find_member(plan, "inside")->life, (LiveRange{1, 4}));
  EXPECT_EQ(find_member(plan, "into")->life, (LiveRange{0, 4}));
  EXPECT_EQ(find_member(plan, "after")->life, (LiveRange{1, 5}));
}

TEST(ProgramInstance, NothingIsTakenOverThatThePhaseReadsAgain) {
  Program program = taking_over(8, 8);
  auto& step = program.phases[1].accesses;
  step = {writes_over(1, 0), reads(0)};
  EXPECT_FALSE(find_member(planned(program), "b")->reuses);
  step = {reads(0), writes_over(1, 0), reads(0)};
  EXPECT_FALSE(find_member(planned(program), "b")->reuses);
  step = {reads(0), reads(0), writes_over(1, 0)};
  EXPECT_TRUE(find_member(planned(program), "b")->reuses);
}

TEST(ProgramInstance, NothingIsTakenOverInALoopInsideAPhase) {
  Program program = taking_over(8, 8);
  program.phases[1].loops = {{.bound = 4}};
  EXPECT_TRUE(find_member(planned(program), "b")->reuses);
  for (TensorAccess& access : program.phases[1].accesses) access.loop = 0;
  EXPECT_FALSE(find_member(planned(program), "b")->reuses);
}

TEST(ProgramInstance, NothingIsTakenOverInALoopSinceTheNextTurnReadsItAgain) {
  Program program = taking_over(8, 8);
  EXPECT_TRUE(find_member(planned(program), "b")->reuses);
  program.loops = {{{1, 2}, 2}};
  EXPECT_FALSE(find_member(planned(program), "b")->reuses);
}

TEST(ProgramInstance, ScratchLivesInItsPhaseAloneOnEachChipItTouches) {
  Program program = taking_over(8, 8);
  program.phases[1].scratch = Bytes(100);
  const auto plan = planned(program);
  ASSERT_EQ(plan.instance.size(), 2u);
  EXPECT_EQ(plan.instance.buffers()[1].size, Bytes(100));
  EXPECT_EQ(plan.instance.buffers()[1].life, (LiveRange{1, 2}));

  program.tensors[1].chip = ChipId(7);
  const auto chips = planned(program);
  ASSERT_EQ(chips.instance.devices().size(), 2u);
  EXPECT_EQ(chips.instance.devices()[1].name, "chip7");
  EXPECT_EQ(chips.instance.size(), 4u);
}

}  // namespace
}  // namespace berth
