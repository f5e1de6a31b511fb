#include "berth/formats/program_json.h"

#include <gtest/gtest.h>

#include "berth/formats/deployment_json.h"
#include "berth/formats/target_toml.h"

namespace berth {
namespace {

Result<Program> read(const std::string& text) {
  const auto document = JsonDocument::parse(text, "p.json");
  if (!document) return tl::unexpected(document.error());
  return read_program(document->root());
}

std::string program(const std::string& tensors, const std::string& body,
                    const std::string& more = "") {
  return R"({"format": "berth.program/1", "name": "p", "tensors": [)" + tensors +
         R"(], "phases": [{"name": "a", "body": [)" + body + "]}]" + more + "}";
}

const std::string kTensor = R"({"name": "h", "kind": "intermediate", "bytes": 8})";
const std::string kWrite = R"({"write": "h", "bytes": 8})";

TEST(ReadProgram, GivesEveryField) {
  const auto read_back =
      read(program(R"({"name": "h", "kind": "intermediate", "chip": 1, "dims": [33, 65],
                  "tile": [32, 32], "tile_bytes": 2048, "tier": "hbm", "pinned": true},
                 {"name": "v", "kind": "intermediate", "chip": 1, "bytes": 8, "view_of": "h",
                  "offset": 16},
                 {"name": "x", "kind": "input", "bytes": 4, "host": true})",
                   R"({"loop": 3, "body": [{"loop": 4, "body": [{"write": "h", "bytes": 128,
                  "reuses": "x"}]}, {"read": "v", "bytes": 8, "part_of": "h",
                  "offset": 32}]})",
                   R"(, "buffers": [{"chip": 1, "site": 2, "offset": 4, "bytes": 6}],
                  "loops": [{"first": 0, "last": 0, "bound": 5}])"));
  ASSERT_TRUE(read_back) << to_string(read_back.error());
  const Program& p = *read_back;
  EXPECT_EQ(p.tensors[0].bytes, Bytes(12'288));
  EXPECT_EQ(p.tensors[0].tier, Tier::Hbm);
  EXPECT_TRUE(p.tensors[0].pinned);
  EXPECT_EQ(p.tensors[1].view_of, (TensorView{TensorId(0), Bytes(16)}));
  EXPECT_EQ(p.inputs, std::vector<TensorId>{TensorId(2)});
  EXPECT_EQ(p.phases[0].loops, (std::vector<InnerLoop>{{3, std::nullopt}, {4, 0}}));
  EXPECT_EQ(p.phases[0].accesses[0].loop, 1u);
  EXPECT_EQ(p.phases[0].accesses[0].reuses, TensorId(2));
  EXPECT_EQ(p.phases[0].accesses[1].loop, 0u);
  EXPECT_EQ(p.phases[0].accesses[1].part_of, (TensorView{TensorId(0), Bytes(32)}));
  EXPECT_EQ(p.loops, (std::vector<PhaseLoop>{{{0, 1}, 5}}));
  EXPECT_EQ(p.buffers[0].site, 2u);
}

std::string refusal(const std::string& text) {
  const auto answer = read(text);
  return answer ? "none" : answer.error().message;
}

TEST(ReadProgram, RefusesWithThePathOfTheField) {
  const auto says = [](const std::string& text, const std::string& path) {
    EXPECT_TRUE(refusal(text).starts_with(path + ":")) << refusal(text);
  };
  says(program(kTensor + "," + kTensor, kWrite), "tensors[1].name");
  says(program(kTensor, R"({"write": "k", "bytes": 8})"), "phases[0].body[0].write");
  says(program(kTensor, R"({"loop": 2, "body": [{"read": "h", "bytes": 8}]})"),
       "phases[0].body[0].body[0].read");
  says(program(kTensor, R"({"read": "h", "bytes": 8}, {"write": "h", "bytes": 8})"),
       "phases[0].body[0].read");
  says(program(kTensor, R"({"read": "h", "write": "h", "bytes": 8})"), "phases[0].body[0].read");
  says(program(kTensor, R"({"write": "h", "bytes": 8, "reuses": "h"})"),
       "phases[0].body[0].reuses");
  says(program(R"({"name": "h", "kind": "cache", "bytes": 8})", ""), "tensors[0].kind");
  says(program(R"({"name": "h", "kind": "state"})", ""), "tensors[0].bytes");
  says(program(R"({"name": "h", "kind": "state", "dims": [4], "tile": [2, 2], "tile_bytes": 1})",
               ""),
       "tensors[0].tile");
  says(program(R"({"name": "h", "kind": "state", "dims": [4], "tile": [0], "tile_bytes": 1})", ""),
       "tensors[0].tile");
  says(program(R"({"name": "h", "kind": "state", "dims": [18446744073709551615,
                   18446744073709551615], "tile": [1, 1], "tile_bytes": 1})",
               ""),
       "tensors[0].dims");
  says(program(R"({"name": "h", "kind": "state", "bytes": 8, "view_of": "h"})", ""),
       "tensors[0].view_of");
  says(program(R"({"name": "h", "kind": "state", "bytes": 8, "offset": 1})", ""),
       "tensors[0].offset");
  says(program(R"({"name": "h", "kind": "state", "bytes": 8, "tier": "sram", "host": true})", ""),
       "tensors[0].host");
  says(program(kTensor, kWrite, R"(, "loops": [{"first": 0, "last": 1, "bound": 2}])"),
       "loops[0].last");
  says(program(kTensor, R"({"loop": 18446744073709551615, "body": [{"loop": 2, "body": []}]})"),
       "phases[0].body");
  says(program(kTensor, R"({"write": "h", "bytes": 18446744073709551615}, )" + kWrite),
       "phases[0].body[1].bytes");
  says(program(kTensor, kWrite, R"(, "extra": 1)"), "extra");
}

TEST(ReadProgram, AReadBeforeItsWriteIsWellInALoopAroundBoth) {
  EXPECT_EQ(refusal(program(kTensor, R"({"loop": 2, "body": [{"read": "h", "bytes": 8},
                                        {"write": "h", "bytes": 8}]})")),
            "none");
  const std::string two = R"({"format": "berth.program/1", "name": "p", "tensors": [)" + kTensor +
                          R"(], "phases": [{"name": "a", "body": [{"read": "h", "bytes": 8}]},
                             {"name": "b", "body": [{"write": "h", "bytes": 8}]}])";
  EXPECT_NE(refusal(two + "}"), "none");
  EXPECT_EQ(refusal(two + R"(, "loops": [{"first": 0, "last": 1, "bound": 2}]})"), "none");
}

TEST(ReadProgram, CrossingLoopsAreRefused) {
  const std::string text = R"({"format": "berth.program/1", "name": "p", "tensors": [],
    "phases": [{"name": "a", "body": []}, {"name": "b", "body": []}, {"name": "c", "body": []}],
    "loops": [{"first": 0, "last": 1, "bound": 2}, {"first": 1, "last": 2, "bound": 2}]})";
  EXPECT_TRUE(refusal(text).starts_with("loops[1]:")) << refusal(text);
}

std::string deployment_refusal(const std::string& text) {
  const auto document = JsonDocument::parse(text, "dir/d.json").value();
  const auto answer = read_deployment(document, [](const std::string& path) -> Result<std::string> {
    if (path == "dir/p.json") return program(kTensor, kWrite);
    return input_error(path, "no such file");
  });
  return answer ? "none" : answer.error().message;
}

TEST(ReadDeployment, ReadsProgramsBesideItsFile) {
  const auto with = [](const std::string& entry) {
    return R"({"format": "berth.deployment/1", "name": "d", "programs": [)" + entry + "]}";
  };
  EXPECT_EQ(deployment_refusal(with(R"({"name": "p", "layers": 2, "program": "p.json"})")), "none");
  const auto says = [](const std::string& text, const std::string& path) {
    EXPECT_TRUE(deployment_refusal(text).starts_with(path + ":")) << deployment_refusal(text);
  };
  says(with(R"({"name": "p", "layers": 2, "program": "q.json"})"), "programs[0].program");
  says(with(R"({"name": "p", "layers": 2, "program": "p.json", "carried": ["h"]})"),
       "programs[0].carried[0]");
  says(with(R"({"name": "p", "program": "p.json"})"), "programs[0].layers");
  says(R"({"format": "berth.deployment/1", "name": "d"})", "programs");
  says(R"({"format": "berth.deployment/1", "name": "d", "programs": [], "classes": []})",
       "classes");
  says(R"({"format": "berth.deployment/1", "name": "d", "classes": [{"program": "p"}]})",
       "classes[0].tensor");
  says(R"({"format": "berth.deployment/1", "name": "d", "classes": [], "reserve": [-1]})",
       "reserve[0]");
}

std::string target_refusal(const std::string& text) {
  const auto answer = read_target(text, "t.toml");
  return answer ? "none" : answer.error().where + " " + answer.error().message;
}

TEST(ReadTarget, RefusesWithLineAndKey) {
  const std::string head = "name = \"t\"\nany_site_reaches_any = true\n";
  const std::string sites = "[[chip.sites]]\nbytes = 8\n";
  EXPECT_EQ(target_refusal(head + "[[chip]]\n" + sites), "none");
  const auto says = [](const std::string& text, const std::string& start) {
    EXPECT_TRUE(target_refusal(text).starts_with(start)) << target_refusal(text);
  };
  says("name = ", "t.toml:1:");
  says(head, "t.toml:1:1 chip: is missing");
  says(head + "[[chip]]\n", "t.toml:3:1 chip[0].sites: is missing");
  says(head + "[[chip]]\nhbm = 4\n" + sites, "t.toml:4:1 chip[0].hbm: is not a key");
  says(head + "[[chip]]\nhbm_bytes = -4\n" + sites,
       "t.toml:4:13 chip[0].hbm_bytes: found -4, expected");
  says(head + "[[chip]]\ncount = 0\n" + sites, "t.toml:4:9 chip[0].count: found ");
  says(head + "[[chip]]\ncount = 9999999999\n" + sites, "t.toml:4:9 chip[0].count: found ");
  says(head + "[[chip]]\nalignment = 3\n" + sites, "t.toml:4:13 chip[0].alignment: found 3");
  says(head + "[[chip]]\nsram_gb_per_s = 0\n" + sites, "t.toml:4:17 chip[0].sram_gb_per_s");
  says(head + "[[chip]]\n[[chip.sites]]\ncount = 9223372036854775807\nbytes = 4\n",
       "t.toml:6:9 chip[0].sites[0].bytes: the sites");
  says(head + "chip = 4\n", "t.toml:3:8 chip: is no list");
}

TEST(ReadProgram, APartIsCopiedWholeToWhereItLies) {
  const std::string tensors = R"({"name": "a", "kind": "intermediate", "bytes": 8},
    {"name": "j", "kind": "intermediate", "bytes": 16},
    {"name": "k", "kind": "intermediate", "chip": 1, "bytes": 16},
    {"name": "n", "kind": "intermediate", "bytes": 16})";
  const auto says = [&](const std::string& read, const std::string& what) {
    const std::string body = R"({"write": "a", "bytes": 8}, {"write": "k", "bytes": 16}, )" + read +
                             R"(, {"write": "j", "bytes": 16})";
    EXPECT_NE(refusal(program(tensors, body)).find(what), std::string::npos)
        << refusal(program(tensors, body));
  };
  says(R"({"read": "a", "bytes": 8, "part_of": "j", "offset": 8})", "none");
  says(R"({"read": "a", "bytes": 4, "part_of": "j"})", "only 4 of 8 bytes are read");
  says(R"({"read": "a", "bytes": 8, "part_of": "j", "offset": 9})", "end past the 16 of \"j\"");
  says(R"({"read": "a", "bytes": 8, "part_of": "a"})", "is the tensor itself");
  says(R"({"read": "a", "bytes": 8, "part_of": "k"})", "\"k\" is on another chip");
  says(R"({"read": "a", "bytes": 8, "part_of": "n"})", "the phase does not write \"n\"");
}

TEST(WriteProgram, WhatIsWrittenIsReadToTheSameProgram) {
  const std::string text = R"({"format": "berth.program/1", "name": "p",
 "tensors": [{"name": "x \"q\"", "kind": "input", "bytes": 5, "tier": "dram"},
             {"name": "h", "kind": "intermediate", "chip": 1, "dims": [33, 65], "tile": [32, 32],
              "tile_bytes": 2048, "pinned": true},
             {"name": "v", "kind": "intermediate", "chip": 1, "bytes": 8, "view_of": "h",
              "offset": 4},
             {"name": "y", "kind": "output", "bytes": 5, "host": true}],
 "buffers": [{"chip": 1, "site": 2, "offset": 3, "bytes": 4}],
 "phases": [{"name": "a", "scratch": 9,
             "body": [{"read": "x \"q\"", "bytes": 5, "part_of": "y", "offset": 0},
                      {"loop": 3, "body": [{"write": "h", "bytes": 1},
                                           {"loop": 4, "body": [{"read": "h", "bytes": 2}]},
                                           {"read": "v", "bytes": 3}]},
                      {"loop": 5, "body": [{"write": "y", "bytes": 6, "reuses": "x \"q\""}]}]}],
 "loops": [{"first": 0, "last": 0, "bound": 3}]})";
  const auto read = [](const std::string& from) {
    const auto document = JsonDocument::parse(from, "p.json");
    auto program = read_program(document->root());
    EXPECT_TRUE(program) << to_string(program.error());
    return *std::move(program);
  };
  const Program program = read(text);
  EXPECT_EQ(read(write_program(program)), program) << write_program(program);
}

}  // namespace
}  // namespace berth
