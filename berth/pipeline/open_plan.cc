#include "berth/pipeline/open_plan.h"

#include "berth/formats/json.h"
#include "berth/formats/plan_json.h"
#include "berth/pipeline/input.h"

namespace berth {

Result<Plan> open_plan(const std::string& path) {
  const auto file = open_input(path);
  if (!file) return tl::unexpected(file.error());
  const auto document = JsonDocument::parse(file->content, path);
  if (!document) return tl::unexpected(document.error());
  return read_plan(*document);
}

}  // namespace berth
