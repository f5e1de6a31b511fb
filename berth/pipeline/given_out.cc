#include "berth/pipeline/given_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "berth/certify/relations.h"

namespace berth {
namespace {

struct Output {
  ByteRange bytes;
  std::size_t buffer = 0;  // an output that ends where the bytes do
};

ByteRange bytes_of(const PlannedBuffer& buffer) {
  return {buffer.offset.value(), buffer.offset.value() + buffer.bytes.count()};
}

// Disjoint, in order.
std::vector<Output> merged(std::vector<Output> outputs) {
  std::ranges::sort(outputs, {}, [](const Output& output) { return output.bytes.lower; });
  std::vector<Output> apart;
  for (const Output& output : outputs) {
    if (apart.empty() || apart.back().bytes.upper <= output.bytes.lower) {
      apart.push_back(output);
    } else if (apart.back().bytes.upper < output.bytes.upper) {
      apart.back() = {{apart.back().bytes.lower, output.bytes.upper}, output.buffer};
    }
  }
  return apart;
}

}  // namespace

std::optional<std::string> find_taken_output(const Plan& plan,
                                             std::span<const std::string> outputs) {
  const std::set<std::string> names(outputs.begin(), outputs.end());
  const auto storage = storage_of(plan);
  std::map<std::size_t, std::vector<Output>> of_storage;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const ByteRange bytes = bytes_of(plan.buffers[i]);
    if (names.contains(plan.buffers[i].name) && !bytes.empty()) {
      of_storage[storage[i]].push_back({bytes, i});
    }
  }
  for (auto& [base, its] : of_storage) its = merged(std::move(its));
  for (const PlannedBuffer& taker : plan.buffers) {
    if (!taker.reuses) continue;
    const auto its = of_storage.find(storage[*taker.reuses]);
    if (its == of_storage.end()) continue;
    const auto output = std::ranges::upper_bound(its->second, taker.offset.value(), {},
                                                 [](const Output& one) { return one.bytes.upper; });
    if (output == its->second.end() || !output->bytes.overlaps(bytes_of(taker))) continue;
    return fmt::format(
        "buffer {} takes over the bytes of {} in the plan, on which {} stands, which is given out "
        "at the end",
        taker.name, plan.buffers[*taker.reuses].name, plan.buffers[output->buffer].name);
  }
  return std::nullopt;
}

}  // namespace berth
