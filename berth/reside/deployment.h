#pragma once

#include <span>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/deployment.h"
#include "berth/ir/residency.h"
#include "berth/ir/target.h"
#include "berth/reside/activations.h"
#include "berth/reside/demand.h"
#include "berth/reside/states.h"

namespace berth {

// How programs share the SRAM: one at a time, so that the largest decides, or all at once.
enum class Running { OneAtATime, Together };

// What a deployment asks of a target, checked once: chips and sites exist, no name stands twice,
// and every sum over layers and instances fits 64 bits.
struct DeploymentDemand {
  std::vector<Demand> programs;               // as deployed
  std::vector<std::vector<TensorId>> tables;  // by program, in rank order
  std::vector<StateClass> classes;            // carried states: program by program, by TensorId
  std::vector<Bytes> reserve;                 // by ChipId: as given, beside the programs'
};

Result<DeploymentDemand> deployment_demand(const Deployment& deployment, const Target& target);

// A program's table as a class of one instance.
StateClass table_class(const DeployedProgram& deployed, const Demand& demand, TensorId table);

// The deployment's carried state planned and placed, exactly as the rule says: the activations of
// every program; then each program's tables one at a time in rank order, on chip where its
// footprint and those kept before leave the room; the largest program's footprint as the reserve;
// and every carried state in the tier that plan_states and plan_off_chip give it.
Result<Residency> plan_deployment(const Deployment& deployment, const Target& target,
                                  Running running = Running::OneAtATime);
Residency plan_deployment(const Deployment& deployment, const Target& target,
                          const DeploymentDemand& demand, Running running);

// What stays in SRAM while programs run.
struct Stay {
  std::vector<Activations> activations;           // by program
  std::vector<std::vector<bool>> tables_on_chip;  // by program, as DeploymentDemand::tables
};

// What follows from it: footprints, traffic, each chip's reserve, and what stands in the way.
Residency compose_programs(const Deployment& deployment, const Target& target,
                           const DeploymentDemand& demand, const Stay& stay, Running running);

// Puts classes, of which it is said what is in SRAM, into the plan: the rest go to the tiers below
// (whether those have the room: reside/homes.h).
void put_states(Residency& plan, const Target& target, std::vector<ClassResidency> classes);

}  // namespace berth
