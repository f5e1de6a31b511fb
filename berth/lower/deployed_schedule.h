#pragma once

#include <span>
#include <string>
#include <vector>

#include "berth/base/interval.h"
#include "berth/base/result.h"
#include "berth/ir/deployment.h"
#include "berth/ir/program.h"
#include "berth/ir/schedule.h"
#include "berth/live/deployment_lives.h"

namespace berth {

// Programs as a schedule: each phase a call, each loop over phases a loop.
struct DeployedSchedule {
  Schedule schedule;
  std::vector<OpId> ops;             // by index in DeploymentLives::tensors
  std::vector<std::size_t> entries;  // by step: the schedule's entry that runs it
};

// "chip0.sram"
std::string device_name(ChipId chip, Tier tier);

// The step that `lives` describes. A tensor is a buffer on the device of its chip and tier, which
// each call that touches it takes where it lives; an input is a param; what outlives the step is
// held. Views are bytes of their buffers. `tiers`: by index in lives.tensors.
//
// `lives` is deployment_lives(deployment). Refuses what OpGraph and Schedule refuse: sums of padded
// sizes past 64 bits.
Result<DeployedSchedule> deployed_schedule(const Deployment& deployment,
                                           const DeploymentLives& lives,
                                           std::span<const Tier> tiers);

}  // namespace berth
