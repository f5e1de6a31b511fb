#pragma once

#include <span>
#include <string>

#include "berth/base/bytes.h"
#include "berth/ir/residency.h"
#include "berth/ir/target_use.h"
#include "berth/render/table.h"

namespace berth {

// What a plan makes of its target: a row a memory, what left the SRAM and why, what a step moves
// off chip, and what the certificate has seen.
std::string target_table(const TargetUse& use, Colour colour);

// Why a target is too small, each obstacle with what to change.
std::string obstacle_report(std::span<const Obstacle> obstacles);

// A memory that must hold more than it has, and what of.
struct TierOverflow {
  std::string device;
  Bytes capacity;
  Bytes needed;
  Bytes states;
  Bytes weights;
  Bytes ends;   // inputs and outputs
  Bytes turns;  // where programs take turns
};
std::string overflow_report(const TierOverflow& overflow);

}  // namespace berth
