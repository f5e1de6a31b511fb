#include "berth/pipeline/arena_forms.h"

#include <array>
#include <string_view>

#include "berth/formats/launches_binary.h"
#include "berth/formats/launches_json.h"
#include "berth/formats/planes_json.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, 3> kEndings = {".planes.json", ".launches.json",
                                                      ".launches.bin"};

std::string text_of(const PlaneTable& planes, const LaunchSchedule& launches,
                    std::string_view ending) {
  if (ending == ".planes.json") return write_planes(planes);
  return ending == ".launches.bin" ? write_launches_binary(launches) : write_launches(launches);
}

}  // namespace

KnownForms arena_form_endings() {
  return {"planes or launches", kEndings, ".launches.json"};
}

std::vector<FileContent> arena_forms(const PlaneTable& planes, const LaunchSchedule& launches,
                                     std::span<const OutputPlace> places) {
  std::vector<FileContent> files;
  for (const OutputPlace& place : places) {
    files.push_back({place.path, text_of(planes, launches, place.ending)});
  }
  return files;
}

}  // namespace berth
