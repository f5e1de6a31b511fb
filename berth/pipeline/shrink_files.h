#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/certify/shrink.h"
#include "berth/formats/file.h"

namespace berth {

// A path that ends in none of .planes.json, .launches.json and .launches.bin, or one that stands
// twice: asked before any work is done.
std::optional<Error> find_shrink_output_fault(std::span<const std::string> paths);

// What a schedule was cut down to, in the forms that `paths` ask for by their endings.
std::vector<FileContent> shrunk_forms(const ShrunkArena& shrunk,
                                      std::span<const std::string> paths);

// How much is left, for people: one line.
std::string shrunk_text(const ShrunkArena& shrunk);

}  // namespace berth
