#pragma once

#include <span>
#include <string>
#include <vector>

#include "berth/formats/json.h"
#include "berth/ir/instance.h"

namespace berth {

// `, "gaps": [{"first": 2, "end": 3, "kept": [0, 16]}]`, or nothing where there is none.
std::string gaps_field(std::span<const Gap> gaps);

// The field "gaps" of a buffer, which may be absent. What is wrong is refused by `parent`.
std::vector<Gap> read_gaps(JsonFields& parent);

// A power of two; `absent` where the field may be left out.
Alignment read_alignment(JsonFields& fields, std::string_view key,
                         std::optional<Alignment> absent = {});

}  // namespace berth
