#include "berth/pipeline/outputs.h"

#include <fmt/format.h>

#include <array>
#include <set>
#include <utility>

#include "berth/formats/c_header.h"
#include "berth/formats/instance_csv.h"
#include "berth/formats/launches_binary.h"
#include "berth/formats/launches_json.h"
#include "berth/formats/plan_json.h"
#include "berth/formats/planes_json.h"
#include "berth/formats/schedule.h"
#include "berth/formats/tflite.h"
#include "berth/render/map_html.h"
#include "berth/render/map_svg.h"

namespace berth {
namespace {

enum class Form {
  Plan,
  Schedule,
  Launches,
  BinaryLaunches,
  Planes,
  Table,
  Svg,
  Html,
  Header,
  Tflite
};

// Longer endings first: .schedule.json is no plain .json.
constexpr std::array<std::pair<std::string_view, Form>, 10> kEndings = {{
    {".schedule.json", Form::Schedule},
    {".launches.json", Form::Launches},
    {".launches.bin", Form::BinaryLaunches},
    {".planes.json", Form::Planes},
    {".json", Form::Plan},
    {".csv", Form::Table},
    {".svg", Form::Svg},
    {".html", Form::Html},
    {".h", Form::Header},
    {".tflite", Form::Tflite},
}};

std::optional<Form> form_of(const std::string& path) {
  if (path == "-") return Form::Plan;
  for (const auto& [ending, form] : kEndings) {
    if (path.ends_with(ending)) return form;
  }
  return std::nullopt;
}

// By row that is placed.
Placement row_places(const TableForm& form, const Placement& placement) {
  if (form.members.empty()) return placement;
  Placement rows;
  for (const Member& member : form.members) {
    rows.places.push_back(placement.places[member.buffer.index()] + member.offset);
  }
  return rows;
}

std::string table_text(const PlannedFile& planned) {
  const Question& question = planned.question;
  if (const auto* form = std::get_if<TableForm>(&question.form)) {
    return write_instance_csv(form->table, row_places(*form, planned.packing.placement));
  }
  return write_instance_csv(question.instance, planned.packing.placement);
}

tl::unexpected<Error> no_schedule(const PlannedFile& planned, const std::string& path) {
  return usage_error(
      "-o " + path,
      fmt::format("{} is no schedule, so it has none to write", planned.plan.source.file),
      "use an ending such as .json, .csv or .html");
}

// Scratch, and what is kept apart, is left to the runtime.
Result<std::string> model_with_plan(const InputFile& input, const PlannedFile& planned,
                                    const std::string& path) {
  if (planned.plan.target) {
    return usage_error("-o " + path, "a model holds the plan of one arena, not of several memories",
                       "write the plan as .json, or leave out --target");
  }
  const auto* form = std::get_if<ModelForm>(&planned.question.form);
  if (form == nullptr || kind_of(input.content) != InputKind::Tflite) {
    return usage_error(
        "-o " + path,
        fmt::format("{} is no .tflite model that could carry the plan", planned.plan.source.file),
        "use an ending such as .json, .csv or .h");
  }
  if (!planned.plan.order.empty()) {
    return usage_error("-o " + path, "a model runs its operators in the order of the file",
                       "write the plan as .json, or leave out --reorder");
  }
  const auto program = read_tflite(input.content, input.path);
  if (!program) return tl::unexpected(program.error());
  OfflinePlan plan(program->tensors.size());
  for (const Member& member : form->members) {
    plan[member.tensor.index()] =
        planned.packing.placement.places[member.buffer.index()] + member.offset;
  }
  return write_tflite_offline_plan(input.content, input.path, plan);
}

Result<std::string> content_of(const InputFile& input, const PlannedFile& planned,
                               const std::string& path, Form form) {
  switch (form) {
    case Form::Plan:
      return write_plan(planned.plan);
    case Form::Table:
      return table_text(planned);
    case Form::Svg:
      return plan_map_svg(planned.plan);
    case Form::Html:
      return plan_map_html(planned.plan);
    case Form::Header:
      return write_c_header(planned.plan);
    case Form::Tflite:
      return model_with_plan(input, planned, path);
    case Form::Schedule:
      if (planned.rewritten) return write_schedule(*planned.rewritten);
      return no_schedule(planned, path);
    case Form::Launches:
    case Form::BinaryLaunches:
    case Form::Planes:
      if (!planned.launches) return no_schedule(planned, path);
      return (*planned.launches).transform([&](const LoweredSchedule& lowered) {
        if (form == Form::Planes) return write_planes(lowered.planes);
        return form == Form::BinaryLaunches ? write_launches_binary(lowered.launches)
                                            : write_launches(lowered.launches);
      });
  }
  __builtin_unreachable();
}

}  // namespace

std::optional<Error> find_output_fault(std::span<const std::string> paths) {
  std::set<std::string> named;
  for (const std::string& path : paths) {
    if (!named.insert(path).second) {
      return Error{Error::Kind::Usage, "-o " + path, "is asked for twice", "name each file once"};
    }
    if (form_of(path)) continue;
    return Error{Error::Kind::Usage, "-o " + path,
                 "no form of a plan that is written has this ending",
                 "expected .json, .csv, .svg, .html, .h, .schedule.json, .launches.json, "
                 ".launches.bin, .planes.json or .tflite"};
  }
  return std::nullopt;
}

Result<std::vector<FileContent>> output_forms(const InputFile& input, const PlannedFile& planned,
                                              std::span<const std::string> paths) {
  if (auto fault = find_output_fault(paths)) return tl::unexpected(std::move(*fault));
  std::vector<FileContent> files;
  for (const std::string& path : paths) {
    auto content = content_of(input, planned, path, *form_of(path));
    if (!content) return tl::unexpected(content.error());
    files.push_back({path, *std::move(content)});
  }
  return files;
}

}  // namespace berth
