#include "berth/live/load.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace berth {

// The starts and ends of sections. They are summed up once all are known; in which order those of
// one step are met does not matter, since a point takes in all of them: bytes freed at a step are
// free there.
class LoadEvents {
 public:
  void add(LiveRange steps, Bytes bytes) {
    if (steps.empty() || bytes == Bytes(0)) return;
    events_.push_back({steps.lower, Edge::Start, bytes});
    events_.push_back({steps.upper, Edge::End, bytes});
  }

  // As the buffer itself says, without rounding.
  void add_given(const Buffer& buffer) {
    Step from = buffer.life.lower;
    for (const Gap& gap : buffer.gaps) {
      add({from, gap.steps.lower}, buffer.size);
      if (gap.kept) add(gap.steps, Bytes(gap.kept->upper - gap.kept->lower));
      from = gap.steps.upper;
    }
    add({from, buffer.life.upper}, buffer.size);
  }

  LoadCurve curve() && {
    std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
      return std::pair(a.step, a.edge) < std::pair(b.step, b.edge);
    });
    std::vector<LoadPoint> points;
    Bytes load;
    for (const Event& event : events_) {
      if (event.edge == Edge::End) {
        load -= event.bytes;
      } else {
        load += event.bytes;
      }
      if (points.empty() || points.back().from != event.step) points.push_back({event.step, load});
      points.back().load = load;
    }
    points.shrink_to_fit();
    return LoadCurve(std::move(points));
  }

 private:
  enum class Edge { End, Start };  // In this order, so that a sum never exceeds the live bytes.
  struct Event {
    Step step;
    Edge edge;
    Bytes bytes;
  };
  std::vector<Event> events_;
};

LoadCurve::LoadCurve(std::vector<LoadPoint> points) : points_(std::move(points)) {
  const auto n = points_.size();
  tournament_.resize(2 * n);
  for (std::size_t i = 0; i < n; ++i) tournament_[n + i] = points_[i].load;
  for (std::size_t i = n; i-- > 1;) {
    tournament_[i] = std::max(tournament_[2 * i], tournament_[2 * i + 1]);
  }
}

Bytes LoadCurve::max() const {
  return max_of_points(0, points_.size());
}

Step LoadCurve::peak_step() const {
  const auto peak = max();
  if (peak == Bytes(0)) return 0;
  return std::find_if(points_.begin(), points_.end(),
                      [&](const LoadPoint& point) { return point.load == peak; })
      ->from;
}

// No life reaches past the last step that 64 bits can count, so its successor may wrap to an empty
// range.
Bytes LoadCurve::at(Step step) const {
  return max_over({step, step + 1});
}

Bytes LoadCurve::max_over(LiveRange steps) const {
  if (steps.empty()) return Bytes(0);
  const auto starts_after = [](Step step, const LoadPoint& point) { return step < point.from; };
  const auto starts_before = [](const LoadPoint& point, Step step) { return point.from < step; };
  const auto begin = points_.begin();
  auto first = std::upper_bound(begin, points_.end(), steps.lower, starts_after);
  if (first != begin) --first;  // The point that is in force at the first step.
  const auto last = std::lower_bound(first, points_.end(), steps.upper, starts_before);
  return max_of_points(static_cast<std::size_t>(first - begin),
                       static_cast<std::size_t>(last - begin));
}

Bytes LoadCurve::max_of_points(std::size_t first, std::size_t last) const {
  Bytes largest;
  const auto n = points_.size();
  for (first += n, last += n; first < last; first /= 2, last /= 2) {
    if (first % 2 == 1) largest = std::max(largest, tournament_[first++]);
    if (last % 2 == 1) largest = std::max(largest, tournament_[--last]);
  }
  return largest;
}

std::size_t LoadCurve::point_at(Step step) const {
  const auto point =
      std::lower_bound(points_.begin(), points_.end(), step,
                       [](const LoadPoint& p, Step wanted) { return p.from < wanted; });
  assert(point != points_.end() && point->from == step);
  return static_cast<std::size_t>(point - points_.begin());
}

Bytes max_load(std::span<const Buffer> buffers) {
  LoadEvents events;
  for (const Buffer& buffer : buffers) events.add_given(buffer);
  return std::move(events).curve().max();
}

std::vector<LoadCurve> load_curves(const Instance& instance, Sizes sizes) {
  std::vector<LoadEvents> events(instance.devices().size());
  for (std::size_t i = 0; i < instance.size(); ++i) {
    const BufferId id(i);
    const Buffer& buffer = instance[id];
    auto& of_device = events[buffer.device.index()];
    if (sizes == Sizes::Given) {
      of_device.add_given(buffer);
      continue;
    }
    for (const Section& section : instance.sections(id)) {
      of_device.add(section.steps, Bytes(section.bytes.upper - section.bytes.lower));
    }
  }
  std::vector<LoadCurve> curves;
  curves.reserve(events.size());
  for (auto& of_device : events) curves.push_back(std::move(of_device).curve());
  return curves;
}

bool has_larger_load(const Instance& a, const Instance& b) {
  const auto loads_of_a = load_curves(a, Sizes::Padded);
  const auto loads_of_b = load_curves(b, Sizes::Padded);
  for (std::size_t device = 0; device < loads_of_a.size(); ++device) {
    if (loads_of_a[device].max() > loads_of_b[device].max()) return true;
  }
  return false;
}

}  // namespace berth
