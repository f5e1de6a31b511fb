#pragma once

#include "berth/base/result.h"
#include "berth/ir/capture.h"
#include "berth/lower/lower.h"

namespace berth {

enum class CapturedPart { Everything, Kernels };

// What was seen of a run, as planes and launches (docs/capture.md). Each command is a launch in a
// phase of its own, "step 3 (gemm)", counted over what is taken. Windows are the program's
// allocations; those that share addresses are one.
//
// An allocation of which no two memories meet that commands name is a global: nothing takes over
// another's bytes there. So is one that is known by pointers alone, since these do not say how far
// they reach. In any other allocation each memory is a plane: fresh where a command writes all of
// it without reading, or where it is taken for the first time; carried otherwise. A memory that is
// first taken to be read alone is the same tensor as the last one of its place and size.
//
// Launches of more than one queue, or of one that is out of order, say which; and they say what is
// not judged of this run, as the warnings do.
//
// Refuses (as a limit) a capture whose tensors take more than 2^30 looks to find, and one whose
// allocations cover every address.
Result<LoweredSchedule> lower_capture(const Capture& capture, CapturedPart part);

}  // namespace berth
