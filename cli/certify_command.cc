#include "cli/certify_command.h"

#include "berth/pipeline/certify_files.h"

namespace berth::cli {

CertifyCommand::CertifyCommand(CLI::App& app)
    : command_(app.add_subcommand(
          "certify", "Judge a launch schedule against the planes of its arena, independently")) {
  command_->add_option("PLANES", planes_, "What the arena's plan names (berth.planes/1)")
      ->required();
  command_->add_option("LAUNCHES", launches_, "The launches, and their order (berth.launches/1)")
      ->required();
  command_->add_flag("--exact", exact_,
                     "Judge the words of a repeat value by value instead of by intervals that "
                     "cover them: accepts more, never what is unsound");
  command_->add_flag("--strict", strict_,
                     "Refuse named ranges that windows do not cover: words are not held against "
                     "them there");
  command_->add_flag("--allow-vacuous", allow_vacuous_,
                     "Certify a schedule of which no word lies in a window, or of which nothing "
                     "is run");
  common_.add_to(*command_);
}

ExitStatus CertifyCommand::run() const {
  const Report report = common_.report();
  if (planes_ == "-" && launches_ == "-") {
    return report.failure({Error::Kind::Usage, "LAUNCHES",
                           "planes and launches cannot both be standard input",
                           "give one of them as a file"});
  }
  const auto planes = open_input(planes_);
  if (!planes) return report.failure(planes.error());
  const auto launches = open_input(launches_);
  if (!launches) return report.failure(launches.error());

  const CertifyOptions options = {exact_ ? WordRule::Exact : WordRule::Interval, strict_,
                                  allow_vacuous_};
  const auto files = certify_files(*planes, *launches, options);
  if (!files) return report.failure(files.error());
  if (report.json()) {
    report.result(verdict_json(*files, options));
  } else if (!report.quiet()) {
    report.result(verdict_text(*files, options));
  }
  return files->certified(options) ? kYes : kNo;
}

}  // namespace berth::cli
