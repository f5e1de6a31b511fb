#include "berth/pipeline/convert_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "berth/formats/c_header.h"
#include "berth/formats/launches_binary.h"
#include "berth/formats/launches_json.h"
#include "berth/formats/plan_json.h"
#include "berth/formats/planes_json.h"
#include "berth/formats/schedule.h"
#include "berth/ir/launches.h"
#include "berth/pipeline/launches_file.h"
#include "berth/render/map_html.h"
#include "berth/render/map_svg.h"

namespace berth {
namespace {

using Value = std::variant<LaunchSchedule, PlaneTable, Schedule, Plan>;

constexpr std::array<std::string_view, 4> kValueNames = {"launches", "planes", "a schedule",
                                                         "a plan"};

struct Form {
  std::string_view ending;
  std::size_t value;  // index in Value
  std::string (*write)(const Value&);
};

template <typename T, std::string (*write)(const T&)>
std::string written(const Value& value) {
  return write(std::get<T>(value));
}

// Longer endings first: .schedule.json is no plain .json.
constexpr std::array<Form, 8> kForms = {{
    {".launches.json", 0, written<LaunchSchedule, write_launches>},
    {".launches.bin", 0, written<LaunchSchedule, write_launches_binary>},
    {".planes.json", 1, written<PlaneTable, write_planes>},
    {".schedule.json", 2, written<Schedule, write_schedule>},
    {".json", 3, written<Plan, write_plan>},
    {".svg", 3, written<Plan, plan_map_svg>},
    {".html", 3, written<Plan, plan_map_html>},
    {".h", 3, written<Plan, write_c_header>},
}};

template <typename T>
Result<Value> as_value(Result<T> read) {
  if (!read) return tl::unexpected(std::move(read).error());
  return Value(*std::move(read));
}

Result<Value> read_json(const JsonDocument& document) {
  const JsonValue root = document.root();
  const bool is_object = root.kind() == JsonValue::Kind::Object;
  const auto format = is_object ? root.field("format") : std::nullopt;
  const std::string name = format && format->kind() == JsonValue::Kind::String
                               ? std::string(format->string())
                               : std::string();
  if (name.starts_with("berth.launches/")) return as_value(read_launches(document));
  if (name.starts_with("berth.planes/")) return as_value(read_planes(document));
  if (name.starts_with("berth.schedule/")) return as_value(read_schedule(document));
  if (name.starts_with("berth.plan/")) return as_value(read_plan(document));
  return tl::unexpected(json_error(format.value_or(root), "format",
                                   "is no form of launches, planes, a schedule or a plan"));
}

Result<Value> read_value(const std::string& path) {
  const auto content = read_bytes(path);
  if (!content) return tl::unexpected(content.error());
  const std::string_view text(reinterpret_cast<const char*>(content->bytes.data()),
                              content->bytes.size());
  if (is_launches_binary(text)) {
    return as_value(read_launches_binary(content->bytes, content->owner, path));
  }
  const auto document = JsonDocument::parse(std::string(text), path);
  if (!document) return tl::unexpected(document.error());
  return read_json(*document);
}

}  // namespace

Result<FileContent> convert_file(const std::string& path, const std::string& to) {
  const auto form =
      std::ranges::find_if(kForms, [&](const Form& known) { return to.ends_with(known.ending); });
  if (form == kForms.end()) {
    return usage_error(to, "no form that is written has this ending",
                       "expected .launches.json, .launches.bin, .planes.json, .schedule.json, "
                       ".json, .svg, .html or .h");
  }
  const auto value = read_value(path);
  if (!value) return tl::unexpected(value.error());
  if (form->value != value->index()) {
    return usage_error(to,
                       fmt::format("would hold {}, but {} holds {}", kValueNames[form->value], path,
                                   kValueNames[value->index()]),
                       "name the new file by what the old one holds");
  }
  return FileContent{to, form->write(*value)};
}

}  // namespace berth
