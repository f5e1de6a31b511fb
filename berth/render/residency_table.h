#pragma once

#include <string>

#include "berth/ir/deployment.h"
#include "berth/ir/residency.h"
#include "berth/ir/target.h"
#include "berth/render/table.h"

namespace berth {

// A residency for people, as plain text: what stands in its way; each chip's SRAM, what programs
// take of it, the states in it, what is free; the classes in rank order with their tier and why;
// the programs with what they spill; and the bytes that a step moves off chip, beside the least
// that is proved. Ends in a newline.
std::string residency_table(const ResidencyAnswer& answer, const Deployment& deployment,
                            const Target& target, Colour colour = Colour::Off);

// One obstacle, in words.
std::string explain(const Obstacle& obstacle);

}  // namespace berth
