#include "berth/ir/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "berth/base/seeded_hash.h"

namespace berth {
namespace {

constexpr const char* kPast64Bits = "more than 64 bits hold";

Alignment stricter(Alignment a, Alignment b) {
  return std::max(a, b);
}

// Size with skew, rounded up; an empty buffer stays empty whatever its skew.
std::optional<Bytes> checked_extent(const Buffer& buffer, Alignment unit) {
  if (buffer.size == Bytes(0)) return Bytes(0);
  const auto end = checked_add(buffer.skew, buffer.size);
  return end ? checked_round_up(*end, unit) : std::nullopt;
}

std::optional<Error> refused(const Buffer& buffer, const std::string& why,
                             const std::string& hint = {}) {
  return Error{Error::Kind::Input, "buffer " + buffer.name, why, hint};
}

std::optional<Error> find_gap_fault(const Buffer& buffer) {
  Step free_from = buffer.life.lower;
  for (const Gap& gap : buffer.gaps) {
    const auto text = fmt::format("gap {}-{}", gap.steps.lower, gap.steps.upper);
    if (gap.steps.empty()) return refused(buffer, text + " is empty or reversed");
    if (!buffer.life.covers(gap.steps)) {
      return refused(buffer, fmt::format("{} is not inside its life {}-{}", text, buffer.life.lower,
                                         buffer.life.upper));
    }
    if (gap.steps.lower < free_from) {
      return refused(buffer, text + " starts before the gap ahead of it ends",
                     "list gaps in order and apart");
    }
    if (gap.kept && (gap.kept->empty() || gap.kept->upper > buffer.size.count())) {
      return refused(buffer,
                     fmt::format("{} keeps bytes {}:{}, which must be a stretch of its {}", text,
                                 gap.kept->lower, gap.kept->upper, buffer.size.count()));
    }
    free_from = gap.steps.upper;
  }
  return std::nullopt;
}

std::optional<Error> find_buffer_fault(const Buffer& buffer, std::size_t devices, Alignment unit) {
  if (buffer.life.empty()) {
    return refused(buffer, fmt::format("its life [{}, {}) is empty or reversed", buffer.life.lower,
                                       buffer.life.upper));
  }
  if (buffer.device.index() >= devices) {
    return refused(buffer, fmt::format("device {} of {}", buffer.device.index(), devices));
  }
  if (!checked_extent(buffer, unit)) {
    return refused(buffer, fmt::format("its {} bytes, rounded up to {}, are {}",
                                       buffer.size.count(), unit.value(), kPast64Bits));
  }
  return find_gap_fault(buffer);
}

// The top of a device's arena in the worst case: everything stacked above the highest fixed end,
// each with all the slack that its alignment can cost.
std::optional<Bytes> add_worst_case(Bytes stacked, const Buffer& buffer, Alignment unit) {
  const auto slack = Bytes(stricter(buffer.alignment, unit).value() - 1);
  const auto with_slack = checked_add(*checked_extent(buffer, unit), slack);
  return with_slack ? checked_add(stacked, *with_slack) : std::nullopt;
}

std::optional<Error> find_sum_fault(std::span<const Device> devices,
                                    std::span<const Buffer> buffers, Alignment unit) {
  std::vector<Bytes> stacked(devices.size());
  std::vector<Bytes> fixed_end(devices.size());
  for (const Buffer& buffer : buffers) {
    const auto device = buffer.device.index();
    for (const auto& place : {buffer.fixed, buffer.hint}) {
      if (!place) continue;
      const auto end = checked_add(Bytes(place->value()), *checked_extent(buffer, unit));
      if (!end) {
        return refused(buffer,
                       fmt::format("its end at offset {} is {}", place->value(), kPast64Bits));
      }
      if (place == buffer.fixed) fixed_end[device] = std::max(fixed_end[device], *end);
    }
    const auto sum = add_worst_case(stacked[device], buffer, unit);
    if (!sum || !checked_add(*sum, fixed_end[device])) {
      return refused(buffer, fmt::format("with it, the sizes on device '{}' add up to {}",
                                         devices[device].name, kPast64Bits));
    }
    stacked[device] = *sum;
  }
  for (std::size_t device = 0; device < devices.size(); ++device) {
    if (checked_add(stacked[device], fixed_end[device])) continue;
    return Error{Error::Kind::Input, "device " + devices[device].name,
                 fmt::format("its sizes and fixed places add up to {}", kPast64Bits), ""};
  }
  return std::nullopt;
}

std::optional<Error> find_name_fault(std::span<const Buffer> buffers) {
  std::unordered_map<std::string_view, std::size_t, SeededHash> seen;
  seen.reserve(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const auto [first, is_new] = seen.emplace(buffers[i].name, i);
    if (!is_new) {
      return refused(buffers[i], fmt::format("buffers {} and {} bear this name", first->second, i),
                     "give each buffer a name of its own");
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Bytes> Device::usable() const {
  if (!capacity) return std::nullopt;
  return *capacity < reserve ? Bytes(0) : *capacity - reserve;
}

Result<Instance> Instance::make(std::vector<Device> devices, std::vector<Buffer> buffers,
                                Alignment unit, std::vector<std::string> step_names) {
  for (const Buffer& buffer : buffers) {
    if (auto fault = find_buffer_fault(buffer, devices.size(), unit)) {
      return tl::unexpected(std::move(*fault));
    }
  }
  if (auto fault = find_name_fault(buffers)) return tl::unexpected(std::move(*fault));
  if (auto fault = find_sum_fault(devices, buffers, unit)) return tl::unexpected(std::move(*fault));

  Instance instance;
  instance.devices_ = std::move(devices);
  instance.buffers_ = std::move(buffers);
  instance.unit_ = unit;
  instance.step_names_ = std::move(step_names);
  return instance;
}

Bytes Instance::extent(BufferId id) const {
  return *checked_extent((*this)[id], unit_);
}

Alignment Instance::alignment(BufferId id) const {
  return stricter((*this)[id].alignment, unit_);
}

std::vector<Section> Instance::sections(BufferId id) const {
  const Buffer& buffer = (*this)[id];
  const ByteRange whole = {0, extent(id).count()};
  std::vector<Section> sections;
  if (whole.empty()) return sections;

  Step from = buffer.life.lower;
  const auto add_whole_until = [&](Step until) {
    if (from < until) sections.push_back({{from, until}, whole});
  };
  for (const Gap& gap : buffer.gaps) {
    add_whole_until(gap.steps.lower);
    if (gap.kept) {
      const auto skew = buffer.skew.count();
      sections.push_back({gap.steps, {gap.kept->lower + skew, gap.kept->upper + skew}});
    }
    from = gap.steps.upper;
  }
  add_whole_until(buffer.life.upper);
  return sections;
}

std::string step_text(std::span<const std::string> step_names, Step step) {
  if (step < step_names.size() && !step_names[step].empty()) {
    return fmt::format("step {} ({})", step, step_names[step]);
  }
  return fmt::format("step {}", step);
}

}  // namespace berth
