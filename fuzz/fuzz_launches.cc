#include "berth/formats/launches_json.h"
#include "fuzz/launches.h"

namespace {

using namespace berth;

Result<LaunchSchedule> read(const std::string& text) {
  const auto document = JsonDocument::parse(text, "fuzz");
  if (!document) return tl::unexpected(document.error());
  return read_launches(*document);
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
  fuzz::judge(*launches);
  return 0;
}
