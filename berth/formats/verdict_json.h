#pragma once

#include <string>
#include <string_view>

#include "berth/ir/arena_report.h"

namespace berth {

// A verdict as it is written: what is fixed stands in docs/certificate.md.
struct WrittenVerdict {
  const PlaneTable& planes;
  const LaunchSchedule& schedule;
  const Verdict& verdict;
  const ArenaReport& report;
  const ArenaCoverage& coverage;
  bool exact = false;             // by which rule words were judged
  std::string_view refused = {};  // why a verdict of 0 is refused all the same, in a word
  bool undecided = false;         // it is neither, for that reason
};

// One JSON object.
std::string write_verdict(const WrittenVerdict& written);

}  // namespace berth
