// Schedules whose answer was wrong: what stands where, what runs, what it costs, who must wait.
#include <array>
#include <fstream>
#include <sstream>

#include "berth/certify/arena_judge.h"
#include "berth/formats/c_header.h"
#include "berth/lower/row_count.h"
#include "berth/pipeline/outputs.h"
#include "berth/plan/rewrite.h"
#include "berth/render/table.h"
#include "berth/replay/replay.h"
#include "tests/regress/bug_corpus.h"

namespace berth {
namespace {

using test::Draft;

constexpr std::uint64_t kBase = 0x10000000;

std::string saved(const std::string& name) {
  std::ifstream file(std::string(BERTH_ROOT) + "/tests/data/schedules/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

PlannedFile planned_file(const std::string& text) {
  auto found = test::answer(text);
  if (!found) throw std::runtime_error(to_string(found.error()));
  return std::get<PlannedFile>(*std::move(found));
}
PlannedFile planned_file(const Schedule& schedule) {
  return planned_file(write_schedule(schedule));
}

Schedule read_back(const std::string& text) {
  return read_schedule(*JsonDocument::parse(text, "case")).value();
}

// With what each launch reads and writes.
LoweredSchedule lowered(const std::string& text) {
  PlanOptions options;
  options.extents = true;
  auto found = test::answer(text, options).value();
  return std::move(*std::get<PlannedFile>(found).launches).value();
}
LoweredSchedule lowered(const Schedule& schedule) {
  return lowered(write_schedule(schedule));
}

bool is_certified(const LoweredSchedule& lowered) {
  return judge_arena(lowered.planes, lowered.launches).certified();
}

std::vector<std::uint64_t> words_of(const Schedule& schedule) {
  const LoweredSchedule found = lowered(schedule);
  return {found.launches.table().words.begin(), found.launches.table().words.end()};
}

OpId loop_of(Draft& s, OpId repeated, std::uint64_t count) {
  return s.add(end_op(repeated, count));
}

// ---- Who must wait.

TEST(Schedules, WorkOnTwoDevicesIsOrderedByAllocationToo) {
  const std::string strong = "in-order per device; across devices by allocation, copies included";
  const PlannedFile cross = planned_file(saved("cross.json"));
  EXPECT_EQ(cross.plan.ordering, strong);
  EXPECT_TRUE(test::share_a_byte(cross.plan, "cpu_a", "cpu_c"));
  EXPECT_NE(plan_table(cross.plan, Colour::Off).find("keep this order: " + strong),
            std::string::npos);
  EXPECT_NE(write_c_header(cross.plan).find(strong), std::string::npos);

  Draft one;
  const OpId a = one.buffer("a", 100), b = one.buffer("b", 100);
  const std::vector<OpId> entries = {one.call("f", {a}), one.call("g", {a, b})};
  EXPECT_EQ(test::planned(one.schedule(entries)).ordering, "in-order per device");
}

// Whoever else touches an arena's bytes may be late, planned there or not.
TEST(Schedules, ACopyToWhatIsNotPlannedOnAnotherDeviceIsOrderedByAllocation) {
  for (const char* device : {"GPU", "CPU", "DISK:/x"}) {
    Draft s;
    const OpId a = s.buffer("a", 100, "GPU"), out = s.buffer("out", 100, device);
    const OpId copy = s.add(call_op(s.add(store_op("copy")), std::array{out, a}, "wr"));
    const Plan plan = test::planned(s.schedule({s.call("f", {a}), copy}, {out}));
    EXPECT_EQ(plan.ordering.find("allocation") != std::string::npos, device != std::string("GPU"));
  }
}

// ---- One slot is one storage.

TEST(Schedules, ASlotOfADeviceIsWrittenOneWay) {
  const std::string text = test::refusal(saved("dupslot2.json"));
  for (const char* part : {"ops[1].slot", "buffer 0 of GPU", "'x'", "no name"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  const Storage x = {.slot = 3, .elements = 8, .device = "GPU", .skew = 0, .name = "x"};
  const auto refuses = [&](const Op& second, const Op& first) {
    OpGraph graph;
    const OpId root = graph.add(linear_op({})).value();
    for (const Op& op : {first, second}) graph.add(op).value();
    return !Schedule::make(std::move(graph), root, {});
  };
  for (const auto& op_of : {buffer_op, param_op, alloc_op}) {
    Storage other = x;
    EXPECT_FALSE(refuses(op_of(other), op_of(x)));
    other.name = "";
    EXPECT_TRUE(refuses(op_of(other), op_of(x)));
    other = x;
    other.elements = 9;
    EXPECT_TRUE(refuses(op_of(other), op_of(x)));
    other = x;
    other.skew = 4;
    EXPECT_TRUE(refuses(op_of(other), op_of(x)));
    other = x;
    other.dtype = *Dtype::of("uint8");
    EXPECT_TRUE(refuses(op_of(other), op_of(x)));
    other = x;
    other.device = "CPU";
    EXPECT_FALSE(refuses(op_of(other), op_of(x)));
  }
  EXPECT_FALSE(refuses(param_op(x), buffer_op(x)));  // params number their own
}

// ---- What a loop repeats.

TEST(Schedules, ALoopMayRepeatALoop) {
  const auto plan_of = [](bool wrapped) {
    Draft s;
    const OpId a = s.buffer("a", 300), b = s.buffer("b", 300), c = s.buffer("c", 300);
    const OpId flag = s.buffer("flag", 1);
    const auto body = [&](OpId one) { return wrapped ? s.add(linear_op({one})) : one; };
    const OpId inner = loop_of(s, s.call("k", {a, b}, "rw"), 3);
    const OpId until = s.add(back_edge_op(body(inner), flag));
    const OpId outer = loop_of(s, body(loop_of(s, body(until), 2)), 5);
    return planned_file(s.schedule(
        {s.call("f", {a}, "w"), s.call("t", {flag}, "w"), outer, s.call("g", {b, c}, "rw")}));
  };
  const PlannedFile bare = plan_of(false);
  const PlannedFile wrapped = plan_of(true);
  EXPECT_EQ(bare.plan.buffers, wrapped.plan.buffers);
  EXPECT_EQ((*bare.launches)->launches, (*wrapped.launches)->launches);
  EXPECT_EQ((*bare.launches)->planes, (*wrapped.launches)->planes);
  EXPECT_EQ(test::life(bare.plan, "flag"), (LiveRange{1, 3}));
  EXPECT_EQ(test::life(bare.plan, "a"), (LiveRange{0, 3}));
  EXPECT_FALSE(test::share_a_byte(bare.plan, "a", "flag"));
  const auto& original = std::get<ScheduleForm>(bare.question.form).schedule;
  const ReplayReport report = replay(*bare.rewritten, original).value();
  EXPECT_TRUE(report.sound());
  EXPECT_EQ(report.calls, 3u + 2u * 2u * 2u * 2u);
  EXPECT_EQ(write_schedule(read_back(write_schedule(*bare.rewritten))),
            write_schedule(*bare.rewritten));
}

// ---- Where a view begins.

TEST(Schedules, ViewsOfViewsOfPackedTypesBeginWhereTheirFirstElementDoes) {
  const PlannedFile twice = planned_file(saved("int4twice.json"));
  const auto words = (*twice.launches)->launches.table().words;
  EXPECT_EQ(std::vector(words.begin(), words.end()),
            (std::vector<std::uint64_t>{kBase + 1, kBase + 1}));

  for (const auto& [type, bits] :
       {std::pair("int4", 4), {"float4_e2m1", 4}, {"int2", 2}, {"uint1", 1}}) {
    Draft s;
    OpId view = s.add(buffer_op({.slot = 0,
                                 .dtype = *Dtype::of(type),
                                 .elements = 200,
                                 .device = "GPU",
                                 .skew = 0,
                                 .name = "x"}));
    std::vector<OpId> entries;
    for (std::uint64_t depth = 1; depth <= 64; ++depth) {
      view = s.view(view, 1, 200 - depth + 1);
      if (depth % 8 == 0) view = s.add(after_op(view, {}));
      entries.push_back(s.call("k", {view}, "w"));
    }
    const auto found = words_of(s.schedule(entries));
    for (std::uint64_t depth = 1; depth <= 64; ++depth) {
      ASSERT_EQ(found[depth - 1], kBase + depth * static_cast<std::uint64_t>(bits) / 8)
          << type << " " << depth;
    }
  }
}

TEST(Schedules, APackedViewKeepsItsBitThroughOtherPackedTypes) {
  Draft s;
  const OpId x =
      s.add(buffer_op({.slot = 0, .dtype = *Dtype::of("int4"), .elements = 16, .device = "GPU"}));
  const OpId odd = s.view(x, 1, 16);  // from bit 4
  const OpId pairs = s.add(bitcast_op(odd, *Dtype::of("int2")));
  EXPECT_EQ(s.graph().view(pairs)->elements, 30u);
  const OpId third = s.view(pairs, 2, 30);  // 4 bits on
  EXPECT_EQ(s.graph().view(third)->bytes, (ByteRange{1, 8}));
  EXPECT_EQ(s.graph().view(s.view(pairs, 1, 3))->bytes, (ByteRange{0, 2}));
  const OpId bytes = s.add(bitcast_op(odd, Dtype::int8()));  // the bytes around it
  EXPECT_EQ(*s.graph().view(bytes), (View{x, {0, 8}, Dtype::int8(), 8}));
  OpGraph graph = s.graph();  // an int4 that would begin at bit 2
  EXPECT_FALSE(
      graph.add(bitcast_op(graph.add(shrink_op(pairs, {1, 3})).value(), *Dtype::of("int4"))));
}

TEST(Schedules, AViewOfNoElementHasNoByte) {
  Draft s;
  const OpId x =
      s.add(buffer_op({.slot = 0, .dtype = *Dtype::of("int4"), .elements = 8, .device = "GPU"}));
  const OpId none = s.view(x, 3, 3);
  EXPECT_TRUE(s.graph().view(none)->bytes.empty());
  EXPECT_EQ(words_of(s.schedule({s.call("k", {x, none}, "wr")})),
            std::vector<std::uint64_t>{kBase});
}

// ---- What never runs.

TEST(Schedules, ALoopOfNoTurnInsideAnotherRunsNothing) {
  const LoweredSchedule found = lowered(saved("zero_nested.json"));
  EXPECT_TRUE(is_certified(found));
  EXPECT_EQ(found.launches.size(), 1u);
  EXPECT_TRUE(found.warnings.empty());
  ASSERT_EQ(found.planes.phases()[0].planes.size(), 1u);
  EXPECT_EQ(found.planes.phases()[0].planes[0].range.name, "a");
  const Schedule schedule = read_back(saved("zero_nested.json"));
  const ReplayReport report = replay(schedule).value();
  EXPECT_EQ(report.calls, 2u);
  EXPECT_TRUE(report.undefined.empty());
  // It takes what its calls take all the same.
  EXPECT_EQ(test::planned(saved("zero_nested.json")).buffers.size(), 2u);
}

TEST(Schedules, AWriterThatNeverRunsHidesNoUnwrittenRead) {
  for (const int form : {0, 1, 2, 3}) {
    Draft s;
    const OpId a = s.buffer("a", 100), b = s.buffer("b", 100), flag = s.buffer("flag", 1);
    const OpId never = s.call("never", {b}, "w");
    const OpId zero = form == 3 ? s.add(back_edge_op(never, flag, 0)) : loop_of(s, never, 0);
    const OpId runs = s.call("runs", {a}, "w");
    const OpId loop = form == 0   ? zero
                      : form == 1 ? loop_of(s, zero, 3)
                                  : loop_of(s, s.add(linear_op({runs, zero})), 2);
    const LoweredSchedule found = lowered(s.schedule({loop, s.call("read", {b}, "r")}));
    EXPECT_TRUE(is_certified(found)) << form;
    EXPECT_EQ(found.warnings,
              (std::vector<std::string>{"step 1 (read) reads b before anything writes it"}));
    for (const PhasePlanes& phase : found.planes.phases()) {
      for (const Plane& plane : phase.planes) EXPECT_NE(plane.range.name, "flag");
    }
    EXPECT_FALSE(found.planes.phases()[1].planes.at(0).carried) << form;
  }
}

// ---- What nobody wrote.

// The first call writes a half; the launches say of the other one that nobody reads it.
TEST(Schedules, LaunchesThatReadWhatOnlyAPartWasWrittenOfAreCertifiedWithAWarning) {
  Draft s;
  const OpId a = s.buffer("a", 512), b = s.buffer("b", 100);
  const std::vector<OpId> body = {s.call("half", {s.view(a, 0, 256)}, "w"),
                                  s.call("all", {a, b}, "rw"),
                                  s.call("high", {s.view(a, 256, 512)}, "r")};
  const LoweredSchedule found = lowered(s.schedule({s.loop(body, 4)}));
  EXPECT_TRUE(is_certified(found));
  EXPECT_EQ(found.warnings,
            (std::vector<std::string>{
                "step 0 (loop) reads a from byte 256 on before anything writes it"}));
  const Extent all = found.launches.extents(LaunchId(1))[0];
  EXPECT_EQ(std::pair(all.reads, all.writes), std::pair(std::uint64_t{256}, std::uint64_t{0}));
  EXPECT_TRUE(found.launches.extents(LaunchId(2)).empty());
  // In an entry of its own, what it reads was carried there.
  const LoweredSchedule apart = lowered(s.schedule({body[0], body[1]}));
  EXPECT_TRUE(is_certified(apart));
  EXPECT_EQ(apart.warnings.size(), 1u);
  EXPECT_TRUE(lowered(s.schedule({body[0], body[2]})).warnings.size() == 1u);
  EXPECT_TRUE(lowered(s.schedule({s.call("w", {a}, "w"), body[1], body[2]})).warnings.empty());
}

TEST(Schedules, ACallThatReadsAndWritesABufferAsTwoArgumentsIsCertified) {
  Draft s;
  const OpId a = s.buffer("a", 100);
  EXPECT_TRUE(is_certified(lowered(s.schedule({s.call("k", {a, a}, "rw")}))));
  EXPECT_TRUE(is_certified(lowered(s.schedule({s.call("k", {a, s.view(a, 50, 100)}, "wr")}))));
}

// ---- Bodies are their own business.

TEST(Schedules, ABodyIsNotRewrittenByWhicheverWayItIsReached) {
  const PlannedFile found = planned_file(saved("after_kernel.json"));
  const Schedule original = read_back(saved("after_kernel.json"));
  const OpGraph& graph = found.rewritten->graph();
  const OpId call = found.rewritten->entries()[0];
  EXPECT_EQ(graph[graph[call].sources[0]], original.graph()[OpId(1)]);  // mentions a
  const OpId view = graph[call].sources[1];
  EXPECT_EQ(graph[view].kind, OpKind::After);
  EXPECT_EQ(graph[view].sources[1], graph[call].sources[0]);
  EXPECT_EQ(graph.storage(*graph.storage_base(view)).slot, 1u);

  // Through a store, and through a view that a body mentions.
  Draft s;
  const OpId a = s.buffer("a", 100), b = s.buffer("b", 100);
  const OpId mentioned = s.add(store_op("s", {s.view(a, 0, 50), b}));
  const OpId after = s.add(after_op(b, std::array{mentioned, s.call("k", {a})}));
  const Schedule schedule = s.schedule({s.call("k", {a}), s.call("l", {after})});
  const Schedule rewritten = memory_plan_rewrite(schedule).value();
  const OpGraph& all = rewritten.graph();
  const Op& its_after = all[all[rewritten.entries()[1]].sources[1]];
  EXPECT_EQ(its_after.sources[1], mentioned);
  EXPECT_EQ(its_after.sources[2], rewritten.entries()[0]);  // a call is no body
  EXPECT_EQ(all[mentioned], s.graph()[mentioned]);
}

// ---- Extremes.

TEST(Schedules, LoopsThatRunTooOftenForATableAreALimit) {
  const PlannedFile found = planned_file(saved("bigcount.json"));
  ASSERT_FALSE(*found.launches);
  const Error& error = found.launches->error();
  EXPECT_EQ(error.kind, Error::Kind::Limit);
  EXPECT_EQ(error.where, "case: root");
  EXPECT_NE(error.message.find("2^62"), std::string::npos);
  Draft s;
  const OpId call = s.call("k", {s.buffer("a", 8)});
  const auto kind_of = [&](std::vector<OpId> entries) {
    const auto launches = *planned_file(s.schedule(std::move(entries))).launches;
    return launches ? std::nullopt : std::optional(launches.error().kind);
  };
  const OpId most = loop_of(s, call, (std::uint64_t{1} << 61) - 1);
  EXPECT_EQ(kind_of({most, most}), std::nullopt);
  EXPECT_EQ(kind_of({most, most, call, call}), Error::Kind::Limit);
}

TEST(Schedules, TheLargestBuffersArePlannedAndReadAgain) {
  for (const char* name : {"size_i1.json", "body_and_arena2.json"}) {
    const PlannedFile found = planned_file(saved(name));
    const std::string text = write_schedule(*found.rewritten);
    EXPECT_EQ(write_schedule(read_back(text)), text) << name;
    EXPECT_TRUE(replay(*found.rewritten, read_back(saved(name))).value().sound()) << name;
  }
}

TEST(Schedules, ASlotThatLeavesNoneForArenasIsRefusedWithItsFile) {
  OpGraph graph;
  const OpId a = graph.add(buffer_op({.slot = UINT64_MAX, .elements = 8, .device = "GPU"})).value();
  const OpId call = graph.add(call_op(graph.add(kernel_op("k")).value(), std::array{a})).value();
  const OpId root = graph.add(linear_op({call})).value();
  const Schedule schedule = Schedule::make(std::move(graph), root, {}).value();
  const std::string text = test::refusal(write_schedule(schedule));
  EXPECT_EQ(text.find("case: ops"), 0u) << text;
}

// ---- What a small file may cost.

// Each of many entries runs one loop of many calls.
Schedule sharing(std::uint64_t entries, std::uint64_t calls, bool distinct) {
  Draft s;
  const OpId a = s.buffer("a", 8), b = s.buffer("b", 8);
  std::vector<OpId> body;
  for (std::uint64_t i = 0; i < calls; ++i) {
    body.push_back(s.call("k" + std::to_string(i), {a, b}, "rw"));
  }
  const OpId shared = s.add(linear_op(body));
  std::vector<OpId> roots;
  for (std::uint64_t i = 0; i < entries; ++i)
    roots.push_back(loop_of(s, shared, distinct ? i + 2 : 2));
  return s.schedule(roots);
}

TEST(Schedules, EntriesThatShareALoopAreCountedBeforeAnythingIsMade) {
  const std::uint64_t most = 1'000'000;
  const RowCount same = count_rows(sharing(3500, 4000, false), most);
  EXPECT_GT(same.rows, most);
  EXPECT_LE(same.rows, most + 3 * 4000 + 3);
  EXPECT_EQ(same.walked, 4000u);  // the one node once
  const RowCount distinct = count_rows(sharing(3500, 4000, true), most);
  EXPECT_GT(distinct.rows, most);
  EXPECT_LE(distinct.walked, most / 3 + 4000);
  const RowCount small = count_rows(sharing(3, 4, true), most);
  EXPECT_EQ(small.rows, 3u * (1 + 2 + 4 * 3));
  EXPECT_EQ(small.executed, 4u * (2 + 3 + 4));

  const PlannedFile found = planned_file(sharing(3500, 4000, false));
  EXPECT_TRUE(found.rewritten);
  ASSERT_FALSE(*found.launches);
  EXPECT_EQ(found.launches->error().kind, Error::Kind::Limit);
  ASSERT_FALSE(found.question.notes.empty());
  EXPECT_NE(found.question.notes.back().find("launches were not certified"), std::string::npos);
}

// Each step is named after its body, and all of them are one call.
TEST(Schedules, ALongNameOfManyStepsIsALimit) {
  Draft s;
  const OpId call = s.call(std::string(1'000'000, 'k'), {s.buffer("a", 8)});
  const auto found = test::answer(write_schedule(s.schedule(std::vector<OpId>(70, call))));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, Error::Kind::Limit);
  EXPECT_TRUE(test::answer(write_schedule(s.schedule(std::vector<OpId>(5, call)))));
}

}  // namespace
}  // namespace berth
