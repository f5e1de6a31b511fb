#pragma once

#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "berth/certify/arena_judge.h"
#include "berth/ir/arena_report.h"
#include "berth/pipeline/input.h"

namespace berth {

struct CertifyOptions {
  Words rule = Words::ByInterval;
  bool strict = false;         // a named range that windows do not cover is refused
  bool allow_vacuous = false;  // a pass that saw nothing is one
};

struct CertifiedFiles {
  PlaneTable planes;
  LaunchSchedule schedule;
  Verdict verdict;
  ArenaReport report;
  ArenaCoverage coverage;

  // Why a verdict of 0 is refused all the same: "vacuous" or "outside-windows". Empty: it is not.
  std::string_view refused(const CertifyOptions& options) const {
    if (coverage.vacuous() && !options.allow_vacuous) return "vacuous";
    return !coverage.outside.empty() && options.strict ? "outside-windows" : "";
  }
  bool certified(const CertifyOptions& options) const {
    return verdict.certified() && refused(options).empty();
  }
};

// Planes (berth.planes/1) and launches (berth.launches/1), judged. Refuses what the readers refuse.
Result<CertifiedFiles> certify_files(const InputFile& planes, const InputFile& launches,
                                     const CertifyOptions& options);
Result<CertifiedFiles> certify_files(const InputFile& planes, Result<LaunchSchedule> launches,
                                     const CertifyOptions& options);

// The verdict, its explanation and what it rests on, for people.
std::string verdict_text(const CertifiedFiles& files, const CertifyOptions& options);

// The same for programs: one JSON object.
std::string verdict_json(const CertifiedFiles& files, const CertifyOptions& options);

}  // namespace berth
