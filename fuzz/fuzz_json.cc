#include <vector>

#include "berth/formats/json.h"
#include "fuzz/entry.h"

namespace {

using namespace berth;

void visit(const JsonDocument& document) {
  std::vector<JsonValue> open = {document.root()};
  while (!open.empty()) {
    const JsonValue value = open.back();
    open.pop_back();
    fuzz::expect(value.where().starts_with("fuzz:") && !value.text().empty());
    if (value.kind() == JsonValue::Kind::Array) {
      for (const JsonValue& item : value.items()) open.push_back(item);
    }
    if (value.kind() == JsonValue::Kind::Object) {
      for (const auto key : value.keys()) open.push_back(value.field(key).value());
    }
    if (value.kind() == JsonValue::Kind::String) {
      const auto again = JsonDocument::parse(json_quoted(value.string()), "fuzz");
      fuzz::expect(again && again->root().string() == value.string());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = JsonDocument::parse(fuzz::text_of(data, size), "fuzz");
  if (document) {
    visit(*document);
  } else {
    fuzz::expect(document.error().where.starts_with("fuzz:") && !document.error().message.empty());
  }
  return 0;
}
