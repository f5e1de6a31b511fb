#include "berth/plan/floors.h"

#include <gtest/gtest.h>

#include <vector>

#include "bench/generate.h"

namespace berth {
namespace {

Board board_of(std::vector<Buffer> buffers) {
  const auto instance = generate::on_one_device(std::move(buffers));
  return *Board::of(Problem::of_each_device(instance)[0], {}, 1'000);
}

// Three columns: A in 0, B over 0 and 1, C in 1, D in 2 beside E, which reaches back to 1.
std::vector<Buffer> five_buffers() {
  return {generate::buffer(0, 2, {0, 2}), generate::buffer(1, 2, {0, 4}),
          generate::buffer(2, 3, {2, 4}), generate::buffer(3, 1, {4, 6}),
          generate::buffer(4, 1, {2, 6})};
}

TEST(Floors, APieceOnAnotherWastesWhatIsUnderItElsewhere) {
  const auto board = board_of(five_buffers());
  ASSERT_EQ(board.column_count(), 3u);
  Floors floors(board, {});
  ASSERT_TRUE(floors.reset(8));
  EXPECT_EQ(floors.slack(1), 2u);  // 8 less B, C and E.
  const auto mark = floors.mark();
  ASSERT_TRUE(floors.put(0, 0));  // A
  ASSERT_TRUE(floors.put(1, 2));  // B on A stands over the floor of column 1.
  EXPECT_EQ(floors.floor(0), 4u);
  EXPECT_EQ(floors.floor(1), 0u);
  EXPECT_EQ(floors.place(2), 4u);  // C does not fit under B.
  ASSERT_TRUE(floors.put(4, 0));   // E does, and leaves a byte that nothing can take.
  EXPECT_EQ(floors.floor(1), 4u);
  EXPECT_EQ(floors.slack(1), 1u);
  floors.undo(mark);
  EXPECT_EQ(floors.floor(0), 0u);
  EXPECT_EQ(floors.place(2), 0u);
  EXPECT_EQ(floors.slack(1), 2u);
  EXPECT_EQ(floors.pieces_to_come(), 5u);
}

TEST(Floors, WasteThatLeavesTooLittleIsADeadEndThatSaysWhatWasNeeded) {
  const auto board = board_of(five_buffers());
  Floors floors(board, {});
  ASSERT_TRUE(floors.reset(6));
  const auto mark = floors.mark();
  ASSERT_TRUE(floors.put(0, 0));
  // B on A leaves room for E under it and no more: 4 to B's end, then C.
  EXPECT_FALSE(floors.put(1, 2));
  EXPECT_EQ(floors.capacity_needed(), 7u);
  floors.undo(mark);
  EXPECT_TRUE(floors.put(1, 0));
}

TEST(Floors, WhereNothingCanComeToRestThereIsNoNextLevel) {
  const auto board = board_of({generate::buffer(0, 4, {0, 1}), generate::buffer(1, 10, {1, 2})});
  Floors floors(board, {});
  ASSERT_TRUE(floors.reset(10));
  EXPECT_EQ(floors.next_level(0), Floors::kNever);
  EXPECT_FALSE(floors.lift(0, floors.next_level(0)));
}

TEST(Floors, AFixedPieceStandsWhereItMust) {
  auto buffers = five_buffers();
  buffers[1].fixed = Offset(3);
  const auto board = board_of(buffers);
  Floors floors(board, {});
  ASSERT_TRUE(floors.reset(8));
  EXPECT_EQ(floors.place(1), 3u);
  EXPECT_EQ(floors.floor(0), 0u);
  EXPECT_EQ(floors.place(2), 0u);  // C fits under it exactly.
  ASSERT_TRUE(floors.put(2, 0));
  EXPECT_EQ(floors.floor(1), 5u);
  EXPECT_FALSE(floors.reset(4));
  EXPECT_EQ(floors.capacity_needed(), 6u);
}

}  // namespace
}  // namespace berth
