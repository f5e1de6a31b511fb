#include "berth/formats/schedule.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/schedules.h"

namespace berth {
namespace {

Result<Schedule> read(const std::string& text) {
  auto document = JsonDocument::parse(text, "s.json");
  if (!document) return tl::unexpected(document.error());
  return read_schedule(*document);
}

std::string refusal(const std::string& text) {
  const auto schedule = read(text);
  EXPECT_FALSE(schedule) << text;
  return schedule ? "" : to_string(schedule.error());
}

constexpr const char* kBuffer =
    R"({"op": "buffer", "slot": 0, "dtype": "int8", "size": 256, "device": "GPU", "name": "a"})";

// One op a line after a first line; the last is the root.
std::string of_ops(const std::vector<std::string>& ops) {
  std::string text = "{\"format\": \"berth.schedule/1\", \"ops\": [\n";
  for (const std::string& op : ops) text += op + (&op == &ops.back() ? "" : ",") + "\n";
  return text + fmt::format("], \"root\": {}}}", ops.size() - 1);
}

// The refusal of one op behind a buffer, without the file's name.
std::string refused_op(const std::string& op) {
  const std::string text = refusal(of_ops({kBuffer, op, R"({"op": "linear", "src": []})"}));
  EXPECT_TRUE(text.starts_with("s.json:3:")) << text;
  return text.substr(std::string("s.json:").size());
}

constexpr const char* kExample = R"({"format": "berth.schedule/1",
 "ops": [
  {"op": "buffer",  "slot": 0, "dtype": "float32", "size": 1024, "device": "GPU", "skew": 0, "name": "x"},
  {"op": "param",   "slot": 0, "dtype": "float32", "size": 1024, "device": "GPU"},
  {"op": "alloc",   "slot": 1, "dtype": "float32", "size": 64, "device": "GPU"},
  {"op": "shrink",  "src": [0], "begin": 0, "end": 512},
  {"op": "bitcast", "src": [3], "dtype": "int8"},
  {"op": "kernel",  "name": "scale"},
  {"op": "call",    "src": [5, 0, 4], "access": "rw"},
  {"op": "after",   "src": [0, 6]},
  {"op": "store",   "name": "copy"},
  {"op": "call",    "src": [8, 1, 7], "access": "wr"},
  {"op": "linear",  "src": [6, 9]}
 ],
 "root": 10,
 "held": [0]})";

TEST(ScheduleReader, ReadsTheExampleOfTheFormat) {
  const auto schedule = read(kExample);
  ASSERT_TRUE(schedule) << to_string(schedule.error());
  const OpGraph& graph = schedule->graph();
  ASSERT_EQ(schedule->entries().size(), 2u);
  const OpId x = schedule->held()[0];
  EXPECT_EQ(graph.storage(x), (Storage{.slot = 0,
                                       .dtype = *Dtype::of("float32"),
                                       .elements = 1024,
                                       .device = "GPU",
                                       .name = "x"}));
  EXPECT_EQ(test::argument(graph, schedule->entries()[0], 1),
            (View{x, {0, 2048}, Dtype::int8(), 2048}));
  EXPECT_EQ(test::argument(graph, schedule->entries()[1], 1).base, x);
  EXPECT_EQ(std::get<CallAccess>(graph[schedule->entries()[1]].attributes).letters, "wr");
}

TEST(ScheduleReader, EqualNodesOfTheFileAreOne) {
  const auto schedule =
      read(of_ops({kBuffer, kBuffer, R"({"op": "kernel"})", R"({"op": "call", "src": [2, 0, 1]})",
                   R"({"op": "linear", "src": [3]})"}));
  ASSERT_TRUE(schedule);
  const Op& call = schedule->graph()[schedule->entries()[0]];
  EXPECT_EQ(call.sources[1], call.sources[2]);
  EXPECT_EQ(schedule->graph().size(), 4u);
}

TEST(ScheduleReader, IntegersAreExact) {
  const auto schedule = read(of_ops(
      {R"({"op": "buffer", "slot": 18446744073709551615, "dtype": "int1", "size": 9007199254740993, "device": ""})",
       R"({"op": "kernel"})", R"({"op": "call", "src": [1, 0]})",
       R"({"op": "end", "src": [2], "count": 18446744073709551615})",
       R"({"op": "linear", "src": [3]})"}));
  ASSERT_TRUE(schedule) << to_string(schedule.error());
  const OpGraph& graph = schedule->graph();
  const Op& loop = graph[schedule->entries()[0]];
  EXPECT_EQ(std::get<LoopCount>(loop.attributes).count, UINT64_MAX);
  const Storage& storage = graph.storage(test::argument(graph, loop.sources[0], 0).base);
  EXPECT_EQ(storage.slot, UINT64_MAX);
  EXPECT_EQ(storage.elements, 9007199254740993u);
}

TEST(ScheduleReader, AMissingFieldIsRefused) {
  EXPECT_EQ(refused_op(R"({"op": "buffer", "dtype": "int8", "size": 1, "device": "GPU"})"),
            "3:1: ops[1].slot: is missing, expected an integer (add it)");
  EXPECT_EQ(refused_op(R"({"op": "buffer", "slot": 1, "size": 1, "device": "GPU"})"),
            "3:1: ops[1].dtype: is missing, expected a string (add it)");
  EXPECT_EQ(refused_op(R"({"op": "param", "slot": 1, "dtype": "int8", "device": "GPU"})"),
            "3:1: ops[1].size: is missing, expected an integer (add it)");
  EXPECT_EQ(refused_op(R"({"op": "alloc", "slot": 1, "dtype": "int8", "size": 1})"),
            "3:1: ops[1].device: is missing, expected a string (add it)");
  EXPECT_EQ(refused_op(R"({"op": "shrink", "src": [0], "end": 1})"),
            "3:1: ops[1].begin: is missing, expected an integer (add it)");
  EXPECT_EQ(refused_op(R"({"op": "shrink", "src": [0], "begin": 0})"),
            "3:1: ops[1].end: is missing, expected an integer (add it)");
  EXPECT_EQ(refused_op(R"({"op": "shrink", "begin": 0, "end": 1})"),
            "3:1: ops[1].src: is missing, expected an array (add it)");
  EXPECT_EQ(refused_op(R"({"op": "bitcast", "src": [0]})"),
            "3:1: ops[1].dtype: is missing, expected a string (add it)");
  EXPECT_EQ(refused_op(R"({"src": [0]})"),
            "3:1: ops[1].op: is missing, expected a string (add it)");
  EXPECT_EQ(refusal(R"({"format": "berth.schedule/1", "root": 0})"),
            "s.json:1:1: ops: is missing, expected an array (add it)");
  EXPECT_EQ(refusal(R"({"format": "berth.schedule/1", "ops": []})"),
            "s.json:1:1: root: is missing, expected an integer (add it)");
  const auto no_count =
      refusal(of_ops({R"({"op": "linear", "src": []})", R"({"op": "end", "src": [0]})"}));
  EXPECT_EQ(no_count, "s.json:3:1: ops[1].count: is missing, expected an integer (add it)");
}

TEST(ScheduleReader, AnUnknownOrDoubleFieldIsRefused) {
  EXPECT_TRUE(refused_op(R"({"op": "kernel", "size": 1})")
                  .starts_with("3:26: ops[1].size: is not a field that belongs here"));
  EXPECT_TRUE(
      refused_op(R"({"op": "linear", "src": [], "name": "x"})").starts_with("3:37: ops[1].name: "));
  EXPECT_TRUE(refused_op(R"({"op": "kernel", "name": "a", "name": "b"})")
                  .starts_with("3:39: the key \"name\" stands twice"));
  EXPECT_TRUE(refusal(R"({"format": "berth.schedule/1", "ops": [], "root": 0, "extra": 1})")
                  .starts_with("s.json:1:63: extra: is not a field"));
}

TEST(ScheduleReader, AWrongTypeIsRefused) {
  EXPECT_TRUE(refused_op("7").starts_with("3:1: ops[1]: found 7, expected an object"));
  EXPECT_TRUE(refused_op(R"({"op": 7})").starts_with("3:8: ops[1].op: found 7, expected a string"));
  EXPECT_TRUE(refused_op(R"({"op": "linear", "src": 0})")
                  .starts_with("3:25: ops[1].src: found 0, expected an array"));
  EXPECT_TRUE(refused_op(R"({"op": "linear", "src": ["0"]})")
                  .starts_with("3:26: ops[1].src[0]: found \"0\", expected one of the 1 nodes"));
  EXPECT_TRUE(refused_op(R"({"op": "kernel", "name": null})")
                  .starts_with("3:26: ops[1].name: found null, expected a string"));
  EXPECT_TRUE(refusal(R"({"format": "berth.schedule/1", "ops": {}, "root": 0})")
                  .starts_with("s.json:1:39: ops: found an object, expected an array"));
}

TEST(ScheduleReader, ANumberOutOfRangeIsRefused) {
  const auto sized = [](const std::string& size) {
    return refused_op(R"({"op": "buffer", "slot": 1, "dtype": "int8", "device": "G", "size": )" +
                      size + "}");
  };
  for (const char* size : {"18446744073709551616", "-1", "1.5", "1e3", "1.0"}) {
    EXPECT_EQ(sized(size),
              std::string("3:69: ops[1].size: found ") + size +
                  ", expected an integer from 0 to 18446744073709551615"
                  " (write it in decimal digits alone, without a sign, a point or an exponent)");
  }
  EXPECT_TRUE(sized("18446744073709551615").starts_with("3:69: ops[1].size: "));
  EXPECT_EQ(
      refused_op(
          R"({"op": "buffer", "slot": 1, "dtype": "int8", "size": 1, "device": "G", "skew": 256})"),
      "3:80: ops[1].skew: found 256, expected an integer from 0 to 255 (give a smaller number)");
}

TEST(ScheduleReader, AnIndexPastItsTableOrAForwardReferenceIsRefused) {
  EXPECT_EQ(refused_op(R"({"op": "shrink", "src": [1], "begin": 0, "end": 1})"),
            "3:26: ops[1].src[0]: found 1, expected one of the 1 nodes before it "
            "(name an earlier node by its index in ops)");
  EXPECT_EQ(refused_op(R"({"op": "after", "src": [0, 2]})"),
            "3:28: ops[1].src[1]: found 2, expected one of the 1 nodes before it "
            "(name an earlier node by its index in ops)");
  EXPECT_EQ(refusal(R"({"format": "berth.schedule/1", "ops": [], "root": 0})"),
            "s.json:1:51: root: found node 0, expected one of the 0 in ops (give the "
            "index of the linear, which comes last)");
  EXPECT_TRUE(refusal(R"({"format": "berth.schedule/1", "ops": [{"op": "linear", "src": []}],
 "root": 0, "held": [1]})")
                  .starts_with("s.json:2:22: held[0]: found 1, expected one of the 1 nodes"));
}

TEST(ScheduleReader, ANodeOfTheWrongKindIsRefused) {
  EXPECT_EQ(refused_op(R"({"op": "linear", "src": [0]})"),
            "3:25: ops[1].src: [0] found a buffer, expected a call, an end or a backedge");
  EXPECT_TRUE(
      refused_op(R"({"op": "tensor"})")
          .starts_with("3:8: ops[1].op: found \"tensor\", expected one of: buffer, param, "));
  EXPECT_TRUE(refused_op(R"({"op": "bitcast", "src": [0], "dtype": "f32"})")
                  .starts_with("3:40: ops[1].dtype: found \"f32\", expected one of: bool, "));
  EXPECT_EQ(refusal(of_ops({kBuffer})), "s.json:3:12: root: found a buffer, expected a linear");
  EXPECT_EQ(refusal(R"({"format": "berth.schedule/1", "ops": [{"op": "linear", "src": []}],
 "root": 0, "held": [0]})"),
            "s.json:2:21: held[0]: found a linear, expected a buffer or a view of one");
}

TEST(ScheduleReader, AViewPastItsEndIsRefusedByName) {
  EXPECT_EQ(refused_op(R"({"op": "shrink", "src": [0], "begin": 128, "end": 320})"),
            "3:51: ops[1].end: view [128, 320) of a ends past it: end 320 > 256 elements of int8 "
            "(a view must lie inside what it views)");
}

TEST(ScheduleReader, OtherFilesAreRefused) {
  EXPECT_TRUE(refusal(R"({"format": "berth.schedule/2", "ops": [], "root": 0})")
                  .starts_with("s.json:1:12: format: found \"berth.schedule/2\", expected "
                               "\"berth.schedule/1\""));
  EXPECT_TRUE(refusal("").starts_with("s.json:1:1: "));
  EXPECT_TRUE(refusal("id,lower,upper,size\n").starts_with("s.json:1:1: "));
  EXPECT_TRUE(refusal(std::string(100'000, '[')).starts_with("s.json:1:129: nested deeper"));
  EXPECT_TRUE(refusal("[]").starts_with("s.json:1:1: found an array, expected an object"));
}

TEST(ScheduleReader, AByteOrderMarkIsSkipped) {
  EXPECT_TRUE(read("\xEF\xBB\xBF" + std::string(kExample)));
}

TEST(ScheduleWriter, NormalisesAndReadsBackToTheSameBytes) {
  const std::string once = write_schedule(read(kExample).value());
  EXPECT_EQ(once, R"({"format": "berth.schedule/1",
 "ops": [
  {"op": "kernel", "name": "scale"},
  {"op": "buffer", "slot": 0, "dtype": "float32", "size": 1024, "device": "GPU", "name": "x"},
  {"op": "shrink", "src": [1], "begin": 0, "end": 512},
  {"op": "bitcast", "src": [2], "dtype": "int8"},
  {"op": "call", "src": [0, 1, 3], "access": "rw"},
  {"op": "store", "name": "copy"},
  {"op": "param", "slot": 0, "dtype": "float32", "size": 1024, "device": "GPU"},
  {"op": "after", "src": [1, 4]},
  {"op": "call", "src": [5, 6, 7], "access": "wr"},
  {"op": "linear", "src": [4, 8]}
 ],
 "root": 9,
 "held": [1]}
)");
  EXPECT_EQ(write_schedule(read(once).value()), once);
}

TEST(ScheduleWriter, AnyScheduleReadsBackToTheSameBytes) {
  std::mt19937_64 random(13);
  for (int round = 0; round < 500; ++round) {
    const std::string once = write_schedule(test::random_schedule(random));
    const auto again = read(once);
    ASSERT_TRUE(again) << to_string(again.error()) << "\n" << once;
    EXPECT_EQ(write_schedule(*again), once);
  }
}

TEST(ScheduleWriter, NamesMayHoldAnything) {
  test::Draft draft;
  const OpId a = draft.buffer("a\"\\\n</script>", 8, "G\tP\"U");
  const Schedule schedule = draft.schedule({draft.call("k\x01", {a})});
  const auto again = read(write_schedule(schedule));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->graph().storage(test::argument(again->graph(), again->entries()[0], 0).base),
            schedule.graph().storage(a));
}

TEST(ScheduleFile, AChainOfAHundredThousandViewsIsReadAndWritten) {
  test::Draft draft;
  OpId view = draft.buffer("a", 200'000);
  for (std::uint64_t i = 0; i < 100'000; ++i) view = draft.view(view, 1, 199'999 - i);
  const std::string once = write_schedule(draft.schedule({draft.call("k", {view})}));
  const auto again = read(once);
  ASSERT_TRUE(again);
  EXPECT_EQ(write_schedule(*again), once);
}

}  // namespace
}  // namespace berth
