#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/result.h"
#include "berth/ir/deployment.h"
#include "berth/ir/residency.h"
#include "berth/ir/target.h"
#include "berth/reside/deployment.h"

namespace berth {

// The target with `sram` bytes to use on every chip. Sites keep their numbers.
Target with_sram(const Target& target, Bytes sram);

// The least SRAM above `sram` at which the rule decides anything otherwise, where `plan` is its
// plan for chips that all have `sram`. Each decision asks whether some sum is within the SRAM, and
// until the least sum that was not is, none can change. Nothing: more changes nothing.
std::optional<Bytes> next_sram(const Residency& plan, const Target& target, Bytes sram);

struct SweepRange {
  Bytes from;               // at least 1
  std::optional<Bytes> to;  // nothing: until more changes nothing
};

// Calls `visit` with the rule's plan at `from`, and at each SRAM up to `to` at which it is another.
// Refuses more than `most` of them.
Result<void> each_rule_change(const Deployment& deployment, const Target& target,
                              const DeploymentDemand& demand, const SweepRange& range,
                              std::size_t most,
                              const std::function<void(Bytes, const Residency&)>& visit);

// How much less SRAM would still hold what the certificates keep; nothing where that is nothing.
std::optional<Bytes> slack(const std::vector<ChipCertificate>& certificates);

// For each program's spills, in their order: the least SRAM above the chip's own at which the rule
// would keep it, where it is among the next `most` at which anything changes.
std::vector<std::vector<std::optional<Bytes>>> stays_from(const Deployment& deployment,
                                                          const Target& target,
                                                          const DeploymentDemand& demand,
                                                          const Residency& plan,
                                                          std::size_t most = 200);

}  // namespace berth
