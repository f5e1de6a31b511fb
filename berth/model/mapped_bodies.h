#pragma once

#include <span>
#include <vector>

#include "berth/ir/model_graph.h"
#include "berth/model/fact.h"

namespace berth {

// Operators that run a body by rules of their own, so that no one need say what it takes:
// SequenceMap, FlexAttention, and Scan as version 8 had it, with a batch in front of every axis.
bool is_mapped(const ModelNode& node);

// What its body takes; `stated`: what the model says of that, which holds where nothing is known.
std::vector<Fact> facts_passed(const ModelNode& node, std::span<const Fact> operands,
                               std::vector<Fact> stated);

// What such a Scan gives, of what its body does. Of the others their rules say it.
bool is_batched_scan(const ModelNode& node);
std::vector<Fact> facts_scanned(const ModelNode& node, std::span<const Fact> operands,
                                std::span<const Fact> given);

}  // namespace berth
