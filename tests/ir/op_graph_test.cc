#include "berth/ir/op_graph.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/schedules.h"

namespace berth {
namespace {

using test::Draft;

Storage on_gpu(std::uint64_t slot, std::uint64_t elements, std::string_view dtype = "int8") {
  return {.slot = slot, .dtype = *Dtype::of(dtype), .elements = elements, .device = "GPU"};
}

std::string refusal(OpGraph& graph, Op op) {
  const auto added = graph.add(std::move(op));
  EXPECT_FALSE(added);
  return added ? "" : to_string(added.error());
}

TEST(OpGraph, EqualNodesAreOne) {
  OpGraph graph;
  const OpId a = graph.add(buffer_op(on_gpu(0, 64))).value();
  EXPECT_EQ(graph.add(buffer_op(on_gpu(0, 64))).value(), a);
  const OpId half = graph.add(shrink_op(a, {0, 32})).value();
  EXPECT_EQ(graph.add(shrink_op(a, {0, 32})).value(), half);
  EXPECT_EQ(graph.size(), 2u);
}

TEST(OpGraph, NodesThatDifferInAnyFieldAreTwo) {
  OpGraph graph;
  const Storage plain = on_gpu(0, 64);
  std::vector<Op> ops = {buffer_op(plain), param_op(plain), alloc_op(plain)};
  for (const auto change :
       {+[](Storage& s) { s.slot = 1; }, +[](Storage& s) { s.elements = 65; },
        +[](Storage& s) { s.dtype = *Dtype::of("uint8"); }, +[](Storage& s) { s.device = "CPU"; },
        +[](Storage& s) { s.skew = 4; }, +[](Storage& s) { s.name = "x"; }}) {
    Storage changed = plain;
    change(changed);
    ops.push_back(buffer_op(changed));
  }
  ops.push_back(end_op(OpId(0), 0));
  ops.push_back(kernel_op("k"));
  ops.push_back(store_op("k"));
  for (Op& op : ops) {
    if (op.kind == OpKind::End) op = linear_op({});
    const std::size_t before = graph.size();
    ASSERT_TRUE(graph.add(op));
    EXPECT_EQ(graph.size(), before + 1);
  }
  const OpId linear = graph.add(linear_op({})).value();
  const OpId flag(0);
  const OpId unbounded = graph.add(back_edge_op(linear, flag)).value();
  const OpId most = graph.add(back_edge_op(linear, flag, UINT64_MAX)).value();
  EXPECT_NE(unbounded, most);  // no bound is not the largest bound
}

TEST(OpGraph, AViewKnowsItsBaseThroughAnyChain) {
  Draft draft;
  const OpId a = draft.add(buffer_op(on_gpu(0, 100, "float32")));
  const OpId part = draft.view(a, 10, 30);
  const OpId bytes = draft.add(bitcast_op(part, Dtype::int8()));
  const OpId later =
      draft.add(after_op(draft.view(bytes, 8, 16), std::array{draft.call("k", {a})}));
  EXPECT_EQ(draft.graph().view(later), (View{a, {48, 56}, Dtype::int8(), 8}));
  EXPECT_EQ(draft.graph().storage_base(a), a);
  EXPECT_FALSE(draft.graph().storage_base(draft.call("k", {a})));
}

TEST(OpGraph, ViewsOfPackedElementsAreTheWholeBytesAroundThem) {
  Draft draft;
  const OpId a = draft.add(buffer_op(on_gpu(0, 16, "uint4")));
  EXPECT_EQ(draft.graph().view(draft.view(a, 3, 6))->bytes, (ByteRange{1, 3}));
  const OpId bits = draft.add(bitcast_op(a, *Dtype::of("int1")));
  EXPECT_EQ(draft.graph().view(bits)->elements, 64u);
}

TEST(OpGraph, AChainOfAMillionViewsNeedsNoRecursion) {
  Draft draft;
  const OpId a = draft.buffer("a", 2'000'000);
  OpId view = a;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) view = draft.view(view, 1, 1'999'999 - i);
  EXPECT_EQ(draft.graph().storage_base(view), a);
  EXPECT_EQ(draft.graph().view(view)->bytes, (ByteRange{1'000'000, 1'999'999}));
  EXPECT_EQ(reachable(draft.graph(), std::array{view}).size(), 1'000'001u);
}

TEST(OpGraph, AViewPastTheEndIsRefusedByName) {
  OpGraph graph;
  Storage storage = on_gpu(3, 256);
  storage.name = "a";
  const OpId a = graph.add(buffer_op(storage)).value();
  EXPECT_EQ(refusal(graph, shrink_op(a, {128, 320})),
            "end: view [128, 320) of a ends past it: end 320 > 256 elements of int8 (a view must "
            "lie inside what it views)");
  EXPECT_EQ(refusal(graph, shrink_op(a, {9, 8})), "begin: found begin 9 past end 8 in a view of a");
  EXPECT_TRUE(graph.add(shrink_op(a, {256, 256})));  // empty, at the end
}

TEST(OpGraph, IllFormedNodesAreRefusedWithTheirField) {
  Draft draft;
  const OpId a = draft.buffer("a", 6);
  const OpId call = draft.call("k", {a});
  const OpId linear = draft.add(linear_op({call}));
  OpGraph graph = draft.graph();
  const auto starts = [&](Op op, const std::string& start) {
    const std::string text = refusal(graph, std::move(op));
    EXPECT_EQ(text.substr(0, start.size()), start);
  };
  starts(shrink_op(call, {0, 1}), "src[0]: found a call, expected a buffer");
  starts(shrink_op(OpId(99), {0, 1}), "src[0]: found node 99, expected one of the ");
  starts(call_op(a, {}), "src[0]: found a buffer, expected a kernel or a store");
  starts(call_op(graph[call].sources[0], std::array{linear}), "src[1]: found a linear");
  starts(linear_op({linear}), "src[0]: found a linear, expected a call, an end or a backedge");
  starts(end_op(a, 2), "src[0]: found a buffer, expected a linear, a call or a loop");
  starts(back_edge_op(linear, call), "src[1]: found a call");
  starts(bitcast_op(a, *Dtype::of("float32")), "dtype: 6 bytes are no whole number of float32");
  starts({OpKind::Shrink, {a, a}, ElementRange{0, 1}}, "src: found 2 sources, expected 1");
  starts({OpKind::Call, {}, CallAccess{}}, "src: found 0 sources, expected at least 1");
  starts(call_op(graph[call].sources[0], std::array{a}, "rw"), "access: found 2 letters");
  starts(call_op(graph[call].sources[0], std::array{a}, "x"), "access: found letter 'x'");
  starts(buffer_op(on_gpu(0, UINT64_MAX, "float32")), "size: 18446744073709551615 elements");
  starts(buffer_op(on_gpu(0, UINT64_MAX - 254)), "size: ");  // its 256-byte units do not fit
}

TEST(Reachable, SourcesStandBeforeTheirUsersEachOnce) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    const Schedule schedule = test::random_schedule(random);
    std::vector<bool> seen(schedule.graph().size());
    for (const OpId id : reachable(schedule.graph(), std::array{schedule.root()})) {
      for (const OpId source : schedule.graph()[id].sources) EXPECT_TRUE(seen[source.index()]);
      EXPECT_FALSE(seen[id.index()]);
      seen[id.index()] = true;
    }
    EXPECT_TRUE(seen[schedule.root().index()]);
  }
}

TEST(Substitute, ReplacesInsideViewsAndKeepsSharing) {
  Draft draft;
  const OpId a = draft.buffer("a", 64);
  const OpId b = draft.buffer("b", 64);
  const OpId view = draft.view(a, 0, 8);
  const OpId root = draft.add(
      linear_op({draft.call("k", {view}), draft.call("m", {view, b}), draft.call("n", {b})}));
  OpGraph graph = draft.graph();
  const auto roots = substitute(graph, std::array{root}, std::array{std::pair(a, b)});
  ASSERT_TRUE(roots);
  const auto& entries = graph[roots->front()].sources;
  const OpId image = graph[entries[0]].sources[1];
  EXPECT_EQ(graph.storage_base(image), b);
  EXPECT_EQ(graph[entries[1]].sources[1], image);
  EXPECT_EQ(entries[2], graph[root].sources[2]);  // untouched: the node it was
}

TEST(Substitute, NeverEntersACallBody) {
  Draft draft;
  const OpId a = draft.buffer("a", 64);
  const OpId b = draft.buffer("b", 64);
  const OpId body = draft.add(kernel_op("k", {a}));
  const OpId root = draft.add(linear_op({draft.add(call_op(body, std::array{a}))}));
  OpGraph graph = draft.graph();
  const auto roots = substitute(graph, std::array{root}, std::array{std::pair(a, b)});
  ASSERT_TRUE(roots);
  const Op& call = graph[graph[roots->front()].sources[0]];
  EXPECT_EQ(call.sources, (std::vector<OpId>{body, b}));
}

TEST(Substitute, WithNothingToReplaceChangesNothing) {
  Draft draft;
  const OpId a = draft.buffer("a", 64);
  const OpId b = draft.buffer("b", 64);
  const OpId root = draft.add(linear_op({draft.call("k", {a})}));
  OpGraph graph = draft.graph();
  const std::size_t size = graph.size();
  EXPECT_EQ(substitute(graph, std::array{root}, std::array{std::pair(b, a)}).value().front(), root);
  EXPECT_EQ(graph.size(), size);
}

TEST(Substitute, RefusesAReplacementThatDoesNotHoldItsViews) {
  Draft draft;
  const OpId a = draft.buffer("a", 64);
  const OpId small = draft.buffer("small", 8);
  const OpId view = draft.view(a, 0, 32);
  OpGraph graph = draft.graph();
  EXPECT_FALSE(substitute(graph, std::array{view}, std::array{std::pair(a, small)}));
}

TEST(Substitute, OfTheEndOfAMillionViewsNeedsNoRecursion) {
  Draft draft;
  const OpId a = draft.buffer("a", 2'000'000);
  const OpId b = draft.buffer("b", 2'000'000);
  OpId view = a;
  for (std::uint64_t i = 0; i < 300'000; ++i) view = draft.view(view, 1, 1'999'999 - i);
  OpGraph graph = draft.graph();
  const auto image = substitute(graph, std::array{view}, std::array{std::pair(a, b)});
  ASSERT_TRUE(image);
  EXPECT_EQ(graph.storage_base(image->front()), b);
}

}  // namespace
}  // namespace berth
