#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/id.h"
#include "berth/ir/dtype.h"

namespace berth {

// A model as its file states it: values, and nodes that compute them, with names resolved. What the
// file does not say (a shape that follows from others) is not known here yet.

// A dimension: a number, a symbol such as "batch", or neither.
struct DeclaredDim {
  std::optional<std::uint64_t> size;
  std::string symbol;

  friend bool operator==(const DeclaredDim&, const DeclaredDim&) = default;
};

struct DeclaredType {
  bool tensor = true;            // otherwise a sequence, a map, an optional: of no fixed size
  std::optional<Dtype> element;  // nothing: not said, or text
  std::optional<std::vector<DeclaredDim>> dims;

  friend bool operator==(const DeclaredType&, const DeclaredType&) = default;
};

// The elements of a small tensor, in row-major order, as far as they are known: one list or the
// other is used.
struct Numbers {
  using Ints = std::vector<std::optional<std::int64_t>>;
  using Reals = std::vector<std::optional<double>>;
  std::variant<Ints, Reals> list;

  friend bool operator==(const Numbers&, const Numbers&) = default;
};

// More elements than any shape, axis list or scale has; values are followed no further.
inline constexpr std::uint64_t kMostNumbers = 1024;

// A tensor whose data is in the file.
struct ConstantTensor {
  std::optional<Dtype> element;  // nothing: text
  std::vector<std::uint64_t> dims;
  std::optional<Numbers> numbers;  // where they are few, and here

  friend bool operator==(const ConstantTensor&, const ConstantTensor&) = default;
};

struct ModelValue {
  std::string name;
  DeclaredType declared;
  std::optional<ConstantTensor> constant;
};

struct ModelAttribute {
  using Payload = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>,
                               std::vector<double>, ConstantTensor>;
  std::string name;
  Payload value;
};

// A block that a node runs, under the name of its attribute: "then_branch", "body".
struct ModelBody {
  std::string name;
  std::size_t block = 0;
};

struct ModelNode {
  std::string name;    // may be empty
  std::string domain;  // "" is the standard one
  std::string op;
  std::int64_t opset = 0;  // version of its domain that the model asks for
  std::vector<std::optional<TensorId>> inputs;
  std::vector<std::optional<TensorId>> outputs;
  std::vector<ModelAttribute> attributes;
  std::vector<ModelBody> bodies;

  const ModelAttribute::Payload* attribute(std::string_view wanted) const;
};

struct ModelBlock {
  std::string name;
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;  // may be values of a block around it
  std::vector<ModelNode> nodes;   // each after those whose results it reads
};

struct ModelGraph {
  std::string file;
  std::vector<ModelValue> values;  // by TensorId; each has at most one writer
  std::vector<ModelBlock> blocks;  // 0 is the main one; a body comes after the block that runs it
  std::vector<std::string> notes;  // what its reader should know
};

// "Conv 'conv1'", "com.microsoft.Attention": for messages and step names.
std::string title_of(const ModelNode& node);

}  // namespace berth
