// What `check PLAN INPUT` must not say yes to: plans that make a rule weaker by their own word.
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/certify/explain_placement.h"
#include "berth/formats/file.h"
#include "berth/formats/plan_json.h"
#include "berth/pipeline/check_file.h"
#include "berth/pipeline/outputs.h"
#include "berth/pipeline/plan_on_target.h"
#include "tests/regress/bug_corpus.h"
#include "tests/regress/forged_plans.h"
#include "tests/testing/tflite_model.h"

namespace berth {
namespace {

namespace t = testing;

// A question, and how it was asked.
struct Case {
  std::string name;
  InputFile input;
  PlanOptions options{};
  std::optional<InputFile> target{};
};

PlanOptions options_with(const std::function<void(PlanOptions&)>& set) {
  PlanOptions options;
  set(options);
  return options;
}

InputFile table(const std::string& text) {
  return {"in.csv", text};
}

InputFile program_with_all() {
  return {"p.json", R"({"format": "berth.program/1", "name": "p", "tensors": [
 {"name": "x", "kind": "input", "bytes": 16}, {"name": "a", "kind": "intermediate", "bytes": 16},
 {"name": "b", "kind": "intermediate", "bytes": 16}, {"name": "j", "kind": "intermediate", "bytes": 32},
 {"name": "v", "kind": "intermediate", "bytes": 16, "view_of": "j", "offset": 16},
 {"name": "y", "kind": "intermediate", "bytes": 32}, {"name": "z", "kind": "output", "bytes": 8},
 {"name": "w", "kind": "weight", "bytes": 64}],
 "phases": [
 {"name": "p0", "body": [{"read": "x", "bytes": 16}, {"write": "a", "bytes": 16}], "scratch": 24},
 {"name": "p1", "body": [{"read": "x", "bytes": 16}, {"write": "b", "bytes": 16}]},
 {"name": "join", "body": [{"read": "a", "bytes": 16, "part_of": "j", "offset": 0},
   {"read": "b", "bytes": 16, "part_of": "j", "offset": 16}, {"write": "j", "bytes": 32}]},
 {"name": "p3", "body": [{"read": "j", "bytes": 32}, {"read": "v", "bytes": 16}]},
 {"name": "p4", "body": [{"read": "j", "bytes": 32}, {"read": "w", "bytes": 64},
   {"write": "y", "bytes": 32, "reuses": "j"}]},
 {"name": "p5", "body": [{"read": "y", "bytes": 32}, {"write": "z", "bytes": 8}]}]})"};
}

// x -> h -> y with a weight and a state.
std::string chain_program() {
  return R"({"format": "berth.program/1", "name": "p", "tensors": [
 {"name": "x", "kind": "input", "bytes": 4}, {"name": "h", "kind": "intermediate", "bytes": 20},
 {"name": "w", "kind": "weight", "bytes": 50}, {"name": "s", "kind": "state", "bytes": 10},
 {"name": "g", "kind": "intermediate", "bytes": 12}, {"name": "y", "kind": "output", "bytes": 6}],
 "phases": [
 {"name": "up", "body": [{"read": "x", "bytes": 4}, {"read": "s", "bytes": 10},
   {"write": "h", "bytes": 20}], "scratch": 3},
 {"name": "mid", "body": [{"read": "h", "bytes": 20}, {"read": "w", "bytes": 50},
   {"write": "g", "bytes": 12}]},
 {"name": "down", "body": [{"read": "g", "bytes": 12}, {"write": "s", "bytes": 10},
   {"write": "y", "bytes": 6}]}]})";
}

InputFile chips(const std::string& more = "") {
  return {"t.toml",
          "name = \"t\"\nany_site_reaches_any = true\n" + more +
              "[[chip]]\nhbm_bytes = 40\ndram_bytes = 4096\n[[chip.sites]]\nbytes = 64\n"};
}

InputFile tflite_model() {
  const t::TestGraph graph = {
      .tensors = {t::TestTensor{"in", {40}}, t::TestTensor{"a", {90}}, t::TestTensor{"r", {9, 10}},
                  t::TestTensor{"b", {9, 10}}, t::TestTensor{"out", {20}},
                  t::TestTensor{.name = "w", .shape = {8}, .data = 8}},
      .inputs = {0},
      .outputs = {4},
      .ops = {{t::kRelu, {0}, {1}},
              {t::kReshape, {1}, {2}},
              {t::kAdd, {2, 5}, {3}},
              {t::kConv2d, {3, 5}, {4}}}};
  return {"m.tflite", t::tflite_bytes(graph)};
}

InputFile onnx_model() {
  return {"m.onnx", test::onnx_of_open_size()};
}

InputFile schedule_of(const Schedule& schedule) {
  return {"s.json", write_schedule(schedule)};
}

InputFile skewed_schedule() {
  test::Draft draft;
  const OpId a = draft.buffer("a", 300), b = draft.buffer("b", 300, "GPU", 16);
  const OpId c = draft.buffer("c", 300), d = draft.buffer("d", 70, "CPU"), h = draft.buffer("h", 9);
  return schedule_of(draft.schedule({draft.call("k", {a, b}), draft.call("k", {b, c, d}),
                                     draft.call("k", {c, h}), draft.call("k", {c, d})},
                                    {h}));
}

std::vector<Case> cases() {
  const auto of_range = [](PlanOptions& it) { it.bindings.symbols = {{"n", {1, 4}}}; };
  const std::string rows =
      "id,lower,upper,size,alignment,device,offset,gaps\na,0,10,64,16,X,,2-4 6-7@0:8\n"
      "b,2,4,56,8,X,,\nc,3,9,64,4,Y,64,\nd,0,4,30,1,Y,,\n";
  const std::string shared =
      "id,lower,upper,size,reuses,part_of\na,0,3,64,,j@0\nb,1,3,64,,j@64\n"
      "j,2,5,128,,\ny,4,6,128,j,\nz,0,6,32,,\n";
  const InputFile deployment = {"d.json",
                                R"({"format": "berth.deployment/1", "name": "d", "programs": [
 {"name": "one", "layers": 2, "program": )" +
                                    chain_program() + "}]}"};
  return {
      {"table", table(rows)},
      {"table that shares", table(shared)},
      {"table with options", table(rows), options_with([](PlanOptions& it) {
         it.alignment = *Alignment::of(32);
         it.capacity = {{"X", Bytes(512)}};
         it.reserve = Bytes(32);
         it.hold = {"d"};
       })},
      {"table with scratch", table(shared), options_with([](PlanOptions& it) {
         it.scratch = {{"1", Bytes(40)}};
       })},
      {"schedule", skewed_schedule()},
      {"schedule with options", skewed_schedule(), options_with([](PlanOptions& it) {
         it.alignment = *Alignment::of(512);
         it.hold = {"a"};
         it.capacity = {{"", Bytes(8192)}};
       })},
      {"program", program_with_all()},
      {"tflite", tflite_model()},
      {"tflite in place", tflite_model(),
       options_with([](PlanOptions& it) { it.views = it.in_place = true; })},
      {"onnx", onnx_model(), options_with(of_range)},
      {"onnx in place", onnx_model(), options_with([&](PlanOptions& it) {
         of_range(it);
         it.in_place = true;
         it.alignment = *Alignment::of(128);
       })},
      {"program on a target", {"p.json", chain_program()}, {}, chips()},
      {"deployment", deployment, {}, chips("alignment = 8\n")},
      {"tflite on a target", tflite_model(), {}, chips("tile = [4, 4]\n")},
      {"onnx on a target", onnx_model(), options_with(of_range), chips()},
  };
}

Plan planned(const Case& it) {
  const auto answer = it.target ? plan_on_target(it.input, *it.target, Policy::Rule, it.options)
                                : plan_file(it.input, it.options);
  if (!answer) throw std::runtime_error(it.name + ": " + to_string(answer.error()));
  if (const auto* no = std::get_if<DoesNotFit>(&*answer)) throw std::runtime_error(no->report);
  return std::get<PlannedFile>(*answer).plan;
}

std::string told(const Result<CheckedFile>& checked) {
  if (!checked) return to_string(checked.error());
  return checked->mismatch.value_or(explain(checked->verdict, checked->plan));
}

// Sound, and nothing is told: neither the options nor the plan's record.
TEST(CheckPlan, WhatWePlannedIsSoundWithoutAskingAgain) {
  for (const Case& it : cases()) {
    SCOPED_TRACE(it.name);
    const InputFile plan = {"plan.json", write_plan(planned(it))};
    for (const PlanOptions& options : {PlanOptions{}, it.options}) {
      const auto checked = check_file(plan, it.input, options, it.target);
      EXPECT_TRUE(checked && checked->sound()) << told(checked);
    }
    const auto alone = check_file(plan, it.input, {}, std::nullopt);
    EXPECT_TRUE(alone && alone->sound()) << told(alone);
    const bool asks = !it.options.scratch.empty() || it.target || it.options.alignment ||
                      it.options.in_place || it.options.bindings.has_range();
    EXPECT_EQ(alone->by_plan_alone.empty(), !asks);
  }
}

// Two live buffers on the same bytes, one of which is said to have a gap there.
TEST(CheckPlan, AGapThatTheInputDoesNotHaveIsNoRoom) {
  const InputFile input = table("id,lower,upper,size\na,0,10,64\nb,2,4,64\n");
  Plan plan = test::planned(input.content);
  plan.buffers[0].gaps = {{{2, 4}, std::nullopt}};
  plan.buffers[1].offset = plan.buffers[0].offset = Offset(0);
  ArenaFigures& figures = plan.arenas[0].figures;
  figures = {Bytes(64), Bytes(64), Bytes(64), Bytes(64), 0};
  const auto checked = check_file({"plan.json", write_plan(plan)}, input, {}).value();
  EXPECT_TRUE(checked.verdict.sound());
  EXPECT_EQ(checked.mismatch, "buffer a has no gaps in the input, gap 2-4 in the plan");
}

// A forger may record what was asked: then check says whose word it is, and no buffer is lost by it
// that is not named.
TEST(CheckPlan, WhatAPlanRecordsIsToldAndIsNoMoreThanItsWord) {
  const InputFile input = tflite_model();
  const auto checked = [&](const std::function<void(PlanOptions&)>& set) {
    const Plan plan = planned({"", input, options_with(set)});
    return check_file({"plan.json", write_plan(plan)}, input, {}).value();
  };
  const CheckedFile weaker = checked([](PlanOptions& it) { it.alignment = Alignment(); });
  EXPECT_TRUE(weaker.sound());
  EXPECT_EQ(weaker.by_plan_alone, (std::vector<std::string>{"--alignment 1"}));
  const CheckedFile held = checked([](PlanOptions& it) { it.hold = {"a", "b"}; });
  EXPECT_TRUE(held.sound());
  EXPECT_EQ(held.by_plan_alone, (std::vector<std::string>{"--hold a", "--hold b"}));
  const CheckedFile nothing = checked([](PlanOptions& it) {
    it.hold = {"in", "a", "r", "b", "out"};
  });
  EXPECT_TRUE(nothing.verdict.sound());
  EXPECT_NE(nothing.mismatch.value_or("").find("places nothing, by its own word"),
            std::string::npos);
  const CheckedFile foreign = [&] {
    Plan plan = planned({"", input});
    plan.asked.hold = {"nobody"};
    return check_file({"plan.json", write_plan(plan)}, input, {}).value();
  }();
  EXPECT_NE(foreign.mismatch.value_or("").find("is not of this input"), std::string::npos);
}

// What is told to check goes before what the plan records.
TEST(CheckPlan, WhatIsToldGoesBeforeThePlansWord) {
  const InputFile input = tflite_model();
  const Plan plan = planned({"", input, options_with([](PlanOptions& it) {
                               it.alignment = Alignment();
                               it.capacity = {{"CPU", Bytes(400)}};
                             })});
  const InputFile file = {"plan.json", write_plan(plan)};
  EXPECT_TRUE(check_file(file, input, {}).value().sound());
  const auto with = [&](const std::function<void(PlanOptions&)>& set) {
    return check_file(file, input, options_with(set)).value().sound();
  };
  EXPECT_FALSE(with([](PlanOptions& it) { it.alignment = *Alignment::of(16); }));
  EXPECT_FALSE(with([](PlanOptions& it) { it.capacity = {{"", Bytes(64)}}; }));
  EXPECT_TRUE(with([](PlanOptions& it) { it.capacity = {{"", Bytes(4096)}}; }));
  EXPECT_FALSE(with([](PlanOptions& it) { it.hold = {"a"}; }));
}

// Whatever shares the bytes of what is held is held with it.
TEST(CheckPlan, WhatIsHeldWithAnotherIsNoFault) {
  for (const char* name : {"in", "a", "r", "b", "out"}) {
    const Case it = {"", tflite_model(), options_with([&](PlanOptions& options) {
                       options.views = options.in_place = true;
                       options.hold = {name};
                     })};
    const auto checked = check_file({"plan.json", write_plan(planned(it))}, it.input, {});
    EXPECT_TRUE(checked && checked->sound()) << name << ": " << told(checked);
  }
}

// The answers that are no plans, against what they answer.
TEST(CheckPlan, ATableOrAModelWithPlacesIsAnAnswerToItsInput) {
  for (const Case& it : cases()) {
    if (it.target || !it.options.scratch.empty()) continue;
    SCOPED_TRACE(it.name);
    const auto answer = plan_file(it.input, it.options).value();
    std::vector<std::string> paths = {"answer.csv"};
    if (it.input.path.ends_with(".tflite")) paths.push_back("answer.tflite");
    const auto files = output_forms(it.input, std::get<PlannedFile>(answer), paths).value();
    for (const FileContent& written : files) {
      const InputFile given = {written.path, written.content};
      const auto checked = check_file(given, it.input, it.options);
      EXPECT_TRUE(checked && checked->sound()) << written.path << ": " << told(checked);
    }
  }
}

// Every field of a plan that could make a rule weaker is the input's to say.
TEST(CheckPlan, NoFieldOfAPlanMakesARuleWeaker) {
  std::size_t forged = 0, sound_by_themselves = 0;
  for (const Case& it : cases()) {
    SCOPED_TRACE(it.name);
    test::each_forgery(planned(it), [&](const Plan& plan, const std::string& what) {
      const InputFile file = {"plan.json", write_plan(plan)};
      const auto checked = check_file(file, it.input, {}, it.target);
      const bool is_read = checked.has_value();
      EXPECT_TRUE(!is_read || !checked->sound()) << it.name << ": " << what;
      ++forged;
      sound_by_themselves += is_read && checked->verdict.sound() ? 1 : 0;
    });
  }
  RecordProperty("forged", static_cast<int>(forged));
  EXPECT_GT(forged, 2000u);
  EXPECT_GT(sound_by_themselves * 3, forged);
}

}  // namespace
}  // namespace berth
