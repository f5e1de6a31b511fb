#include "berth/pipeline/model_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "berth/base/text.h"
#include "berth/formats/json.h"
#include "berth/formats/onnx.h"
#include "berth/formats/program_json.h"
#include "berth/model/program.h"
#include "berth/pipeline/own_scratch.h"

namespace berth {
namespace {

constexpr std::uint64_t kTfliteUnit = 16;
constexpr std::uint64_t kOnnxUnit = 64;

Result<TfliteOptions> tflite_options(const PlanOptions& options) {
  TfliteOptions asked{.views = options.views, .in_place = options.in_place};
  for (const auto& [name, shape] : options.bindings.shapes) {
    if (shape.element) {
      return usage_error("--shape", fmt::format("gives an element type to '{}'", name),
                         "a .tflite model says its types: give the dimensions alone");
    }
    asked.shapes.emplace_back(name, shape.dims);
  }
  for (const auto& [name, range] : options.bindings.symbols) {
    asked.sizes.emplace_back(name, range.most);
  }
  return asked;
}

std::string placeholder_note(const OpenShape& open) {
  std::string signature;
  for (std::size_t i = 0; i < open.dims.size(); ++i) {
    const bool is_open = std::ranges::find(open.open, i) != open.open.end();
    signature +=
        (i == 0 ? "" : ", ") + (is_open ? std::string("-1") : std::to_string(open.dims[i]));
  }
  return fmt::format(
      "the size of input {} is a placeholder: the model leaves it open [{}], and [{}] is planned",
      printable(open.name), signature, fmt::join(open.dims, ", "));
}

std::string region_note(const Program& program, const OwnScratch& region) {
  const Phase& phase = program.phases[region.phase];
  const Tensor& scratch = program.tensors[region.tensor.index()];
  return fmt::format(
      "{} finds its operands inside its scratch {} ({} bytes), where the model's own plan has "
      "them: "
      "that plan is kept, and what happens inside the operator is not judged",
      fmt::format("step {} ({})", region.phase, phase.name), printable(scratch.name),
      scratch.bytes.count());
}

Result<ModelInput> read_tflite_input(const InputFile& file, const PlanOptions& options) {
  const auto asked = tflite_options(options);
  if (!asked) return tl::unexpected(asked.error());
  auto program = read_tflite(file.content, file.path, *asked);
  if (!program) return tl::unexpected(program.error());
  auto offline = read_tflite_offline_plan(file.content, file.path);
  if (!offline) return tl::unexpected(offline.error());
  const auto facts = read_tflite_facts(file.content, file.path, *asked);
  if (!facts) return tl::unexpected(facts.error());
  auto scratched = with_own_scratch(*std::move(program), (*offline).value_or(OfflinePlan()));
  ModelInput input{std::move(scratched.program), *Alignment::of(kTfliteUnit)};
  input.estimate = facts->micro;
  for (const auto& [name, range] : options.bindings.symbols) {
    if (range.least == range.most) continue;
    input.notes.push_back(fmt::format("{} is planned at the upper end of its range, {}",
                                      printable(name), range.most));
  }
  for (const OpenShape& open : facts->open) input.notes.push_back(placeholder_note(open));
  for (const OwnScratch& region : scratched.regions) {
    input.notes.push_back(region_note(input.program, region));
  }
  if (options.offline_plan || !scratched.regions.empty()) {
    input.fixed = (*offline).value_or(OfflinePlan());
  } else if (*offline) {
    input.notes.push_back(
        "the model carries an offline plan, which was not asked for (--offline-plan keeps its "
        "places)");
  }
  return input;
}

Result<ModelInput> read_onnx_input(const InputFile& file, const PlanOptions& options) {
  const auto graph = read_onnx(file.content, file.path);
  if (!graph) return tl::unexpected(graph.error());
  auto model = model_program(*graph, {.bindings = options.bindings,
                                      .states = options.states,
                                      .views = options.views,
                                      .in_place = options.in_place});
  if (!model) return tl::unexpected(model.error());
  return ModelInput{
      std::move(model->program), *Alignment::of(kOnnxUnit), {}, std::move(model->notes)};
}

// Sizes are as the file gives them, tiles and all: nothing is rounded further.
Result<ModelInput> read_program_input(const InputFile& file) {
  const auto document = JsonDocument::parse(file.content, file.path);
  if (!document) return tl::unexpected(document.error());
  auto program = read_program(document->root());
  if (!program) return tl::unexpected(program.error());
  return ModelInput{*std::move(program), Alignment()};
}

}  // namespace

bool is_model(InputKind kind) {
  return kind == InputKind::Tflite || kind == InputKind::Onnx || kind == InputKind::ProgramJson;
}

Result<ModelInput> read_model_input(const InputFile& file, const PlanOptions& options) {
  switch (kind_of(file.content)) {
    case InputKind::Tflite:
      return read_tflite_input(file, options);
    case InputKind::Onnx:
      return read_onnx_input(file, options);
    default:
      assert(kind_of(file.content) == InputKind::ProgramJson);
      return read_program_input(file);
  }
}

}  // namespace berth
