#include "berth/certify/reason.h"
#include "berth/formats/reason_json.h"
#include "fuzz/entry.h"

namespace {

using namespace berth;

Result<Reason> read(const std::string& text) {
  const auto document = JsonDocument::parse(text, "fuzz");
  if (!document) return tl::unexpected(document.error());
  return read_reason(*document);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto reason = read(fuzz::text_of(data, size));
  if (!reason) {
    fuzz::expect(reason.error().where.starts_with("fuzz:"));
    return 0;
  }
  const auto text = write_reason(*reason);
  const auto again = read(text);
  fuzz::expect(again.has_value() && write_reason(*again) == text);
  fuzz::expect(!check_reason(*reason, 1'000).why.empty());
  fuzz::expect(!find_reason_mismatch(*reason, reason->part).has_value());
  return 0;
}
