#include "berth/plan/problem.h"

#include <algorithm>
#include <cassert>

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
    problems[device].max_load_ = curves[device].max().count();
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
  if (task.rect_count > 0) {
    task.slots = {rects_[task.first_rect].slots.lower, rects_.back().slots.upper};
  }
  tasks_.push_back(task);
}

void Problem::finish() {
  lower_bound_ = max_load_;
  for (const Task& task : tasks_) {
    lower_bound_ = std::max(lower_bound_, task.fixed.value_or(0) + task.extent);
  }
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
