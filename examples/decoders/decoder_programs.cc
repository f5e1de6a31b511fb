#include "examples/decoders/decoder_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "berth/formats/json.h"
#include "berth/formats/onnx.h"
#include "berth/live/program_lives.h"
#include "berth/model/program.h"

namespace berth::decoders {
namespace {

constexpr std::string_view kPast = "past_";
constexpr std::string_view kPresent = "present_";

using Written = std::map<std::string, Bytes>;

// The program without the present ends: what writes them writes the past ones, of as many bytes.
Program in_one_place(const Program& program, const Written& written) {
  std::map<std::string, std::size_t> past;
  for (std::size_t i = 0; i < program.tensors.size(); ++i) {
    const std::string& name = program.tensors[i].name;
    if (name.starts_with(kPast)) past[name.substr(kPast.size())] = i;
  }
  Program joined{.name = program.name};
  std::vector<std::optional<TensorId>> image(program.tensors.size());
  for (std::size_t i = 0; i < program.tensors.size(); ++i) {
    if (program.tensors[i].name.starts_with(kPresent)) continue;
    image[i] = TensorId(joined.tensors.size());
    joined.tensors.push_back(program.tensors[i]);
    std::string& name = joined.tensors.back().name;
    if (name.starts_with(kPast)) name = name.substr(kPast.size(), name.rfind('.') - kPast.size());
  }
  for (const Phase& phase : program.phases) {
    Phase& copy = joined.phases.emplace_back(phase);
    for (TensorAccess& access : copy.accesses) {
      const std::string& name = program.tensors[access.tensor.index()].name;
      std::size_t tensor = access.tensor.index();
      if (name.starts_with(kPresent)) tensor = past.at(name.substr(kPresent.size()));
      const auto part = written.find(name);
      if (part != written.end()) access.bytes = part->second;
      access.tensor = *image[tensor];
      access.reuses.reset();
      access.part_of.reset();
    }
  }
  return joined;
}

}  // namespace

Result<Program> layer_program(const LayerModel& layer) {
  const auto graph = read_onnx(layer.onnx, layer.name);
  if (!graph) return tl::unexpected(graph.error());
  auto model = model_program(*graph, {});
  if (!model) return tl::unexpected(model.error());
  auto names = unique_names(model->program);
  for (std::size_t i = 0; i < names.size(); ++i) {
    model->program.tensors[i].name = std::move(names[i]);
  }
  Written written;
  for (const auto& [name, bytes] : layer.written) written[name] = Bytes(bytes);
  Program program = in_one_place(model->program, written);
  program.name = layer.name;
  return program;
}

Result<Deployment> deployment_of(std::string_view model, std::int64_t context) {
  Deployment deployment{.name = fmt::format("{}, context {}", model, context)};
  for (const LayerModel& layer : layer_models(model, context)) {
    auto program = layer_program(layer);
    if (!program) return tl::unexpected(program.error());
    deployment.programs.push_back(
        {.name = layer.name, .layers = layer.layers, .program = *std::move(program)});
  }
  return deployment;
}

std::string program_file(std::string_view model, std::string_view program) {
  return fmt::format("{}.{}.program.json", model, program);
}

std::string deployment_text(const Deployment& deployment, std::string_view model) {
  std::string text =
      fmt::format("{{\"format\": \"berth.deployment/1\", \"name\": {},\n \"programs\": [",
                  json_quoted(deployment.name));
  for (const DeployedProgram& it : deployment.programs) {
    text += fmt::format("{}\n  {{\"name\": {}, \"layers\": {}, \"program\": {}}}",
                        text.ends_with("[") ? "" : ",", json_quoted(it.name), it.layers,
                        json_quoted(program_file(model, it.name)));
  }
  return text + "]}\n";
}

}  // namespace berth::decoders
