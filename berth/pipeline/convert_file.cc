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
#include "berth/pipeline/output_places.h"
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
  std::string (*write)(const Value&, const std::string& prefix);
};

template <typename T, std::string (*write)(const T&)>
std::string written(const Value& value, const std::string&) {
  return write(std::get<T>(value));
}

std::string written_header(const Value& value, const std::string& prefix) {
  return write_c_header(std::get<Plan>(value), prefix);
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
    {".h", 3, written_header},
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

constexpr std::array<std::string_view, kForms.size()> kEndings = [] {
  std::array<std::string_view, kForms.size()> endings;
  for (std::size_t i = 0; i < kForms.size(); ++i) endings[i] = kForms[i].ending;
  return endings;
}();

const Form& form_of(const OutputPlace& place, const Value& value) {
  return *std::ranges::find_if(kForms, [&](const Form& form) {
    return place.ending.empty() ? form.value == value.index() : form.ending == place.ending;
  });
}

}  // namespace

Result<FileContent> convert_file(const std::string& path, const std::string& to,
                                 const std::string& form, const std::string& prefix) {
  const auto places = output_places({&to, 1}, form, {"what convert writes", kEndings, ""});
  if (!places) return tl::unexpected(places.error());
  const auto value = read_value(path);
  if (!value) return tl::unexpected(value.error());
  const Form& chosen = form_of(places->front(), *value);
  if (chosen.value != value->index()) {
    return usage_error(to,
                       fmt::format("would hold {}, but {} holds {}", kValueNames[chosen.value],
                                   path, kValueNames[value->index()]),
                       "name the new file by what the old one holds");
  }
  return FileContent{to, chosen.write(*value, prefix)};
}

}  // namespace berth
