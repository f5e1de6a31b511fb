#include "cli/show_command.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "berth/formats/plan_json.h"
#include "berth/formats/write_files.h"
#include "berth/pipeline/check_file.h"
#include "berth/render/map_html.h"
#include "berth/render/map_svg.h"
#include "berth/render/map_text.h"
#include "cli/option_rules.h"
#include "cli/watch.h"

namespace berth::cli {
namespace {

constexpr std::size_t kWidth = 100;  // where standard output is no terminal
constexpr std::size_t kHeight = 24;
constexpr std::array<std::string_view, 2> kEndings = {".svg", ".html"};

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kWidth;
  return size.ws_col;
}

}  // namespace

ShowCommand::ShowCommand(CLI::App& app)
    : command_(app.add_subcommand("show", "Draw the map of a plan")) {
  command_
      ->add_option(
          "FILE", file_,
          "A plan (.json), a table with offsets (.csv), or a .tflite model that carries an "
          "offline plan; - is standard input")
      ->required();
  outputs_.add_to(*command_,
                  "Write the map as .svg or .html instead of drawing it in the terminal;");
  options_.add_to(*command_, /*for_check=*/true);
  common_.add_to(*command_);
}

ExitStatus ShowCommand::run() const {
  const Report report = common_.report();
  const auto places = outputs_.places({"a map", kEndings, ".svg"});
  if (!places) return report.failure(places.error());
  const auto options = options_.parse();
  if (!options) return report.failure(options.error());
  const auto file = open_input(file_);
  if (!file) return report.failure(file.error());
  if (auto fault = find_misplaced_option(*options, *file, Use::Judge)) {
    return report.failure(*fault);
  }
  const auto checked =
      watched(report, "drawing", [&] { return check_file(*file, std::nullopt, *options); });
  if (!checked) return report.failure(checked.error());
  for (const std::string& note : checked->notes) report.note(note);
  if (!checked->sound()) report.note("the plan is not sound: 'berth check' says why");

  std::vector<FileContent> maps;
  for (const OutputPlace& place : *places) {
    maps.push_back({place.path, place.ending == ".html" ? plan_map_html(checked->plan)
                                                        : plan_map_svg(checked->plan)});
  }
  const auto written = write_files(maps);
  if (!written) return report.failure(written.error());
  if (report.json() && !outputs_.take_standard_output()) {
    report.result(write_plan(checked->plan));
  } else if (maps.empty() && !report.quiet()) {
    report.result(plan_map_text(checked->plan, terminal_width(), kHeight, common_.colour()));
  }
  say_written(maps, *written, report);
  return kYes;
}

}  // namespace berth::cli
