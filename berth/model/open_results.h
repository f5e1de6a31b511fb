#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/bindings.h"
#include "berth/model/infer.h"
#include "berth/model/open_sizes.h"

namespace berth {

// What to say of results whose size is not known, `open` being what the model is given with no size
// yet. Refused, all at once and with the flags to add, where a person can settle it: those inputs,
// and results of operators that have no rule, unless what only the run decides goes into them. The
// rest only the run decides: a note names them. What follows from an open size is not named again.
Result<std::vector<std::string>> settle_open_results(const ModelGraph& graph,
                                                     const ModelFacts& facts,
                                                     const Bindings& bindings,
                                                     const OpenSizes& open);

}  // namespace berth
