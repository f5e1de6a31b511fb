#include "berth/pipeline/plan_on_target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <variant>

#include "berth/formats/json.h"
#include "berth/formats/plan_json.h"
#include "berth/formats/program_json.h"
#include "berth/pipeline/check_file.h"
#include "berth/pipeline/outputs.h"
#include "berth/pipeline/reside_file.h"
#include "berth/replay/replay.h"
#include "tests/pipeline/random_deployments.h"
#include "tests/pipeline/step_oracle.h"
#include "tests/reside/programs.h"

namespace berth {
namespace {

using test::Life;
using test::program_of;

// One chip with one site, and what is below it.
InputFile target_of(std::uint64_t sram, const std::string& below = "") {
  return {"t.toml", "name = \"t\"\nany_site_reaches_any = true\n[[chip]]\n" + below +
                        "\n[[chip.sites]]\nbytes = " + std::to_string(sram) + "\n"};
}

InputFile input_of(const Program& program) {
  return {"p.json", write_program(program)};
}

std::string text_of(const Deployment& deployment) {
  std::string text = R"({"format": "berth.deployment/1", "name": "d", "programs": [)";
  for (const DeployedProgram& it : deployment.programs) {
    text += text.ends_with("[") ? "" : ", ";
    text += R"({"name": ")" + it.name + R"(", "layers": )" + std::to_string(it.layers);
    if (it.carried) {
      text += R"(, "carried": [)";
      for (const TensorId id : *it.carried) {
        text += text.ends_with("[") ? "" : ", ";
        text += '"' + it.program.tensors[id.index()].name + '"';
      }
      text += "]";
    }
    text += R"(, "program": )" + write_program(it.program) + "}";
  }
  return text + "]}";
}

PlanAnswer answer_of(const InputFile& input, const InputFile& target, Policy policy = Policy::Rule,
                     const PlanOptions& options = {}) {
  auto answer = plan_on_target(input, target, policy, options);
  EXPECT_TRUE(answer) << to_string(answer.error());
  return *std::move(answer);
}

PlannedFile planned(const InputFile& input, const InputFile& target, Policy policy = Policy::Rule) {
  auto answer = answer_of(input, target, policy);
  if (const auto* broken = std::get_if<BrokenPromise>(&answer)) ADD_FAILURE() << broken->report;
  if (const auto* no = std::get_if<DoesNotFit>(&answer)) ADD_FAILURE() << no->report;
  return std::get<PlannedFile>(std::move(answer));
}

std::string refusal(const InputFile& input, const InputFile& target) {
  return std::get<DoesNotFit>(answer_of(input, target)).report;
}

const PlannedBuffer& row(const Plan& plan, const std::string& name) {
  const auto found = std::ranges::find(plan.buffers, name, &PlannedBuffer::name);
  EXPECT_NE(found, plan.buffers.end()) << name;
  return *found;
}

std::string device(const Plan& plan, const std::string& name) {
  return plan.arenas[row(plan, name).arena].device;
}

const TierUse& tier(const Plan& plan, Tier tier) {
  const auto found = std::ranges::find(plan.target->tiers, tier, &TierUse::tier);
  EXPECT_NE(found, plan.target->tiers.end());
  return *found;
}

TensorAccess reads(std::size_t tensor, std::uint64_t bytes) {
  return {TensorId(tensor), TensorAccess::Kind::Read, {}, Bytes(bytes), {}};
}
TensorAccess writes(std::size_t tensor, std::uint64_t bytes) {
  return {TensorId(tensor), TensorAccess::Kind::Write, {}, Bytes(bytes), {}};
}

const std::vector<Life> kChain = {{0, 1, 30}, {1, 2, 30}, {2, 3, 30}};

TEST(PlanOnTarget, WhatFitsStaysAndNothingIsMovedOffChip) {
  const Plan plan = planned(input_of(program_of(kChain)), target_of(60)).plan;
  ASSERT_EQ(plan.arenas.size(), 1u);
  EXPECT_EQ(plan.arenas[0].device, "chip0.sram");
  EXPECT_EQ(plan.arenas[0].capacity, Bytes(60));
  EXPECT_EQ(plan.arenas[0].figures.peak, Bytes(60));
  EXPECT_TRUE(plan.target->spilled.empty());
  EXPECT_EQ(plan.target->off_chip.total(), Bytes(0));
  EXPECT_EQ(tier(plan, Tier::Sram).moved, Bytes(180));
}

TEST(PlanOnTarget, WhatIsPushedOutIsReadAndWrittenBelow) {
  const PlannedFile file = planned(input_of(program_of(kChain)), target_of(59));
  EXPECT_EQ(device(file.plan, "t0"), "chip0.sram");
  EXPECT_EQ(device(file.plan, "t1"), "chip0.dram");
  ASSERT_EQ(file.plan.target->spilled.size(), 1u);
  const SpilledTensor& spilled = file.plan.target->spilled[0];
  EXPECT_EQ(spilled.tensor, "t1");
  EXPECT_EQ(spilled.why, SpilledTensor::Why::PushedOut);
  EXPECT_EQ(spilled.phase, Step{1});
  EXPECT_EQ(spilled.short_by, Bytes(1));
  EXPECT_EQ(file.plan.target->off_chip.spilled, Bytes(60));
  EXPECT_EQ(tier(file.plan, Tier::Dram).moved, Bytes(60));
  // Each phase is a launch on the addresses of what it touches.
  const LoweredSchedule& lowered = **file.launches;
  ASSERT_EQ(lowered.launches.size(), 4u);
  const auto address = [&](const std::string& name) {
    const PlannedBuffer& it = row(file.plan, name);
    return file.plan.arenas[it.arena].address.value() + it.offset.value();
  };
  const auto words = lowered.launches.words(LaunchId(1));
  EXPECT_EQ(std::vector<std::uint64_t>(words.begin(), words.end()),
            (std::vector<std::uint64_t>{address("t0"), address("t1")}));
}

TEST(PlanOnTarget, WhatHasNoLayoutLeavesThoughItsSumFits) {
  const std::vector<Life> fragmented = {{0, 0, 2}, {0, 1, 3}, {1, 3, 1}, {1, 4, 1},
                                        {2, 4, 2}, {4, 7, 2}, {6, 7, 3}};
  const Plan plan = planned(input_of(program_of(fragmented)), target_of(5)).plan;
  ASSERT_EQ(plan.target->spilled.size(), 1u);
  EXPECT_EQ(plan.target->spilled[0].tensor, "t2");
  EXPECT_EQ(plan.target->spilled[0].why, SpilledTensor::Why::NoLayout);
  EXPECT_LE(tier(plan, Tier::Sram).peak, Bytes(5));
}

TEST(PlanOnTarget, LaunchesSayHowFarTheyReachWhereThatIsAskedFor) {
  const auto written = [](bool extents) {
    PlanOptions options;
    options.extents = extents;
    const auto file = std::get<PlannedFile>(
        answer_of(input_of(program_of(kChain)), target_of(60), Policy::Rule, options));
    return output_forms({}, file, std::array<std::string, 1>{"x.launches.json"}).value()[0].content;
  };
  EXPECT_NE(written(false).find("\"berth.launches/1\""), std::string::npos);
  EXPECT_NE(written(true).find("\"berth.launches/2\""), std::string::npos);
}

TEST(PlanOnTarget, MemoriesThatNobodyPlacesKeepClearOfThoseThatABasePlaces) {
  const InputFile input = input_of(program_of(kChain));
  const auto at = [&](const std::vector<std::pair<std::string, Address>>& base) {
    PlanOptions options;
    options.base = base;
    return plan_on_target(input, target_of(59), Policy::Rule, options);
  };
  constexpr std::uint64_t kFirst = 0x10000000;  // where the first would stand
  for (const std::uint64_t address : {kFirst, kFirst + 16, kFirst + 4096, kFirst - 16}) {
    for (const char* device : {"chip0.sram", "chip0.dram"}) {
      const auto answer = at({{device, Address(address)}});
      ASSERT_TRUE(answer) << to_string(answer.error());
      EXPECT_TRUE(std::holds_alternative<PlannedFile>(*answer)) << device << " " << address;
    }
  }
  const auto both = at({{"chip0.sram", Address(kFirst)}, {"chip0.dram", Address(kFirst + 16)}});
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().kind, Error::Kind::Usage);
}

// What check says of a plan on a target in which one thing was changed.
std::string mismatch_of(const std::string& from, const std::string& to, const std::string& chips) {
  const InputFile input = input_of(program_of(kChain));
  std::string text = write_plan(planned(input, target_of(60)).plan);
  const auto at = text.find(from);
  if (at == std::string::npos) return "not there: " + from + " in " + text;
  text.replace(at, from.size(), to);
  const InputFile target = {"t.toml", target_of(60).content + chips};
  const auto checked = check_file({"p.json", text}, input, {}, target);
  if (!checked) return to_string(checked.error());
  return checked->verdict.sound() ? checked->mismatch.value_or("") : "unsound";
}

TEST(PlanOnTarget, WhatAPlanSaysOfItsMemoriesIsHeldAgainstTheTarget) {
  EXPECT_EQ(mismatch_of("chip0.sram", "chip0.sram", ""), "");
  EXPECT_EQ(mismatch_of("\"tier\": \"sram\"", "\"tier\": \"dram\"", ""),
            "arena chip0.sram calls its tier 'dram'");
  EXPECT_NE(mismatch_of("\"tile\": []", "\"tile\": [0]", "").find("at least 1"), std::string::npos);
  EXPECT_EQ(mismatch_of("\"tile\": []", "\"tile\": [4]", ""),
            "the plan stores tensors in tiles [4], the target in tiles []");
}

// Nothing in the plan itself says that they are two.
TEST(PlanOnTarget, TwoLiveTensorsAreNoViewsOfOneAnother) {
  const InputFile input = input_of(program_of({{0, 2, 5}, {0, 2, 5}}));
  Plan plan = planned(input, target_of(60)).plan;
  ASSERT_EQ(plan.buffers.size(), 2u);
  plan.buffers[0].offset = plan.buffers[1].offset = Offset(0);
  plan.buffers[1].view_of = 0;
  ArenaFigures& figures = plan.arenas[0].figures;
  figures.peak = figures.max_load = figures.max_load_unpadded = figures.lower_bound = Bytes(5);
  for (TierUse& use : plan.target->tiers) {
    if (use.tier == Tier::Sram) use.peak = Bytes(5);
  }
  const auto checked = check_file({"p.json", write_plan(plan)}, input, {}, target_of(60));
  ASSERT_TRUE(checked) << to_string(checked.error());
  EXPECT_TRUE(checked->verdict.sound());
  EXPECT_NE(checked->mismatch.value_or("").find("does not permit"), std::string::npos);
}

// x -> h -> y with a weight and a state of 10 bytes.
Program with_everything() {
  Program program{.name = "p",
                  .tensors = {{.name = "x", .kind = TensorKind::Input, .bytes = Bytes(4)},
                              {.name = "h", .bytes = Bytes(20)},
                              {.name = "w", .kind = TensorKind::Weight, .bytes = Bytes(50)},
                              {.name = "s", .kind = TensorKind::State, .bytes = Bytes(10)},
                              {.name = "y", .kind = TensorKind::Output, .bytes = Bytes(6)}}};
  program.phases = {{"up", {reads(0, 4), reads(2, 50), writes(1, 20)}},
                    {"down", {reads(1, 20), reads(3, 10), writes(3, 10), writes(4, 6)}}};
  return program;
}

TEST(PlanOnTarget, StatesStayWhileThereIsRoomAndWeightsLiveBelow) {
  const InputFile input = input_of(with_everything());
  const Plan plan = planned(input, target_of(30, "hbm_bytes = 56\ndram_bytes = 100")).plan;
  EXPECT_EQ(device(plan, "s"), "chip0.sram");
  EXPECT_TRUE(row(plan, "s").held);
  EXPECT_EQ(row(plan, "s").life, (LiveRange{0, 2}));
  EXPECT_EQ(device(plan, "h"), "chip0.sram");
  // Each moves what it holds, so the smaller go into the HBM first: the weight no longer fits.
  EXPECT_EQ(device(plan, "x"), "chip0.hbm");
  EXPECT_EQ(device(plan, "y"), "chip0.hbm");
  EXPECT_EQ(device(plan, "w"), "chip0.dram");
  EXPECT_EQ(plan.target->off_chip.weights, Bytes(50));
  EXPECT_EQ(plan.target->off_chip.ends, Bytes(10));
  EXPECT_EQ(plan.target->off_chip.states, Bytes(0));

  const Plan small = planned(input, target_of(29, "hbm_bytes = 56\ndram_bytes = 100")).plan;
  EXPECT_EQ(device(small, "s"), "chip0.hbm");
  EXPECT_EQ(small.target->off_chip.states, Bytes(20));
}

TEST(PlanOnTarget, WhatMustStayAndDoesNotIsToldWithWhatToChange) {
  Program program = program_of(kChain);
  for (Tensor& tensor : program.tensors) tensor.pinned = true;
  const std::string pinned = refusal(input_of(program), target_of(50));
  EXPECT_NE(pinned.find("take a chip with 10 bytes more SRAM"), std::string::npos) << pinned;

  const std::string weights =
      refusal(input_of(with_everything()), target_of(30, "dram_bytes = 59"));
  EXPECT_NE(weights.find("chip0.dram must hold 60 bytes, and has 59: 1 short"), std::string::npos)
      << weights;
  EXPECT_NE(weights.find("smaller weights"), std::string::npos) << weights;
}

TEST(PlanOnTarget, ScratchAndSiteBuffersHaveTheirShareOfTheSram) {
  Program program = program_of({{0, 1, 10}});
  program.phases[1].scratch = Bytes(7);
  program.buffers = {{.bytes = Bytes(5)}};
  const Plan plan = planned(input_of(program), target_of(22)).plan;
  EXPECT_EQ(tier(plan, Tier::Sram).peak, Bytes(22));
  EXPECT_EQ(row(plan, "scratch of step 1 on chip 0").bytes, Bytes(7));
  EXPECT_EQ(row(plan, "site buffers on chip 0").bytes, Bytes(5));
  EXPECT_EQ(planned(input_of(program), target_of(21)).plan.target->spilled.size(), 1u);
}

TEST(PlanOnTarget, ALoopOverPhasesIsOneEntryOfTheSchedule) {
  Program program = program_of(kChain);
  program.loops = {{{1, 3}, 5}};
  const PlannedFile file = planned(input_of(program), target_of(1000));
  const auto& form = std::get<ScheduleForm>(file.question.form);
  ASSERT_EQ(form.schedule.entries().size(), 3u);
  EXPECT_EQ(form.schedule.graph()[form.schedule.entries()[1]].kind, OpKind::End);
  ASSERT_EQ((*file.launches)->launches.repeats().size(), 1u);
  EXPECT_EQ((*file.launches)->launches.repeats()[0].iterations, 5u);
  EXPECT_EQ(row(file.plan, "t1").life, (LiveRange{1, 3}));
  EXPECT_EQ(row(file.plan, "t0").life, (LiveRange{0, 3}));
}

TEST(PlanOnTarget, ProgramsTakeTurnsOnOneStretchAboveTheStatesOfAllLayers) {
  Deployment deployment{.name = "d"};
  deployment.programs.push_back({.name = "a", .layers = 3, .program = with_everything()});
  deployment.programs.push_back({.name = "b", .layers = 1, .program = program_of(kChain)});
  const Plan plan =
      planned({"d.json", text_of(deployment)}, target_of(90, "dram_bytes = 160")).plan;
  EXPECT_EQ(tier(plan, Tier::Sram).lasting, Bytes(30));
  EXPECT_EQ(tier(plan, Tier::Sram).peak, Bytes(90));
  // Three times the weight, and one input and one output that the layers take turns on.
  EXPECT_EQ(tier(plan, Tier::Dram).peak, Bytes(3 * 50 + 4 + 6));
  EXPECT_EQ(row(plan, "a[0].h").offset, row(plan, "a[2].h").offset);
  EXPECT_EQ(row(plan, "a[1].h").life, (LiveRange{2, 4}));
  EXPECT_EQ(row(plan, "b.t0").life, (LiveRange{6, 8}));
  EXPECT_EQ(plan.step_names[3], "a[1]/down");
  EXPECT_EQ(plan.target->off_chip.ends, Bytes(3 * 10));
}

TEST(PlanOnTarget, AnOutputThatIsAViewOfAnIntermediateIsRefused) {
  Program program = with_everything();
  program.tensors[4].view_of = TensorView{TensorId(1), Bytes(0)};
  const auto answer = plan_on_target(input_of(program), target_of(100), Policy::Rule, {});
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("do not last"), std::string::npos);
}

TEST(PlanOnTarget, OptionsThatMeanNothingThereAreRefused) {
  const InputFile input = input_of(with_everything());
  PlanOptions options;
  options.capacity = {{"", Bytes(1)}};
  EXPECT_EQ(plan_on_target(input, target_of(100), Policy::Rule, options).error().where,
            "--capacity");
  options = {};
  options.in_place = true;
  EXPECT_FALSE(plan_on_target(input, target_of(100), Policy::Rule, options));
}

TEST(PlanOnTarget, WhatIsWrittenIsReadAndCheckedAgainstInputAndTarget) {
  const InputFile input = input_of(with_everything());
  const PlannedFile file = planned(input, target_of(30));
  const std::string text = write_plan(file.plan);
  const auto read = read_plan(*JsonDocument::parse(text, "p.json"));
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(*read, file.plan);

  const auto mismatch = [&](const InputFile& of, const InputFile& on) {
    const auto checked = check_file({"p.json", text}, of, {}, on);
    EXPECT_TRUE(checked) << to_string(checked.error());
    return checked->mismatch.value_or("");
  };
  EXPECT_EQ(mismatch(input, target_of(30)), "");
  EXPECT_NE(mismatch(input, target_of(29)).find("chip0.sram takes 30 bytes, the target has 29"),
            std::string::npos);
  Program larger = with_everything();
  larger.tensors[2].bytes = Bytes(51);
  EXPECT_NE(mismatch(input_of(larger), target_of(30)).find("buffer w has 51 bytes in the input"),
            std::string::npos);
  Program longer = with_everything();
  longer.phases.push_back({"again", {reads(1, 20)}});
  EXPECT_NE(mismatch(input_of(longer), target_of(30)).find("is live"), std::string::npos);
}

// What a random deployment lacks: weights, what is given in and out, views.
void add_kinds(Deployment& deployment, std::mt19937_64& random) {
  for (DeployedProgram& it : deployment.programs) {
    Program& program = it.program;
    for (Tensor& tensor : program.tensors) {
      const bool is_free =
          tensor.kind == TensorKind::Intermediate && !tensor.pinned && !tensor.tier;
      constexpr std::array kinds = {TensorKind::Weight, TensorKind::Input, TensorKind::Output};
      if (is_free && random() % 3 == 0) tensor.kind = kinds[random() % kinds.size()];
    }
    const std::size_t count = program.tensors.size();
    for (Phase& phase : program.phases) {
      for (std::size_t i = 0; i < phase.accesses.size(); ++i) {
        const TensorAccess access = phase.accesses[i];
        const Bytes bytes = program.tensors[access.tensor.index()].bytes;
        const bool is_root = access.tensor.index() < count;
        if (!is_root || bytes == Bytes(0) || random() % 4 != 0) continue;
        const std::uint64_t offset = random() % bytes.count();
        phase.accesses[i].tensor = TensorId(program.tensors.size());
        if (access.kind == TensorAccess::Kind::Write) phase.accesses.push_back(access);
        program.tensors.push_back({.name = "v" + std::to_string(program.tensors.size()),
                                   .bytes = Bytes(bytes.count() - offset),
                                   .view_of = TensorView{access.tensor, Bytes(offset)},
                                   .chip = program.tensors[access.tensor.index()].chip});
      }
    }
  }
}

std::string text_of(const Target& target) {
  std::string text = "name = \"t\"\nany_site_reaches_any = ";
  text += target.any_site_reaches_any ? "true\n" : "false\n";
  for (const Chip& chip : target.chips) {
    text += "[[chip]]\nreserved_bytes = " + std::to_string(chip.reserved.count());
    text += "\nhbm_bytes = " + std::to_string(chip.hbm.count());
    text += "\nalignment = " + std::to_string(chip.alignment.value()) + "\n";
    if (chip.dram) text += "dram_bytes = " + std::to_string(chip.dram->count()) + "\n";
    for (const SiteGroup& group : chip.sites) {
      text += "[[chip.sites]]\ncount = " + std::to_string(group.count) +
              "\nbytes = " + std::to_string(group.bytes.count()) + "\n";
    }
  }
  return text;
}

// Every plan is certified and checks, no arena is past its memory, and reads find what was written:
// by the replay of the schedule, and byte by byte on what the plan says.
TEST(PlanOnTarget, AnyDeploymentOnAnyTargetIsPlannedSoundlyOrRefusedWithAReason) {
  std::size_t plans = 0, refusals = 0, spills = 0, reads = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    test::RandomDeployment random(seed);
    std::mt19937_64 more(seed);
    Target target = random.target();
    Deployment deployment = random.deployment(target.chips.size());
    add_kinds(deployment, more);
    if (seed % 3 == 0) {
      for (Chip& chip : target.chips) chip.alignment = *Alignment::of(4);
    }
    const InputFile input{"d.json", text_of(deployment)};
    const InputFile chips{"t.toml", text_of(target)};
    const auto answer = answer_of(input, chips, seed % 2 == 0 ? Policy::Rule : Policy::Best);
    ASSERT_FALSE(std::holds_alternative<BrokenPromise>(answer))
        << std::get<BrokenPromise>(answer).report;
    if (const auto* no = std::get_if<DoesNotFit>(&answer)) {
      ASSERT_FALSE(no->report.empty());
      ++refusals;
      continue;
    }
    const auto& file = std::get<PlannedFile>(answer);
    ++plans;
    spills += file.plan.target->spilled.size();
    for (const PlannedArena& arena : file.plan.arenas) {
      ASSERT_LE(arena.figures.peak, arena.capacity.value_or(Bytes(UINT64_MAX))) << arena.device;
    }
    const auto checked = check_file({"p.json", write_plan(file.plan)}, input, {}, chips);
    ASSERT_TRUE(checked) << to_string(checked.error());
    ASSERT_TRUE(checked->sound()) << checked->mismatch.value_or("");
    const auto& form = std::get<ScheduleForm>(file.question.form);
    const auto replayed = replay(*file.rewritten, form.schedule);
    ASSERT_TRUE(replayed) << to_string(replayed.error());
    ASSERT_TRUE(replayed->sound());
    reads += replayed->reads;
    const auto read = read_deployed(input, target, {}).value();
    const auto lives = deployment_lives(read.deployment).value();
    const auto fault = test::StepOracle(read.deployment, lives, file.plan).find_fault();
    ASSERT_FALSE(fault) << *fault;
  }
  // It was no idle run.
  EXPECT_GT(plans, 300u);
  EXPECT_GT(refusals, 20u);
  EXPECT_GT(spills, 50u);
  EXPECT_GT(reads, 1000u);
}

// Were two rows at one place, the oracle would see it.
TEST(StepOracle, SeesAByteThatIsAnothers) {
  const Program program = program_of({{0, 2, 4}, {1, 2, 4}});
  PlannedFile file = planned(input_of(program), target_of(100));
  const Deployment deployment{.name = "d",
                              .programs = {{.name = "p", .layers = 1, .program = program}}};
  const auto lives = deployment_lives(deployment).value();
  EXPECT_FALSE(test::StepOracle(deployment, lives, file.plan).find_fault());
  file.plan.buffers[1].offset = file.plan.buffers[0].offset;
  EXPECT_TRUE(test::StepOracle(deployment, lives, file.plan).find_fault());
}

}  // namespace
}  // namespace berth
