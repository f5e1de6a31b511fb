#pragma once

#include <optional>
#include <vector>

#include "berth/ir/deployment.h"
#include "berth/ir/residency.h"
#include "berth/ir/target.h"
#include "berth/reside/choose.h"
#include "berth/reside/deployment.h"

namespace berth {

// Whether the instances of a class may part ways: the first layers stay, the rest leave.
enum class Split { Whole, Apart };

// Whether an intermediate stays for its whole life or not at all, or for any stretches of it
// (reside/stretches.h).
enum class Lives { Whole, Cut };

struct BestOptions {
  Split split = Split::Whole;
  ChooseOptions choose;
  Lives lives = Lives::Whole;
};

// What stays on one chip, as a choice: every program's phases one after another (programs run one
// at a time), each with the room that its buffers, its scratch and what is pinned leave. An
// intermediate lives in its phases, a table in those of its program, a carried state in all. So
// what a program keeps and what the states take are decided together. Where lives may be cut, an
// intermediate that is live where not all fit is an item a stretch; those take turns, one phase a
// use.
struct ChipChoice {
  enum class Kind { Intermediate, Table, State };
  struct Origin {
    Kind kind = Kind::Intermediate;
    std::size_t program = 0;  // of an intermediate or table
    std::size_t index = 0;    // TensorId; place in DeploymentDemand::tables or ::classes
    std::optional<KeptStretch> stretch = std::nullopt;  // in phases of the program; not of a whole
  };

  ChipId chip;
  Choice choice;
  std::vector<Origin> origins;  // by item
};

// One for each chip that holds tensors.
std::vector<ChipChoice> deployment_choices(const Deployment& deployment, const Target& target,
                                           const DeploymentDemand& demand, Split split,
                                           Lives lives = Lives::Whole);

struct BestPlan {
  Residency plan;
  std::vector<ChipCertificate> certificates;  // by chip that holds tensors
  std::uint64_t nodes = 0;                    // search nodes spent
};

// Moves the least off chip that the search finds, and never more than `start`: the plan by the
// rule, or a best one of whole lives.
BestPlan plan_best(const Deployment& deployment, const Target& target,
                   const DeploymentDemand& demand, const Residency& start,
                   const BestOptions& options);

}  // namespace berth
