#include "berth/plan/problem.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "berth/plan/aligned_load.h"

namespace berth {

std::vector<Problem> Problem::of_each_device(const Instance& instance) {
  const auto curves = load_curves(instance, Sizes::Padded);
  std::vector<Problem> problems(curves.size());
  for (std::size_t i = 0; i < instance.size(); ++i) {
    const BufferId id(i);
    const auto device = instance[id].device.index();
    if (instance.extent(id) != Bytes(0)) problems[device].add(instance, id, curves[device]);
  }
  for (std::size_t device = 0; device < curves.size(); ++device) {
    problems[device].device_ = DeviceId(device);
    problems[device].max_load_ = curves[device].max().count();
    if (const auto usable = instance.devices()[device].usable()) {
      problems[device].usable_ = usable->count();
    }
    problems[device].slot_count_ = static_cast<Slot>(curves[device].points().size());
    problems[device].finish();
  }
  return problems;
}

void Problem::add(const Instance& instance, BufferId id, const LoadCurve& curve) {
  const Buffer& buffer = instance[id];
  Task task;
  task.buffer = id;
  task.extent = instance.extent(id).count();
  task.alignment = instance.alignment(id).value();
  if (buffer.fixed) task.fixed = buffer.fixed->value();
  if (buffer.hint) task.hint = buffer.hint->value();
  task.life = buffer.life.upper - buffer.life.lower;
  task.first_rect = static_cast<std::uint32_t>(rects_.size());
  for (const Section& section : instance.sections(id)) {
    const SlotRange slots = {static_cast<Slot>(curve.point_at(section.steps.lower)),
                             static_cast<Slot>(curve.point_at(section.steps.upper))};
    rects_.push_back({slots, section.bytes});
    task.congestion = std::max(task.congestion, curve.max_over(section.steps).count());
  }
  task.rect_count = static_cast<std::uint32_t>(rects_.size()) - task.first_rect;
  set_slots(task);
  tasks_.push_back(task);
}

void Problem::finish() {
  lower_bound_ = std::max(max_load_, aligned_load(*this));
  for (const Task& task : tasks_) {
    lower_bound_ = std::max(lower_bound_, task.fixed.value_or(0) + task.extent);
  }
}

Problem Problem::part(std::span<const std::uint32_t> tasks, SlotRange window) const {
  const auto cut = [&](SlotRange slots) {
    return SlotRange{std::max(slots.lower, window.lower), std::min(slots.upper, window.upper)};
  };
  // Where something begins or ends, and then how many such slots lie before it.
  std::vector<Slot> pressed(std::size_t{window.upper} - window.lower + 1);
  for (const auto index : tasks) {
    for (const Rect& rect : rects(tasks_[index])) {
      const SlotRange slots = cut(rect.slots);
      if (slots.empty()) continue;
      pressed[slots.lower - window.lower] = pressed[slots.upper - window.lower] = 1;
    }
  }
  Problem part;
  for (Slot& slot : pressed) part.slot_count_ += std::exchange(slot, part.slot_count_);

  part.tasks_.reserve(tasks.size());
  for (const auto index : tasks) {
    Task task = tasks_[index];
    task.first_rect = static_cast<std::uint32_t>(part.rects_.size());
    for (const Rect& rect : rects(tasks_[index])) {
      const SlotRange slots = cut(rect.slots);
      if (slots.empty()) continue;
      part.rects_.push_back(
          {{pressed[slots.lower - window.lower], pressed[slots.upper - window.lower]}, rect.bytes});
    }
    task.rect_count = static_cast<std::uint32_t>(part.rects_.size()) - task.first_rect;
    part.set_slots(task);
    part.tasks_.push_back(task);
  }
  part.max_load_ = max_load_;
  part.lower_bound_ = lower_bound_;
  return part;
}

void Problem::set_slots(Task& task) const {
  task.slots = {};
  if (task.rect_count == 0) return;
  task.slots = {rects_[task.first_rect].slots.lower,
                rects_[task.first_rect + task.rect_count - 1].slots.upper};
}

std::uint64_t Problem::peak(std::span<const std::uint64_t> places) const {
  assert(places.size() == tasks_.size());
  std::uint64_t highest = 0;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    highest = std::max(highest, places[i] + tasks_[i].extent);
  }
  return highest;
}

}  // namespace berth
