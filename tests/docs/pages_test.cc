#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <variant>

#include "berth/certify/arena.h"
#include "berth/formats/asked_json.h"
#include "berth/formats/c_header.h"
#include "berth/formats/json.h"
#include "berth/formats/plan_json.h"
#include "berth/formats/program_json.h"
#include "berth/formats/residency_json.h"
#include "berth/formats/schedule.h"
#include "berth/formats/sweep_text.h"
#include "berth/formats/target_toml.h"
#include "berth/formats/target_use_json.h"
#include "berth/pipeline/capture_file.h"
#include "berth/pipeline/certify_files.h"
#include "berth/pipeline/check_file.h"
#include "berth/pipeline/plan_file.h"
#include "berth/pipeline/plan_on_target.h"
#include "berth/pipeline/reside_file.h"
#include "berth/pipeline/sweep_file.h"
#include "tests/reside/programs.h"

namespace berth {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(std::filesystem::path(BERTH_ROOT) / path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The first example of a text, in the fence of this kind.
std::string example_in(const std::string& text, const std::string& kind) {
  const std::string fence = "```" + kind + "\n";
  const auto begin = text.find(fence);
  if (begin == std::string::npos) return "";
  return text.substr(begin + fence.size(), text.find("```", begin + 3) - begin - fence.size());
}

std::string example(const std::string& page, const std::string& kind) {
  return example_in(text_of("docs/formats/" + page), kind);
}

PlannedFile planned(const std::string& path, const std::string& content) {
  auto answer = plan_file({path, content}, {});
  EXPECT_TRUE(answer) << to_string(answer.error());
  return std::get<PlannedFile>(*std::move(answer));
}

TEST(Pages, TheTableNeedsTheArenaThatItsPageSays) {
  const auto answer = planned("example.csv", example("instance.md", "csv"));
  EXPECT_EQ(answer.plan.arenas[0].figures.peak, Bytes(12));
}

TEST(Pages, TheScheduleNeedsTheArenaThatItsPageSays) {
  const auto answer = planned("example.json", example("schedule.md", "json"));
  EXPECT_EQ(answer.plan.arenas[0].figures.peak, Bytes(512));
  EXPECT_EQ(answer.plan.buffers[2].offset, answer.plan.buffers[0].offset);
}

TEST(Pages, TheScheduleIsReadWrittenAndReadToTheSameBytes) {
  const auto read = [](const std::string& text) {
    const auto document = JsonDocument::parse(text, "example.json");
    return *read_schedule(*document);
  };
  const std::string written = write_schedule(read(example("schedule.md", "json")));
  EXPECT_EQ(write_schedule(read(written)), written);
}

TEST(Pages, ThePlanIsSound) {
  const auto checked = check_file({"example.json", example("plan.md", "json")}, {}, {});
  ASSERT_TRUE(checked) << to_string(checked.error());
  EXPECT_TRUE(checked->sound());
}

TEST(Pages, WhatWasAskedOfAPlanIsReadAsItIsWritten) {
  const auto document = JsonDocument::parse(example("plan.md", "asked"), "example.json");
  const auto asked = read_asked(document->root(), "asked");
  ASSERT_TRUE(asked) << to_string(asked.error());
  const auto again = JsonDocument::parse(asked_json(*asked), "again.json");
  EXPECT_EQ(read_asked(again->root(), "asked").value(), *asked);
  EXPECT_EQ(asked->sizes, (std::vector<AskedSize>{{"n", 1, 32}}));
  EXPECT_TRUE(asked->planner_off);
}

TEST(Pages, TheHeaderIsThatOfThePlan) {
  const auto document = JsonDocument::parse(example("plan.md", "json"), "example.json");
  const std::string header = write_c_header(*read_plan(*document));
  EXPECT_NE(header.find(example("header.md", "c")), std::string::npos) << header;
}

TEST(Pages, TheLaunchesAreCertifiedByThePlanes) {
  const auto files = certify_files({"planes.json", example("planes.md", "json")},
                                   {"launches.json", example("launches.md", "json")}, {});
  ASSERT_TRUE(files) << to_string(files.error());
  EXPECT_EQ(files->verdict.code(), 0u);
  EXPECT_TRUE(files->certified({.strict = true}));
  EXPECT_EQ(files->coverage.words_in_windows, 4u);
  EXPECT_EQ(files->coverage.instances, 4u);
}

TEST(Pages, TheCaptureIsCertifiedAsItsPartsTakeTurns) {
  const auto lowered =
      read_capture_file({"example.csv", example("capture.md", "csv")}, CapturedPart::Everything);
  ASSERT_TRUE(lowered) << to_string(lowered.error());
  EXPECT_EQ(lowered->launches.size(), 4u);
  EXPECT_EQ(lowered->launches.word_count(), 9u);
  EXPECT_EQ(lowered->planes.globals().size(), 1u);
  EXPECT_EQ(lowered->planes.phases()[2].planes.size(), 2u);
  EXPECT_TRUE(lowered->warnings.empty());
  EXPECT_EQ(judge_arena(lowered->planes, lowered->launches).code(), 0u);
}

TEST(Pages, TheLaunchesWithExtentsAreCertifiedByThePlanes) {
  const InputFile planes = {"planes.json", example("planes.md", "json")};
  std::string launches = example("launches.md", "json-extents");
  const auto files = certify_files(planes, {"launches.json", launches}, {});
  ASSERT_TRUE(files) << to_string(files.error());
  EXPECT_EQ(files->verdict.code(), 0u);
  EXPECT_EQ(files->coverage.with_extents, 4u);
  // One byte more than the plane has.
  launches.replace(launches.find("\"writes\": 1024"), 14, "\"writes\": 1025");
  const auto over = certify_files(planes, {"launches.json", launches}, {});
  EXPECT_EQ(over->verdict.code(), 2u);
}

TEST(Pages, TheLaunchesWithQueuesAreCertifiedWhereTheirOrderIsTaken) {
  const auto files = certify_files({"planes.json", example("planes.md", "json")},
                                   {"launches.json", example("launches.md", "json-queues")}, {});
  ASSERT_TRUE(files) << to_string(files.error());
  EXPECT_EQ(files->verdict.code(), 0u);
  EXPECT_TRUE(files->undecided({}));
  EXPECT_TRUE(files->certified({.host_order = true}));
  EXPECT_EQ(files->schedule.not_judged().size(), 1u);
}

ResidedFile resided(const std::string& content, std::uint64_t sram) {
  const std::string target =
      "name = \"chip\"\nany_site_reaches_any = true\n[[chip]]\n"
      "[[chip.sites]]\nbytes = " +
      std::to_string(sram) + "\n";
  auto answer = reside_file({"example.json", content}, {"chip.toml", target}, {});
  EXPECT_TRUE(answer) << to_string(answer.error());
  return std::get<ResidedFile>(*std::move(answer));
}

TEST(Pages, TheProgramStaysInTheSramThatItsPageSays) {
  const std::string program = example("program.md", "json");
  const auto all = resided(program, 21'504 + 4'096);
  EXPECT_EQ(all.answer.rule, Bytes(0));
  EXPECT_EQ(all.answer.plan.programs[0].sram_footprint[0], Bytes(21'504));
  EXPECT_EQ(resided(program, 21'503).answer.plan.programs[0].spilled.size(), 1u);
}

TEST(Pages, TheDeploymentReservesWhatItsPageSays) {
  const auto all = resided(example("deployment.md", "json"), 1000);
  EXPECT_EQ(all.answer.plan.chips[0].reserve, Bytes(350));
  EXPECT_EQ(all.answer.plan.chips[0].states, Bytes(360));
}

TEST(Pages, TheResidencyIsThatOfItsPage) {
  const auto given = resided(example("deployment.md", "json-classes"), 1000);
  EXPECT_EQ(write_residency(given.answer, given.deployment), example("residency.md", "json"));
}

TEST(Pages, TheSweepIsThatOfItsPage) {
  Deployment deployment{.name = "p"};
  deployment.programs.push_back(
      {.name = "p",
       .program =
           test::program_of({{0, 3, 40}, {1, 5, 30}, {2, 4, 30, 90}, {4, 6, 50}, {5, 6, 20}})});
  const auto swept = sweep_deployment(deployment, test::target_of(1), {Bytes(20), Bytes(120)}, {});
  ASSERT_TRUE(swept) << to_string(swept.error());
  EXPECT_EQ(write_sweep(std::get<Sweep>(*swept)), example("sweep.md", "json"));
}

TEST(Pages, TheTargetIsWhatItsPageSays) {
  const auto target = read_target(example("target.md", "toml"), "two.toml");
  ASSERT_TRUE(target) << to_string(target.error());
  ASSERT_EQ(target->chips.size(), 2u);
  EXPECT_EQ(target->chips[1].sram(), Bytes(4 * 16'384 - 4'096));
  EXPECT_EQ(target->chips[1].alignment.value(), 64u);
  EXPECT_EQ(target->chips[1].hbm_speed, 1'500'000'000u);
  EXPECT_EQ(target->chips[1].dram, Bytes(8'388'608));
  EXPECT_EQ(target->chips[1].flash, Bytes(4'194'304));
}

TEST(Pages, TheReadmeShowsTheExampleAsItIsBuilt) {
  EXPECT_EQ(example_in(text_of("README.md"), "cpp"), text_of("examples/place.cc"));
}

TEST(Pages, APlanOnATargetSaysWhatItsPageSays) {
  const Program program = test::program_of({{0, 1, 30}, {1, 2, 30}, {2, 3, 30}});
  const InputFile target = {"t.toml",
                            "name = \"t\"\nany_site_reaches_any = true\n[[chip]]\n"
                            "[[chip.sites]]\nbytes = 59\n"};
  const auto answer = plan_on_target({"p.json", write_program(program)}, target, Policy::Rule, {});
  ASSERT_TRUE(answer) << to_string(answer.error());
  TargetUse use = *std::get<PlannedFile>(*answer).plan.target;
  use.sha256.clear();
  const auto document = JsonDocument::parse(example("plan.md", "on_target"), "example.json");
  const auto told = read_target_use(document->root(), "on_target");
  ASSERT_TRUE(told) << to_string(told.error());
  EXPECT_EQ(*told, use) << target_use_json(use);
}

}  // namespace
}  // namespace berth
