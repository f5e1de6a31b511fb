#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/ir/instance.h"
#include "berth/ir/plan.h"
#include "berth/ir/program.h"
#include "berth/pipeline/input.h"
#include "berth/pipeline/options.h"

namespace berth {

// What a plan keeps apart and yet takes memory: a state, a held buffer, a parameter for all the
// run, a call's own storage over its steps. Constants are read where the file puts them, and what
// has no known size is no number: unsized_on names it.

// What of the device's memory that takes where it takes most, each piece in whole units; all that
// 64 bits hold where the sum is past them.
Bytes beside_of(std::span<const KeptTensor> kept, const std::string& device, Alignment unit);

// Names of what lives there with a size that only the run knows.
std::vector<std::string> unsized_on(std::span<const KeptTensor> kept, const std::string& device);

// What --capacity gives a device; nothing: no limit.
std::optional<Bytes> capacity_of(const PlanOptions& options, const std::string& device);

// Why a device on which nothing is planned does not hold what stands there all the same.
std::optional<std::string> find_full_device(std::span<const KeptTensor> kept,
                                            const Instance& instance, const PlanOptions& options);

// What no reader of a model's file can know of the memory that it takes, in words.
std::vector<std::string> not_counted(InputKind kind, const Program& program,
                                     const std::optional<Bytes>& estimate);

}  // namespace berth
