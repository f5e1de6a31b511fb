#pragma once

#include "berth/ir/verdict.h"

namespace berth {

// How the words of a repeat are held against the plan.
enum class Words {
  // By intervals that cover their values: one an iteration while those are at most 64 and one delta
  // names the word, their hull otherwise.
  ByInterval,
  // What intervals leave open is decided value by value: a progression against each hole of the
  // plan, however many its iterations. Accepts more, never what is unsound.
  OneByOne,
};

// The certificate's verdict (see arena.h), by either rule, and what extents add to it where there
// are any (see arena_extents.h), with rule C judged by so many threads, stretch by stretch of the
// table. Tables of fewer than 2^22 words a thread are judged by fewer: on a busy machine, to wait
// for one takes longer than its share. Apart from the core, which starts no thread.
Verdict judge_arena(const PlaneTable& planes, const LaunchSchedule& schedule,
                    Words rule = Words::ByInterval, unsigned threads = 1);

}  // namespace berth
