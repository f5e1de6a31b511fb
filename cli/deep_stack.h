#pragma once

#include <functional>

namespace berth::cli {

// Runs `work` where there is stack enough for it: where the process was given little (ulimit -s),
// on a thread with a stack of its own. Threads that are made later have as much.
void run_on_deep_stack(const std::function<void()>& work);

}  // namespace berth::cli
