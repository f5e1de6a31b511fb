#pragma once

#include <string>
#include <string_view>

#include "berth/base/result.h"

namespace berth {

// A file that was read, not yet understood.
struct InputFile {
  std::string path;
  std::string content;
};

Result<InputFile> open_input(const std::string& path);

enum class InputKind {
  InstanceCsv,
  OtherBinary,
  ScheduleJson,
  PlanJson,
  ReasonJson,
  ProgramJson,
  DeploymentJson,
  ResidencyJson,
  OtherJson,
  Tflite,
  Onnx,
  Executorch
};

// What a file is, by its content: TensorFlow Lite's and ExecuTorch's file identifiers, a JSON
// object's "format", a binary that starts as an ONNX model does, bytes that are no text; a table
// otherwise.
InputKind kind_of(std::string_view content);

// "a schedule", "an .onnx model".
std::string_view name_of(InputKind kind);

}  // namespace berth
