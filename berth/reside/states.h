#pragma once

#include <span>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/ir/deployment.h"
#include "berth/ir/residency.h"
#include "berth/ir/target.h"

namespace berth {

// Whether `a` goes on chip before `b`: more bytes moved a step per byte held (exactly, by cross
// products in 128 bits), then less held by all instances, then by name of program and tensor, then
// by chip. A class without bytes has no density: those come first, by name.
bool ranks_before(const StateClass& a, const StateClass& b);

// What a chip has for states.
struct ChipRoom {
  Bytes sram;
  Bytes reserve;
  bool holds_tensors = true;  // whether the chip can hold a tensor in its SRAM at all
};

// Keeps what moves most per byte held: in rank order each class goes on chip whole if all its
// instances fit the room left beyond the reserve, and leaves the room to the next one otherwise.
// What does not go on chip stays in DRAM. The classes come back in rank order. Their chips exist.
std::vector<ClassResidency> plan_states(std::span<const StateClass> classes,
                                        std::span<const ChipRoom> rooms);

// The next tier down: in the same order each class that is not wholly in SRAM goes to its chip's
// HBM while that holds what is left of it whole, and to the DRAM otherwise, whatever that has.
void plan_off_chip(const Target& target, std::vector<ClassResidency>& classes);

}  // namespace berth
