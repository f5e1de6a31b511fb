#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "berth/ir/launches.h"

namespace berth {

// The binary form of berth.launches (docs/formats/launches.md), which is read where it lies.

// Whether `content` begins as such a file does.
bool is_launches_binary(std::string_view content);

// Refuses whatever the format does not allow; `file` names it in messages. Words, their bounds,
// phases and names of launches are views of `content`, which begins at a multiple of 8 and which
// `owner` keeps. O(launches + repeats log repeats); no word is read.
Result<LaunchSchedule> read_launches_binary(std::span<const std::byte> content,
                                            std::shared_ptr<const void> owner,
                                            const std::string& file);

// Reading what was written gives the same schedule. Every text is UTF-8 (a reader has seen to it).
std::string write_launches_binary(const LaunchSchedule& schedule);

}  // namespace berth
