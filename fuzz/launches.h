#pragma once

#include "berth/certify/arena_coverage.h"
#include "berth/certify/arena_report.h"
#include "berth/certify/explain_arena.h"
#include "fuzz/entry.h"

namespace berth::fuzz {

// Planes that mutations of the seed still meet.
inline const PlaneTable& fixed_planes() {
  static const PlaneTable planes = [] {
    const NamedRange q = {"q", Address(0x10001000), Bytes(1024)};
    const NamedRange score = {"score", Address(0x10001400), Bytes(512)};
    return PlaneTable::make(256, {{Address(0x10000000), Bytes(8192)}},
                            {{"weights", Address(0x10000000), Bytes(4096)}},
                            {{"project", {{q, false}}}, {"attend", {{q, true}, {score, false}}}})
        .value();
  }();
  return planes;
}

// The exact rule accepts what the other does, and every verdict is explained.
inline void judge(const LaunchSchedule& schedule) {
  const PlaneTable& planes = fixed_planes();
  const Verdict verdict = judge_arena(planes, schedule);
  const Verdict exact = judge_arena(planes, schedule, Words::OneByOne);
  expect(!verdict.certified() || exact.certified());
  for (const Verdict& each : {verdict, exact}) {
    const auto report = arena_report(planes, schedule, each);
    expect(!explain(report, planes, schedule).empty());
  }
  expect(!explain(arena_coverage(planes, schedule), planes).empty());
}

}  // namespace berth::fuzz
