#include "berth/ir/schedule.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/schedules.h"

namespace berth {
namespace {

using test::Draft;

std::string refusal(const Result<Schedule>& schedule) {
  EXPECT_FALSE(schedule);
  return schedule ? "" : to_string(schedule.error());
}

TEST(Schedule, ItsRootIsALinear) {
  Draft draft;
  const OpId a = draft.buffer("a", 64);
  EXPECT_EQ(refusal(Schedule::make(draft.graph(), a, {})),
            "root: found a buffer, expected a linear");
  EXPECT_EQ(refusal(Schedule::make(draft.graph(), OpId(9), {})), "root: found node 9 of 1");
}

TEST(Schedule, HeldNodesNameStorage) {
  Draft draft;
  const OpId a = draft.buffer("a", 64);
  const OpId root = draft.add(linear_op({}));
  EXPECT_EQ(refusal(Schedule::make(draft.graph(), root, {a, root})),
            "held[1]: found a linear, expected a buffer or a view of one");
  EXPECT_EQ(refusal(Schedule::make(draft.graph(), root, {OpId(7)})), "held[0]: found node 7 of 2");
}

TEST(Schedule, ItsSizesAddUpWithin64Bits) {
  Draft draft;
  const OpId a = draft.buffer("a", std::uint64_t{1} << 63);
  const OpId b = draft.buffer("b", std::uint64_t{1} << 63);
  const OpId one = draft.add(linear_op({draft.call("k", {a})}));
  const OpId both = draft.add(linear_op({draft.call("k", {a, b})}));
  EXPECT_TRUE(Schedule::make(draft.graph(), one, {}));  // b is in the graph, not in the schedule
  EXPECT_NE(refusal(Schedule::make(draft.graph(), both, {})).find("more than 64 bits hold"),
            std::string::npos);
}

TEST(StorageExtent, IsWholeUnitsWithTheSkew) {
  Draft draft;
  const auto extent = [&](std::uint64_t bytes, std::uint8_t skew) {
    return storage_extent(draft.graph(), draft.buffer("a", bytes, "GPU", skew)).count();
  };
  EXPECT_EQ(extent(100, 0), 256u);
  EXPECT_EQ(extent(100, 4), 256u);
  EXPECT_EQ(extent(252, 4), 256u);
  EXPECT_EQ(extent(253, 4), 512u);
  EXPECT_EQ(extent(0, 4), 0u);
}

TEST(IsDisk, KnowsADeviceByItsWholeNameOrBeforeTheColon) {
  for (const char* disk : {"DISK", "DISK:", "DISK:/x", "TINYFS", "TINYFS:/x"}) {
    EXPECT_TRUE(is_disk(disk)) << disk;
  }
  for (const char* other : {"", "GPU", "DISKS", "DISK2:/x", "disk", "MYDISK", "TINYFS2"}) {
    EXPECT_FALSE(is_disk(other)) << other;
  }
}

}  // namespace
}  // namespace berth
