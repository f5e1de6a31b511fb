#include "berth/pipeline/given_out.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "berth/formats/json.h"
#include "berth/pipeline/check_file.h"
#include "berth/pipeline/outputs.h"
#include "berth/pipeline/plan_file.h"

namespace berth {
namespace {

// a is copied to the front of y, which is given out, and z is computed from a in the last step.
const std::string kProgram = R"({"format": "berth.program/1", "name": "p", "tensors": [
  {"name": "x", "kind": "input", "bytes": 16}, {"name": "a", "kind": "intermediate", "bytes": 16},
  {"name": "y", "kind": "output", "bytes": 32}, {"name": "z", "kind": "output", "bytes": 16}],
  "phases": [
  {"name": "relu", "body": [{"read": "x", "bytes": 16}, {"write": "a", "bytes": 16}]},
  {"name": "concat", "body": [{"read": "a", "bytes": 16, "part_of": "y", "offset": 0},
                              {"read": "x", "bytes": 16}, {"write": "y", "bytes": 32}]},
  {"name": "sig", "body": [{"read": "a", "bytes": 16},
                           {"write": "z", "bytes": 16, "reuses": "a"}]}]})";

PlannedFile planned(const std::string& program) {
  PlanOptions options;
  options.in_place = true;
  return std::get<PlannedFile>(plan_file({"p.json", program}, options).value());
}

std::size_t index_of(const Plan& plan, const std::string& name) {
  const auto found = std::ranges::find(plan.buffers, name, &PlannedBuffer::name);
  return static_cast<std::size_t>(found - plan.buffers.begin());
}

TEST(GivenOut, NothingTakesOverWhatStandsOnIt) {
  const Plan plan = planned(kProgram).plan;
  const PlannedBuffer& a = plan.buffers[index_of(plan, "a")];
  EXPECT_EQ(a.view_of, index_of(plan, "y"));
  EXPECT_FALSE(plan.buffers[index_of(plan, "z")].reuses);
  EXPECT_EQ(plan.arenas[0].figures.peak, Bytes(48));
}

// Were y no output, z could stand on a: such a plan is sound in itself, and none of this program.
TEST(GivenOut, APlanThatTakesItOverIsRefused) {
  std::string other = kProgram;
  const auto at = other.find(R"("kind": "output", "bytes": 32)");
  other.replace(at, 16, R"("kind": "intermediate")");
  other.replace(other.find(R"({"read": "a", "bytes": 16},
                           )"),
                0, R"({"read": "y", "bytes": 32}, )");
  PlannedFile file = planned(other);
  ASSERT_TRUE(file.plan.buffers[index_of(file.plan, "z")].reuses);
  const std::string plan =
      output_forms({}, file, std::array<std::string, 1>{"o.json"}).value()[0].content;
  const auto checked = check_file({"o.json", plan}, InputFile{"p.json", kProgram}, {}).value();
  EXPECT_TRUE(checked.verdict.sound());
  EXPECT_EQ(checked.mismatch.value_or("").substr(0, 57),
            "buffer z takes over the bytes of a in the plan, on which ");
}

Plan with(std::vector<PlannedBuffer> buffers) {
  Plan plan;
  plan.arenas = {{}};
  plan.buffers = std::move(buffers);
  return plan;
}

PlannedBuffer buffer(std::string name, std::uint64_t offset, std::uint64_t bytes) {
  PlannedBuffer buffer;
  buffer.name = std::move(name);
  buffer.offset = Offset(offset);
  buffer.bytes = Bytes(bytes);
  return buffer;
}

TEST(GivenOut, IsFoundByTheBytesThatItsOwnStorageGivesAway) {
  Plan plan = with({buffer("whole", 0, 64), buffer("front", 0, 16), buffer("back", 32, 32),
                    buffer("taker", 32, 8)});
  plan.buffers[1].view_of = 0;
  plan.buffers[2].view_of = 0;
  plan.buffers[3].reuses = 2;
  const auto taken = [&](const std::vector<std::string>& outputs) {
    return find_taken_output(plan, outputs).has_value();
  };
  EXPECT_FALSE(taken({}));
  EXPECT_FALSE(taken({"front"}));
  EXPECT_FALSE(taken({"taker", "elsewhere"}));
  EXPECT_TRUE(taken({"back"}));
  EXPECT_TRUE(taken({"whole"}));
  EXPECT_TRUE(taken({"front", "back"}));
  plan.buffers.push_back(buffer("apart", 32, 8));  // the same bytes, not of that storage
  EXPECT_FALSE(taken({"apart"}));
}

}  // namespace
}  // namespace berth
