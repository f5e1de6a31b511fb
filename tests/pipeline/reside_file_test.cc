#include "berth/pipeline/reside_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "berth/formats/residency_json.h"
#include "berth/formats/target_toml.h"
#include "berth/render/residency_table.h"

namespace berth {
namespace {

const std::string kRoot = BERTH_ROOT;

ResidedFile resided(const std::string& deployment, const std::string& target,
                    const ResideOptions& options = {}) {
  const auto input = open_input(kRoot + "/examples/deployments/" + deployment + ".json");
  const auto chips = open_input(kRoot + "/targets/" + target + ".toml");
  EXPECT_TRUE(input && chips);
  auto answer = reside_file(*input, *chips, options);
  EXPECT_TRUE(answer) << to_string(answer.error());
  return std::get<ResidedFile>(*std::move(answer));
}

using Tiers = std::map<std::string, std::string>;

Tiers tiers(const std::string& deployment, const std::string& target = "sn40l") {
  Tiers tiers;
  for (const ClassResidency& it : resided(deployment, target).answer.plan.classes) {
    tiers[it.state.program + "." + it.state.tensor] = to_string(it.tier);
  }
  return tiers;
}

TEST(Deployments, AHybridKeepsItsRecurrentStateAtEveryContext) {
  for (const char* context : {"2k", "16k"}) {
    EXPECT_EQ(tiers(std::string("qwen3_next_") + context),
              (Tiers{{"attention.kv", "sram"}, {"gdn.conv", "sram"}, {"gdn.state", "sram"}}));
  }
  for (const char* context : {"32k", "128k"}) {
    EXPECT_EQ(tiers(std::string("qwen3_next_") + context),
              (Tiers{{"attention.kv", "hbm"}, {"gdn.conv", "sram"}, {"gdn.state", "sram"}}));
  }
  const auto plan = resided("qwen3_next_32k", "sn40l").answer;
  EXPECT_EQ(plan.rule, Bytes(805'330'944));
  EXPECT_EQ(plan.best, plan.rule);
  EXPECT_EQ(plan.bound, plan.rule);
  const auto split =
      resided("qwen3_next_32k", "sn40l", {.policy = Policy::Best, .split = true}).answer;
  EXPECT_EQ(split.best, Bytes(805'330'944 - 6 * 67'110'912));
  EXPECT_EQ(split.plan.classes.back().split, 6u);
}

TEST(Deployments, SmallClassesFirstCanCostTheLargeOne) {
  EXPECT_EQ(tiers("rwkv6_7b_32mib"),
            (Tiers{{"rwkv.shift_att", "sram"}, {"rwkv.shift_ffn", "sram"}, {"rwkv.wkv", "hbm"}}));
  const auto tight = resided("rwkv6_7b_32mib", "sn40l").answer;
  EXPECT_EQ(tight.rule, Bytes(67'108'864));
  EXPECT_EQ(tight.best, Bytes(1'048'576));
  EXPECT_EQ(tight.bound, tight.best);
  EXPECT_EQ(resided("rwkv6_7b_33mib", "sn40l").answer.rule, Bytes(0));
}

TEST(Deployments, StateSpaceModelsKeepWhatFitsWhole) {
  EXPECT_EQ(tiers("mamba2_2.7b_60mib"), (Tiers{{"mamba2.conv", "sram"}, {"mamba2.ssm", "hbm"}}));
  EXPECT_EQ(tiers("mamba2_2.7b_100mib"), (Tiers{{"mamba2.conv", "sram"}, {"mamba2.ssm", "sram"}}));
  EXPECT_EQ(tiers("jamba_2k"),
            (Tiers{{"attention.kv", "hbm"}, {"mamba.conv", "sram"}, {"mamba.ssm", "sram"}}));
  const auto jamba = resided("jamba_2k", "sn40l", {.policy = Policy::Best}).answer;
  EXPECT_EQ(jamba.rule, Bytes(33'570'816));
  EXPECT_EQ(jamba.best, Bytes(29'360'128));
}

TEST(Deployments, ACacheThatDoesNotFitWholeIsWorthSplitting) {
  EXPECT_EQ(tiers("llama3_8b_4k"), (Tiers{{"layer.kv", "hbm"}}));
  const auto split =
      resided("llama3_8b_4k", "sn40l", {.policy = Policy::Best, .split = true}).answer;
  EXPECT_EQ(split.rule, Bytes(537'001'984));
  EXPECT_EQ(split.best, Bytes(537'001'984 - 469'876'736));
  EXPECT_EQ(split.bound, split.best);
}

TEST(Deployments, WindowsStayWhereTheFullCachesLeave) {
  EXPECT_EQ(tiers("gpt_oss_120b_32k"), (Tiers{{"full.kv", "hbm"}, {"window.kv", "sram"}}));
}

TEST(Deployments, EachOfEightChipsHoldsItsLayers) {
  const auto near = resided("deepseek_v3_32k", "sn40l_8").answer.plan;
  for (const ClassResidency& it : near.classes) EXPECT_EQ(it.tier, Tier::Sram);
  EXPECT_EQ(near.chips[0].states, Bytes(8 * 37'748'736));
  EXPECT_EQ(near.chips[7].states, Bytes(7 * 37'748'736));
  for (const ClassResidency& it : resided("deepseek_v3_128k", "sn40l_8").answer.plan.classes) {
    EXPECT_EQ(it.tier, Tier::Hbm);
  }
}

TEST(Deployments, AMicrocontrollerSpillsWhatItsSramDoesNotHold) {
  EXPECT_EQ(resided("cnn", "m55_u55_corstone300").answer.rule, Bytes(0));
  const auto small = resided("cnn", "u65_dedicated").answer;
  EXPECT_EQ(small.plan.programs[0].spilled.size(), 6u);
  EXPECT_EQ(small.rule, Bytes(6'046'208));
  EXPECT_EQ(small.best, Bytes(5'820'416));
  EXPECT_EQ(small.bound, small.best);
}

TEST(Deployments, ATargetWithoutReachHoldsNothing) {
  for (const char* target : {"h100_sxm", "wormhole_n150"}) {
    const auto cnn = resided("cnn", target).answer.plan;
    EXPECT_TRUE(cnn.programs[0].spilled.empty());
    EXPECT_EQ(cnn.programs[0].sram_footprint[0], Bytes(0));
    EXPECT_GT(cnn.programs[0].unplaced, Bytes(0));
  }
  EXPECT_EQ(resided("cnn", "wormhole_n150_sharded").answer.plan.programs[0].unplaced, Bytes(0));
  EXPECT_EQ(tiers("qwen3_next_2k", "wormhole_n150_sharded").at("gdn.state"), "dram");
}

TEST(Deployments, EveryTargetIsRead) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kRoot + "/targets")) {
    const auto file = open_input(entry.path().string());
    const auto target = read_target(file->content, file->path);
    ASSERT_TRUE(target) << to_string(target.error());
    EXPECT_EQ(target->name + ".toml", entry.path().filename().string());
    ++count;
  }
  EXPECT_GE(count, 23u);
}

TEST(ResideFile, ThePlanIsPrintedWhereItCannotBe) {
  const InputFile program = {"p.json", R"({"format": "berth.program/1", "name": "p",
    "tensors": [{"name": "h", "kind": "intermediate", "bytes": 30}],
    "buffers": [{"site": 1, "offset": 90, "bytes": 20}],
    "phases": [{"name": "a", "body": [{"write": "h", "bytes": 30}]}]})"};
  const InputFile target = {
      "t.toml",
      "name='t'\nany_site_reaches_any=true\n[[chip]]\n[[chip.sites]]\ncount=2\nbytes=100\n"};
  const auto answer = reside_file(program, target, {});
  ASSERT_TRUE(answer) << to_string(answer.error());
  const auto& file = std::get<ResidedFile>(*answer);
  EXPECT_FALSE(file.answer.plan.feasible());
  const std::string table = residency_table(file.answer, file.deployment, file.target);
  EXPECT_NE(table.find("ends at byte 110 of site 1 of chip 0, which has 100"), std::string::npos)
      << table;
  EXPECT_NE(write_residency(file.answer, file.deployment).find("buffer-past-site"),
            std::string::npos);
}

TEST(ResideFile, TheBestOfProgramsAtOnceIsNotAskedFor) {
  const auto answer = reside_deployment({}, {}, {.policy = Policy::Best, .concurrent = true});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Error::Kind::Usage);
}

}  // namespace
}  // namespace berth
