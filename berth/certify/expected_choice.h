#pragma once

#include <vector>

#include "berth/certify/program_facts.h"
#include "berth/ir/deployment.h"
#include "berth/ir/prices.h"
#include "berth/ir/target.h"

namespace berth {

// A deployment and what was read off it, for the check of a certificate.
struct ChoiceSource {
  const Deployment& deployment;
  const Target& target;
  const std::vector<ProgramFacts>& facts;          // by program
  const std::vector<std::vector<bool>>& is_table;  // by program, by TensorId
  std::vector<StateClass> carried;
};

// How a plan may divide what it keeps: states into layers, lives into stretches.
struct Divided {
  bool states = false;
  bool lives = false;
};

// What a certificate of the chip must be about. Programs stand one after another; one without
// phases has one in which its tables live. Of lives that may be cut, those that are live where not
// all fits are an item for each stretch between uses that saves something, and take turns: after
// all phases of programs, one for each use. A life is cut at its fifteen longest gaps at most, the
// earlier of equals.
Choice expected_choice(const ChoiceSource& source, ChipId chip, Divided divided);

}  // namespace berth
