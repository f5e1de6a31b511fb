#pragma once

#include <span>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/formats/write_files.h"
#include "berth/pipeline/output_places.h"
#include "berth/pipeline/plan_file.h"

namespace berth {

// What of a plan can be written: on a stream that says nothing else, the plan.
KnownForms plan_forms();

// The answer in the form that each place asks for:
//   .json the plan   .csv the instance with offsets   .svg .html the map   .h a C header
//   .schedule.json the rewritten schedule   .launches.json .planes.json its launches, for certify
//   .tflite the model with the plan inside; `input` is the file that was planned
// Names in a header begin with `prefix`, or with one of the plan's own. Refuses a form that the
// question does not have.
Result<std::vector<FileContent>> output_forms(const InputFile& input, const PlannedFile& planned,
                                              std::span<const OutputPlace> places,
                                              const std::string& prefix = {});
// The same where the ending of each path says its form.
Result<std::vector<FileContent>> output_forms(const InputFile& input, const PlannedFile& planned,
                                              std::span<const std::string> paths);

}  // namespace berth
