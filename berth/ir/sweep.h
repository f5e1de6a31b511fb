#pragma once

#include <string>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/ir/residency.h"

namespace berth {

// From this SRAM on: what a step moves off chip by the rule, by the best that was found, and the
// least that is proved.
struct SweepStep {
  Bytes sram;
  Bytes rule;
  Bytes best;
  Bytes bound;
  bool feasible = true;  // by the rule

  friend bool operator==(const SweepStep&, const SweepStep&) = default;
};

// Traffic as a step function of the SRAM that every chip has, up to `to`.
struct Sweep {
  std::string deployment;
  std::string target;
  std::vector<SweepStep> steps;  // by sram
  Bytes to;
  std::vector<Obstacle> obstacles;  // to the rule's plan at the last step

  friend bool operator==(const Sweep&, const Sweep&) = default;
};

}  // namespace berth
