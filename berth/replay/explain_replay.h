#pragma once

#include <string>

#include "berth/replay/replay.h"

namespace berth {

// "a", "slot 3", or "bytes [0, 256) of slot 7" for a slice of an arena: printable, whatever bytes
// the names hold. `id` is a tensor of the schedule.
std::string tensor_name(const OpGraph& graph, OpId id);

// "step 2 (double), argument 1".
std::string use_name(const OpGraph& graph, const ArgumentUse& use);

// The report in words: which read, of what, where it looked, who wrote it and who took its bytes.
// `original` is the schedule that names the tensors, `placed` the one that ran (maybe the same).
std::string explain(const ReplayReport& report, const Schedule& placed, const Schedule& original);

}  // namespace berth
