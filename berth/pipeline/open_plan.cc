#include "berth/pipeline/open_plan.h"

#include <fmt/format.h>

#include "berth/formats/json.h"
#include "berth/formats/plan_json.h"
#include "berth/pipeline/input.h"

namespace berth {

Result<Plan> open_plan(const std::string& path) {
  const auto file = open_input(path);
  if (!file) return tl::unexpected(file.error());
  if (const InputKind kind = kind_of(file->content); kind != InputKind::PlanJson) {
    const bool has_plan = kind == InputKind::InstanceCsv || kind == InputKind::Tflite;
    return input_error(path, fmt::format("is {}, expected a plan (.json)", name_of(kind)),
                       has_plan ? "write it as one: berth plan with -o plan.json"
                                : "a plan is what berth plan writes with -o plan.json");
  }
  const auto document = JsonDocument::parse(file->content, path);
  if (!document) return tl::unexpected(document.error());
  return read_plan(*document);
}

}  // namespace berth
