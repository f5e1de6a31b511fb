#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/id.h"
#include "berth/ir/program.h"

namespace berth {

// A carried state: `tensor` of `program`, held on `chip` once for each of the `instances` layers
// that run the program. `bytes` and `moved` (a step) are those of one instance.
struct StateClass {
  std::string program;
  std::string tensor;
  ChipId chip;
  std::uint64_t instances = 1;
  Bytes bytes;
  Bytes moved;
  bool host = false;  // the host reads it: never in SRAM

  // Of all instances. Known to fit.
  Bytes held() const;
  Bytes moved_by_all() const;

  friend bool operator==(const StateClass&, const StateClass&) = default;
};

// One program of a deployment, and the layers that run it. `carried`: which of its state tensors a
// step leaves for the next; nothing: every one. The others are the program's own tables.
struct DeployedProgram {
  std::string name;
  std::uint64_t layers = 1;
  Program program;
  std::optional<std::vector<TensorId>> carried;

  friend bool operator==(const DeployedProgram&, const DeployedProgram&) = default;
};

// What plan_states takes, given as it is.
struct GivenStates {
  std::vector<Bytes> reserve;  // by ChipId; what is not given is 0
  std::vector<StateClass> classes;

  friend bool operator==(const GivenStates&, const GivenStates&) = default;
};

// Programs, or given states.
struct Deployment {
  std::string name;
  std::vector<DeployedProgram> programs;
  std::optional<GivenStates> given;

  friend bool operator==(const Deployment&, const Deployment&) = default;
};

}  // namespace berth
