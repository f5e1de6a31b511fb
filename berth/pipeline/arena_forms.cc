#include "berth/pipeline/arena_forms.h"

#include <set>

#include "berth/formats/launches_binary.h"
#include "berth/formats/launches_json.h"
#include "berth/formats/planes_json.h"

namespace berth {
namespace {

constexpr std::string_view kPlanes = ".planes.json";
constexpr std::string_view kLaunches = ".launches.json";
constexpr std::string_view kBinary = ".launches.bin";

}  // namespace

std::optional<Error> find_arena_output_fault(std::span<const std::string> paths) {
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

std::vector<FileContent> arena_forms(const PlaneTable& planes, const LaunchSchedule& launches,
                                     std::span<const std::string> paths) {
  std::vector<FileContent> files;
  for (const std::string& path : paths) {
    if (path.ends_with(kPlanes)) {
      files.push_back({path, write_planes(planes)});
    } else {
      files.push_back({path, path.ends_with(kBinary) ? write_launches_binary(launches)
                                                     : write_launches(launches)});
    }
  }
  return files;
}

}  // namespace berth
