#pragma once

#include <span>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/deployment.h"
#include "berth/ir/instance.h"
#include "berth/ir/packing.h"
#include "berth/ir/residency.h"
#include "berth/ir/schedule.h"
#include "berth/ir/target.h"
#include "berth/live/deployment_lives.h"
#include "berth/lower/deployed_schedule.h"
#include "berth/plan/pack.h"
#include "berth/reside/deployment.h"

namespace berth {

// Addresses for all that a deployment stores: an arena for each chip and tier.
struct PlacedDeployment {
  // By device: what outlives the step at the bottom, then one stretch in which programs take turns.
  // Buffers are lives.tensors, then .scratch, then .sites; a step is that of `lives`.
  Instance instance;
  Packing packing;
  std::vector<Bytes> lasting;  // by DeviceId: bytes of what outlives the step
};

// In SRAM the layouts of `answer` stand; what is below is packed here, program by program, with
// `pack`. Every size and place is a multiple of `unit`. `tiers`: homes_of the same.
Result<PlacedDeployment> place_deployment(const Deployment& deployment, const Target& target,
                                          const DeploymentLives& lives,
                                          const DeploymentDemand& demand,
                                          const ResidencyAnswer& answer,
                                          std::span<const Tier> tiers, Alignment unit,
                                          const PackOptions& pack);

// The part of it that takes turns, as a packing of the schedule's own buffers: a step is an entry.
struct ScheduledArenas {
  Instance instance;              // buffers with a node first, then scratch
  Packing packing;                // places count from the end of what lasts
  std::vector<OpId> ops;          // by BufferId, of the first
  std::vector<DeviceId> devices;  // by its DeviceId: that of the whole
};

Result<ScheduledArenas> scheduled_arenas(const DeploymentLives& lives,
                                         const DeployedSchedule& scheduled,
                                         const PlacedDeployment& placed);

}  // namespace berth
