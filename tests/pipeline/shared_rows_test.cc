#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "berth/certify/placement.h"
#include "berth/pipeline/check_file.h"
#include "berth/pipeline/outputs.h"
#include "berth/pipeline/plan_file.h"

// Tables whose rows may share bytes, planned the whole way.
namespace berth {
namespace {

PlannedFile planned(const std::string& text, const PlanOptions& options = {}) {
  auto answer = plan_file({"in.csv", text}, options);
  if (!answer) throw std::runtime_error(to_string(answer.error()));
  return std::get<PlannedFile>(*std::move(answer));
}

std::uint64_t arena(const PlannedFile& file) {
  return file.plan.arenas[0].figures.peak.count();
}

std::string written(const PlannedFile& file, const std::string& path) {
  return output_forms({}, file, std::array{path}).value()[0].content;
}

std::string mismatch(const std::string& plan, const std::string& table) {
  const auto checked = check_file({"p.json", plan}, InputFile{"in.csv", table}, {});
  if (!checked) return to_string(checked.error());
  if (!checked->verdict.sound()) return "unsound";
  const std::string text = checked->mismatch.value_or("");
  return text.substr(0, text.find(';'));  // the digests behind it are not of interest
}

const std::string kTakeOver = "id,lower,upper,size,reuses\na,0,3,64,\nb,2,5,64,a\n";
const std::string kJoin =
    "id,lower,upper,size,part_of\ns,0,3,256,j@0\nc,1,3,256,j@256\nj,2,4,512,\no,3,4,512,\n";

TEST(SharedRows, AResultTakesOverItsOperand) {
  const auto file = planned(kTakeOver);
  EXPECT_EQ(arena(file), 64u);
  EXPECT_EQ(file.plan.buffers[1].reuses, 0u);
}

TEST(SharedRows, PartsAreWrittenStraightToTheirPlace) {
  const auto file = planned(kJoin);
  EXPECT_EQ(arena(file), 1024u);
  EXPECT_EQ(written(file, "o.csv"),
            "id,lower,upper,size,part_of,offset\ns,0,3,256,j@0,512\nc,1,3,256,j@256,768\n"
            "j,2,4,512,,512\no,3,4,512,,0\n");
}

TEST(SharedRows, AWholeHoldsNoMoreThanItsPartsUntilItIsJoined) {
  const auto file = planned("id,lower,upper,size,part_of\ns,0,3,256,j@0\nj,2,4,512,\nx,0,2,256,\n");
  EXPECT_EQ(arena(file), 512u);
}

// The parts from byte 0 to the last would be held from the first one's birth on.
TEST(SharedRows, PartsThatWouldRaiseTheLoadStandApart) {
  const auto file = planned(
      "id,lower,upper,size,part_of\ns,0,3,16,j@0\nt,0,3,16,j@240\nj,2,3,256,\nx,0,2,256,\n");
  EXPECT_EQ(file.plan.arenas[0].figures.max_load, Bytes(288));
  EXPECT_EQ(arena(file), 288u);
}

TEST(SharedRows, APlanThatSharesIsOneForItsTable) {
  for (const std::string& table : {kTakeOver, kJoin}) {
    const auto file = planned(table);
    EXPECT_EQ(mismatch(written(file, "p.json"), table), "");
    const auto as_table = check_file({"o.csv", written(file, "o.csv")}, {}, {});
    ASSERT_TRUE(as_table) << to_string(as_table.error());
    EXPECT_TRUE(as_table->sound());
  }
}

TEST(SharedRows, APlanThatSharesNothingIsOneForItsTableToo) {
  const std::string apart = "id,lower,upper,size\na,0,3,64\nb,2,5,64\n";
  PlannedFile file = planned(apart);
  file.plan.source.sha256.clear();
  EXPECT_EQ(mismatch(written(file, "p.json"), kTakeOver), "");
}

TEST(SharedRows, APlanThatSharesWhatTheTableDoesNotPermitIsRefused) {
  EXPECT_EQ(
      mismatch(written(planned(kTakeOver), "p.json"), "id,lower,upper,size\na,0,3,64\nb,2,5,64\n"),
      "buffer b takes over the bytes of a in the plan, which the input does not permit");
  EXPECT_EQ(mismatch(written(planned(kJoin), "p.json"),
                     "id,lower,upper,size\ns,0,3,256\nc,1,3,256\nj,2,4,512\no,3,4,512\n"),
            "buffer c is bytes of j from byte 256 on in the plan, which the input does not permit");
}

TEST(SharedRows, APlanThatTakesOverAPartAsItIsJoinedIsRefused) {
  const std::string table =
      "id,lower,upper,size,reuses,part_of\np,0,2,4,,j@0\nj,1,2,4,,\nr,1,3,4,p,\n";
  const std::string sound = written(planned(table), "p.json");
  EXPECT_EQ(mismatch(sound, table), "");
  // Were j born a step earlier, r could have p's bytes, which are j's.
  const std::string other =
      "id,lower,upper,size,reuses,part_of\np,0,3,4,,j@0\nj,1,3,4,,\nr,2,3,4,p,\n";
  PlannedFile file = planned(other);
  ASSERT_TRUE(file.plan.buffers[2].reuses);
  file.plan.buffers[0].life = {0, 2};
  file.plan.buffers[1].life = {0, 2};
  file.plan.buffers[2].life = {1, 3};
  EXPECT_EQ(mismatch(written(file, "p.json"), table),
            "buffer r takes over bytes of j in the plan, in the step that makes it");
}

TEST(SharedRows, APlanThatPutsAPartElsewhereInItsWholeIsRefused) {
  const std::string other =
      "id,lower,upper,size,part_of\ns,0,3,256,j@256\nc,1,3,256,j@0\nj,2,4,512,\no,3,4,512,\n";
  EXPECT_EQ(mismatch(written(planned(other), "p.json"), kJoin),
            "buffer c is bytes of j from byte 0 on in the plan, which the input does not permit");
}

TEST(SharedRows, WhatIsHeldIsNobodysHost) {
  PlanOptions options;
  options.hold = {"a"};
  const auto file = planned(kTakeOver, options);
  EXPECT_EQ(file.plan.buffers.size(), 1u);
  EXPECT_FALSE(file.plan.buffers[0].reuses);
}

TEST(SharedRows, APartThatIsFixedStandsInAWholeThatIsFixed) {
  const std::string head = "id,lower,upper,size,part_of,offset\ns,0,3,256,j@256,512\n";
  EXPECT_EQ(arena(planned(head + "j,2,4,512,,256\n")), 768U);
  EXPECT_FALSE(planned(head + "j,2,4,512,,-1\n").plan.buffers[1].view_of);
}

// The fixed rows leave a byte 1 alone and b, while it outlives a, byte 2.
TEST(SharedRows, WhatFitsOnlyApartIsPlacedApart) {
  const std::string table =
      "id,lower,upper,size,reuses,offset\na,0,2,1,,\nb,1,3,1,a,\nf,0,2,1,,0\ng,0,1,1,,2\n"
      "h,2,3,1,,0\ni,2,3,1,,1\n";
  PlanOptions options;
  options.capacity = {{"", Bytes(3)}};
  EXPECT_EQ(arena(planned(table, options)), 3U);
  EXPECT_EQ(planned(table, options).plan.buffers[1].offset, Offset(2));
}

// Each of them is a stretch of what the joined row holds; to look at all for each would take
// minutes.
TEST(SharedRows, ManyPartsOfOneRowArePlannedAndChecked) {
  constexpr std::uint64_t kParts = 20'000;
  std::string table = "id,lower,upper,size,part_of\n";
  for (std::uint64_t i = 0; i < kParts; ++i) {
    table += "r" + std::to_string(i) + "," + std::to_string(i) + "," + std::to_string(kParts + 2) +
             ",64,j@" + std::to_string(64 * i) + "\n";
  }
  table += "j," + std::to_string(kParts + 1) + "," + std::to_string(kParts + 3) + "," +
           std::to_string(64 * kParts) + ",\n";
  const auto file = planned(table);
  EXPECT_EQ(arena(file), 64 * kParts);
  EXPECT_EQ(mismatch(written(file, "p.json"), table), "");
}

// A plan with one thing changed that the table demands.
TEST(SharedRows, APlanThatLeavesWhatItsTableDemandsIsRefused) {
  const std::string table =
      "id,lower,upper,size,alignment,offset,device\na,0,3,4,1,,A\nb,0,3,8,8,,A\nc,0,3,4,1,16,A\n"
      "d,0,3,4,1,,B\n";
  const std::string plan = written(planned(table), "p.json");
  EXPECT_EQ(mismatch(plan, table), "");
  // Without its place, its arena would not be the least.
  const auto unproved = [](std::string text) {
    const std::string claim = "\"lower_bound\": 20, \"proved_least\": true";
    const auto at = text.find(claim);
    EXPECT_NE(at, std::string::npos) << text;
    return at == std::string::npos
               ? text
               : text.replace(at, claim.size(), "\"lower_bound\": 16, \"proved_least\": false");
  };
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = plan;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from << " in " << plan;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  };
  EXPECT_EQ(
      mismatch(unproved(changed("\"offset\": 16, \"bytes\": 4, \"skew\": 0, \"alignment\": 1, "
                                "\"first\": 0, \"end\": 3, \"fixed\": 16",
                                "\"offset\": 12, \"bytes\": 4, \"skew\": 0, \"alignment\": 1, "
                                "\"first\": 0, \"end\": 3")),
               table),
      "buffer c is fixed at 16 in the input, and at 12 in the plan");
  EXPECT_EQ(mismatch(changed("\"device\": \"B\"", "\"device\": \"C\""), table),
            "buffer d is of device 'B' in the input, of 'C' in the plan");
  std::string moved = changed("\"alignment\": 8, \"first\"", "\"alignment\": 1, \"first\"");
  for (const auto& [from, to] : {std::pair("\"a\", \"arena\": 0, \"offset\": 8", "@0"),
                                 std::pair("\"b\", \"arena\": 0, \"offset\": 0", "@4")}) {
    const auto at = moved.find(from);
    ASSERT_NE(at, std::string::npos) << plan;
    std::string name = std::string(from).substr(0, std::string(from).rfind(' ') + 1);
    moved.replace(at, std::string(from).size(), name + (std::string(to) == "@0" ? "0" : "4"));
  }
  EXPECT_EQ(mismatch(moved, table),
            "buffer b is at 4, which is not 0 bytes past a multiple of its alignment 8");
}

DoesNotFit not_fitting(const std::string& table, std::uint64_t capacity) {
  PlanOptions options;
  options.capacity = {{"", Bytes(capacity)}};
  return std::get<DoesNotFit>(plan_file({"in.csv", table}, options).value());
}

TEST(SharedRows, WhatFitsHoweverLittleIsSharedIsNotRefusedByProofOfWhatWasShared) {
  // b or c may take over a, and b, the first, does: then c stands beside it.
  const std::string table = "id,lower,upper,size,reuses\na,0,2,4,\nb,1,2,1,a\nc,1,4,4,a\n";
  EXPECT_EQ(arena(planned(table)), 8U);
  const auto no = not_fitting(table, 5);  // c on a, and b beside them
  EXPECT_FALSE(no.proved);
  EXPECT_FALSE(no.reason);
}

TEST(SharedRows, WhatCanNeverShareIsNoWayOutOfARefusal) {
  // b may take over a, but at its offset alone.
  const auto no = not_fitting("id,lower,upper,size,reuses,offset\na,0,2,4,,0\nb,1,3,4,a,2\n", 64);
  EXPECT_TRUE(no.proved);
}

TEST(SharedRows, WhatDoesNotFitWhateverIsSharedIsRefusedByProof) {
  const auto no = not_fitting(kTakeOver, 63);
  EXPECT_TRUE(no.proved);
  EXPECT_TRUE(no.reason);
  EXPECT_TRUE(not_fitting(kJoin, 1023).proved);
}

std::string refused(const std::string& text) {
  const auto answer = plan_file({"in.csv", text}, {});
  return answer ? "planned" : to_string(answer.error());
}

TEST(SharedRows, APermissionThatNamesNoOtherRowIsRefusedWhereItStands) {
  EXPECT_EQ(refused("id,lower,upper,size,reuses\na,0,3,64,z\n").substr(0, 45),
            "in.csv:2:10: there is no row 'z' (name the id");
  EXPECT_EQ(refused("id,lower,upper,size,reuses\na,0,3,64,a\n").substr(0, 34),
            "in.csv:2:10: the row names itself ");
  EXPECT_EQ(refused("id,lower,upper,size,part_of\na,0,3,64,b\nb,2,3,64,\n").substr(0, 62),
            "in.csv:2:10: found 'b', expected the joined row and a byte of ");
  EXPECT_EQ(refused("id,lower,upper,size,part_of\na,0,3,64,b@1\nb,2,3,64,\n").substr(0, 60),
            "in.csv:2:10: 64 bytes from byte 1 on end past the 64 of 'b' ");
}

struct Row {
  Step lower = 0, upper = 0;
  std::uint64_t size = 0;
  std::optional<std::size_t> reuses;
  std::optional<std::pair<std::size_t, std::uint64_t>> part_of;
};

std::vector<Row> random_rows(std::mt19937_64& random) {
  std::vector<Row> rows(2 + random() % 8);
  for (Row& row : rows) {
    row.lower = random() % 8;
    row.upper = row.lower + 1 + random() % 4;
    row.size = 1 + random() % 8;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t other = random() % rows.size();
    if (other == i) continue;
    if (random() % 2 == 0) {
      rows[i].reuses = other;
    } else if (rows[i].size <= rows[other].size) {
      rows[i].part_of = {other, random() % (rows[other].size - rows[i].size + 1)};
    }
  }
  return rows;
}

std::string table_of(const std::vector<Row>& rows) {
  std::string text = "id,lower,upper,size,reuses,part_of\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    text += "r" + std::to_string(i) + "," + std::to_string(row.lower) + "," +
            std::to_string(row.upper) + "," + std::to_string(row.size) + ",";
    if (row.reuses) text += "r" + std::to_string(*row.reuses);
    text += ",";
    if (row.part_of) {
      text += "r" + std::to_string(row.part_of->first) + "@" + std::to_string(row.part_of->second);
    }
    text += "\n";
  }
  return text;
}

// Whether a row of the step may be written over it, which dies there.
bool is_taken_over(const std::vector<Row>& rows, std::size_t i, Step step) {
  return rows[i].upper == step + 1 && std::ranges::any_of(rows, [&](const Row& row) {
           return row.reuses == i && row.lower == step;
         });
}

bool is_joined(const std::vector<Row>& rows, std::size_t i) {
  return std::ranges::any_of(
      rows, [&](const Row& row) { return row.part_of && row.part_of->first == i; });
}

bool may_take_over_at_birth(const std::vector<Row>& rows, const Row& row) {
  return row.reuses && rows[*row.reuses].upper == row.lower + 1;
}

// The rows, each after the one that it may take over where both begin in one step.
std::vector<std::size_t> hosts_first(const std::vector<Row>& rows) {
  std::vector<std::size_t> depth(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::size_t at = i;
    while (may_take_over_at_birth(rows, rows[at]) && depth[i] <= rows.size() &&
           rows[*rows[at].reuses].lower == rows[i].lower) {
      at = *rows[at].reuses;
      ++depth[i];
    }
  }
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return depth[i]; });
  return order;
}

// Runs the rows step by step on bytes that know whose value they hold: at its first step a row is
// written (parts are in their place already if they stand there), in each it must be found whole.
// A row that is joined from parts finds theirs in its bytes.
std::string run(const std::vector<Row>& rows, const std::vector<std::uint64_t>& places) {
  const auto order = hosts_first(rows);
  std::vector<std::vector<std::size_t>> holds(256);  // by byte: the rows whose value it is
  for (Step step = 0; step < 16; ++step) {
    // What was written before is read first; what may take over something of this step is written
    // last; then what was joined in this step is there, unless one of these is written over it.
    for (const int turn : {0, 1, 2, 3}) {
      const bool writes = turn == 1 || turn == 2;
      for (const std::size_t i : order) {
        const Row& row = rows[i];
        const bool is_last = may_take_over_at_birth(rows, row);
        if (step < row.lower || step >= row.upper || (row.lower == step) != (turn > 0)) continue;
        if (writes && (turn == 2) != is_last) continue;
        if (turn == 3 && (!is_joined(rows, i) || is_taken_over(rows, i, step))) continue;
        for (std::uint64_t k = 0; k < row.size; ++k) {
          auto& at = holds[places[i] + k];
          if (!writes) {
            if (std::find(at.begin(), at.end(), i) == at.end())
              return "row " + std::to_string(i) + " lost";
            continue;
          }
          // The parts that are copied to this byte, and theirs, keep their value where they stand
          // there.
          std::vector<std::size_t> kept = {i};
          for (std::size_t whole = 0; whole < kept.size(); ++whole) {
            for (const std::size_t other : at) {
              const auto& part = rows[other].part_of;
              const bool in_place = part && part->first == kept[whole] &&
                                    step < rows[other].upper &&
                                    places[other] == places[kept[whole]] + part->second;
              if (in_place) kept.push_back(other);
            }
          }
          at = kept;
        }
      }
    }
  }
  return "";
}

// A value live beyond the step in which another is written over it is found lost.
TEST(SharedRows, EveryValueIsFoundWholeWhateverIsShared) {
  std::mt19937_64 random(17);
  int taken = 0, joined = 0;
  for (int round = 0; round < 4500; ++round) {
    const auto rows = random_rows(random);
    const std::string table = table_of(rows);
    const auto file = planned(table);
    std::vector<std::uint64_t> places(rows.size());
    for (const PlannedBuffer& buffer : file.plan.buffers) {
      places[std::stoul(buffer.name.substr(1))] = buffer.offset.value();
      taken += buffer.reuses ? 1 : 0;
      joined += buffer.view_of ? 1 : 0;
    }
    ASSERT_EQ(run(rows, places), "") << table;
    ASSERT_TRUE(check_placement(file.plan).sound()) << table;
    ASSERT_EQ(mismatch(written(file, "p.json"), table), "") << table;
  }
  EXPECT_GT(taken, 300);
  EXPECT_GT(joined, 300);
}

}  // namespace
}  // namespace berth
