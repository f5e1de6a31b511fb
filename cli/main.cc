#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <string_view>

#include "berth/pipeline/version.h"
#include "cli/capture_command.h"
#include "cli/certify_command.h"
#include "cli/check_command.h"
#include "cli/convert_command.h"
#include "cli/deep_stack.h"
#include "cli/diff_command.h"
#include "cli/exit_status.h"
#include "cli/explain_command.h"
#include "cli/plan_command.h"
#include "cli/replay_command.h"
#include "cli/report.h"
#include "cli/reside_command.h"
#include "cli/show_command.h"

namespace {

using namespace berth;
using namespace berth::cli;

// Asked before the command line is understood, so that a wrong one is answered in kind.
bool asks_for_json(int count, char** words) {
  return std::any_of(words, words + count,
                     [](const char* word) { return std::string_view(word) == "--json"; });
}

// --help and --version, as results are written.
ExitStatus told(const CLI::App& app, const CLI::Success& asked) {
  std::ostringstream text;
  const bool well = app.exit(asked, text, text) == 0;
  Report(false, false).result(text.str());
  return well ? kYes : kUsage;
}

ExitStatus run(int count, char** words) {
  CLI::App app{
      "berth decides, before a tensor program runs, where every tensor lives in memory, and proves "
      "the decision sound."};
  app.set_version_flag("--version", std::string("berth ") + kVersion);
  app.require_subcommand(1);
  const PlanCommand plan(app);
  const CheckCommand check(app);
  const CertifyCommand certify(app);
  const ReplayCommand replay(app);
  const ConvertCommand convert(app);
  const CaptureCommand capture(app);
  const ShowCommand show(app);
  const DiffCommand diff(app);
  const ExplainCommand explain(app);
  const ResideCommand reside(app);
  try {
    app.parse(count, words);
  } catch (const CLI::CallForHelp& help) {
    return told(app, help);
  } catch (const CLI::CallForAllHelp& help) {
    return told(app, help);
  } catch (const CLI::CallForVersion& version) {
    return told(app, version);
  } catch (const CLI::ParseError& error) {
    if (count > 1 && words[1][0] != '-' && app.get_subcommands().empty()) {
      return Report(asks_for_json(count, words), false)
          .failure(
              {Error::Kind::Usage, words[1], "is no command of berth",
               "expected plan, explain, reside, check, certify, replay, convert, capture, diff "
               "or show; berth --help"});
    }
    return Report(asks_for_json(count, words), false)
        .failure({Error::Kind::Usage, "", error.what(), "--help says what a command takes"});
  }
  if (plan.chosen()) return plan.run();
  if (reside.chosen()) return reside.run();
  if (check.chosen()) return check.run();
  if (certify.chosen()) return certify.run();
  if (convert.chosen()) return convert.run();
  if (capture.chosen()) return capture.run();
  if (diff.chosen()) return diff.run();
  if (explain.chosen()) return explain.run();
  return replay.chosen() ? replay.run() : show.run();
}

}  // namespace

namespace {

ExitStatus run_safely(int count, char** words) {
  const Report report(asks_for_json(count, words), false);
  try {
    return report.delivered(run(count, words));
  } catch (const std::bad_alloc&) {
    return report.failure({Error::Kind::Limit, "", "out of memory", "give a smaller input"});
  } catch (const std::exception& error) {
    return report.failure("internal", std::string("berth: a fault of our own: ") + error.what(),
                          kBrokenPromise);
  }
}

}  // namespace

int main(int count, char** words) {
  // A write past the limit on file sizes (ulimit -f) then fails like any other, and is told.
  std::signal(SIGXFSZ, SIG_IGN);
  int status = kBrokenPromise;
  run_on_deep_stack([&] { status = run_safely(count, words); });
  return status;
}
