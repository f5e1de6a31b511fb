#include <array>
#include <utility>

#include "berth/certify/arena_coverage.h"
#include "berth/certify/arena_report.h"
#include "berth/certify/explain_arena.h"
#include "berth/formats/planes_json.h"
#include "fuzz/entry.h"

namespace {

using namespace berth;

Result<PlaneTable> read(const std::string& text) {
  const auto document = JsonDocument::parse(text, "fuzz");
  if (!document) return tl::unexpected(document.error());
  return read_planes(*document);
}

// Launches of phases and words that mutations of the seed still meet.
const LaunchSchedule& fixed_launches() {
  static const LaunchSchedule schedule = [] {
    LaunchScheduleBuilder builder;
    builder.launch("project", std::array<std::uint64_t, 2>{0x10000000, 0x10001000});
    builder.launch("attend", std::array<std::uint64_t, 2>{0x10001000, 0x10001400});
    builder.repeat(1'000'000, 1, {{0, 1, 1}});
    builder.submit({0, 2});
    builder.submit({0, 2});
    return std::move(builder).build().value();
  }();
  return schedule;
}

// The exact rule accepts what the other does, and every verdict is explained.
void judge(const PlaneTable& planes, const LaunchSchedule& schedule) {
  const Verdict verdict = judge_arena(planes, schedule);
  const Verdict exact = judge_arena(planes, schedule, Words::OneByOne);
  fuzz::expect(!verdict.certified() || exact.certified());
  for (const Verdict& each : {verdict, exact}) {
    const auto report = arena_report(planes, schedule, each);
    fuzz::expect(!explain(report, planes, schedule).empty());
  }
  fuzz::expect(!explain(arena_coverage(planes, schedule), planes).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto planes = read(fuzz::text_of(data, size));
  if (!planes) {
    fuzz::expect(planes.error().where.starts_with("fuzz:"));
    return 0;
  }
  const auto again = read(write_planes(*planes));
  fuzz::expect(again.has_value() && *again == *planes);
  judge(*planes, fixed_launches());
  return 0;
}
