#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "berth/ir/instance.h"
#include "berth/ir/packing.h"

namespace berth {

// How far a search on one device has come: nothing fits less than `bound`.
struct PackProgress {
  DeviceId device;
  Bytes best;
  Bytes bound;
  std::uint64_t nodes = 0;
};

struct PackOptions {
  std::string packer = "auto";
  std::uint64_t seed = 0;
  // The search budget in nodes, so that an answer does not depend on the clock.
  std::uint64_t effort = 1'000'000;
  // Threads that may work at once. The answer is the same for any number of them.
  std::size_t threads = 1;
  // Seconds after which the search stops as well; the packing then says that it was cut. What it
  // returns depends on the machine.
  std::optional<double> time_limit;
  // Where it is set by then (by a signal handler, by another thread), the search stops as if its
  // time were up.
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(const PackProgress&)> on_progress{};
};

// What `PackOptions::packer` may be.
std::span<const std::string_view> packer_names();

// Places every buffer; buffers whose sections overlap in time share no byte. Each device is packed
// by itself. That fixed places leave no placement is an answer. Refuses an unknown packer, and an
// instance that the named packer cannot honour.
Result<PackAnswer> pack(const Instance& instance, const PackOptions& options);

}  // namespace berth
