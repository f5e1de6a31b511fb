#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/id.h"
#include "berth/base/interval.h"
#include "berth/base/result.h"
#include "berth/ir/deployment.h"
#include "berth/ir/plan.h"

namespace berth {

// What a deployment's bytes are to the step that it runs.
enum class StoredAs {
  Arena,   // an intermediate: of one run of its program
  Table,   // a state that no step leaves for the next: there for all of one run
  State,   // a carried state: there for ever
  Weight,  // the same
  Input,   // filled from outside; all layers of a program take turns on it
  Output,  // read from outside, likewise
};

// Whether it outlives the step, so that nothing may stand on its bytes.
bool outlives_step(StoredAs as);

// Bytes of a root tensor (one that is no view), for one layer.
struct StoredTensor {
  std::string name;  // no other one of the deployment bears it
  std::size_t program = 0;
  std::uint64_t layer = 0;  // 0 of what all layers share
  TensorId tensor;
  StoredAs as = StoredAs::Arena;
  LiveRange life;

  friend bool operator==(const StoredTensor&, const StoredTensor&) = default;
};

// A phase's scratch on one chip, in one run.
struct StoredScratch {
  std::string name;
  std::size_t program = 0;
  Step phase = 0;  // of the program
  ChipId chip;
  Bytes bytes;
  Step step = 0;

  friend bool operator==(const StoredScratch&, const StoredScratch&) = default;
};

// The local memory that a program lays out for itself on one chip, in one run.
struct StoredSites {
  std::string name;
  std::size_t program = 0;
  ChipId chip;
  Bytes bytes;  // over every site, the highest that its map reaches
  LiveRange life;

  friend bool operator==(const StoredSites&, const StoredSites&) = default;
};

// A layer that runs its program: phase i of it is step first + i.
struct ProgramRun {
  std::size_t program = 0;
  std::uint64_t layer = 0;
  Step first = 0;

  friend bool operator==(const ProgramRun&, const ProgramRun&) = default;
};

// A step of a deployment on one clock: program by program as deployed, each once a layer, one after
// the other.
struct DeploymentLives {
  std::vector<ProgramRun> runs;
  std::vector<std::string> step_names;
  std::vector<StoredTensor> tensors;  // run by run; what all layers share before the first of them
  std::vector<StoredScratch> scratch;
  std::vector<StoredSites> sites;
  std::vector<KeptTensor> kept;  // what no phase touches: once a program

  // At least 1, so that what outlives the step has a life.
  Step steps() const { return step_names.empty() ? 1 : step_names.size(); }
};

// What touches it in a loop over phases lives through the loop. Tensors without bytes, and those
// that no phase touches, have no place; a carried state always has.
//
// The deployment's programs have no fault (ir/program_rules.h). Refuses an output, input, weight or
// state that is a view of an intermediate, whose bytes do not last; and, as a limit, more than 2^20
// rows.
Result<DeploymentLives> deployment_lives(const Deployment& deployment);

}  // namespace berth
