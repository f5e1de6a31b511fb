// Kinds J and K: what a launch schedule leaves for a later one.
#include "berth/pipeline/certify_files.h"
#include "tests/regress/bug_corpus.h"

namespace berth {
namespace {

// Planes and launches as their files say them, judged.
CertifiedFiles judged(const std::string& planes, const std::string& launches) {
  auto files = certify_files({"planes.json", planes}, {"launches.json", launches}, {});
  if (!files) throw std::runtime_error(to_string(files.error()));
  return *std::move(files);
}

TEST(BugCorpus, J3_StateThatAStepLeavesForTheNextIsNotOverwritten) {
  const auto code = [](std::uint64_t scratch) {
    const std::string s = R"({"name": "S", "address": 0, "bytes": 256)";
    return judged(R"({"format": "berth.planes/1", "alignment": 128,
        "windows": [{"address": 0, "bytes": 4096}],
        "phases": [{"phase": "P", "planes": [)" +
                      s + R"(}]}, {"phase": "A", "planes": [)" + s +
                      R"(, "carried": true}]},
                   {"phase": "B", "planes": [{"name": "T", "address": )" +
                      std::to_string(scratch) + R"(, "bytes": 256}]}]})",
                  R"({"format": "berth.launches/1",
        "table": [{"phase": "P", "words": [0]}, {"phase": "A", "words": [0]},
                  {"phase": "B", "words": [)" +
                      std::to_string(scratch) + R"(]}, {"phase": "A", "words": [0]}],
        "submissions": [{"first": 0, "count": 4}]})")
        .verdict.code();
  };
  EXPECT_EQ(code(128), 2u + 4u + 3u);
  EXPECT_EQ(code(256), 0u);
}

// P writes e and its scratch p, Q reads e and has scratch q: e is held, so it is a global beside
// the workspace that both share.
TEST(BugCorpus, K4_WhatTwoProgramsShareIsOutsideTheWorkspaceOfBoth) {
  test::Draft s;
  const OpId e = s.buffer("e", 256), p = s.buffer("p", 512), q = s.buffer("q", 512);
  const Schedule both = s.schedule({s.call("P", {p, e}, "bw"), s.call("Q", {e, q}, "rb")}, {e});
  const auto found = test::answer(write_schedule(both)).value();
  const auto& file = std::get<PlannedFile>(found);
  EXPECT_EQ(test::arena_bytes(file.plan), 512u);
  EXPECT_FALSE(test::is_planned(file.plan, "e"));
  const PlaneTable& planes = (*file.launches)->planes;
  ASSERT_EQ(planes.globals().size(), 1u);
  EXPECT_EQ(planes.globals()[0].name, "e");
  for (const PhasePlanes& phase : planes.phases()) {
    for (const Plane& plane : phase.planes) {
      EXPECT_FALSE(plane.range.extent().overlaps(planes.globals()[0].extent()));
    }
  }
}

}  // namespace
}  // namespace berth
