#include "berth/pipeline/check_residency_file.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>

#include "berth/formats/residency_json.h"
#include "berth/pipeline/reside_file.h"

namespace berth {
namespace {

const std::string kRoot = BERTH_ROOT;

// A tensor that is read again long after its first use, beside one that needs the room between.
const std::string kComesBack = R"({"format": "berth.program/1", "name": "late",
 "tensors": [{"name": "a", "kind": "intermediate", "bytes": 40},
  {"name": "b", "kind": "intermediate", "bytes": 40}],
 "phases": [
  {"name": "p0", "body": [{"write": "a", "bytes": 40}]},
  {"name": "p1", "body": [{"read": "a", "bytes": 40}]},
  {"name": "p2", "body": [{"write": "b", "bytes": 40}]},
  {"name": "p3", "body": [{"read": "b", "bytes": 120}]},
  {"name": "p4", "body": [{"read": "a", "bytes": 40}]}]})";
const std::string kSixty =
    "name = \"t\"\nany_site_reaches_any = true\n[[chip]]\n[[chip.sites]]\nbytes = 60\n";

class Checked {
 public:
  Checked(const std::string& deployment, const std::string& target, const ResideOptions& options)
      : Checked(*open_input(kRoot + "/examples/deployments/" + deployment + ".json"),
                *open_input(kRoot + "/targets/" + target + ".toml"), options) {}
  Checked(InputFile input, InputFile target, const ResideOptions& options)
      : source_{std::move(input), std::move(target)} {
    const auto answer = reside_file(source_.input, source_.target, options);
    const auto& file = std::get<ResidedFile>(*answer);
    text_ = write_residency(file.answer, file.deployment);
    bound_ = file.answer.bound;
  }

  void expect_sound() const {
    for (const bool with_source : {false, true}) {
      const auto verdict = check_residency_file(
          {"r.json", text_}, with_source ? std::optional(source_) : std::nullopt);
      ASSERT_TRUE(verdict) << to_string(verdict.error());
      EXPECT_TRUE(verdict->sound()) << verdict->faults[0];
      EXPECT_EQ(verdict->bound, bound_);
    }
  }

  // Beside its source, with the first `from` replaced.
  void expect_fault(const std::string& from, const std::string& to) const {
    std::string text = text_;
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from << " in " << text_.substr(0, 3000);
    const auto verdict =
        check_residency_file({"r.json", text.replace(at, from.size(), to)}, source_);
    ASSERT_TRUE(verdict) << to_string(verdict.error());
    EXPECT_FALSE(verdict->sound()) << from << " -> " << to;
  }

 private:
  ResidencySource source_;
  std::string text_;
  Bytes bound_;
};

TEST(CheckResidencyFile, OursAreSound) {
  const ResideOptions best = {.policy = Policy::Best};
  const ResideOptions split = {.policy = Policy::Best, .split = true};
  const ResideOptions cut = {.policy = Policy::Best, .split = true, .intervals = true};
  for (const ResideOptions& options : {ResideOptions(), best, split, cut}) {
    Checked("cnn", "u65_dedicated", options).expect_sound();
    Checked("cnn", "h100_sxm", options).expect_sound();
    Checked("qwen3_next_32k", "sn40l", options).expect_sound();
    Checked("jamba_2k", "sn40l", options).expect_sound();
    Checked("deepseek_v3_32k", "sn40l_8", options).expect_sound();
  }
  Checked("qwen3_next_32k", "sn40l", {.concurrent = true}).expect_sound();
  Checked("cnn", "u65_dedicated", {.concurrent = true}).expect_sound();
}

TEST(CheckResidencyFile, ADamagedProgramIsNot) {
  for (const Policy policy : {Policy::Rule, Policy::Best}) {
    const Checked cnn("cnn", "u65_dedicated", {.policy = policy});
    cnn.expect_fault(R"({"tensor": "conv1")", R"({"tensor": "pointwise1")");
    cnn.expect_fault(R"({"tensor": "conv1")", R"({"tensor": "weights")");
    cnn.expect_fault("\"sram_footprint\": [", "\"sram_footprint\": [1");
    cnn.expect_fault("\"buffer_footprint\": [0]", "\"buffer_footprint\": [1]");
    cnn.expect_fault("\"traffic\": ", "\"traffic\": 1");
    cnn.expect_fault("\"unplaced\": 0", "\"unplaced\": 1");
    cnn.expect_fault("\"layers\": 1", "\"layers\": 2");
    cnn.expect_fault("\"reserve\": ", "\"reserve\": 1");
    cnn.expect_fault("\"sram\": 393216", "\"sram\": 393217");
    cnn.expect_fault("\"nothing_kept\": ", "\"nothing_kept\": 1");
    cnn.expect_fault("\"rule\": ", "\"rule\": 1");
    cnn.expect_fault("\"best\": ", "\"best\": 1");
    cnn.expect_fault("{\"spilled\": ", "{\"spilled\": 1");
    cnn.expect_fault("\"capacity\": [", "\"capacity\": [1");
    cnn.expect_fault("\"moved\": ", "\"moved\": 1");
    cnn.expect_fault("\"kept\": [0", "\"kept\": [1");
  }
}

TEST(CheckResidencyFile, ADamagedStretchIsNot) {
  const Checked late(InputFile{"late.json", kComesBack}, InputFile{"t.toml", kSixty},
                     {.policy = Policy::Best, .intervals = true});
  late.expect_sound();
  late.expect_fault("\"in_sram\": [[0, 2]]", "\"in_sram\": [[0, 1]]");
  late.expect_fault("\"in_sram\": [[0, 2]]", "\"in_sram\": [[0, 2], [1, 2]]");
  late.expect_fault("\"in_sram\": [[0, 2]]", "\"in_sram\": [[0, 2], [4, 5]]");
  late.expect_fault("\"in_sram\": [[0, 2]]", "\"in_sram\": []");
  late.expect_fault("{\"tensor\": \"a\", \"chip\": 0, \"in_sram\"",
                    "{\"tensor\": \"b\", \"chip\": 0, \"in_sram\"");
  late.expect_fault("\"turns\": [5", "\"turns\": [4");
  late.expect_fault("\"best_of_whole\": 120", "\"best_of_whole\": 79");
  late.expect_fault("\"kept\": [1", "\"kept\": [0");
}

TEST(CheckResidencyFile, ADamagedStateIsNot) {
  const Checked qwen("qwen3_next_32k", "sn40l", {});
  qwen.expect_fault("\"tier\": \"sram\"", "\"tier\": \"hbm\"");
  qwen.expect_fault("\"tier\": \"hbm\"", "\"tier\": \"dram\"");
  qwen.expect_fault("\"instances\": 36", "\"instances\": 35");
  qwen.expect_fault("\"tensor\": \"conv\"", "\"tensor\": \"cove\"");
  qwen.expect_fault("\"states\": ", "\"states\": 1");
  Checked("qwen3_next_32k", "sn40l", {.policy = Policy::Best, .split = true})
      .expect_fault("\"instances_in_sram\": 6", "\"instances_in_sram\": 7");
}

}  // namespace
}  // namespace berth
