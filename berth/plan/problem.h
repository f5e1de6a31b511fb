#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "berth/ir/instance.h"
#include "berth/ir/packing.h"
#include "berth/live/load.h"

namespace berth {

// An instance as packers read it: one device at a time, without the buffers that take no bytes,
// with the clock pressed together. Slot i is the stretch of time between points i and i + 1 of the
// device's load curve, so lives are index ranges and no section begins or ends inside a slot.
using Slot = std::uint32_t;
using SlotRange = HalfOpen<Slot>;

// Bytes, counted from its place, that a task holds over some slots.
struct Rect {
  SlotRange slots;
  ByteRange bytes;
};

// What must be placed. Bytes are plain numbers here: an Instance has checked that no place a packer
// comes up with overflows, and the search loops do little else than add them.
struct Task {
  BufferId buffer;
  std::uint64_t extent = 0;
  std::uint64_t alignment = 1;
  std::optional<std::uint64_t> fixed;
  std::optional<std::uint64_t> hint;
  std::uint32_t first_rect = 0;
  std::uint32_t rect_count = 0;
  Step life = 0;                 // steps from first to last use
  std::uint64_t congestion = 0;  // the largest load while it is live
  SlotRange slots;               // from the first to the last rect; empty if it has none

  std::uint64_t align_up(std::uint64_t place) const {
    return (place + alignment - 1) & ~(alignment - 1);
  }
};

// Task i is placed at [i].
using Places = std::vector<std::uint64_t>;

class Problem {
 public:
  // By DeviceId. Tasks keep the order of the instance's buffers.
  static std::vector<Problem> of_each_device(const Instance& instance);

  // What these tasks are within some slots: rects are cut to them, and the clock is pressed
  // together once more, so that few tasks are a small problem however long they live. Task i is
  // tasks[i] here. The bounds stay those of the whole.
  Problem part(std::span<const std::uint32_t> tasks, SlotRange window) const;

  std::span<const Task> tasks() const { return tasks_; }
  std::span<const Rect> rects(const Task& task) const {
    return std::span(rects_).subspan(task.first_rect, task.rect_count);
  }
  Slot slot_count() const { return slot_count_; }
  DeviceId device() const { return device_; }

  // The largest sum of live extents.
  std::uint64_t max_load() const { return max_load_; }
  // No placement's peak is lower: the max load, what alignment adds to it (aligned_load), the
  // largest extent, the highest fixed end.
  std::uint64_t lower_bound() const { return lower_bound_; }
  // What the device has; nothing where it is not limited.
  std::optional<std::uint64_t> usable() const { return usable_; }

  // The highest end under `places`.
  std::uint64_t peak(std::span<const std::uint64_t> places) const;

 private:
  void add(const Instance& instance, BufferId id, const LoadCurve& curve);
  void set_slots(Task& task) const;
  void finish();

  std::vector<Task> tasks_;
  std::vector<Rect> rects_;
  DeviceId device_;
  Slot slot_count_ = 0;
  std::uint64_t max_load_ = 0;
  std::uint64_t lower_bound_ = 0;
  std::optional<std::uint64_t> usable_;
};

}  // namespace berth
