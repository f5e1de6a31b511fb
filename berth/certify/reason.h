#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "berth/ir/reason.h"

namespace berth {

// What an independent check says of a reason.
struct ReasonVerdict {
  enum class Answer {
    Confirmed,  // the buffers do not go into what the device has; minimal, where that is claimed
    Refuted,    // they do, or its step or its minimality is not what it says
    Undecided,  // there are too many ways to put them one over another
  };
  Answer answer = Answer::Undecided;
  std::string why;          // in words, names printable
  std::uint64_t cases = 0;  // that were looked at
};

// Checks a reason by itself, with no code of the packers. A step's load is added up. Else, unless
// alignment alone leaves no room at some step, every way in which buffers that meet can lie over
// one another is tried, up to `most_cases` (fewer where there are many buffers, so that the time is
// bounded): complete, and exponential in how many there are. A minimal one is tried again without
// each of its buffers.
ReasonVerdict check_reason(const Reason& reason, std::uint64_t most_cases = 5'000'000);

// The first buffer of a reason that the whole question does not have, or has otherwise, or whose
// device has more room there.
std::optional<std::string> find_reason_mismatch(const Reason& reason, const Instance& question);

}  // namespace berth
