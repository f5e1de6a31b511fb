#include "berth/render/table.h"

#include <gtest/gtest.h>

#include "berth/certify/explain_placement.h"
#include "berth/certify/placement.h"
#include "tests/render/golden.h"
#include "tests/render/plans.h"

namespace berth {
namespace {

TEST(PlanTable, ShowsASmallPlan) {
  test::expect_golden("five.table.txt", plan_table(test::five_boxes()));
}

TEST(PlanTable, ShowsArenasApartWithPaddingReserveViewsAndWhatIsKept) {
  const Plan plan = test::everything();
  ASSERT_TRUE(check_placement(plan).sound()) << explain(check_placement(plan), plan);
  test::expect_golden("everything.table.txt", plan_table(plan));
}

TEST(PlanTable, ColourAddsEscapesAndNothingElse) {
  std::string coloured = plan_table(test::everything(), Colour::On);
  EXPECT_NE(coloured.find("\x1B[1m"), std::string::npos);
  for (std::size_t at = 0; (at = coloured.find('\x1B')) != std::string::npos;) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  EXPECT_EQ(coloured, plan_table(test::everything()));
}

TEST(PlanTable, AnEmptyPlanIsSaidToBeEmpty) {
  EXPECT_EQ(plan_table(Plan()), "plan\n\nnothing is planned\n\n");
}

TEST(PlanTable, SizesPast64BitsAreSaid) {
  Plan plan = test::plan_of(test::arena(0), {});
  for (const char* name : {"a", "b"}) {
    plan.buffers.push_back(test::buffer(name, {0, 1}, ~std::uint64_t{0}, 0));
    plan.kept.push_back({name, KeptWhy::Disk, Bytes(~std::uint64_t{0})});
  }
  const std::string table = plan_table(plan);
  EXPECT_NE(table.find("planned bytes  more than 64 bits hold"), std::string::npos) << table;
  EXPECT_NE(table.find("disk  more than 64 bits hold"), std::string::npos) << table;
}

TEST(PlanTable, RowsAreOneLineEachWhateverANameHolds) {
  Plan plan = test::five_boxes();
  plan.buffers[4].name = "two\nlines\x80";
  const std::string table = plan_table(plan);
  EXPECT_NE(table.find("two\\x0Alines\\x80"), std::string::npos) << table;
}

}  // namespace
}  // namespace berth
