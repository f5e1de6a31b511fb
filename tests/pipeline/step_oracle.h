#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/ir/deployment.h"
#include "berth/ir/plan.h"
#include "berth/live/deployment_lives.h"

namespace berth::test {

// Runs a deployment's step on the bytes of a plan, each of which remembers which write it is of:
// two steps, one after the other, every outermost loop twice. Says which read does not find what
// was last written to its tensor. What is read before anything was written there is not judged.
class StepOracle {
 public:
  StepOracle(const Deployment& deployment, const DeploymentLives& lives, const Plan& plan);

  std::optional<std::string> find_fault();

 private:
  struct Tags {
    std::vector<std::uint64_t> tags;  // 0: nobody knows
  };

  void begin_step();
  void run_phase(const ProgramRun& run, Step phase);
  void dirty(std::size_t row);
  void write(std::size_t row, std::uint64_t begin, std::uint64_t end);
  void check(std::size_t row, std::uint64_t begin, std::uint64_t end, const std::string& where);

  const Deployment& deployment_;
  const DeploymentLives& lives_;
  const Plan& plan_;
  std::vector<Tags> memory_;    // by arena
  std::vector<Tags> contents_;  // by row: what it should hold
  std::uint64_t tag_ = 0;
  std::optional<std::string> fault_;
};

}  // namespace berth::test
