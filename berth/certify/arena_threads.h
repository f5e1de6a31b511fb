#pragma once

#include "berth/certify/arena.h"

namespace berth {

// The same verdict as certify_arena, with rule C judged by so many threads, a stretch of the table
// each. Tables of fewer than 2^20 words a thread are judged by fewer: starting one takes longer
// than its share. Apart from the core, which starts no thread.
Verdict certify_arena_on_threads(const PlaneTable& planes, const LaunchSchedule& schedule,
                                 WordRule rule, unsigned threads);

}  // namespace berth
