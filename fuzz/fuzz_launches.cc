#include <array>
#include <utility>

#include "berth/certify/arena_report.h"
#include "berth/certify/explain_arena.h"
#include "berth/formats/launches_json.h"
#include "fuzz/entry.h"

namespace {

using namespace berth;

Result<LaunchSchedule> read(const std::string& text) {
  const auto document = JsonDocument::parse(text, "fuzz");
  if (!document) return tl::unexpected(document.error());
  return read_launches(*document);
}

// Planes that mutations of the seed still meet.
const PlaneTable& fixed_planes() {
  static const PlaneTable planes = [] {
    const NamedRange q = {"q", Address(0x10001000), Bytes(1024)};
    const NamedRange score = {"score", Address(0x10001400), Bytes(512)};
    return PlaneTable::make(256, {{Address(0x10000000), Bytes(8192)}},
                            {{"weights", Address(0x10000000), Bytes(4096)}},
                            {{"project", {{q, false}}}, {"attend", {{q, true}, {score, false}}}})
        .value();
  }();
  return planes;
}

// The exact rule accepts what the other does, and every verdict is explained.
void judge(const PlaneTable& planes, const LaunchSchedule& schedule) {
  const Verdict verdict = certify_arena(planes, schedule);
  const Verdict exact = certify_arena(planes, schedule, WordRule::Exact);
  fuzz::expect(!verdict.certified() || exact.certified());
  for (const Verdict& each : {verdict, exact}) {
    const auto report = arena_report(planes, schedule, each);
    fuzz::expect(!explain(report, planes, schedule).empty());
  }
  fuzz::expect(!explain(arena_coverage(planes, schedule), planes).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto launches = read(fuzz::text_of(data, size));
  if (!launches) {
    fuzz::expect(launches.error().where.starts_with("fuzz:"));
    return 0;
  }
  const auto again = read(write_launches(*launches));
  fuzz::expect(again.has_value() && *again == *launches);
  judge(fixed_planes(), *launches);
  return 0;
}
