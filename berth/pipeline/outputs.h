#pragma once

#include <span>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/formats/file.h"
#include "berth/pipeline/plan_file.h"

namespace berth {

// The forms in which `paths` ask for the answer, each chosen by its ending:
//   .json the plan   .csv the instance with offsets   .svg .html the map   .h a C header
//   .schedule.json the rewritten schedule   .launches.json .planes.json its launches, for certify
//   .tflite the model with the plan inside; `input` is the file that was planned
// "-" is the plan on standard output. Refuses an unknown ending, and a form that the question does
// not have.
Result<std::vector<FileContent>> output_forms(const InputFile& input, const PlannedFile& planned,
                                              std::span<const std::string> paths);

// A path with an ending that output_forms does not know, or one that stands twice: asked before any
// work is done.
std::optional<Error> find_output_fault(std::span<const std::string> paths);

}  // namespace berth
