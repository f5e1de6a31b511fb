#include "berth/pipeline/outputs.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "berth/base/text.h"
#include "berth/formats/c_header.h"
#include "berth/formats/instance_csv.h"
#include "berth/formats/launches_binary.h"
#include "berth/formats/launches_json.h"
#include "berth/formats/plan_json.h"
#include "berth/formats/planes_json.h"
#include "berth/formats/schedule.h"
#include "berth/formats/tflite.h"
#include "berth/pipeline/own_scratch.h"
#include "berth/render/map_html.h"
#include "berth/render/map_svg.h"

namespace berth {
namespace {

// Longer endings first: .schedule.json is no plain .json.
constexpr std::array<std::string_view, 10> kEndings = {
    ".schedule.json", ".launches.json", ".launches.bin", ".planes.json", ".json",
    ".csv",           ".svg",           ".html",         ".h",           ".tflite"};

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

// An operator compiled for Ethos-U finds its operands inside its scratch, by offsets that only its
// compiler and the plan that it wrote know: without that plan any other one breaks the model.
std::optional<Error> find_compiled_fault(const InputFile& input, const Program& program,
                                         const std::string& path) {
  constexpr std::string_view kEthosU = "ethos-u";
  const auto offline = read_tflite_offline_plan(input.content, input.path);
  if (!offline) return offline.error();
  for (const OwnScratch& scratch : own_scratch(program)) {
    const Phase& phase = program.phases[scratch.phase];
    const bool is_placed = *offline && (**offline)[scratch.tensor.index()];
    if (is_placed || !phase.name.ends_with(kEthosU)) continue;
    return Error{
        Error::Kind::Usage, "-o " + path,
        fmt::format("step {} ({}) finds its operands inside its scratch {} by offsets that "
                    "only its compiler knows, and the model carries no plan that has them",
                    scratch.phase, printable(phase.name),
                    printable(program.tensors[scratch.tensor.index()].name)),
        "plan the model as Vela wrote it"};
  }
  return std::nullopt;
}

// Scratch of --scratch, and what is kept apart, is left to the runtime.
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
  if (auto error = find_compiled_fault(input, *program, path)) return tl::unexpected(*error);
  for (std::size_t i = 0; i < program->tensors.size(); ++i) {
    if (program->tensors[i].bytes == form->program.tensors[i].bytes) continue;
    return usage_error("-o " + path,
                       "the plan is for other shapes than the model's own, which the runtime takes",
                       "convert the model with these shapes, or write the plan as .json");
  }
  OfflinePlan plan(program->tensors.size());
  for (const Member& member : form->members) {
    plan[member.tensor.index()] =
        planned.packing.placement.places[member.buffer.index()] + member.offset;
  }
  return write_tflite_offline_plan(input.content, input.path, plan);
}

// What of a schedule's launches an ending asks for.
std::string launches_text(const LoweredSchedule& lowered, std::string_view ending) {
  if (ending == ".planes.json") return write_planes(lowered.planes);
  return ending == ".launches.bin" ? write_launches_binary(lowered.launches)
                                   : write_launches(lowered.launches);
}

Result<std::string> content_of(const InputFile& input, const PlannedFile& planned,
                               const OutputPlace& place, const std::string& prefix) {
  const std::string& ending = place.ending;
  if (ending == ".json") return write_plan(planned.plan);
  if (ending == ".csv") return table_text(planned);
  if (ending == ".svg") return plan_map_svg(planned.plan);
  if (ending == ".html") return plan_map_html(planned.plan);
  if (ending == ".h") return write_c_header(planned.plan, prefix);
  if (ending == ".tflite") return model_with_plan(input, planned, place.path);
  if (ending == ".schedule.json") {
    if (planned.rewritten) return write_schedule(*planned.rewritten);
    return no_schedule(planned, place.path);
  }
  if (!planned.launches) return no_schedule(planned, place.path);
  return (*planned.launches).transform([&](const LoweredSchedule& lowered) {
    return launches_text(lowered, ending);
  });
}

}  // namespace

KnownForms plan_forms() {
  return {"a plan", kEndings, ".json"};
}

Result<std::vector<FileContent>> output_forms(const InputFile& input, const PlannedFile& planned,
                                              std::span<const OutputPlace> places,
                                              const std::string& prefix) {
  std::vector<FileContent> files;
  for (const OutputPlace& place : places) {
    auto content = content_of(input, planned, place, prefix);
    if (!content) return tl::unexpected(content.error());
    files.push_back({place.path, *std::move(content)});
  }
  return files;
}

Result<std::vector<FileContent>> output_forms(const InputFile& input, const PlannedFile& planned,
                                              std::span<const std::string> paths) {
  const auto places = output_places(paths, "", plan_forms());
  if (!places) return tl::unexpected(places.error());
  return output_forms(input, planned, *places);
}

}  // namespace berth
