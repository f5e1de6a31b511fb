#include "berth/plan/reason.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "berth/live/load.h"
#include "berth/plan/pack.h"

namespace berth {
namespace {

using BufferIds = std::vector<BufferId>;

// A part is asked about with so many nodes at most; what takes more is not worth leaving out.
constexpr std::uint64_t kEffortOfAPart = 50'000;

Instance part_of(const Instance& instance, DeviceId device, const BufferIds& ids) {
  std::vector<Buffer> buffers;
  for (const BufferId id : ids) {
    Buffer buffer = instance[id];
    buffer.device = DeviceId(0);
    buffer.hint.reset();
    buffers.push_back(std::move(buffer));
  }
  const auto names = instance.step_names();
  return *Instance::make({instance[device]}, std::move(buffers), instance.unit(),
                         {names.begin(), names.end()});
}

BufferIds buffers_on(const Instance& instance, DeviceId device) {
  BufferIds ids;
  for (std::size_t i = 0; i < instance.size(); ++i) {
    if (instance[BufferId(i)].device == device) ids.emplace_back(i);
  }
  return ids;
}

Bytes bytes_at(const Instance& instance, BufferId id, Step step) {
  for (const Section& section : instance.sections(id)) {
    if (section.steps.contains(step)) return Bytes(section.bytes.upper - section.bytes.lower);
  }
  return Bytes(0);
}

// The largest buffers live at a step, until they pass `usable`: without the last of them they do
// not, and still less without a larger one.
BufferIds overload_at(const Instance& instance, const BufferIds& ids, Step step, Bytes usable) {
  BufferIds largest;
  for (const BufferId id : ids) {
    if (bytes_at(instance, id, step) > Bytes(0)) largest.push_back(id);
  }
  std::stable_sort(largest.begin(), largest.end(), [&](BufferId a, BufferId b) {
    return bytes_at(instance, a, step) > bytes_at(instance, b, step);
  });
  Bytes sum;
  std::size_t count = 0;
  while (count < largest.size() && sum <= usable) sum += bytes_at(instance, largest[count++], step);
  largest.resize(count);
  return largest;
}

// By the largest load while it is live: what lives in quiet times matters least.
void sort_by_congestion(BufferIds& ids, const Instance& instance, const LoadCurve& load) {
  std::stable_sort(ids.begin(), ids.end(), [&](BufferId a, BufferId b) {
    return load.max_over(instance[a].life) < load.max_over(instance[b].life);
  });
}

enum class Fit { Fits, Refused, Undecided };

class Reduction {
 public:
  Reduction(const Instance& instance, DeviceId device, std::uint64_t effort)
      : instance_(instance), device_(device), effort_(effort) {}

  // What is first in order is the first to be left out.
  std::optional<Reason> reduce(BufferIds ids) {
    if (ask(ids, effort_) != Fit::Refused) return std::nullopt;
    for (std::size_t count = std::max<std::size_t>(ids.size() / 2, 1);; count = (count + 1) / 2) {
      leave_out(ids, count);
      if (count == 1) break;
    }
    std::sort(ids.begin(), ids.end());
    return Reason{{}, part_of(instance_, device_, ids), std::nullopt, all_needed_};
  }

 private:
  // `count` at a time.
  void leave_out(BufferIds& ids, std::size_t count) {
    all_needed_ = true;
    for (std::size_t first = 0; first < ids.size();) {
      const auto from = ids.begin() + static_cast<std::ptrdiff_t>(first);
      const auto last = std::min(first + count, ids.size());
      BufferIds others(ids.begin(), from);
      others.insert(others.end(), ids.begin() + static_cast<std::ptrdiff_t>(last), ids.end());
      const Fit fit = ask(others, kEffortOfAPart);
      if (fit == Fit::Refused) {
        ids = std::move(others);
      } else {
        all_needed_ = all_needed_ && fit == Fit::Fits;
        first = last;
      }
    }
  }

  Fit ask(const BufferIds& ids, std::uint64_t effort) {
    PackOptions options;
    options.effort = std::min(effort, effort_ - std::min(effort_, spent_));
    if (options.effort == 0) return Fit::Undecided;
    const Instance part = part_of(instance_, device_, ids);
    const auto answer = pack(part, options);
    if (!answer || std::holds_alternative<Infeasible>(*answer)) return Fit::Refused;
    const auto& packing = std::get<Packing>(*answer);
    spent_ += packing.nodes;
    const auto usable = part.devices()[0].usable();
    if (!usable || packing.arenas[0].peak <= *usable) return Fit::Fits;
    return packing.arenas[0].lower_bound > *usable ? Fit::Refused : Fit::Undecided;
  }

  const Instance& instance_;
  DeviceId device_;
  std::uint64_t effort_;
  std::uint64_t spent_ = 0;
  bool all_needed_ = false;
};

// Whether one buffer goes into what its device has.
bool goes_in_alone(const Instance& instance, BufferId id) {
  const Instance part = part_of(instance, instance[id].device, {id});
  const auto usable = part.devices()[0].usable();
  const auto answer = pack(part, {});
  const auto* packing = answer ? std::get_if<Packing>(&*answer) : nullptr;
  return packing != nullptr && (!usable || packing->arenas[0].peak <= *usable);
}

}  // namespace

std::optional<Reason> find_reason(const Instance& instance, DeviceId device, std::uint64_t effort) {
  BufferIds ids = buffers_on(instance, device);
  if (ids.empty()) return std::nullopt;
  const Instance whole = part_of(instance, device, ids);
  const auto load = load_curves(whole, Sizes::Padded)[0];
  const auto usable = instance[device].usable();
  if (usable && load.max() > *usable) {
    const Step step = load.peak_step();
    return Reason{{},
                  part_of(instance, device, overload_at(instance, ids, step, *usable)),
                  step,
                  /*minimal=*/true};
  }
  sort_by_congestion(ids, instance, load);
  return Reduction(instance, device, effort).reduce(std::move(ids));
}

Reason reason_of(const Instance& instance, const Infeasible& infeasible) {
  BufferIds ids;
  if (const auto* clash = std::get_if<FixedClash>(&infeasible.reason)) {
    ids = {std::min(clash->first, clash->second), std::max(clash->first, clash->second)};
    const auto alone =
        std::ranges::find_if_not(ids, [&](BufferId id) { return goes_in_alone(instance, id); });
    if (alone != ids.end()) ids = {*alone};
  } else {
    ids = {std::get<FixedMisaligned>(infeasible.reason).buffer};
  }
  return {{}, part_of(instance, instance[ids[0]].device, ids), std::nullopt, /*minimal=*/true};
}

}  // namespace berth
