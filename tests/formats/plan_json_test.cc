#include "berth/formats/plan_json.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/plans.h"

namespace berth {
namespace {

Result<Plan> read(const std::string& text) {
  auto document = JsonDocument::parse(text, "p.json");
  if (!document) return tl::unexpected(document.error());
  return read_plan(*document);
}

std::string refusal(const std::string& text) {
  const auto plan = read(text);
  EXPECT_FALSE(plan) << text;
  return plan ? "" : to_string(plan.error());
}

// `text` with the first `from` replaced.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

Plan everything() {
  Plan plan;
  plan.source = {"model \"x\".tflite", std::string(64, 'a')};
  plan.packer = "auto";
  plan.found_by = "greedy:size:first";
  plan.seed = UINT64_MAX;
  plan.arenas = {test::arena(256, 3), test::arena(512)};
  plan.arenas[0].figures.lower_bound = Bytes(128);
  plan.arenas[0].unit = test::alignment(16);
  plan.arenas[0].alignment = test::alignment(64);
  plan.arenas[0].capacity = Bytes(UINT64_MAX);
  plan.arenas[0].reserve = Bytes(7);
  plan.arenas[0].address = Address(0x10000000);
  plan.arenas[1].device = "G\nPU";
  plan.arenas[1].tier = "sram";
  plan.ordering = "in-order per device";
  plan.cut = true;
  plan.buffers = {test::buffer("a", {0, 9}, 64, 4), test::buffer("b", {2, 3}, 8, 8),
                  test::buffer("c", {8, 12}, 8, 4)};
  plan.buffers[0].skew = Bytes(4);
  plan.buffers[0].gaps = {{{2, 3}, std::nullopt}, {{4, 6}, ByteRange{0, 16}}};
  plan.buffers[0].fixed = Offset(0);
  plan.buffers[1].view_of = 0;
  plan.buffers[2].reuses = 0;
  plan.buffers[2].arena = 1;
  for (int why = 0; why <= static_cast<int>(KeptWhy::PlannerOff); ++why) {
    plan.kept.push_back({"k" + std::to_string(why), static_cast<KeptWhy>(why), Bytes(9)});
  }
  plan.step_names = {"conv", "", "\"q\""};
  return plan;
}

TEST(PlanJson, WhatWasWrittenReadsBackEqual) {
  const auto again = read(write_plan(everything()));
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(*again, everything());
  const auto empty = read(write_plan(Plan()));
  ASSERT_TRUE(empty) << to_string(empty.error());
  EXPECT_EQ(*empty, Plan());
}

TEST(PlanJson, AnySoundPlanReadsBackEqual) {
  std::mt19937_64 random(21);
  for (int round = 0; round < 500; ++round) {
    const Plan plan = test::random_sound_plan(random);
    const auto again = read(write_plan(plan));
    ASSERT_TRUE(again) << to_string(again.error());
    EXPECT_EQ(*again, plan);
  }
}

TEST(PlanJson, ReadsTheExampleOfTheFormat) {
  const auto plan = read(R"({"format": "berth.plan/1",
 "source": {"file": "model.tflite", "sha256": "..."}, "packer": "auto", "seed": 0,
 "arenas": [{"device": "CPU", "tier": "sram", "bytes": 55296, "max_load": 55296, "lower_bound": 55296,
             "proved_least": true, "peak_step": 3, "alignment": 16, "address": "0x10000000"}],
 "ordering": "in-order per device", "cut": false,
 "buffers": [{"name": "conv1", "arena": 0, "offset": 0, "bytes": 18432, "skew": 0, "alignment": 16, "first": 0, "end": 2}],
 "kept": [{"name": "weights", "why": "constant", "bytes": 213000}]})");
  ASSERT_TRUE(plan) << to_string(plan.error());
  EXPECT_EQ(plan->arenas[0].address, Address(0x10000000));
  EXPECT_EQ(plan->arenas[0].figures.max_load_unpadded, Bytes(55296));
  EXPECT_EQ(plan->buffers[0].life, (LiveRange{0, 2}));
  EXPECT_EQ(plan->kept[0].why, KeptWhy::Constant);
}

// One arena, buffer and kept tensor, a field each; the paths under which they are missed.
constexpr std::array<std::pair<const char*, const char*>, 27> kRequired = {{
    {R"("source": {"file": "f"}, )", "source"},
    {R"("file": "f")", "source.file"},
    {R"("packer": "auto", )", "packer"},
    {R"("seed": 0, )", "seed"},
    {R"("ordering": "o", )", "ordering"},
    {R"("cut": false, )", "cut"},
    {R"("device": "CPU", )", "arenas[0].device"},
    {R"("tier": "sram", )", "arenas[0].tier"},
    {R"("bytes": 8, )", "arenas[0].bytes"},
    {R"("max_load": 8, )", "arenas[0].max_load"},
    {R"("lower_bound": 8, )", "arenas[0].lower_bound"},
    {R"("proved_least": true, )", "arenas[0].proved_least"},
    {R"("peak_step": 0, )", "arenas[0].peak_step"},
    {R"("alignment": 1, )", "arenas[0].alignment"},
    {R"(, "address": 0)", "arenas[0].address"},
    {R"("name": "b", )", "buffers[0].name"},
    {R"("arena": 0, )", "buffers[0].arena"},
    {R"("offset": 0, )", "buffers[0].offset"},
    {R"("bytes": 7, )", "buffers[0].bytes"},
    {R"("skew": 0, )", "buffers[0].skew"},
    {R"("alignment": 2, )", "buffers[0].alignment"},
    {R"("first": 0, )", "buffers[0].first"},
    {R"(, "end": 2)", "buffers[0].end"},
    {R"("name": "k", )", "kept[0].name"},
    {R"("why": "held", )", "kept[0].why"},
    {R"(, "bytes": 6)", "kept[0].bytes"},
    {R"("format": "berth.plan/1", )", "format"},
}};

constexpr const char* kPlan =
    R"({"format": "berth.plan/1", "source": {"file": "f"}, "packer": "auto", "seed": 0,  "ordering": "o", "cut": false, )"
    R"("arenas": [{"device": "CPU", "tier": "sram", "bytes": 8, "max_load": 8, "lower_bound": 8, )"
    R"("proved_least": true, "peak_step": 0, "alignment": 1, "unit": 1, "address": 0}], )"
    R"("buffers": [{"name": "b", "arena": 0, "offset": 0, "bytes": 7, "skew": 0, "alignment": 2, )"
    R"("first": 0, "unused": 0, "end": 2}], "kept": [{"name": "k", "why": "held", "bytes": 6}]})";

std::string plan_text() {
  return with(kPlan, R"("unused": 0, )", "");
}

TEST(PlanJson, EveryRequiredFieldIsMissedByItsPath) {
  ASSERT_TRUE(read(plan_text())) << refusal(plan_text());
  for (const auto& [field, path] : kRequired) {
    const std::string text = refusal(with(plan_text(), field, ""));
    EXPECT_NE(text.find(std::string(": ") + path + ": is missing"), std::string::npos)
        << path << ": " << text;
  }
  for (const char* table : {"arenas", "buffers", "kept"}) {
    const std::string text = refusal(with(plan_text(), std::string("\"") + table + "\"", "\"x\""));
    EXPECT_NE(text.find(std::string(table) + ": is missing"), std::string::npos) << text;
  }
}

TEST(PlanJson, WhatIsNoPlanIsRefusedByItsPath) {
  const auto changed = [](const std::string& from, const std::string& to) {
    const std::string text = refusal(with(plan_text(), from, to));
    return text.substr(text.find(": ") + 2);
  };
  EXPECT_TRUE(
      changed(R"("arena": 0)", R"("arena": 1)")
          .starts_with("buffers[0].arena: found 1, expected an index in arenas, which has 1"));
  EXPECT_TRUE(changed(R"("skew": 0)", R"("view_of": 1, "skew": 0)")
                  .starts_with("buffers[0].view_of: found 1, expected an index in buffers"));
  EXPECT_TRUE(changed(R"("skew": 0)", R"("reuses": 9, "skew": 0)")
                  .starts_with("buffers[0].reuses: found 9, expected an index in buffers"));
  EXPECT_TRUE(changed(R"("end": 2)", R"("end": 0)")
                  .starts_with("buffers[0].end: found 0, expected more than first, 0"));
  EXPECT_TRUE(changed(R"("alignment": 2)", R"("alignment": 3)")
                  .starts_with("buffers[0].alignment: found 3, expected a power of two"));
  EXPECT_TRUE(changed(R"("why": "held")", R"("why": "lost")")
                  .starts_with("kept[0].why: found \"lost\", expected one of: constant, "));
  EXPECT_TRUE(
      changed(R"("seed": 0)", R"("seed": -1)").starts_with("seed: found -1, expected an integer"));
  EXPECT_TRUE(changed(R"("seed": 0)", R"("seed": 18446744073709551616)")
                  .starts_with("seed: found 18446744073709551616, expected an integer"));
  EXPECT_TRUE(changed(R"("skew": 0)", R"("skew": 0, "gaps": [{"first": 0, "end": 1, "kept": [0]}])")
                  .starts_with("buffers[0].gaps[0].kept: expected two integers"));
  EXPECT_TRUE(changed(R"("skew": 0)", R"("skew": 0, "gaps": [{"first": 0}])")
                  .starts_with("buffers[0].gaps[0].end: is missing"));
  EXPECT_TRUE(changed(R"("cut": false)", R"("cut": false, "steps": [1])")
                  .starts_with("steps[0]: found 1, expected a string"));
  EXPECT_TRUE(
      changed("berth.plan/1", "berth.plan/7").starts_with("format: found \"berth.plan/7\""));
}

TEST(PlanJson, MoreFieldsMayStandBesideThoseOfTheFormat) {
  ASSERT_NE(std::string(kPlan).find("\"unused\""), std::string::npos);
  EXPECT_TRUE(read(kPlan));
}

}  // namespace
}  // namespace berth
