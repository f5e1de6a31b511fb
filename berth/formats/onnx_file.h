#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "berth/base/result.h"

namespace berth::onnx {

namespace schema {
class Model;
}

// The messages of an .onnx file. Refuses what is cut short, damaged, nested too deep or has no
// graph. `name` stands in messages.
Result<std::shared_ptr<const schema::Model>> open_model(std::string_view bytes,
                                                        const std::string& name);

}  // namespace berth::onnx
