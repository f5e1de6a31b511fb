// What a residency says must be so: memories that do not exist, alignment, names that join alike,
// steps of a sweep, forged answers. Inputs stand in tests/data/residency.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "berth/certify/prices.h"
#include "berth/formats/json.h"
#include "berth/formats/residency_json.h"
#include "berth/formats/target_toml.h"
#include "berth/pipeline/check_residency_file.h"
#include "berth/pipeline/plan_on_target.h"
#include "berth/pipeline/reside_file.h"
#include "berth/pipeline/sweep_file.h"
#include "berth/reside/best.h"

namespace berth {
namespace {

const std::string kRoot = BERTH_ROOT;

InputFile data(const std::string& name) {
  return *open_input(kRoot + "/tests/data/residency/" + name);
}
InputFile shipped(const std::string& name) {
  return *open_input(kRoot + "/targets/" + name + ".toml");
}
// One chip of one site.
InputFile chip_of(std::uint64_t sram, const std::string& below = "") {
  return {"chip.toml", "name = \"chip\"\nany_site_reaches_any = true\n[[chip]]\n" + below +
                           "\n[[chip.sites]]\nbytes = " + std::to_string(sram) + "\n"};
}

ResidedFile resided(const InputFile& input, const InputFile& target,
                    const ResideOptions& options = {}) {
  auto answer = reside_file(input, target, options);
  if (!answer) throw std::runtime_error(to_string(answer.error()));
  return std::get<ResidedFile>(*std::move(answer));
}

std::vector<std::string> faults_of(const std::string& residency, const InputFile& input,
                                   const InputFile& target) {
  const auto verdict = check_residency_file({"r.json", residency}, ResidencySource{input, target});
  if (!verdict) throw std::runtime_error(to_string(verdict.error()));
  return verdict->faults;
}

// The plan of it, if there is one; the refusal is kept.
std::optional<PlannedFile> planned(const InputFile& input, const InputFile& target,
                                   std::string* refusal = nullptr) {
  auto answer = plan_on_target(input, target, Policy::Rule, {});
  if (!answer) throw std::runtime_error(to_string(answer.error()));
  if (auto* no = std::get_if<DoesNotFit>(&*answer)) {
    if (refusal != nullptr) *refusal = no->report;
    return std::nullopt;
  }
  return std::get<PlannedFile>(*std::move(answer));
}

// A weight of 30, an intermediate of 20 that has no room in SRAM, an input and an output.
const std::string kModel = R"({"format": "berth.program/1", "name": "m", "tensors": [
 {"name": "w", "kind": "weight", "bytes": 30}, {"name": "x", "kind": "input", "bytes": 4},
 {"name": "h", "kind": "intermediate", "bytes": 20}, {"name": "y", "kind": "output", "bytes": 4}],
 "phases": [{"name": "a", "body": [{"read": "x", "bytes": 4}, {"read": "w", "bytes": 30},
                                   {"write": "h", "bytes": 20}]},
            {"name": "b", "body": [{"read": "h", "bytes": 20}, {"write": "y", "bytes": 4}]}]})";

TEST(MemoriesOfATarget, ADramThatIsNotThereHoldsNothing) {
  const InputFile model{"m.json", kModel};
  const auto none = resided(model, chip_of(10, "dram_bytes = 0")).answer.plan;
  ASSERT_EQ(none.obstacles.size(), 1u);
  EXPECT_EQ(none.obstacles[0].kind, Obstacle::Kind::NoMemory);
  EXPECT_EQ(none.obstacles[0].needed, Bytes(58));
  EXPECT_EQ(std::ranges::count(none.obstacles[0].names, "m.w"), 1);
  std::string refusal;
  EXPECT_FALSE(planned(model, chip_of(10, "dram_bytes = 0"), &refusal));
  EXPECT_NE(refusal.find("m.w"), std::string::npos);
  // Absent, it is not limited; and the three memories add up.
  EXPECT_TRUE(resided(model, chip_of(10)).answer.plan.feasible());
  for (const char* below :
       {"hbm_bytes = 58\ndram_bytes = 0", "dram_bytes = 58", "flash_bytes = 30\ndram_bytes = 28",
        "flash_bytes = 29\nhbm_bytes = 20\ndram_bytes = 38"}) {
    EXPECT_TRUE(resided(model, chip_of(10, below)).answer.plan.feasible()) << below;
    EXPECT_TRUE(planned(model, chip_of(10, below))) << below;
  }
  for (const char* below :
       {"hbm_bytes = 57\ndram_bytes = 0", "dram_bytes = 57", "flash_bytes = 30\ndram_bytes = 27",
        "flash_bytes = 100\ndram_bytes = 0"}) {
    EXPECT_FALSE(resided(model, chip_of(10, below)).answer.plan.feasible()) << below;
    EXPECT_FALSE(planned(model, chip_of(10, below))) << below;
  }
}

TEST(MemoriesOfATarget, ACheckRefusesAYesWithoutRoom) {
  const InputFile model{"m.json", kModel};
  const auto there = resided(model, chip_of(10));
  const std::string text = write_residency(there.answer, there.deployment);
  EXPECT_TRUE(faults_of(text, model, chip_of(10)).empty());
  EXPECT_FALSE(faults_of(text, model, chip_of(10, "dram_bytes = 0")).empty());
  const auto none = resided(model, chip_of(10, "dram_bytes = 0"));
  EXPECT_TRUE(
      faults_of(write_residency(none.answer, none.deployment), model, chip_of(10, "dram_bytes = 0"))
          .empty());
}

TEST(MemoriesOfATarget, WhatTakesTurnsNeedNotFitAnHbmAllAtOnce) {
  // Five of 20 bytes, two at once: 40 of HBM hold them though they sum to 100.
  std::string tensors;
  std::string phases;
  for (int i = 0; i < 5; ++i) {
    const std::string name = "\"t" + std::to_string(i) + "\"";
    tensors += (i == 0 ? "" : ", ") + std::string("{\"name\": ") + name +
               ", \"kind\": \"intermediate\", \"bytes\": 20}";
    phases += (i == 0 ? "" : ", ") + std::string("{\"name\": \"p\", \"body\": [") +
              (i == 0 ? "" : "{\"read\": \"t" + std::to_string(i - 1) + "\", \"bytes\": 20}, ") +
              "{\"write\": " + name + ", \"bytes\": 20}]}";
  }
  const InputFile chain{
      "c.json", "{\"format\": \"berth.program/1\", \"name\": \"c\", \"tensors\": [" + tensors +
                    "], \"phases\": [" + phases + "]}"};
  EXPECT_TRUE(resided(chain, chip_of(10, "hbm_bytes = 40\ndram_bytes = 0")).answer.plan.feasible());
  EXPECT_TRUE(planned(chain, chip_of(10, "hbm_bytes = 40\ndram_bytes = 0")));
  EXPECT_FALSE(
      resided(chain, chip_of(10, "hbm_bytes = 39\ndram_bytes = 0")).answer.plan.feasible());
}

TEST(MemoriesOfATarget, ShippedCardsHaveNoDramBehindTheirHbm) {
  for (const char* name : {"h100_sxm", "h200_sxm", "mi300x", "groq_lpu1", "tpu_v4", "tpu_v5e",
                           "tpu_v5p", "tpu_v6e", "tpu_v4_cores", "tpu_v5p_cores"}) {
    const InputFile file = shipped(name);
    EXPECT_EQ(read_target(file.content, file.path)->chips[0].dram, Bytes(0)) << name;
  }
  for (const char* name : {"cerebras_wse2", "cerebras_wse3", "u65_dedicated"}) {
    const InputFile file = shipped(name);
    EXPECT_EQ(read_target(file.content, file.path)->chips[0].dram, std::nullopt) << name;
  }
  // 140 GB of weights.
  const InputFile large{"l.json", R"({"format": "berth.program/1", "name": "l", "tensors": [
   {"name": "w", "kind": "weight", "bytes": 140000000000}],
   "phases": [{"name": "p", "body": [{"read": "w", "bytes": 140000000000}]}]})"};
  EXPECT_FALSE(resided(large, shipped("h100_sxm")).answer.plan.feasible());
  EXPECT_TRUE(resided(large, shipped("h200_sxm")).answer.plan.feasible());
  EXPECT_FALSE(planned(large, shipped("h100_sxm")));
  EXPECT_FALSE(resided(large, shipped("groq_lpu1")).answer.plan.feasible());
}

TEST(ASweep, SaysWhenNoSramHelps) {
  const InputFile model{"m.json", kModel};
  const auto swept = sweep_file(model, chip_of(1, "dram_bytes = 37"), {Bytes(1), std::nullopt}, {});
  const auto& sweep = std::get<Sweep>(*swept);
  EXPECT_TRUE(std::ranges::none_of(sweep.steps, &SweepStep::feasible));
  ASSERT_EQ(sweep.obstacles.size(), 1u);
  EXPECT_EQ(sweep.obstacles[0].needed, Bytes(38));
}

TEST(TheLeastOffChip, CountsWhatNoSramCanHold) {
  const InputFile model{"m.json", kModel};
  for (const Policy policy : {Policy::Rule, Policy::Best}) {
    const auto file = resided(model, data("noreach.toml"), {.policy = policy});
    const ResidencyAnswer& answer = file.answer;
    EXPECT_EQ(answer.rule, Bytes(40));
    EXPECT_EQ(answer.best, Bytes(40));
    EXPECT_EQ(answer.bound, Bytes(40));
    EXPECT_EQ(answer.plan.off_chip().unplaced, Bytes(40));
    EXPECT_EQ(answer.traffic[0].hbm, Bytes(40));
    EXPECT_TRUE(
        faults_of(write_residency(answer, file.deployment), model, data("noreach.toml")).empty());
  }
}

TEST(AnSramOfNoBytes, IsATierThatNothingFits) {
  const InputFile p8{"p8.json", R"({"format": "berth.program/1", "name": "p8", "tensors": [
   {"name": "t", "kind": "intermediate", "bytes": 30}], "phases": [
   {"name": "a", "body": [{"write": "t", "bytes": 30}]},
   {"name": "b", "body": [{"read": "t", "bytes": 30}]}]})"};
  const auto plan = resided(p8, chip_of(0)).answer.plan;
  ASSERT_EQ(plan.programs[0].spilled.size(), 1u);
  EXPECT_EQ(plan.programs[0].traffic, Bytes(60));
  EXPECT_EQ(plan.programs[0].sram_footprint[0], Bytes(0));
  EXPECT_EQ(plan.off_chip().total(), Bytes(60));
}

TEST(ATiledTarget, StoresElementsThatShareBytesInTilesToo) {
  const auto file = resided(data("i4.onnx"), data("tt.toml"));
  for (const auto& tensor : file.deployment.programs[0].program.tensors) {
    EXPECT_EQ(tensor.bytes.count() % 512, 0u) << tensor.name;
  }
  const auto plan = planned(data("i4.onnx"), data("tt.toml"));
  ASSERT_TRUE(plan);
  Bytes sum;
  for (const PlannedBuffer& buffer : plan->plan.buffers) sum += buffer.bytes;
  EXPECT_EQ(sum.count() % 512, 0u);
}

TEST(ASweep, FitsFromTheSramThatIsReserved) {
  const InputFile given{"g.json", R"({"format": "berth.deployment/1", "name": "g", "reserve": [60],
   "classes": [{"program": "m", "tensor": "s", "instances": 1, "bytes": 500, "moved": 1000}]})"};
  const auto swept = sweep_file(given, chip_of(1), {Bytes(1), std::nullopt}, {});
  const auto& steps = std::get<Sweep>(*swept).steps;
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_FALSE(steps[0].feasible);
  EXPECT_EQ(steps[1].sram, Bytes(60));
  EXPECT_TRUE(steps[1].feasible);
  EXPECT_EQ(steps[2].sram, Bytes(560));
}

// Two programs with buffers, scratch, tables, states and what is pinned, on one chip; or states as
// they are given.
std::string random_deployment(std::mt19937_64& random) {
  const auto number = [&](std::uint64_t most) { return std::to_string(random() % most); };
  if (random() % 4 == 0) {
    std::string classes;
    for (int i = 0; i < 3; ++i) {
      classes += (i == 0 ? "" : ", ") + std::string("{\"program\": \"m\", \"tensor\": \"s") +
                 std::to_string(i) + "\", \"instances\": " + number(3) +
                 ", \"bytes\": " + number(20) + ", \"moved\": " + number(40) + "}";
    }
    return R"({"format": "berth.deployment/1", "name": "g", "reserve": [)" + number(40) +
           "], \"classes\": [" + classes + "]}";
  }
  std::string programs;
  for (const char* name : {"p", "p.q"}) {
    std::string tensors;
    std::vector<std::string> bodies(4);
    const auto access = [&](std::size_t phase, const char* word, int tensor) {
      bodies[phase] += (bodies[phase].empty() ? "" : ", ") + std::string("{\"") + word + "\": \"t" +
                       std::to_string(tensor) + "\", \"bytes\": " + number(30) + "}";
    };
    const int count = 2 + static_cast<int>(random() % 5);
    for (int i = 0; i < count; ++i) {
      const std::uint64_t kind = random() % 8;
      const std::string word = kind < 5 ? "intermediate" : kind < 7 ? "state" : "weight";
      const std::string pinned =
          word == "intermediate" && random() % 8 == 0 ? ", \"pinned\": true" : "";
      tensors += (i == 0 ? "" : ", ") + std::string("{\"name\": \"t") + std::to_string(i) +
                 "\", \"kind\": \"" + word + "\", \"bytes\": " + number(25) + pinned + "}";
      const std::size_t first = random() % 4;
      const std::size_t last = first + random() % (4 - first);
      if (word == "intermediate" || random() % 5 > 0) {
        access(first, word == "weight" ? "read" : "write", i);
        access(last, "read", i);
        if (random() % 3 == 0) access(last, word == "weight" ? "read" : "write", i);
      }
    }
    std::string phases;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const std::string scratch = random() % 6 == 0 ? ", \"scratch\": " + number(15) : "";
      phases += (i == 0 ? "" : ", ") + std::string("{\"name\": \"f\", \"body\": [") + bodies[i] +
                "]" + scratch + "}";
    }
    const std::string buffers =
        random() % 3 == 0
            ? "\"buffers\": [{\"site\": 0, \"offset\": 0, \"chip\": 0, \"bytes\": " + number(20) +
                  "}], "
            : "";
    const std::string carried = random() % 2 == 0 ? "\"carried\": [], " : "";
    programs += (programs.empty() ? "" : ", ") + std::string("{\"name\": \"") + name +
                "\", \"layers\": " + std::to_string(1 + random() % 2) + ", " + carried +
                R"("program": {"format": "berth.program/1", "name": "x", )" + buffers +
                "\"tensors\": [" + tensors + "], \"phases\": [" + phases + "]}}";
  }
  return R"({"format": "berth.deployment/1", "name": "d", "programs": [)" + programs + "]}";
}

TEST(RandomResidencies, SweepsSayWhatEachSramSays) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 60; ++round) {
    const InputFile input{"d.json", random_deployment(random)};
    const std::string below =
        random() % 3 == 0 ? "dram_bytes = " + std::to_string(random() % 120) : std::string();
    const std::string alignment = random() % 2 == 0 ? "\nalignment = 8" : "";
    const auto swept = sweep_file(input, chip_of(1, below + alignment), {Bytes(1), Bytes(150)}, {});
    ASSERT_TRUE(swept) << to_string(swept.error()) << input.content;
    const auto& steps = std::get<Sweep>(*swept).steps;
    auto at = steps.begin();
    for (std::uint64_t sram = 1; sram <= 150; ++sram) {
      while (at + 1 != steps.end() && (at + 1)->sram <= Bytes(sram)) ++at;
      const InputFile target = chip_of(sram, below + alignment);
      const auto alone = sweep_file(input, target, {Bytes(sram), Bytes(sram)}, {});
      const SweepStep& is = std::get<Sweep>(*alone).steps[0];
      ASSERT_EQ(at->rule, is.rule) << sram << " " << input.content;
      ASSERT_EQ(at->best, is.best) << sram << " " << input.content;
      ASSERT_EQ(at->feasible, is.feasible) << sram << " " << below << alignment << input.content;
    }
  }
}

// What is planned and what is resided are one thing, and an independent check agrees with both.
TEST(RandomResidencies, AreWhatThePlanOnTheTargetIs) {
  std::mt19937_64 random(12);
  for (int round = 0; round < 250; ++round) {
    const InputFile input{"d.json", random_deployment(random)};
    if (input.content.find("classes") != std::string::npos) continue;
    const std::uint64_t unit = 1ULL << random() % 6;
    const std::string below = random() % 3 == 0 ? "\ndram_bytes = " + std::to_string(random() % 150)
                              : random() % 2 == 0
                                  ? "\nhbm_bytes = " + std::to_string(random() % 150)
                                  : std::string();
    const InputFile target =
        chip_of(20 + random() % 120, "alignment = " + std::to_string(unit) + below);
    const auto file = resided(input, target);
    const bool fits = file.answer.plan.feasible();
    const auto plan = planned(input, target);
    // By addresses less may fit below than by sums.
    ASSERT_TRUE(fits || !plan) << target.content << input.content;
    if (fits && below.find("dram") == std::string::npos) {
      ASSERT_TRUE(plan) << target.content << input.content;
    }
    if (plan) {
      Bytes forced;
      for (std::size_t p = 0; p < file.answer.layouts.size(); ++p) {
        for (const Layout& layout : file.answer.layouts[p]) {
          forced += *checked_multiply(layout.forced_traffic, file.answer.plan.programs[p].layers);
        }
      }
      const OffChip parts = file.answer.plan.off_chip();
      const OffChipUse& use = plan->plan.target->off_chip;
      ASSERT_EQ(use.spilled, parts.spilled + forced) << target.content << input.content;
      ASSERT_EQ(use.states, parts.states) << target.content << input.content;
      ASSERT_EQ(use.tables, parts.tables) << target.content << input.content;
    }
    for (const ResideOptions& options :
         {ResideOptions(), ResideOptions{.policy = Policy::Best},
          ResideOptions{.policy = Policy::Best, .split = true, .intervals = true}}) {
      const auto other = resided(input, target, options);
      const auto faults = faults_of(write_residency(other.answer, other.deployment), input, target);
      ASSERT_TRUE(faults.empty()) << faults[0] << target.content << input.content;
    }
  }
}

TEST(Alignment, IsOfStatesAndTablesToo) {
  const auto states = resided(data("al2.json"), data("al.toml"));
  EXPECT_EQ(states.answer.plan.off_chip().total(), Bytes(2400));
  EXPECT_EQ(states.answer.bound, Bytes(2400));
  EXPECT_EQ(planned(data("al2.json"), data("al.toml"))->plan.target->off_chip.states, Bytes(2400));
  const std::string text = write_residency(states.answer, states.deployment);
  EXPECT_NE(text.find("\"bytes\": 1, \"moved\": 60, \"tier\": \"dram\", \"padded\": 64"),
            std::string::npos)
      << text;
  EXPECT_TRUE(faults_of(text, data("al2.json"), data("al.toml")).empty());
  const auto tables = resided(data("tabal.json"), data("al.toml"));
  EXPECT_TRUE(tables.answer.plan.feasible());
  EXPECT_EQ(tables.answer.plan.off_chip().tables, Bytes(57));
  EXPECT_TRUE(planned(data("tabal.json"), data("al.toml")));
  EXPECT_TRUE(resided(data("al.json"), data("al.toml")).answer.plan.feasible());
}

TEST(Names, ThatJoinAlikeAreTwo) {
  for (const Policy policy : {Policy::Rule, Policy::Best}) {
    const auto file = resided(data("col.json"), data("ok.toml"), {.policy = policy});
    const std::string text = write_residency(file.answer, file.deployment);
    EXPECT_TRUE(faults_of(text, data("col.json"), data("ok.toml")).empty());
    EXPECT_EQ(file.answer.best, Bytes(60));
  }
}

TEST(Forged, ResidenciesAreNotSound) {
  const InputFile forged = data("tab.f.json");
  EXPECT_FALSE(faults_of(forged.content, data("tab.json"), data("ok.toml")).empty());
  const auto file = resided(data("tab.json"), data("ok.toml"));
  const std::string text = write_residency(file.answer, file.deployment);
  EXPECT_TRUE(faults_of(text, data("tab.json"), data("ok.toml")).empty());
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    const auto at = other.find(from);
    EXPECT_NE(at, std::string::npos) << from << text;
    return other.replace(at, from.size(), to);
  };
  for (const auto& [from, to] :
       {std::pair("\"tables\": [\"r1\"]", "\"tables\": [\"r2\"]"),
        std::pair("\"spilled\": [],",
                  "\"spilled\": [], \"partly\": [{\"tensor\": \"h\", \"in_sram\": [[0, 2]], "
                  "\"moved\": 0}],"),
        std::pair("\"offset\": 50", "\"offset\": 0"), std::pair("\"room\": 90", "\"room\": 91"),
        std::pair("\"arena\": 70", "\"arena\": 71"),
        std::pair("\"max_load\": 70", "\"max_load\": 69"),
        std::pair("\"forced_out\": []", "\"forced_out\": [\"r1\"]"),
        std::pair("{\"tensor\": \"h\", \"offset\"", "{\"tensor\": \"r2\", \"offset\"")}) {
    EXPECT_FALSE(faults_of(replaced(from, to), data("tab.json"), data("ok.toml")).empty()) << to;
  }
}

TEST(Forged, StatesOfTheBestStayInTheFirstTierWithRoom) {
  const InputFile given{"g.json", R"({"format": "berth.deployment/1", "name": "g", "reserve": [0],
   "classes": [{"program": "m", "tensor": "s", "instances": 1, "bytes": 500, "moved": 1000}]})"};
  const InputFile target = chip_of(100, "hbm_bytes = 1000");
  const auto file = resided(given, target, {.policy = Policy::Best});
  std::string text = write_residency(file.answer, file.deployment);
  EXPECT_TRUE(faults_of(text, given, target).empty());
  for (const auto& [from, to] :
       {std::pair("\"tier\": \"hbm\"", "\"tier\": \"dram\""),
        std::pair("\"hbm\": 500, \"dram\": 0", "\"hbm\": 0, \"dram\": 500"),
        std::pair("\"hbm\": 1000, \"dram\": 0", "\"hbm\": 0, \"dram\": 1000")}) {
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from << text;
    text.replace(at, std::string(from).size(), to);
  }
  EXPECT_FALSE(faults_of(text, given, target).empty());
}

TEST(Forged, ACertificateThatTakesForEverIsRefusedByItsSize) {
  // A comb of 20,000 branches over as many items, each leaf with a price of its own.
  constexpr std::size_t kItems = 20'000;
  Choice choice{.capacity = std::vector<Bytes>(200'000, Bytes(5)), .items = {}};
  PricePart part;
  for (std::size_t i = 0; i < kItems; ++i) {
    choice.items.push_back({"p", std::to_string(i), {i, 200'000 - i}, Bytes(1), Bytes(1)});
    part.items.push_back(i);
    part.nodes.push_back({.branch = PriceBranch{i, 0, 2 * i + 1, 2 * i + 2}});
    part.nodes.push_back({.prices = {{i * 7, 1}}});
  }
  part.nodes.push_back({});
  const auto begin = std::chrono::steady_clock::now();
  const auto verdict = check_prices(choice, {{part}}, 400'000'000);
  EXPECT_TRUE(std::holds_alternative<PriceFault>(verdict));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(Pinned, WhereNothingCanStayIsToldByName) {
  const auto file = resided(data("pin.json"), data("noreach.toml"));
  const auto tells = [](const std::string& note) {
    return note.find("h cannot stay") != std::string::npos;
  };
  EXPECT_TRUE(std::ranges::any_of(file.notes, tells));
}

TEST(AStateThatNoPhaseTouches, IsToldAndTakesNoPlace) {
  const auto plan = planned(data("exit70b.json"), shipped("m55_u55_deep"));
  ASSERT_TRUE(plan);
  const auto tells = [](const std::string& note) { return note.find("rope") != std::string::npos; };
  EXPECT_TRUE(std::ranges::any_of(plan->question.notes, tells));
  EXPECT_TRUE(
      std::ranges::any_of(resided(data("exit70b.json"), shipped("m55_u55_deep")).notes, tells));
  const auto least = planned(data("unused_table.json"), shipped("sn40l"));
  ASSERT_TRUE(least);
  ASSERT_EQ(least->plan.arenas.size(), 1u);
  EXPECT_EQ(least->plan.arenas[0].figures.peak, Bytes(30));
}

// A value that nobody needs is neither written back nor fetched.
TEST(Stretches, OfADeadValueMoveNothing) {
  const auto file =
      resided(data("dead.json"), data("ok.toml"), {.policy = Policy::Best, .intervals = true});
  EXPECT_EQ(file.answer.best, Bytes(0));
  EXPECT_TRUE(
      faults_of(write_residency(file.answer, file.deployment), data("dead.json"), data("ok.toml"))
          .empty());
}

}  // namespace
}  // namespace berth
