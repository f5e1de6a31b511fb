#include "berth/certify/explain_placement.h"
#include "berth/certify/placement.h"
#include "berth/formats/plan_json.h"
#include "berth/render/table.h"
#include "fuzz/entry.h"

namespace {

using namespace berth;

Result<Plan> read(const std::string& text) {
  const auto document = JsonDocument::parse(text, "fuzz");
  if (!document) return tl::unexpected(document.error());
  return read_plan(*document);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto plan = read(fuzz::text_of(data, size));
  if (!plan) {
    fuzz::expect(plan.error().where.starts_with("fuzz:"));
    return 0;
  }
  const auto again = read(write_plan(*plan));
  fuzz::expect(again.has_value() && *again == *plan);
  fuzz::expect(!explain(check_placement(*plan), *plan).empty());
  fuzz::expect(!plan_table(*plan).empty());
  return 0;
}
