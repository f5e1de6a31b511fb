#pragma once

#include <span>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/certify/shrink.h"
#include "berth/formats/write_files.h"
#include "berth/pipeline/output_places.h"

namespace berth {

// What a schedule was cut down to, in the form that each place asks for.
std::vector<FileContent> shrunk_forms(const ShrunkArena& shrunk,
                                      std::span<const OutputPlace> places);

// How much is left, for people: one line.
std::string shrunk_text(const ShrunkArena& shrunk);

}  // namespace berth
