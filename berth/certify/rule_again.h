#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "berth/certify/source_facts.h"
#include "berth/ir/program.h"
#include "berth/ir/residency.h"

namespace berth {

// The rule's plan, made anew from the words of the rule for the check of one: a walk along the
// phases, with all that is live in a sorted set.

// Someone pushed out.
struct PushedOut {
  std::size_t tensor = 0;
  Step phase = 0;
  Bytes short_by;
  std::vector<std::size_t> beside;  // who else was live there, the largest first: eight at most
  std::size_t more_beside = 0;
};

// One program on one chip.
struct RuleOnChip {
  std::vector<PushedOut> out;  // in the order in which they left
  Bytes footprint;             // of buffers, and the most of what stays and scratch at once
};
RuleOnChip rule_on_chip(const SourceFacts& source, std::size_t program, std::size_t chip,
                        Bytes sram);

// By tensor, of these, the least SRAM above `sram` at which it would not be pushed out. Those that
// take too many steps to find are missing.
std::map<std::size_t, Bytes> stays_from_again(const SourceFacts& source, std::size_t program,
                                              std::size_t chip,
                                              const std::vector<std::size_t>& tensors, Bytes sram);

// Whether `a` comes before `b` where states or tables are ranked: what moves most per byte first;
// then what holds less; then by name.
bool comes_first(const StateClass& a, const StateClass& b);

struct RuleAgain {
  std::vector<std::vector<PushedOut>> out;       // by program, chip by chip
  std::vector<std::vector<std::size_t>> tables;  // by program: kept, in rank order
  std::vector<ClassResidency> classes;           // in rank order
  Bytes moved;                                   // a step, off chip
};
RuleAgain rule_again(const SourceFacts& source, bool concurrent);

// The tiers below the SRAM, class by class in the order in which they stand: to the HBM while that
// holds all that is left of one.
std::vector<Tier> tiers_below(const Target& target, const std::vector<ClassResidency>& classes);

}  // namespace berth
