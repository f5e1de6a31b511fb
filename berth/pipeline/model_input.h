#pragma once

#include <string>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/result.h"
#include "berth/formats/tflite.h"
#include "berth/ir/program.h"
#include "berth/pipeline/input.h"
#include "berth/pipeline/options.h"

namespace berth {

// A file that says what reads and writes which tensors, as a program.
struct ModelInput {
  Program program;
  Alignment unit;       // of its places, unless one is asked for
  OfflinePlan fixed{};  // the places that the file itself gives, where they are to be kept
  std::vector<std::string> notes{};  // what its reader should know
  std::optional<Bytes> estimate{};   // what its runtime takes beside the tensors
};

// Whether read_model_input reads files of this kind: .tflite, .onnx, berth.program/1.
bool is_model(InputKind kind);

// Refuses what the file's reader refuses.
Result<ModelInput> read_model_input(const InputFile& file, const PlanOptions& options);

}  // namespace berth
