#include <gtest/gtest.h>

#include "berth/formats/json.h"
#include "tests/support/command.h"

namespace berth {
namespace {

constexpr const char* kPlanes = R"({"format": "berth.planes/1", "alignment": 16,
 "windows": [{"address": "0x1000", "bytes": 4096}],
 "globals": [{"name": "g", "address": "0x1000", "bytes": 256}],
 "phases": [
  {"phase": "1", "planes": [{"name": "a", "address": "0x1100", "bytes": 256}]},
  {"phase": "2", "planes": [{"name": "b", "address": "0x1200", "bytes": 256}]},
  {"phase": "3", "planes": [{"name": "c", "address": "0x1180", "bytes": 256}]},
  {"phase": "4", "planes": [{"name": "a", "address": "0x1100", "bytes": 256, "carried": true}]}]})";

std::string launches(const std::string& table, const std::string& submissions) {
  return R"({"format": "berth.launches/1", "table": [)" + table + R"(], "submissions": [)" +
         submissions + "]}";
}

std::string launch(const std::string& phase, const std::string& words) {
  return R"({"phase": ")" + phase + R"(", "words": [)" + words + "]}";
}

test::Ran certify(const std::string& table, std::vector<std::string> options = {},
                  const std::string& planes = kPlanes,
                  const std::string& submissions = R"({"first": 0, "count": 1})") {
  const test::CommandLine command;
  command.write("p.json", planes);
  command.write("l.json", launches(table, submissions));
  options.insert(options.begin(), {"certify", "p.json", "l.json"});
  return command.run(options);
}

// A field of the object that --json prints; `path` as of value_at.
std::string field(const std::string& json, const std::string& path) {
  const auto document = JsonDocument::parse(json, "out.json");
  if (!document) return to_string(document.error());
  return value_at(document->root(), path).text();
}

TEST(CertifyCommand, SaysYesWithWhatItHasSeen) {
  const auto ran = certify(launch("1", "4352, 7"));
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out,
            "certified\nverdict 0: 1 launches written, 1 run in 1 instances; 2 words, 1 of them in "
            "windows; 1 planes and 0 shared bytes judged (nothing shared)\n");
  EXPECT_EQ(ran.err, "");
}

TEST(CertifyCommand, PrintsOneObjectForPrograms) {
  const auto ran = certify(launch("1", "4352, 7"), {"--json"});
  EXPECT_EQ(ran.status, 0);
  for (const auto& [path, value] :
       std::vector<std::pair<std::string, std::string>>{{"verdict", "0"},
                                                        {"certified", "true"},
                                                        {"vacuous", "false"},
                                                        {"launches", "1"},
                                                        {"executed", "1"},
                                                        {"instances", "1"},
                                                        {"words", "2"},
                                                        {"words_in_windows", "1"}}) {
    EXPECT_EQ(field(ran.out, path), value) << path;
  }
  EXPECT_EQ(field(ran.out, "fault"), "an object") << "the whole document: there is no fault";
}

TEST(CertifyCommand, AStrayWordIsToldWithItsNeighboursAndWhereItLies) {
  const auto ran = certify(launch("1", "\"0x1200\""));
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(
      ran.out,
      R"(not certified: launch 0 (phase '1'): word 0 is 0x1200, in a window, yet in no range that its phase names
  nearest below: plane a [0x1100, 0x1200) of phase '1', whose last byte is 1 away
  nearest above: none that the phase names
  it lies in plane b [0x1200, 0x1300) of phase '2': has the launch the wrong phase?
verdict 2: 1 launches written, 1 run in 1 instances; 1 words, 1 of them in windows; 1 planes and 0 shared bytes judged
)");
  const auto json = certify(launch("1", "\"0x1200\""), {"--json"});
  EXPECT_EQ(json.status, 1);
  EXPECT_EQ(field(json.out, "certified"), "false");
  EXPECT_EQ(field(json.out, "fault.kind"), "\"stray-word\"");
  EXPECT_EQ(field(json.out, "fault.launch"), "0");
  EXPECT_EQ(field(json.out, "fault.value"), "4608");
  EXPECT_EQ(field(json.out, "fault.phase"), "\"1\"");
  EXPECT_EQ(field(json.out, "fault.iteration"), "0");
  EXPECT_EQ(field(json.out, "fault.below.range.name"), "\"a\"");
  EXPECT_EQ(field(json.out, "fault.below.distance"), "1");
  EXPECT_EQ(field(json.out, "fault.above"), "null");
  EXPECT_EQ(field(json.out, "fault.elsewhere.phase"), "\"2\"");
}

TEST(CertifyCommand, ALostValueIsToldWithWhoMadeItAndWhoTookItsBytes) {
  const std::string table = launch("1", "4352") + "," + launch("3", "") + "," + launch("4", "");
  const std::string all = R"({"first": 0, "count": 3})";
  const auto ran = certify(table, {}, kPlanes, all);
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(
      ran.out,
      R"(not certified: instance 2, from launch 2 (phase '4') on, carries plane a [0x1100, 0x1200) of phase '4', which has been declared over
  declared by instance 0, from launch 0 (phase '1') on
  overwritten by instance 1, from launch 1 (phase '3') on: there plane c [0x1180, 0x1280) of phase '3' takes its bytes [0x1180, 0x1200), 128 of them
  move one of the two, or write the value again before it is used
verdict 7: 3 launches written, 3 run in 3 instances; 1 words, 1 of them in windows; 3 planes and 128 shared bytes judged
)");
  const auto json = certify(table, {"--json"}, kPlanes, all);
  EXPECT_EQ(field(json.out, "verdict"), "7");
  EXPECT_EQ(field(json.out, "fault.kind"), "\"lost-value\"");
  EXPECT_EQ(field(json.out, "fault.used.instance"), "2");
  EXPECT_EQ(field(json.out, "fault.declared.instance"), "0");
  EXPECT_EQ(field(json.out, "fault.overwritten.instance"), "1");
  EXPECT_EQ(field(json.out, "fault.overwritten.plane.name"), "\"c\"");
}

TEST(CertifyCommand, SharedBytesAreToldWithBothRanges) {
  const std::string planes = R"({"format": "berth.planes/1", "alignment": 1,
    "globals": [{"name": "g", "address": 0, "bytes": 8}, {"name": "h", "address": 6, "bytes": 8}],
    "phases": []})";
  const auto ran = certify("", {}, planes, "");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(ran.out.starts_with(
      "not certified: global g [0x0, 0x8) and global h [0x6, 0xe) share bytes [0x6, 0x8), 2 of "
      "them\n"))
      << ran.out;
  EXPECT_EQ(field(certify("", {"--json"}, planes, "").out, "fault.shared.bytes"), "2");
}

TEST(CertifyCommand, AVacuousPassIsRefusedUnlessAllowed) {
  for (const auto& [table, submissions] :
       {std::pair(launch("1", "7"), std::string(R"({"first": 0, "count": 1})")),
        std::pair(launch("1", "4352"), std::string())}) {
    const auto refused = certify(table, {"--json"}, kPlanes, submissions);
    EXPECT_EQ(refused.status, 1);
    EXPECT_EQ(field(refused.out, "verdict"), "0");
    EXPECT_EQ(field(refused.out, "certified"), "false");
    EXPECT_EQ(field(refused.out, "vacuous"), "true");
    EXPECT_EQ(field(refused.out, "fault.kind"), "\"vacuous\"");
    const auto allowed = certify(table, {"--json", "--allow-vacuous"}, kPlanes, submissions);
    EXPECT_EQ(allowed.status, 0);
    EXPECT_EQ(field(allowed.out, "certified"), "true");
    EXPECT_EQ(field(allowed.out, "vacuous"), "true");
  }
  EXPECT_TRUE(certify(launch("1", "7")).out.starts_with("not certified: vacuous, since no word"));
}

TEST(CertifyCommand, SaysHowMuchWasShared) {
  const std::string one = R"({"format": "berth.planes/1", "alignment": 1,
    "windows": [{"address": 0, "bytes": 64}],
    "globals": [{"name": "g", "address": 0, "bytes": 64}], "phases": [{"phase": "1", "planes": []}]})";
  const auto nothing = certify(launch("1", "8"), {}, one);
  EXPECT_EQ(nothing.status, 0);
  EXPECT_TRUE(
      nothing.out.ends_with("; 0 planes and 0 shared bytes judged (nothing shared: nothing "
                            "judged inside)\n"))
      << nothing.out;
  const auto json = certify(launch("1", "8"), {"--json"}, one);
  EXPECT_EQ(field(json.out, "planes"), "0");
  EXPECT_EQ(field(json.out, "shared_bytes"), "0");
  EXPECT_EQ(field(json.out, "nothing_shared"), "true");

  const std::string all = R"({"first": 0, "count": 4})";
  const std::string table = launch("1", "4352") + "," + launch("4", "4352") + "," +
                            launch("3", "") + "," + launch("2", "");
  const auto shared = certify(table, {"--json"}, kPlanes, all);
  EXPECT_EQ(shared.status, 0);
  EXPECT_EQ(field(shared.out, "planes"), "4");
  EXPECT_EQ(field(shared.out, "shared_bytes"), "256") << "of a and c, and of b and c";
  EXPECT_EQ(field(shared.out, "nothing_shared"), "false");
  const auto part = certify(table, {"--json"}, kPlanes, R"({"first": 0, "count": 2})");
  EXPECT_EQ(field(part.out, "planes"), "2") << "of the phases that run";
  EXPECT_EQ(field(part.out, "shared_bytes"), "0");
}

// Launches of version 3, on the queues that are given.
test::Ran certify_on(const std::string& queues, std::vector<std::string> options = {},
                     const std::string& last = "1") {
  const test::CommandLine command;
  command.write("p.json", kPlanes);
  command.write("l.json", R"({"format": "berth.launches/3", "queues": [)" + queues +
                              R"(], "not_judged": ["something"], "table": [
    {"phase": "1", "words": [4352]}, {"phase": "4", "words": [4352], "queue": )" +
                              last + R"(}], "submissions": [{"first": 0, "count": 2}]})");
  options.insert(options.begin(), {"certify", "p.json", "l.json"});
  return command.run(options);
}

constexpr const char* kTwo =
    R"({"name": "run", "in_order": true}, {"name": "copy", "in_order": true})";

TEST(CertifyCommand, LaunchesOfTwoQueuesAreUndecidedUnlessTheirOrderIsTaken) {
  const auto ran = certify_on(kTwo);
  EXPECT_EQ(ran.status, 4);
  EXPECT_TRUE(
      ran.out.starts_with("undecided: launches are on queues 'run', 'copy'; in the order "
                          "in which they stand this is certified"))
      << ran.out;
  EXPECT_NE(ran.out.find("--host-order"), std::string::npos);
  EXPECT_NE(ran.out.find("verdict 0: "), std::string::npos);
  const auto json = certify_on(kTwo, {"--json"});
  EXPECT_EQ(json.status, 4);
  EXPECT_EQ(field(json.out, "verdict"), "0");
  EXPECT_EQ(field(json.out, "certified"), "false");
  EXPECT_EQ(field(json.out, "undecided"), "true");
  EXPECT_EQ(field(json.out, "queues"), "2");
  EXPECT_EQ(field(json.out, "in_order"), "false");
  EXPECT_EQ(field(json.out, "fault.kind"), "\"order\"");
  EXPECT_EQ(field(json.out, "not_judged[0]"), "\"something\"");

  const auto taken = certify_on(kTwo, {"--host-order"});
  EXPECT_EQ(taken.status, 0);
  EXPECT_TRUE(taken.out.starts_with("certified\n")) << taken.out;
  EXPECT_NE(taken.out.find("not judged: launches are on queues 'run', 'copy', and are taken in the "
                           "order in which they stand\nnot judged: something\n"),
            std::string::npos)
      << taken.out;
  const auto taken_json = certify_on(kTwo, {"--host-order", "--json"});
  EXPECT_EQ(field(taken_json.out, "certified"), "true");
  EXPECT_EQ(field(taken_json.out, "undecided"), "false");
  EXPECT_EQ(field(taken_json.out, "in_order"), "false");
}

TEST(CertifyCommand, AQueueThatIsOutOfOrderIsUndecidedAndOneThatNobodyUsesIsNot) {
  EXPECT_EQ(certify_on(R"({"name": "q", "in_order": false})", {}, "0").status, 4);
  EXPECT_EQ(certify_on(R"({"name": "q", "in_order": false})", {"--host-order"}, "0").status, 0);
  EXPECT_EQ(certify_on(R"({"name": "q"})", {}, "0").status, 0);
  EXPECT_EQ(certify_on(kTwo, {}, "0").status, 0) << "all launches are on the first";
  EXPECT_EQ(certify_on(R"({"name": "q"}, {"name": "r", "in_order": false})", {}, "0").status, 0);
}

TEST(CertifyCommand, WhatIsUnsoundInTheOrderGivenIsRefusedOnAnyQueues) {
  const test::CommandLine command;
  command.write("p.json", kPlanes);
  const auto with = [&](const std::string& table) {
    command.write("l.json", std::string(R"({"format": "berth.launches/3", "queues": [)") + kTwo +
                                R"(], "table": [)" + table +
                                R"(], "submissions": [{"first": 0, "count": 2}]})");
    return command.run({"certify", "p.json", "l.json"}).status;
  };
  EXPECT_EQ(with(R"({"phase": "1", "words": []}, {"phase": "1", "words": [4608], "queue": 1})"), 1);
  EXPECT_EQ(with(R"({"phase": "3", "words": []}, {"phase": "4", "words": [], "queue": 1})"), 1);
  EXPECT_NE(command.run({"certify", "p.json", "l.json"}).out.find("not judged: launches are on"),
            std::string::npos);
  EXPECT_EQ(with(R"({"phase": "1", "words": []}, {"phase": "4", "words": [], "queue": 1})"), 1)
      << "vacuous";
}

TEST(CertifyCommand, AWriteOutsideEveryNamedRangeIsRefusedWhereAnExtentSaysIt) {
  const test::CommandLine command;
  command.write("p.json", kPlanes);
  command.write("l.json", R"({"format": "berth.launches/2", "table": [
    {"phase": "1", "words": [4352], "extents": [{"word": 0, "writes": 256}]},
    {"phase": "4", "words": [4352, 3735879680],
     "extents": [{"word": 0, "reads": 256}, {"word": 1, "writes": 4096}]}],
    "submissions": [{"first": 0, "count": 2}]})");
  const auto ran = command.run({"certify", "p.json", "l.json"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(ran.out.starts_with(
      "not certified: launch 1 (phase '4'): from word 1 on it reads 0 bytes and writes 4096; at "
      "0xdead0000, these lie in no one range that its phase names\n"))
      << ran.out;
  const auto json = command.run({"certify", "p.json", "l.json", "--json", "--exact"});
  EXPECT_EQ(field(json.out, "verdict"), "3");
  EXPECT_EQ(field(json.out, "fault.kind"), "\"stray-access\"");
  EXPECT_EQ(field(json.out, "fault.range"), "null");
}

TEST(CertifyCommand, StrictRefusesRangesOutsideTheWindows) {
  std::string planes = kPlanes;
  planes.replace(planes.find("\"bytes\": 4096"), 13, "\"bytes\": 600");
  const auto lax = certify(launch("1", "4352"), {}, planes);
  EXPECT_EQ(lax.status, 0);
  EXPECT_NE(lax.out.find("plane b [0x1200, 0x1300) of phase '2' is not covered by windows"),
            std::string::npos)
      << lax.out;
  const auto strict = certify(launch("1", "4352"), {"--strict", "--json"}, planes);
  EXPECT_EQ(strict.status, 1);
  EXPECT_EQ(field(strict.out, "verdict"), "0");
  EXPECT_EQ(field(strict.out, "fault.kind"), "\"outside-windows\"");
  EXPECT_EQ(field(strict.out, "outside_windows[0].name"), "\"b\"");
  EXPECT_EQ(certify(launch("1", "4352"), {"--strict"}).status, 0);
}

TEST(CertifyCommand, WindowsThatTouchCoverWhatLiesAcrossThem) {
  std::string planes = kPlanes;
  const std::string whole = R"({"address": "0x1000", "bytes": 4096})";
  planes.replace(planes.find(whole), whole.size(),
                 R"({"address": "0x1140", "bytes": 4096}, {"address": "0x1000", "bytes": 320})");
  EXPECT_EQ(certify(launch("1", "4352"), {"--strict"}, planes).status, 0);
}

TEST(CertifyCommand, ExactAcceptsWhatOnlyAHullRefuses) {
  const std::string table = R"({"repeat": 65, "body": [)" + launch("1", "4096") +
                            R"(], "deltas": [{"launch": 0, "word": 0, "step": 4}]})";
  const auto hull = certify(table);
  EXPECT_EQ(hull.status, 1);
  EXPECT_NE(hull.out.find("--exact"), std::string::npos) << hull.out;
  EXPECT_EQ(field(certify(table, {"--json"}).out, "fault.iteration"), "null");
  EXPECT_EQ(certify(table, {"--exact"}).status, 0);
}

TEST(CertifyCommand, ShrinksToASmallestCaseWithTheSameVerdict) {
  const test::CommandLine command;
  command.write("p.json", kPlanes);
  command.write("l.json", launches(launch("1", "4352, 7, 8") + "," + launch("3", "1, 2, 4480") +
                                       "," + launch("4", "4352") + "," + launch("2", ""),
                                   R"({"first": 0, "count": 4})"));
  const std::vector<std::string> outputs = {"-o", "s.planes.json", "-o", "s.launches.json"};
  const auto shrink = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"certify", "p.json", "l.json", "--shrink"});
    words.insert(words.end(), outputs.begin(), outputs.end());
    return command.run(words);
  };
  const auto ran = shrink({});
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(ran.out.starts_with("not certified: instance 2")) << ran.out;
  EXPECT_TRUE(ran.err.starts_with("berth: shrunk to 4 launches, 0 words and 3 ranges, verdict 8\n"))
      << ran.err;
  const auto again = command.run({"certify", "s.planes.json", "s.launches.json", "--json"});
  EXPECT_EQ(field(again.out, "verdict"), "8");
  EXPECT_TRUE(
      shrink({"--renumber"})
          .err.starts_with("berth: shrunk to 3 launches, 0 words and 3 ranges, verdict 7\n"));
}

TEST(CertifyCommand, ShrinkAndItsFilesGoTogether) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--shrink"},
        {"--renumber"},
        {"-o", "x.planes.json"},
        {"--shrink", "-o", "x.json"},
        {"--shrink", "-o", "x.planes.json", "-o", "x.planes.json"}}) {
    EXPECT_EQ(certify(launch("1", "4352"), options).status, 2) << options.back();
  }
  const auto ran = certify(launch("1", "4352"), {"--shrink", "-o", "x.planes.json"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_NE(ran.err.find("nothing to shrink"), std::string::npos);
}

TEST(CertifyCommand, AMalformedTableGetsNoVerdict) {
  const auto ran = certify(launch("1", ""), {"--json"}, kPlanes, R"({"first": 0, "count": 2})");
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(field(ran.out, "error.kind"), "\"input\"");
  EXPECT_NE(ran.err.find("submissions[0].count"), std::string::npos);
  EXPECT_EQ(ran.out.find("verdict"), std::string::npos);
}

TEST(CertifyCommand, NamesInMessagesArePrintable) {
  const auto ran = certify(launch("\\u001b[2J", ""));
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace berth
