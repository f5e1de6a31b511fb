#include "berth/reside/stored.h"

#include <gtest/gtest.h>

#include "berth/ir/program_rules.h"
#include "tests/reside/programs.h"

namespace berth {
namespace {

using Kind = TensorAccess::Kind;

// A float32 tensor whose dimensions are known.
Tensor dense(std::string name, std::vector<std::uint64_t> dims) {
  Tensor tensor{.name = std::move(name)};
  TileLayout layout{dims, std::vector<std::uint64_t>(dims.size(), 1), Bytes(4)};
  tensor.bytes = *tiled_bytes(layout);
  tensor.layout = std::move(layout);
  return tensor;
}

Program stored(const Program& program, std::vector<std::uint64_t> tile = {}) {
  Target target = test::target_of(100);
  target.tile = std::move(tile);
  auto result = stored_program(program, target);
  EXPECT_TRUE(result) << to_string(result.error());
  EXPECT_FALSE(find_program_fault(*result));
  return *std::move(result);
}

TEST(StoredProgram, TakesWholeTilesOverTheLastDimensions) {
  Program program{.name = "p",
                  .tensors = {dense("a", {2, 33, 65}), dense("b", {5}), dense("c", {})}};
  const std::uint64_t tile = 32 * 32 * 4;
  const Program tiled = stored(program, {32, 32});
  EXPECT_EQ(tiled.tensors[0].bytes, Bytes(2 * 2 * 3 * tile));
  EXPECT_EQ(tiled.tensors[1].bytes, Bytes(tile));
  EXPECT_EQ(tiled.tensors[2].bytes, Bytes(tile));
  EXPECT_EQ(stored(program).tensors[1].bytes, Bytes(20));
}

TEST(StoredProgram, WhatIsMovedGrowsWithTheTiles) {
  Program program{.name = "p", .tensors = {dense("a", {16, 32})}};
  program.phases = {{"whole", {{TensorId(0), Kind::Write, {}, Bytes(2048)}}},
                    {"half", {{TensorId(0), Kind::Read, {}, Bytes(1024)}}}};
  const Program tiled = stored(program, {32, 32});
  EXPECT_EQ(tiled.phases[0].accesses[0].bytes, Bytes(4096));
  EXPECT_EQ(tiled.phases[1].accesses[0].bytes, Bytes(2048));
}

TEST(StoredProgram, AReshapeMovesTilesSoThatNothingIsAViewThere) {
  Program program{.name = "p", .tensors = {dense("a", {64}), dense("b", {8, 8})}};
  program.tensors[1].view_of = TensorView{TensorId(0), Bytes(0)};
  EXPECT_TRUE(stored(program).tensors[1].view_of);
  EXPECT_FALSE(stored(program, {32, 32}).tensors[1].view_of);
}

TEST(StoredProgram, EachTensorHasANameOfItsOwn) {
  Program program{.name = "p", .tensors = {dense("x", {1}), dense("x", {1}), dense("", {1})}};
  const Program named = stored(program);
  EXPECT_EQ(named.tensors[0].name, "x");
  EXPECT_EQ(named.tensors[1].name, "x#1");
  EXPECT_EQ(named.tensors[2].name, "#2");
}

TEST(StoredProgram, WhatHasNoBytesToBePlacedIsNotTouched) {
  Program program{.name = "p",
                  .tensors = {dense("scratch", {4}), dense("open", {}), dense("y", {4})}};
  program.tensors[1].dynamic = true;
  program.tensors[1].bytes = Bytes(0);
  program.tensors[1].layout.reset();
  program.phases = {{"op",
                     {{TensorId(0), Kind::Read, {}, Bytes(16)},
                      {TensorId(1), Kind::Write, {}, Bytes(0)},
                      {TensorId(2), Kind::Write, {}, Bytes(16)}}}};
  const Program left = stored(program);
  ASSERT_EQ(left.phases[0].accesses.size(), 1u);
  EXPECT_EQ(left.phases[0].accesses[0].tensor, TensorId(2));
}

TEST(StoredProgram, TilesPast64BitsAreRefused) {
  Target target = test::target_of(100);
  target.tile = {std::uint64_t{1} << 40, std::uint64_t{1} << 40};
  EXPECT_FALSE(stored_program({.name = "p", .tensors = {dense("a", {1})}}, target));
}

}  // namespace
}  // namespace berth
