#include "berth/pipeline/shrink_files.h"

#include <fmt/format.h>

#include "berth/pipeline/arena_forms.h"

namespace berth {

std::optional<Error> find_shrink_output_fault(std::span<const std::string> paths) {
  return find_arena_output_fault(paths);
}

std::vector<FileContent> shrunk_forms(const ShrunkArena& shrunk,
                                      std::span<const std::string> paths) {
  return arena_forms(shrunk.planes, shrunk.schedule, paths);
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
