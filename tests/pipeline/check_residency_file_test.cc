#include "berth/pipeline/check_residency_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "berth/formats/residency_json.h"
#include "berth/pipeline/reside_file.h"

namespace berth {
namespace {

const std::string kRoot = BERTH_ROOT;

// A tensor that is read again long after its first use, beside one that needs the room between.
const std::string kComesBack = R"({"format": "berth.program/1", "name": "late",
 "tensors": [{"name": "a", "kind": "intermediate", "bytes": 40},
  {"name": "b", "kind": "intermediate", "bytes": 40}],
 "phases": [
  {"name": "p0", "body": [{"write": "a", "bytes": 40}]},
  {"name": "p1", "body": [{"read": "a", "bytes": 40}]},
  {"name": "p2", "body": [{"write": "b", "bytes": 40}]},
  {"name": "p3", "body": [{"read": "b", "bytes": 120}]},
  {"name": "p4", "body": [{"read": "a", "bytes": 40}]}]})";
const std::string kSixty =
    "name = \"t\"\nany_site_reaches_any = true\n[[chip]]\n[[chip.sites]]\nbytes = 60\n";

// What a document's numbers and booleans are, each with the keys that lead to it, such as
// "programs.spilled.phase".
struct Place {
  std::string keys;
  std::size_t at = 0;
  std::size_t length = 0;
};

std::vector<Place> places_of(const std::string& json) {
  std::vector<Place> places;
  std::vector<std::string> open;  // the key of each object or list around
  std::string key;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto end_of = [&](const char* letters) {
      return std::min(json.find_first_not_of(letters, i), json.size());
    };
    if (json[i] == '"') {
      const std::size_t end = json.find('"', i + 1);
      if (json[end + 1] == ':') key = json.substr(i + 1, end - i - 1);
      i = end;
    } else if (json[i] == '{' || json[i] == '[') {
      open.push_back(std::exchange(key, ""));
    } else if (json[i] == '}' || json[i] == ']') {
      open.pop_back();
      key.clear();
    } else if (std::isalnum(static_cast<unsigned char>(json[i])) != 0) {
      std::string keys;
      for (const std::string& it : open) keys += it.empty() ? "" : it + ".";
      const std::size_t end = end_of("0123456789abcdefghijklmnopqrstuvwxyz");
      places.push_back({keys + key, i, end - i});
      i = end - 1;
    }
  }
  return places;
}

// What the page of residencies says is not judged.
bool is_exempt(const std::string& keys) {
  for (const char* part :
       {"concurrent", "off_chip_bytes_per_step.best_of_whole", "certificate.parts.",
        // Another place may be as good.
        "programs.layout.places.offset"}) {
    if (keys.starts_with(part)) return true;
  }
  return false;
}

class Checked {
 public:
  Checked(const std::string& deployment, const std::string& target, const ResideOptions& options)
      : Checked(*open_input(kRoot + "/examples/deployments/" + deployment + ".json"),
                *open_input(kRoot + "/targets/" + target + ".toml"), options) {}
  Checked(InputFile input, InputFile target, const ResideOptions& options)
      : source_{std::move(input), std::move(target)} {
    const auto answer = reside_file(source_.input, source_.target, options);
    const auto& file = std::get<ResidedFile>(*answer);
    text_ = write_residency(file.answer, file.deployment);
    bound_ = file.answer.bound;
  }

  void expect_sound() const {
    for (const bool with_source : {false, true}) {
      const auto verdict = check_residency_file(
          {"r.json", text_}, with_source ? std::optional(source_) : std::nullopt);
      ASSERT_TRUE(verdict) << to_string(verdict.error());
      EXPECT_TRUE(verdict->sound()) << verdict->faults[0];
      EXPECT_EQ(verdict->bound, bound_);
    }
  }

  // Every number made one more, every boolean turned: nothing that is not exempt goes unseen.
  void expect_every_field_judged(std::size_t least) const {
    std::size_t tried = 0;
    for (const Place& place : places_of(text_)) {
      if (is_exempt(place.keys)) continue;
      std::string text = text_;
      const std::string was = text.substr(place.at, place.length);
      const std::string is = was == "true"    ? "false"
                             : was == "false" ? "true"
                                              : std::to_string(std::stoull(was) + 1);
      text.replace(place.at, place.length, is);
      const auto verdict = check_residency_file({"r.json", text}, source_);
      EXPECT_FALSE(verdict && verdict->sound()) << place.keys << ": " << was << " -> " << is;
      ++tried;
    }
    EXPECT_GE(tried, least);
  }

  // Beside its source, with the first `from` replaced.
  void expect_fault(const std::string& from, const std::string& to) const {
    std::string text = text_;
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from << " in " << text_.substr(0, 3000);
    const auto verdict =
        check_residency_file({"r.json", text.replace(at, from.size(), to)}, source_);
    ASSERT_TRUE(verdict) << to_string(verdict.error());
    EXPECT_FALSE(verdict->sound()) << from << " -> " << to;
  }

 private:
  ResidencySource source_;
  std::string text_;
  Bytes bound_;
};

TEST(CheckResidencyFile, OursAreSound) {
  const ResideOptions best = {.policy = Policy::Best};
  const ResideOptions split = {.policy = Policy::Best, .split = true};
  const ResideOptions cut = {.policy = Policy::Best, .split = true, .intervals = true};
  for (const ResideOptions& options : {ResideOptions(), best, split, cut}) {
    Checked("cnn", "u65_dedicated", options).expect_sound();
    Checked("cnn", "h100_sxm", options).expect_sound();
    Checked("qwen3_next_32k", "sn40l", options).expect_sound();
    Checked("jamba_2k", "sn40l", options).expect_sound();
    Checked("deepseek_v3_32k", "sn40l_8", options).expect_sound();
  }
  Checked("qwen3_next_32k", "sn40l", {.concurrent = true}).expect_sound();
  Checked("cnn", "u65_dedicated", {.concurrent = true}).expect_sound();
}

TEST(CheckResidencyFile, ADamagedProgramIsNot) {
  for (const Policy policy : {Policy::Rule, Policy::Best}) {
    const Checked cnn("cnn", "u65_dedicated", {.policy = policy});
    cnn.expect_fault(R"({"tensor": "conv1")", R"({"tensor": "pointwise1")");
    cnn.expect_fault(R"({"tensor": "conv1")", R"({"tensor": "weights")");
    cnn.expect_fault("\"sram_footprint\": [", "\"sram_footprint\": [1");
    cnn.expect_fault("\"buffer_footprint\": [0]", "\"buffer_footprint\": [1]");
    cnn.expect_fault("\"traffic\": ", "\"traffic\": 1");
    cnn.expect_fault("\"unplaced\": 0", "\"unplaced\": 1");
    cnn.expect_fault("\"layers\": 1", "\"layers\": 2");
    cnn.expect_fault("\"reserve\": ", "\"reserve\": 1");
    cnn.expect_fault("\"sram\": 393216", "\"sram\": 393217");
    cnn.expect_fault("\"nothing_kept\": ", "\"nothing_kept\": 1");
    cnn.expect_fault("\"rule\": ", "\"rule\": 1");
    cnn.expect_fault("\"best\": ", "\"best\": 1");
    cnn.expect_fault("{\"spilled\": ", "{\"spilled\": 1");
    cnn.expect_fault("\"capacity\": [", "\"capacity\": [1");
    cnn.expect_fault("\"moved\": ", "\"moved\": 1");
    cnn.expect_fault("\"kept\": [0", "\"kept\": [1");
  }
}

TEST(CheckResidencyFile, ADamagedStretchIsNot) {
  const Checked late(InputFile{"late.json", kComesBack}, InputFile{"t.toml", kSixty},
                     {.policy = Policy::Best, .intervals = true});
  late.expect_sound();
  late.expect_fault("\"in_sram\": [[0, 2]]", "\"in_sram\": [[0, 1]]");
  late.expect_fault("\"in_sram\": [[0, 2]]", "\"in_sram\": [[0, 2], [1, 2]]");
  late.expect_fault("\"in_sram\": [[0, 2]]", "\"in_sram\": [[0, 2], [4, 5]]");
  late.expect_fault("\"in_sram\": [[0, 2]]", "\"in_sram\": []");
  late.expect_fault("{\"tensor\": \"a\", \"chip\": 0, \"in_sram\"",
                    "{\"tensor\": \"b\", \"chip\": 0, \"in_sram\"");
  late.expect_fault("\"turns\": [5", "\"turns\": [4");
  late.expect_fault("\"best_of_whole\": 120", "\"best_of_whole\": 79");
  late.expect_fault("\"kept\": [1", "\"kept\": [0");
}

TEST(CheckResidencyFile, ADamagedStateIsNot) {
  const Checked qwen("qwen3_next_32k", "sn40l", {});
  qwen.expect_fault("\"tier\": \"sram\"", "\"tier\": \"hbm\"");
  qwen.expect_fault("\"tier\": \"hbm\"", "\"tier\": \"dram\"");
  qwen.expect_fault("\"instances\": 36", "\"instances\": 35");
  qwen.expect_fault("\"tensor\": \"conv\"", "\"tensor\": \"cove\"");
  qwen.expect_fault("\"states\": ", "\"states\": 1");
  Checked("qwen3_next_32k", "sn40l", {.policy = Policy::Best, .split = true})
      .expect_fault("\"instances_in_sram\": 6", "\"instances_in_sram\": 7");
}

TEST(CheckResidencyFile, EveryFieldThatIsNotExemptIsJudged) {
  const ResideOptions best = {.policy = Policy::Best};
  for (const ResideOptions& options : {ResideOptions(), best}) {
    Checked("cnn", "u65_dedicated", options).expect_every_field_judged(40);
    Checked("qwen3_next_32k", "sn40l", options).expect_every_field_judged(45);
  }
  Checked(InputFile{"late.json", kComesBack}, InputFile{"t.toml", kSixty},
          {.policy = Policy::Best, .intervals = true})
      .expect_every_field_judged(30);
}

// Seven that must stay have sums of 5 bytes, and no addresses in 5.
const std::string kNoLayout = R"({"format": "berth.program/1", "name": "f1", "tensors": [
  {"name": "a", "kind": "intermediate", "bytes": 2, "pinned": true},
  {"name": "b", "kind": "intermediate", "bytes": 3, "pinned": true},
  {"name": "c", "kind": "intermediate", "bytes": 1, "pinned": true},
  {"name": "d", "kind": "intermediate", "bytes": 1, "pinned": true},
  {"name": "e", "kind": "intermediate", "bytes": 2, "pinned": true},
  {"name": "f", "kind": "intermediate", "bytes": 2, "pinned": true},
  {"name": "g", "kind": "intermediate", "bytes": 3, "pinned": true}],
 "phases": [
  {"name": "p0", "body": [{"write": "a", "bytes": 2}, {"write": "b", "bytes": 3}]},
  {"name": "p1", "body": [{"read": "b", "bytes": 3}, {"write": "c", "bytes": 1},
                          {"write": "d", "bytes": 1}]},
  {"name": "p2", "body": [{"write": "e", "bytes": 2}]},
  {"name": "p3", "body": [{"read": "c", "bytes": 1}]},
  {"name": "p4", "body": [{"read": "d", "bytes": 1}, {"read": "e", "bytes": 2},
                          {"write": "f", "bytes": 2}]},
  {"name": "p5", "body": []},
  {"name": "p6", "body": [{"write": "g", "bytes": 3}]},
  {"name": "p7", "body": [{"read": "f", "bytes": 2}, {"read": "g", "bytes": 3}]}]})";

TEST(CheckResidencyFile, WhatHasNoLayoutCannotBeSaidToBe) {
  const std::string five =
      "name = \"t\"\nany_site_reaches_any = true\n[[chip]]\n[[chip.sites]]\nbytes = 5\n";
  for (const Policy policy : {Policy::Rule, Policy::Best}) {
    const Checked f1(InputFile{"f1.json", kNoLayout}, InputFile{"t.toml", five},
                     {.policy = policy});
    f1.expect_sound();
    f1.expect_fault("\"feasible\": false", "\"feasible\": true");
    f1.expect_fault("\"kind\": \"no-layout\"", "\"kind\": \"dram-full\"");
    f1.expect_every_field_judged(10);
  }
}

TEST(CheckResidencyFile, AnInventedObstacleOrTrafficIsNot) {
  const Checked cnn("cnn", "u65_dedicated", {});
  cnn.expect_fault("\"obstacles\": []",
                   R"("obstacles": [{"kind": "no-layout", "chip": 0, "needed": 2, "available": 1,
                      "names": []}])");
  cnn.expect_fault("\"unplaced\": 0", "\"traffic_placed\": 1, \"unplaced\": 0");
  cnn.expect_fault("\"deployment\": \"", "\"deployment\": \"x");
}

}  // namespace
}  // namespace berth
