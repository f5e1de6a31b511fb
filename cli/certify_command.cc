#include "cli/certify_command.h"

#include "berth/formats/write_files.h"
#include "berth/pipeline/arena_forms.h"
#include "berth/pipeline/launches_file.h"
#include "berth/pipeline/shrink_files.h"
#include "cli/watch.h"

namespace berth::cli {

CertifyCommand::CertifyCommand(CLI::App& app)
    : command_(app.add_subcommand(
          "certify", "Judge a launch schedule against the planes of its arena, independently")) {
  command_->add_option("PLANES", planes_, "What the arena's plan names (berth.planes/1)")
      ->required();
  command_
      ->add_option("LAUNCHES", launches_,
                   "The launches, and their order (berth.launches, as text or binary)")
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
  command_->add_flag(
      "--host-order", host_order_,
      "Take launches of several queues, or of one that is out of order, in the order "
      "in which they stand; otherwise the answer is undecided (4)");
  command_->add_flag("--shrink", shrink_,
                     "Cut planes and launches down to a smallest part with the same verdict, and "
                     "write it");
  command_->add_flag("--renumber", renumber_,
                     "With --shrink: the same kind of fault, by whatever number");
  outputs_.add_to(*command_,
                  "With --shrink: where to write it, by ending: .planes.json, .launches.json, "
                  ".launches.bin;");
  common_.add_to(*command_);
}

std::optional<Error> CertifyCommand::find_usage_fault() const {
  const auto usage = [](std::string where, std::string message, std::string hint) {
    return Error{Error::Kind::Usage, std::move(where), std::move(message), std::move(hint)};
  };
  if (planes_ == "-" && launches_ == "-") {
    return usage("LAUNCHES", "planes and launches cannot both be standard input",
                 "give one of them as a file");
  }
  if (shrink_ && !outputs_.asked()) {
    return usage("--shrink", "has nowhere to write",
                 "name files: -o small.planes.json -o small.launches.json");
  }
  if (!shrink_ && (renumber_ || outputs_.asked())) {
    return usage(renumber_ ? "--renumber" : "-o", "means something with --shrink only", "");
  }
  const auto places = outputs_.places(arena_form_endings());
  return places ? std::nullopt : std::optional(places.error());
}

Result<void> CertifyCommand::shrink(const CertifiedFiles& files, const CertifyOptions& options,
                                    const Report& report) const {
  if (files.verdict.certified()) {
    report.note("verdict 0: there is nothing to shrink, and nothing was written");
    return {};
  }
  const auto shrunk = watched(report, "looking for a smallest part", [&] {
    return shrink_arena(files.planes, files.schedule, options.rule,
                        renumber_ ? ShrinkTo::SameFault : ShrinkTo::SameCode);
  });
  const auto places = outputs_.places(arena_form_endings());
  if (!places) return tl::unexpected(places.error());
  const auto forms = shrunk_forms(shrunk, *places);
  const auto written = write_files(forms);
  if (!written) return tl::unexpected(written.error());
  report.note(shrunk_text(shrunk));
  say_written(forms, *written, report);
  return {};
}

ExitStatus CertifyCommand::run() const {
  const Report report = common_.report();
  if (const auto fault = find_usage_fault()) return report.failure(*fault);
  const auto planes = open_input(planes_);
  if (!planes) return report.failure(planes.error());

  const CertifyOptions options = {exact_ ? Words::OneByOne : Words::ByInterval, strict_,
                                  allow_vacuous_, host_order_};
  const auto files = watched(report, "judging the launches", [&] {
    return certify_files(*planes, open_launches(launches_), options);
  });
  if (!files) return report.failure(files.error());
  if (shrink_) {
    if (const auto written = shrink(*files, options, report); !written) {
      return report.failure(written.error());
    }
  }
  // What was cut down has standard output alone; of a verdict 0 there was nothing to cut.
  const bool stdout_is_taken =
      shrink_ && !files->verdict.certified() && outputs_.take_standard_output();
  if (!stdout_is_taken && report.json()) {
    report.result(verdict_json(*files, options));
  } else if (!stdout_is_taken && !report.quiet()) {
    report.result(verdict_text(*files, options));
  }
  if (files->undecided(options)) return kUndecided;
  return files->certified(options) ? kYes : kNo;
}

}  // namespace berth::cli
