#include "berth/ir/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "berth/base/seeded_hash.h"
#include "berth/base/wide.h"

namespace berth {
namespace {

constexpr const char* kPast64Bits = "more than 64 bits hold";
constexpr const char* kMakeSmaller = "give smaller sizes, alignments or places";

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
                             const std::string& hint) {
  return Error{Error::Kind::Input, "buffer " + buffer.name, why, hint};
}

std::optional<Error> find_gap_fault(const Buffer& buffer) {
  Step free_from = buffer.life.lower;
  for (const Gap& gap : buffer.gaps) {
    const auto text = fmt::format("gap {}-{}", gap.steps.lower, gap.steps.upper);
    if (gap.steps.empty())
      return refused(buffer, text + " is empty or reversed",
                     "a gap a-b has its first step a before b");
    if (!buffer.life.covers(gap.steps)) {
      return refused(buffer,
                     fmt::format("{} is not inside its life {}-{}", text, buffer.life.lower,
                                 buffer.life.upper),
                     "shorten the gap, or the life where it ends with the gap");
    }
    if (gap.steps.lower < free_from) {
      return refused(buffer, text + " starts before the gap ahead of it ends",
                     "list gaps in order and apart");
    }
    if (gap.kept && (gap.kept->empty() || gap.kept->upper > buffer.size.count())) {
      return refused(buffer,
                     fmt::format("{} keeps bytes {}:{}, which must be a stretch of its {}", text,
                                 gap.kept->lower, gap.kept->upper, buffer.size.count()),
                     "a-b@lo:hi keeps bytes lo to hi - 1 of the buffer's own");
    }
    free_from = gap.steps.upper;
  }
  return std::nullopt;
}

std::optional<Error> find_buffer_fault(const Buffer& buffer, std::size_t devices, Alignment unit) {
  if (buffer.life.empty()) {
    return refused(
        buffer,
        fmt::format("its life [{}, {}) is empty or reversed", buffer.life.lower, buffer.life.upper),
        "it must end past its first step");
  }
  if (buffer.device.index() >= devices) {
    return refused(buffer, fmt::format("device {} of {}", buffer.device.index(), devices),
                   "name a device that there is");
  }
  if (!checked_extent(buffer, unit)) {
    return refused(buffer,
                   fmt::format("its {} bytes, rounded up to {}, are {}", buffer.size.count(),
                               unit.value(), kPast64Bits),
                   kMakeSmaller);
  }
  return find_gap_fault(buffer);
}

// How a sum came to be more than its sizes: " (each size rounded up to 256)".
std::string rounding_text(std::span<const Buffer> buffers, Alignment unit) {
  const bool is_aligned = std::ranges::any_of(
      buffers, [&](const Buffer& buffer) { return stricter(buffer.alignment, unit).value() > 1; });
  if (!is_aligned) return "";
  const std::string rounded =
      unit.value() > 1 ? fmt::format("each size rounded up to {}, ", unit.value()) : "";
  return fmt::format(" ({}with what each alignment may cost)", rounded);
}

// What a buffer adds to its arena in the worst case: with all the slack that its alignment can
// cost.
std::optional<Bytes> add_worst_case(Bytes stacked, const Buffer& buffer, Alignment unit) {
  const auto slack = Bytes(stricter(buffer.alignment, unit).value() - 1);
  const auto with_slack = checked_add(*checked_extent(buffer, unit), slack);
  return with_slack ? checked_add(stacked, *with_slack) : std::nullopt;
}

// Two sums of a device: all its buffers, which is as much as may be live at once; and the top of
// its arena in the worst case, everything that is free stacked above the highest fixed end.
struct DeviceSums {
  Bytes all;
  Bytes free;
  Bytes fixed_end;

  bool fit() const { return checked_add(free, fixed_end).has_value(); }
};

// A hint is only a wish: one that no place can meet is met by none.
std::optional<Error> find_sum_fault(std::span<const Device> devices,
                                    std::span<const Buffer> buffers, Alignment unit) {
  std::vector<DeviceSums> sums(devices.size());
  for (const Buffer& buffer : buffers) {
    DeviceSums& device = sums[buffer.device.index()];
    if (buffer.fixed) {
      const auto end = checked_add(Bytes(buffer.fixed->value()), *checked_extent(buffer, unit));
      if (!end) {
        return refused(
            buffer, fmt::format("its end at offset {} is {}", buffer.fixed->value(), kPast64Bits),
            kMakeSmaller);
      }
      device.fixed_end = std::max(device.fixed_end, *end);
    }
    const auto all = add_worst_case(device.all, buffer, unit);
    const auto free = buffer.fixed ? device.free : add_worst_case(device.free, buffer, unit);
    if (all) device.all = *all;
    if (free) device.free = *free;
    if (!all || !free) {
      const Wide slack = stricter(buffer.alignment, unit).value() - 1;
      const Wide sum = Wide(device.all.count()) + checked_extent(buffer, unit)->count() + slack;
      return refused(buffer,
                     fmt::format("with it, the sizes on device '{}' add up to {}{}: that is {}",
                                 devices[buffer.device.index()].name, digits(sum),
                                 rounding_text(buffers, unit), kPast64Bits),
                     kMakeSmaller);
    }
    if (!device.fit()) {
      return refused(
          buffer,
          fmt::format("with it, what is free on device '{}', {} bytes{}, stacked on the "
                      "highest fixed end, {}, ends at {}: that is past what 64 bits hold",
                      devices[buffer.device.index()].name, device.free.count(),
                      rounding_text(buffers, unit), device.fixed_end.count(),
                      digits(Wide(device.free.count()) + device.fixed_end.count())),
          kMakeSmaller);
    }
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

std::optional<Bytes> Device::taken() const {
  return checked_add(reserve, beside);
}

bool Device::is_overfull() const {
  const auto bytes = taken();
  return capacity && (!bytes || *bytes > *capacity);
}

std::optional<Bytes> Device::usable() const {
  if (!capacity) return std::nullopt;
  return is_overfull() ? Bytes(0) : *capacity - *taken();
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
