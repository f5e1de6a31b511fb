#include "berth/pipeline/shrink_files.h"

#include <fmt/format.h>

#include "berth/pipeline/arena_forms.h"

namespace berth {

std::vector<FileContent> shrunk_forms(const ShrunkArena& shrunk,
                                      std::span<const OutputPlace> places) {
  return arena_forms(shrunk.planes, shrunk.schedule, places);
}

std::string shrunk_text(const ShrunkArena& shrunk) {
  std::size_t ranges = shrunk.planes.globals().size();
  for (const PhasePlanes& phase : shrunk.planes.phases()) ranges += phase.planes.size();
  return fmt::format("shrunk to {} launches, {} words and {} ranges, verdict {}{}",
                     shrunk.schedule.size(), shrunk.schedule.word_count(), ranges,
                     shrunk.verdict.code(),
                     shrunk.minimal ? "" : "; more could go, but the budget is spent");
}

}  // namespace berth
