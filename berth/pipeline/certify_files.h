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
  // Launches of several queues, or of one out of order, ran in the order in which they stand.
  bool host_order = false;
};

struct CertifiedFiles {
  PlaneTable planes;
  LaunchSchedule schedule;
  Verdict verdict;
  ArenaReport report;
  ArenaCoverage coverage;

  // Why a verdict of 0 is refused all the same: "vacuous", "outside-windows" or "order". Empty: it
  // is not.
  std::string_view refused(const CertifyOptions& options) const {
    if (coverage.vacuous() && !options.allow_vacuous) return "vacuous";
    if (!coverage.outside.empty() && options.strict) return "outside-windows";
    return coverage.in_order || options.host_order ? "" : "order";
  }
  bool certified(const CertifyOptions& options) const {
    return verdict.certified() && refused(options).empty();
  }
  // Another order in which the queues may run the launches may be unsound.
  bool undecided(const CertifyOptions& options) const {
    return verdict.certified() && refused(options) == "order";
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
