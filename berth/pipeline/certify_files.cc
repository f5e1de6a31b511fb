#include "berth/pipeline/certify_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "berth/base/text.h"
#include "berth/certify/arena_coverage.h"
#include "berth/certify/arena_judge.h"
#include "berth/certify/arena_report.h"
#include "berth/certify/explain_arena.h"
#include "berth/formats/planes_json.h"
#include "berth/formats/verdict_json.h"
#include "berth/pipeline/launches_file.h"

namespace berth {
namespace {

Result<PlaneTable> read_planes_file(const InputFile& file) {
  const auto document = JsonDocument::parse(file.content, file.path);
  if (!document) return tl::unexpected(document.error());
  return read_planes(*document);
}

// "queues 'a' and 'b' (out of order)", of those that there are.
std::string queues_text(const LaunchSchedule& schedule) {
  constexpr std::size_t kMost = 4;
  const auto queues = schedule.queues();
  std::string text = queues.size() == 1 ? "queue " : "queues ";
  for (std::size_t i = 0; i < std::min(kMost, queues.size()); ++i) {
    text += fmt::format("{}'{}'{}", i == 0 ? "" : ", ", printable(queues[i].name),
                        queues[i].in_order ? "" : " (out of order)");
  }
  return queues.size() > kMost ? fmt::format("{} and {} more", text, queues.size() - kMost) : text;
}

// Of a schedule whose verdict is 0.
std::string answer_text(const CertifiedFiles& files, const CertifyOptions& options) {
  const ArenaCoverage& coverage = files.coverage;
  const std::string_view refused = files.refused(options);
  if (refused == "vacuous") {
    return coverage.executed == 0
               ? "not certified: vacuous, since no launch is run\n"
                 "say what runs in \"submissions\", or pass --allow-vacuous\n"
               : "not certified: vacuous, since no word of any launch lies in a window\n"
                 "say which addresses are the arena's in \"windows\", or pass --allow-vacuous\n";
  }
  if (refused == "order") {
    return fmt::format(
        "undecided: launches are on {}; in the order in which they stand this is certified, but "
        "which other orders they may run in is not judged\npass --host-order where they run in "
        "that order\n",
        queues_text(files.schedule));
  }
  if (!refused.empty()) {
    return fmt::format(
        "not certified (--strict): windows do not cover {} of the ranges that are named\n",
        coverage.outside.size());
  }
  return coverage.vacuous() ? "certified, but vacuous\n" : "certified\n";
}

// What the verdict does not hold for, of what the schedule says of itself.
std::string not_judged_text(const CertifiedFiles& files, const CertifyOptions& options) {
  std::string text;
  if (!files.coverage.in_order && !files.undecided(options)) {
    text += fmt::format(
        "not judged: launches are on {}, and are taken in the order in which they "
        "stand\n",
        queues_text(files.schedule));
  }
  for (const std::string& what : files.schedule.not_judged()) {
    text += fmt::format("not judged: {}\n", printable(what));
  }
  return text;
}

}  // namespace

Result<CertifiedFiles> certify_files(const InputFile& planes_file, const InputFile& launches_file,
                                     const CertifyOptions& options) {
  return certify_files(planes_file,
                       read_launches_bytes(file_bytes(launches_file.content), launches_file.path),
                       options);
}

Result<CertifiedFiles> certify_files(const InputFile& planes_file, Result<LaunchSchedule> schedule,
                                     const CertifyOptions& options) {
  auto planes = read_planes_file(planes_file);
  if (!planes) return tl::unexpected(planes.error());
  if (!schedule) return tl::unexpected(schedule.error());
  const Verdict verdict =
      judge_arena(*planes, *schedule, options.rule, std::thread::hardware_concurrency());
  auto report = arena_report(*planes, *schedule, verdict);
  auto coverage = arena_coverage(*planes, *schedule);
  return CertifiedFiles{*std::move(planes), *std::move(schedule), verdict, std::move(report),
                        std::move(coverage)};
}

std::string verdict_text(const CertifiedFiles& files, const CertifyOptions& options) {
  const std::string answer = files.verdict.certified()
                                 ? answer_text(files, options)
                                 : explain(files.report, files.planes, files.schedule);
  return fmt::format("{}verdict {}: {}{}", answer, files.verdict.code(),
                     explain(files.coverage, files.planes, files.verdict.certified()),
                     not_judged_text(files, options));
}

std::string verdict_json(const CertifiedFiles& files, const CertifyOptions& options) {
  return write_verdict({files.planes, files.schedule, files.verdict, files.report, files.coverage,
                        options.rule == Words::OneByOne, files.refused(options),
                        files.undecided(options)});
}

}  // namespace berth
