#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/formats/file.h"
#include "berth/ir/launches.h"
#include "berth/ir/planes.h"

namespace berth {

// A path that ends in none of .planes.json, .launches.json and .launches.bin, or one that stands
// twice: asked before any work is done.
std::optional<Error> find_arena_output_fault(std::span<const std::string> paths);

// Planes and launches in the forms that `paths` ask for by their endings.
std::vector<FileContent> arena_forms(const PlaneTable& planes, const LaunchSchedule& launches,
                                     std::span<const std::string> paths);

}  // namespace berth
