#include "berth/pipeline/shrink_files.h"

#include <fmt/format.h>

#include <set>

#include "berth/formats/launches_binary.h"
#include "berth/formats/launches_json.h"
#include "berth/formats/planes_json.h"

namespace berth {
namespace {

constexpr std::string_view kPlanes = ".planes.json";
constexpr std::string_view kLaunches = ".launches.json";
constexpr std::string_view kBinary = ".launches.bin";

std::string content_of(const ShrunkArena& shrunk, const std::string& path) {
  if (path.ends_with(kPlanes)) return write_planes(shrunk.planes);
  return path.ends_with(kBinary) ? write_launches_binary(shrunk.schedule)
                                 : write_launches(shrunk.schedule);
}

}  // namespace

std::optional<Error> find_shrink_output_fault(std::span<const std::string> paths) {
  std::set<std::string> named;
  for (const std::string& path : paths) {
    if (!named.insert(path).second) {
      return Error{Error::Kind::Usage, "-o " + path, "is asked for twice", "name each file once"};
    }
    if (path.ends_with(kPlanes) || path.ends_with(kLaunches) || path.ends_with(kBinary)) continue;
    return Error{Error::Kind::Usage, "-o " + path, "is neither planes nor launches",
                 "expected an ending .planes.json, .launches.json or .launches.bin"};
  }
  return std::nullopt;
}

std::vector<FileContent> shrunk_forms(const ShrunkArena& shrunk,
                                      std::span<const std::string> paths) {
  std::vector<FileContent> files;
  for (const std::string& path : paths) {
    files.push_back({path, content_of(shrunk, path)});
  }
  return files;
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
