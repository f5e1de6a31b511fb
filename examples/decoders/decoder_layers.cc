// decoder_layers MODEL CONTEXT FOLDER: writes a decode step of a published model, with its public
// shapes and without its weights, as ONNX and as a deployment of programs.
#include <algorithm>
#include <charconv>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "berth/formats/program_json.h"
#include "berth/formats/write_files.h"
#include "examples/decoders/decoder_programs.h"

namespace {

using namespace berth;
using namespace berth::decoders;

constexpr std::int64_t kMostContext = 1 << 24;

int usage() {
  std::cerr << "decoder_layers MODEL CONTEXT FOLDER\n  MODEL is one of:";
  for (const std::string_view name : model_names()) std::cerr << ' ' << name;
  std::cerr << "\n  CONTEXT is how many tokens its caches hold, 2 to " << kMostContext << '\n';
  return 2;
}

int write(std::string_view model, std::int64_t context, const std::string& folder) {
  const auto deployment = deployment_of(model, context);
  if (!deployment) return std::cerr << to_string(deployment.error()) << '\n', 1;
  const std::string stem = folder + "/" + std::string(model);
  std::vector<FileContent> files = {
      {stem + ".onnx", onnx_model(model, context)},
      {stem + ".deployment.json", deployment_text(*deployment, model)}};
  for (const DeployedProgram& it : deployment->programs) {
    files.push_back({folder + "/" + program_file(model, it.name), write_program(it.program)});
  }
  if (const auto written = write_files(files); !written) {
    return std::cerr << to_string(written.error()) << '\n', 1;
  }
  for (const FileContent& file : files) std::cout << file.path << '\n';
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return usage();
  const std::string_view model = words[1];
  const std::string_view number = words[2];
  std::int64_t context = 0;
  const auto [rest, status] =
      std::from_chars(number.data(), number.data() + number.size(), context);
  const bool is_number = status == std::errc() && rest == number.data() + number.size();
  if (!is_number || context < 2 || context > kMostContext) return usage();
  const auto names = model_names();
  if (std::find(names.begin(), names.end(), model) == names.end()) return usage();
  return write(model, context, words[3]);
}
