#pragma once

#include "berth/base/result.h"
#include "berth/ir/explanation.h"
#include "berth/pipeline/input.h"
#include "berth/pipeline/options.h"

namespace berth {

// What each arena's peak is made of, and what single changes would win. Every number comes from a
// new plan of the changed question, of at most 100,000 search nodes.
//
// Of each of the largest buffers that are live at the peak step: keep it elsewhere (a tier down);
// keep half of it live (split it along its rows); and, of a model's, let it go between two uses
// around the peak (spill it and load it again, or compute it again). Of a model as a whole: compute
// in place, views instead of copies, swap two neighbouring steps at the peak, another order of all.
// Where the options give a capacity, that is the goal: then changes follow one another, each chosen
// at the peak that the one before left, what costs nothing first, until the arena meets the goal or
// nothing wins any more.
// Refuses what read_question and pack refuse.
Result<Explanation> explain_file(const InputFile& file, const PlanOptions& options);

}  // namespace berth
