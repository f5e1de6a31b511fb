#pragma once

#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "berth/ir/deployment.h"
#include "examples/decoders/decoder_models.h"

namespace berth::decoders {

// A layer as a program: each pair of past and present is one state, which the step reads and writes
// where it is.
Result<Program> layer_program(const LayerModel& layer);

// All of a model, each kind of layer once.
Result<Deployment> deployment_of(std::string_view model, std::int64_t context);

// Of a deployment whose programs stand beside it, as `program_file` names them.
std::string deployment_text(const Deployment& deployment, std::string_view model);
std::string program_file(std::string_view model, std::string_view program);

}  // namespace berth::decoders
