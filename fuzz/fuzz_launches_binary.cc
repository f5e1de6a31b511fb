#include "berth/formats/file.h"
#include "berth/formats/launches_binary.h"
#include "berth/formats/launches_json.h"
#include "fuzz/launches.h"

namespace {

using namespace berth;

Result<LaunchSchedule> read(const std::string& text) {
  const FileBytes content = file_bytes(text);
  return read_launches_binary(content.bytes, content.owner, "fuzz");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  if (!is_launches_binary(text)) return 0;
  const auto launches = read(text);
  if (!launches) {
    fuzz::expect(launches.error().where.starts_with("fuzz: "));
    return 0;
  }
  const auto again = read(write_launches_binary(*launches));
  fuzz::expect(again.has_value() && *again == *launches);
  const auto document = JsonDocument::parse(write_launches(*launches), "fuzz");
  fuzz::expect(document.has_value());
  const auto from_text = read_launches(*document);
  fuzz::expect(from_text.has_value() && *from_text == *launches);
  fuzz::judge(*launches);
  return 0;
}
