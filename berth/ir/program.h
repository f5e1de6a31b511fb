#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/id.h"

namespace berth {

// What a model becomes: tensors, and phases (its steps, in order, on one clock) that read and
// write them.

enum class TensorKind { Input, Output, Weight, Intermediate, State };

// These bytes of another tensor.
struct TensorView {
  TensorId of;
  Bytes offset;

  friend bool operator==(const TensorView&, const TensorView&) = default;
};

struct Tensor {
  std::string name;
  TensorKind kind = TensorKind::Intermediate;
  Bytes bytes;
  std::optional<TensorView> view_of;
  bool dynamic = false;  // its size is known only at run time: bytes is 0, and it is not planned

  friend bool operator==(const Tensor&, const Tensor&) = default;
};

struct TensorAccess {
  enum class Kind { Read, Write };

  TensorId tensor;
  Kind kind = Kind::Read;
  // On a write: the tensor whose bytes it may take over, if that one dies in this phase.
  std::optional<TensorId> reuses;

  friend bool operator==(const TensorAccess&, const TensorAccess&) = default;
};

struct Phase {
  std::string name;
  std::vector<TensorAccess> accesses;

  friend bool operator==(const Phase&, const Phase&) = default;
};

struct Program {
  std::string name;
  std::vector<Tensor> tensors;  // by TensorId
  std::vector<Phase> phases;
  // Live from the first phase, and to the end of the last. A tensor may be both, and may be listed
  // more than once.
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;

  friend bool operator==(const Program&, const Program&) = default;
};

}  // namespace berth
