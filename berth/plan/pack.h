#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "berth/ir/instance.h"
#include "berth/ir/packing.h"

namespace berth {

struct PackOptions {
  std::string packer = "auto";
  std::uint64_t seed = 0;
  // The search budget in nodes, so that an answer does not depend on the clock.
  std::uint64_t effort = 1'000'000;
  // Seconds after which the search stops as well; the packing then says that it was cut. What it
  // returns depends on the machine.
  std::optional<double> time_limit;
};

// What `PackOptions::packer` may be.
std::span<const std::string_view> packer_names();

// Places every buffer; buffers whose sections overlap in time share no byte. Each device is packed
// by itself. That fixed places leave no placement is an answer. Refuses an unknown packer, and an
// instance that the named packer cannot honour.
Result<PackAnswer> pack(const Instance& instance, const PackOptions& options);

}  // namespace berth
