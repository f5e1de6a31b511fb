#include "berth/pipeline/model_input.h"

#include <cassert>
#include <optional>
#include <utility>

#include "berth/formats/json.h"
#include "berth/formats/onnx.h"
#include "berth/formats/program_json.h"
#include "berth/model/program.h"

namespace berth {
namespace {

constexpr std::uint64_t kTfliteUnit = 16;
constexpr std::uint64_t kOnnxUnit = 64;

Result<ModelInput> read_tflite_input(const InputFile& file, const PlanOptions& options) {
  auto program =
      read_tflite(file.content, file.path, {.views = options.views, .in_place = options.in_place});
  if (!program) return tl::unexpected(program.error());
  auto offline = read_tflite_offline_plan(file.content, file.path);
  if (!offline) return tl::unexpected(offline.error());
  ModelInput input{*std::move(program), *Alignment::of(kTfliteUnit)};
  if (options.offline_plan) {
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
