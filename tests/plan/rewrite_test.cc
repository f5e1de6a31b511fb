#include "berth/plan/rewrite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "berth/formats/schedule.h"
#include "berth/plan/pack.h"
#include "tests/support/schedules.h"

namespace berth {
namespace {

using test::argument;
using test::Draft;

Schedule rewritten(const Schedule& schedule, std::vector<OpId> held = {}) {
  return memory_plan_rewrite(schedule, held).value();
}

const View& argument(const Schedule& schedule, std::size_t entry, std::size_t n) {
  return argument(schedule.graph(), schedule.entries()[entry], n);
}

ByteRange bytes(const Schedule& schedule, std::size_t entry, std::size_t n) {
  return argument(schedule, entry, n).bytes;
}

const Storage& storage(const Schedule& schedule, std::size_t entry, std::size_t n) {
  return schedule.graph().storage(argument(schedule, entry, n).base);
}

Storage arena(std::uint64_t slot, std::uint64_t bytes, std::string device = "GPU") {
  return {.slot = slot, .elements = bytes, .device = std::move(device)};
}

// a[c0..c1], b[c1..c2], c[c2..c3], each 100 bytes unless said.
struct Chain {
  explicit Chain(std::uint64_t bytes_of_a = 100, std::uint8_t skew_of_a = 0)
      : a(draft.buffer("a", bytes_of_a, "GPU", skew_of_a)) {}

  Schedule schedule(std::vector<OpId> held = {}) {
    return draft.schedule({draft.call("c0", {a}), draft.call("c1", {a, b}),
                           draft.call("c2", {b, c}), draft.call("c3", {c})},
                          std::move(held));
  }

  Draft draft;
  OpId a;
  OpId b = draft.buffer("b", 100);
  OpId c = draft.buffer("c", 100);
};

TEST(MemoryPlanRewrite, BuffersThatMissEachOtherShareAPlace) {
  const Schedule planned = rewritten(Chain().schedule());
  EXPECT_EQ(storage(planned, 0, 0), arena(3, 512));
  EXPECT_EQ(bytes(planned, 0, 0), (ByteRange{0, 100}));
  EXPECT_EQ(bytes(planned, 1, 0), (ByteRange{0, 100}));
  EXPECT_EQ(bytes(planned, 1, 1), (ByteRange{256, 356}));
  EXPECT_EQ(bytes(planned, 2, 1), (ByteRange{0, 100}));
  EXPECT_EQ(argument(planned, 2, 1).base, argument(planned, 1, 1).base);
}

TEST(MemoryPlanRewrite, ASkewedBufferKeepsItsPhase) {
  const Schedule planned = rewritten(Chain(100, 4).schedule());
  EXPECT_EQ(bytes(planned, 0, 0), (ByteRange{4, 104}));
  EXPECT_EQ(bytes(planned, 1, 1), (ByteRange{256, 356}));
  EXPECT_EQ(storage(planned, 0, 0).elements, 512u);
}

TEST(MemoryPlanRewrite, TheSkewCountsInTheExtent) {
  const Schedule planned = rewritten(Chain(253, 4).schedule());
  EXPECT_EQ(bytes(planned, 0, 0), (ByteRange{4, 257}));
  EXPECT_EQ(bytes(planned, 1, 1), (ByteRange{512, 612}));
}

TEST(MemoryPlanRewrite, AHeldBufferStaysAsItIs) {
  for (const bool in_the_schedule : {true, false}) {
    Chain chain;
    const OpId b = chain.b;
    const Schedule planned =
        in_the_schedule ? rewritten(chain.schedule({b})) : rewritten(chain.schedule(), {b});
    EXPECT_EQ(argument(planned, 1, 1).base, b);
    EXPECT_EQ(bytes(planned, 0, 0), (ByteRange{0, 100}));
    EXPECT_EQ(bytes(planned, 2, 1), (ByteRange{0, 100}));
    EXPECT_EQ(storage(planned, 0, 0), arena(3, 256));
    EXPECT_EQ(planned.held().size(), in_the_schedule ? 1u : 0u);
  }
}

TEST(MemoryPlanRewrite, AHeldViewHoldsWhatItViews) {
  Chain chain;
  const OpId view = chain.draft.add(bitcast_op(chain.draft.view(chain.b, 8, 16), Dtype::int8()));
  const Schedule planned = rewritten(chain.schedule({view}));
  EXPECT_EQ(argument(planned, 1, 1).base, chain.b);
  EXPECT_EQ(planned.held()[0], view);
}

TEST(MemoryPlanRewrite, BuffersOnDisksStay) {
  for (const char* disk : {"DISK", "DISK:/x", "TINYFS", "TINYFS:y"}) {
    Draft draft;
    const OpId a = draft.buffer("a", 100, disk);
    const OpId b = draft.buffer("b", 100);
    const Schedule planned = rewritten(draft.schedule({draft.call("c0", {a, b})}));
    EXPECT_EQ(argument(planned, 0, 0).base, a) << disk;
    EXPECT_EQ(storage(planned, 0, 1), arena(2, 256));
  }
}

TEST(MemoryPlanRewrite, ALoopIsOneCall) {
  Draft draft;
  const OpId x = draft.buffer("x", 100);
  const OpId y = draft.buffer("y", 100);
  const OpId z = draft.buffer("z", 100);
  const OpId inner = draft.loop({draft.call("i", {y})});
  const OpId loop = draft.loop({draft.call("k", {x}), inner});
  const Schedule planned = rewritten(
      draft.schedule({draft.call("c0", {x}), draft.call("c1", {z}), loop, draft.call("c3", {z})}));
  // x lives [0, 3), z [1, 4), y [2, 3): all three are live in the loop.
  EXPECT_EQ(storage(planned, 0, 0).elements, 768u);
  EXPECT_EQ(bytes(planned, 1, 0), (ByteRange{256, 356}));
  const OpGraph& graph = planned.graph();
  const Op& body = graph[graph[planned.entries()[2]].sources[0]];
  const Op& inner_body = graph[graph[body.sources[1]].sources[0]];
  EXPECT_EQ(argument(graph, body.sources[0], 0).bytes, (ByteRange{0, 100}));
  EXPECT_EQ(argument(graph, inner_body.sources[0], 0).bytes, (ByteRange{512, 612}));
}

TEST(MemoryPlanRewrite, ABackEdgesFlagLivesThroughItsLoop) {
  Draft draft;
  const OpId a = draft.buffer("a", 100);
  const OpId flag = draft.buffer("flag", 1);
  const OpId b = draft.buffer("b", 100);
  const OpId loop = draft.add(
      back_edge_op(draft.call("k", {a}), draft.add(bitcast_op(flag, *Dtype::of("bool")))));
  const Schedule planned = rewritten(draft.schedule({loop, draft.call("c1", {b})}));
  EXPECT_EQ(storage(planned, 1, 0).elements, 512u);
  const OpGraph& graph = planned.graph();
  const View& view = graph.view(graph[planned.entries()[0]].sources[1]).value();
  EXPECT_EQ(view.bytes, (ByteRange{256, 257}));
  EXPECT_EQ(view.dtype, *Dtype::of("bool"));
  EXPECT_EQ(bytes(planned, 1, 0), (ByteRange{0, 100}));
}

TEST(MemoryPlanRewrite, EachDeviceHasOneArenaThatCopiesShare) {
  Draft draft;
  const OpId source = draft.buffer("source", 100, "GPU");
  const OpId target = draft.buffer("target", 300, "CPU");
  const OpId next = draft.buffer("next", 100, "GPU");
  const OpId copy = draft.add(call_op(draft.add(store_op("copy")), std::array{target, source}));
  const Schedule planned =
      rewritten(draft.schedule({draft.call("c0", {source}), copy, draft.call("c2", {next})}));
  EXPECT_EQ(storage(planned, 0, 0), arena(3, 256, "GPU"));  // the first to appear
  EXPECT_EQ(storage(planned, 1, 0), arena(4, 512, "CPU"));
  EXPECT_EQ(bytes(planned, 2, 0), (ByteRange{0, 100}));  // free once the copy has read it
}

TEST(MemoryPlanRewrite, ABufferThatIsReachedOnlyThroughViewsIsPlanned) {
  Draft draft;
  const OpId a = draft.add(
      buffer_op({.slot = 7, .dtype = *Dtype::of("float32"), .elements = 64, .device = "GPU"}));
  const OpId b = draft.buffer("b", 256);
  const OpId bits = draft.add(bitcast_op(a, Dtype::int8()));
  const OpId view = draft.view(bits, 16, 32);
  const Schedule planned = rewritten(
      draft.schedule({draft.call("c0", {bits}), draft.call("c1", {b}), draft.call("c2", {view})}));
  EXPECT_EQ(storage(planned, 0, 0), arena(8, 512));
  EXPECT_EQ(bytes(planned, 2, 0), (ByteRange{16, 32}));
  EXPECT_EQ(bytes(planned, 1, 0), (ByteRange{256, 512}));  // a lives until c2
}

TEST(MemoryPlanRewrite, AViewOfTheArenaBearsTheBuffersType) {
  Draft draft;
  const OpId a = draft.add(buffer_op(
      {.slot = 0, .dtype = *Dtype::of("float32"), .elements = 16, .device = "GPU", .skew = 8}));
  const Schedule planned = rewritten(draft.schedule({draft.call("c0", {a})}));
  const OpGraph& graph = planned.graph();
  const Op& cast = graph[graph[planned.entries()[0]].sources[1]];
  ASSERT_EQ(cast.kind, OpKind::Bitcast);
  EXPECT_EQ(std::get<Dtype>(cast.attributes), *Dtype::of("float32"));
  const Op& shrink = graph[cast.sources[0]];
  ASSERT_EQ(shrink.kind, OpKind::Shrink);
  EXPECT_EQ(std::get<ElementRange>(shrink.attributes), (ElementRange{8, 72}));
  EXPECT_EQ(graph[shrink.sources[0]].kind, OpKind::Buffer);
}

TEST(MemoryPlanRewrite, ABodyThatMentionsABufferIsUntouched) {
  Draft draft;
  const OpId a = draft.buffer("a", 100);
  const OpId body = draft.add(kernel_op("k", {draft.view(a, 0, 4)}));
  const Schedule planned = rewritten(draft.schedule({draft.add(call_op(body, std::array{a}))}));
  EXPECT_EQ(planned.graph()[planned.entries()[0]].sources[0], body);
  EXPECT_NE(argument(planned, 0, 0).base, a);
}

TEST(MemoryPlanRewrite, ABufferThatOnlyABodyMentionsIsNotPlanned) {
  Draft draft;
  const OpId a = draft.buffer("a", 100);
  const OpId body = draft.add(kernel_op("k", {a}));
  const Schedule schedule = draft.schedule({draft.add(call_op(body, {}))});
  EXPECT_EQ(rewritten(schedule).root(), schedule.root());
}

TEST(MemoryPlanRewrite, IsTheSameScheduleWhereNothingIsPlanned) {
  Draft draft;
  const OpId held = draft.buffer("held", 100);
  const OpId empty = draft.buffer("empty", 0);
  const OpId p = draft.add(param_op({.slot = 0, .elements = 8, .device = "GPU"}));
  for (const Schedule& schedule :
       {draft.schedule({}), draft.schedule({draft.call("k", {held})}, {held}),
        draft.schedule({draft.call("k", {empty, p})})}) {
    const Schedule same = rewritten(schedule);
    EXPECT_EQ(same.root(), schedule.root());
    EXPECT_EQ(same.graph().size(), schedule.graph().size());
  }
}

TEST(MemoryPlanRewrite, AnEmptyBufferStaysAndMeetsNothing) {
  Draft draft;
  const OpId empty = draft.buffer("empty", 0, "GPU", 9);
  const OpId a = draft.buffer("a", 100);
  const Schedule planned = rewritten(draft.schedule({draft.call("k", {empty, a})}));
  EXPECT_EQ(argument(planned, 0, 0).base, empty);
  EXPECT_EQ(storage(planned, 0, 1), arena(2, 256));
  EXPECT_EQ(bytes(planned, 0, 1), (ByteRange{0, 100}));
}

TEST(MemoryPlanRewrite, ArenasTakeTheSlotsAfterThoseOfBuffersAndAllocs) {
  Draft draft;
  const OpId a = draft.buffer("a", 100);
  const OpId l = draft.add(alloc_op({.slot = 40, .elements = 8, .device = "GPU"}));
  const OpId p = draft.add(param_op({.slot = 99, .elements = 8, .device = "GPU"}));
  const Schedule planned = rewritten(draft.schedule({draft.call("k", {a, l, p})}));
  EXPECT_EQ(storage(planned, 0, 0).slot, 41u);
}

TEST(MemoryPlanRewrite, RefusesSlotsPast64Bits) {
  Draft draft;
  const OpId a = draft.add(buffer_op({.slot = UINT64_MAX, .elements = 8, .device = "GPU"}));
  EXPECT_FALSE(memory_plan_rewrite(draft.schedule({draft.call("k", {a})})));
}

TEST(MemoryPlanRewrite, SixtyLoopsEachTwiceInTheNextAreRewrittenAtOnce) {
  Draft draft;
  const OpId a = draft.buffer("a", 8);
  OpId loop = draft.call("k", {a});
  for (int level = 0; level < 60; ++level) loop = draft.loop({loop, loop});
  const Schedule planned = rewritten(draft.schedule({loop}));
  EXPECT_EQ(reachable(planned.graph(), std::array{planned.root()}).size(), 126u);
}

struct Packed {
  explicit Packed(const Schedule& schedule)
      : lives(schedule_instance(schedule).value()),
        packing(std::get<Packing>(pack(lives.instance, {.packer = "tlsf"}).value())) {}
  std::optional<std::string> message() const {
    return memory_saved(lives.ops, lives.instance, packing);
  }

  ScheduleInstance lives;
  Packing packing;
};

TEST(MemorySaved, SaysWhatWasSaved) {
  Draft draft;
  std::vector<OpId> calls;
  for (int i = 0; i < 3; ++i) calls.push_back(draft.call("k", {draft.buffer("b", 512'000)}));
  EXPECT_EQ(Packed(draft.schedule(calls)).message(),
            "memory reduced from 1.54 MB -> 0.51 MB, 3 -> 1 bufs");
}

TEST(MemorySaved, IsSilentWhereNothingWas) {
  Draft draft;
  const OpId a = draft.buffer("a", 100);
  const OpId b = draft.buffer("b", 100);
  EXPECT_FALSE(Packed(draft.schedule({draft.call("k", {a, b})})).message());
  EXPECT_FALSE(Packed(draft.schedule({})).message());
}

// Walks a schedule and its rewritten form side by side.
class SideBySide {
 public:
  SideBySide(const Schedule& before, const Schedule& after, const Packed& packed)
      : before_(before.graph()), after_(after.graph()), packed_(packed) {
    compare(before.root(), after.root());
  }

 private:
  void compare(OpId before, OpId after) {
    const auto [known, is_new] = images_.emplace(before, after);
    ASSERT_EQ(known->second, after) << "a shared node became two";
    if (!is_new) return;
    if (before_.view(before)) return compare_views(before, after);
    const Op& a = before_[before];
    const Op& b = after_[after];
    ASSERT_EQ(a.kind, b.kind);
    ASSERT_EQ(a.attributes, b.attributes);
    ASSERT_EQ(a.sources.size(), b.sources.size());
    for (std::size_t i = 0; i < a.sources.size(); ++i) {
      if (a.kind == OpKind::Call && i == 0) {
        EXPECT_EQ(a.sources[0], b.sources[0]) << "a body was touched";
      } else {
        compare(a.sources[i], b.sources[i]);
      }
    }
  }

  void compare_views(OpId before, OpId after) {
    const View& a = before_.view(before).value();
    const View& b = after_.view(after).value();
    EXPECT_EQ(a.dtype, b.dtype);
    // A view of whole bytes holds as many packed elements as those have room for.
    EXPECT_EQ(a.dtype.bytes_of(a.elements), b.dtype.bytes_of(b.elements));
    if (a.dtype.bits() >= 8) {
      EXPECT_EQ(a.elements, b.elements);
    }
    const auto& ops = packed_.lives.ops;
    const auto planned = std::ranges::find(ops, a.base);
    if (planned == ops.end()) {
      EXPECT_EQ(a, b);
      return;
    }
    const BufferId buffer(planned - ops.begin());
    const auto shift =
        (packed_.packing.placement.places[buffer.index()] + packed_.lives.instance[buffer].skew)
            .value();
    EXPECT_EQ(b.bytes, (ByteRange{a.bytes.lower + shift, a.bytes.upper + shift}));
    EXPECT_EQ(after_.storage(b.base).device, before_.storage(a.base).device);
  }

  const OpGraph& before_;
  const OpGraph& after_;
  const Packed& packed_;
  std::map<OpId, OpId> images_;
};

TEST(Rewrite, TurnsEveryPlannedViewIntoItsBytesOfTheArenaAndTouchesNothingElse) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 500; ++round) {
    const Schedule schedule = test::random_schedule(random);
    const Packed packed(schedule);
    const auto after = rewrite(schedule, packed.lives.ops, packed.lives.instance, packed.packing);
    ASSERT_TRUE(after) << to_string(after.error());
    SideBySide(schedule, *after, packed);
    ASSERT_FALSE(testing::Test::HasFailure()) << "round " << round;
  }
}

// What a schedule asks of memory, by device.
std::map<std::string, std::uint64_t> planned_bytes(const Schedule& schedule) {
  std::map<std::string, std::uint64_t> sums;
  const auto lives = schedule_instance(schedule).value();
  for (std::size_t i = 0; i < lives.ops.size(); ++i) {
    const BufferId id(i);
    sums[lives.instance[lives.instance[id].device].name] += lives.instance.extent(id).count();
  }
  return sums;
}

Schedule read_back(const Schedule& schedule) {
  return read_schedule(JsonDocument::parse(write_schedule(schedule), "s.json").value()).value();
}

// Each arena is a plain buffer again, so it becomes the one buffer of an arena as large, in the
// next slot.
TEST(MemoryPlanRewrite, OfItsOwnResultMakesArenasOfTheSameSize) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    const Schedule once = read_back(rewritten(test::random_schedule(random)));
    const Schedule twice = read_back(rewritten(once));
    EXPECT_EQ(planned_bytes(twice), planned_bytes(once)) << "round " << round;
    EXPECT_EQ(Packed(once).message(), std::nullopt);
  }
}

TEST(MemoryPlanRewrite, OfItsOwnResultChangesNoByteOnceTheArenasAreHeld) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 300; ++round) {
    const Schedule once = read_back(rewritten(test::random_schedule(random)));
    const auto arenas = schedule_instance(once).value().ops;
    EXPECT_EQ(write_schedule(rewritten(once, arenas)), write_schedule(once)) << "round " << round;
  }
}

}  // namespace
}  // namespace berth
