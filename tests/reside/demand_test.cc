#include "berth/reside/demand.h"

#include <gtest/gtest.h>

#include "tests/reside/programs.h"

namespace berth {
namespace {

using test::program_of;
using test::target_of;

TEST(TensorBytes, PartialTilesCountWhole) {
  Tensor tensor;
  tensor.layout = TileLayout{{33, 65}, {32, 32}, Bytes(2048)};
  EXPECT_EQ(tensor_bytes(tensor), Bytes(12'288));
  tensor.layout->tile_bytes = Bytes(1088);
  EXPECT_EQ(tensor_bytes(tensor), Bytes(6'528));
  tensor.layout->dims = {0, UINT64_MAX};
  EXPECT_EQ(tensor_bytes(tensor), Bytes(0));
  tensor.layout->dims = {UINT64_MAX, UINT64_MAX};
  EXPECT_EQ(tensor_bytes(tensor), std::nullopt);
}

TEST(BufferFootprint, IsTheHighestByteOfEachSite) {
  Program program;
  program.buffers = {{.offset = Offset(0), .bytes = Bytes(100)},
                     {.offset = Offset(200), .bytes = Bytes(50)},
                     {.site = 1, .bytes = Bytes(64)}};
  EXPECT_EQ(buffer_footprint(program, 2), (std::vector<Bytes>{Bytes(314), Bytes(0)}));
}

TEST(MovedBytes, ReadsAndWritesCountAtTheBoundsOfTheirLoops) {
  Program program = program_of({{0, 0, 0}});
  program.phases[0].loops = {{8}, {3}, {4, 1}};
  program.phases[0].accesses = {
      {.tensor = TensorId(0), .kind = TensorAccess::Kind::Write, .bytes = Bytes(4096)},
      {.tensor = TensorId(0), .bytes = Bytes(512), .loop = 0}};
  EXPECT_EQ(moved_bytes(program).value()[0], Bytes(8'192));
  program.phases[0].accesses[1] = {.tensor = TensorId(0), .bytes = Bytes(128), .loop = 2};
  EXPECT_EQ(moved_bytes(program).value()[0], Bytes(4'096 + 1'536));
  program.loops = {{{0, 1}, 10}};
  EXPECT_EQ(moved_bytes(program).value()[0], Bytes(56'320));
}

TEST(MovedBytes, PastTheirRangeAreRefused) {
  Program program = program_of({{0, 0, 0}});
  program.phases[0].loops = {{1ULL << 40}};
  program.phases[0].accesses[1].loop = 0;
  program.phases[0].accesses[1].bytes = Bytes(1ULL << 30);
  const auto moved = moved_bytes(program);
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().where, "program p: phases[0].accesses[1].bytes");
}

TEST(HoldsTensorsOnChip, NeedsReachOrASingleSite) {
  Target target = target_of(100);
  target.any_site_reaches_any = false;
  EXPECT_TRUE(holds_tensors_on_chip(target));
  target.chips[0].sites = {{2, Bytes(100)}};
  EXPECT_FALSE(holds_tensors_on_chip(target));
  target.any_site_reaches_any = true;
  EXPECT_TRUE(holds_tensors_on_chip(target));
  // An SRAM of no bytes is one all the same: nothing fits it, and all spills.
  target.chips[0].sites = {{2, Bytes(0)}};
  EXPECT_TRUE(holds_tensors_on_chip(target));
}

TEST(ProgramDemand, RefusesPlacesThatTheTargetLacks) {
  Program program = program_of({{0, 0, 1}});
  program.tensors[0].chip = ChipId(1);
  EXPECT_EQ(program_demand(program, target_of(1)).error().where, "program p: tensors[0].chip");
  program.tensors[0].chip = ChipId(0);
  program.buffers = {{.site = 1, .bytes = Bytes(1)}};
  EXPECT_EQ(program_demand(program, target_of(1)).error().where, "program p: buffers[0].site");
}

}  // namespace
}  // namespace berth
