#include "berth/formats/schedule.h"
#include "berth/plan/rewrite.h"
#include "fuzz/entry.h"

namespace {

using namespace berth;

Result<Schedule> read(const std::string& text) {
  const auto document = JsonDocument::parse(text, "fuzz");
  if (!document) return tl::unexpected(document.error());
  return read_schedule(*document);
}

// What was written reads back, and is written the same.
void expect_stable(const Schedule& schedule) {
  const std::string text = write_schedule(schedule);
  const auto again = read(text);
  fuzz::expect(again.has_value() && write_schedule(*again) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto schedule = read(fuzz::text_of(data, size));
  if (!schedule) {
    fuzz::expect(schedule.error().where.starts_with("fuzz:"));
    return 0;
  }
  expect_stable(*schedule);
  const auto rewritten = memory_plan_rewrite(*schedule);
  if (rewritten) expect_stable(*rewritten);
  return 0;
}
