#pragma once

#include <span>
#include <vector>

#include "berth/formats/write_files.h"
#include "berth/ir/launches.h"
#include "berth/ir/planes.h"
#include "berth/pipeline/output_places.h"

namespace berth {

// Planes and launches, as text or binary.
KnownForms arena_form_endings();

std::vector<FileContent> arena_forms(const PlaneTable& planes, const LaunchSchedule& launches,
                                     std::span<const OutputPlace> places);

}  // namespace berth
