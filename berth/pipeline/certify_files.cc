#include "berth/pipeline/certify_files.h"

#include <fmt/format.h>

#include <thread>
#include <utility>

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
  if (!refused.empty()) {
    return fmt::format(
        "not certified (--strict): windows do not cover {} of the ranges that are named\n",
        coverage.outside.size());
  }
  return coverage.vacuous() ? "certified, but vacuous\n" : "certified\n";
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
  return fmt::format("{}verdict {}: {}", answer, files.verdict.code(),
                     explain(files.coverage, files.planes));
}

std::string verdict_json(const CertifiedFiles& files, const CertifyOptions& options) {
  return write_verdict({files.planes, files.schedule, files.verdict, files.report, files.coverage,
                        options.rule == Words::OneByOne, files.refused(options)});
}

}  // namespace berth
