#include "berth/pipeline/capture_file.h"

#include <fmt/format.h>

#include "berth/formats/capture_csv.h"
#include "berth/formats/json.h"

namespace berth {
namespace {

std::size_t plane_count(const PlaneTable& planes) {
  std::size_t count = 0;
  for (const PhasePlanes& phase : planes.phases()) count += phase.planes.size();
  return count;
}

}  // namespace

Result<LoweredSchedule> read_capture_file(const InputFile& file, CapturedPart part) {
  const auto capture = read_capture(file.content, file.path);
  if (!capture) return tl::unexpected(capture.error());
  return lower_capture(*capture, part);
}

std::string capture_text(const LoweredSchedule& lowered) {
  return fmt::format("{} launches with {} words, {} windows, {} globals, {} planes\n",
                     lowered.launches.size(), lowered.launches.word_count(),
                     lowered.planes.windows().size(), lowered.planes.globals().size(),
                     plane_count(lowered.planes));
}

std::string capture_json(const LoweredSchedule& lowered) {
  std::string warnings;
  for (const std::string& warning : lowered.warnings) {
    warnings += (warnings.empty() ? "" : ", ") + json_quoted(warning);
  }
  return fmt::format(
      "{{\"launches\": {}, \"words\": {}, \"windows\": {}, \"globals\": {}, \"planes\": {}, "
      "\"warnings\": [{}]}}\n",
      lowered.launches.size(), lowered.launches.word_count(), lowered.planes.windows().size(),
      lowered.planes.globals().size(), plane_count(lowered.planes), warnings);
}

}  // namespace berth
