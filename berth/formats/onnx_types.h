#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "berth/ir/model_graph.h"

namespace berth::onnx {

namespace schema {
class SparseTensor;
class Tensor;
class Type;
}  // namespace schema

// Why a type or a tensor is refused, as the end of a sentence: "its element type 99 is not known".
template <typename T>
using OrReason = tl::expected<T, std::string>;

OrReason<DeclaredType> declared_type(const schema::Type& type);
OrReason<ConstantTensor> constant_tensor(const schema::Tensor& tensor);
OrReason<ConstantTensor> constant_tensor(const schema::SparseTensor& tensor);

}  // namespace berth::onnx
