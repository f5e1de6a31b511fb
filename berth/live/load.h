#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/id.h"
#include "berth/base/interval.h"
#include "berth/ir/instance.h"

namespace berth {

// The largest sum of live bytes over all steps, sizes as given. No placement has a lower peak, so a
// placement that reaches it is optimal and the search may stop.
Bytes max_load(std::span<const Buffer> buffers);

// Which sizes a load curve adds up: those that a placement pays for, or those that were asked for.
enum class Sizes { Padded, Given };

// From step `from` on, until the next point, `load` bytes are live.
struct LoadPoint {
  Step from = 0;
  Bytes load;

  friend bool operator==(const LoadPoint&, const LoadPoint&) = default;
};

// The bytes live on one device over time, as steps of a staircase. A point stands at every step at
// which a section begins or ends, whether or not the load changes there, and only at those; so the
// stretch between two neighbouring points is a unit of time that no section divides. The clock may
// be any 64-bit numbers: the curve is as long as the sections are many.
class LoadCurve {
 public:
  LoadCurve() = default;

  // The largest load, and the earliest step at which it is live; 0 and 0 where nothing ever is.
  Bytes max() const;
  Step peak_step() const;

  Bytes at(Step step) const;
  // The largest load at a step of `steps`. O(log n).
  Bytes max_over(LiveRange steps) const;

  std::span<const LoadPoint> points() const { return points_; }
  // The index of the point that stands at `step`. There must be one.
  std::size_t point_at(Step step) const;

 private:
  friend class LoadEvents;
  explicit LoadCurve(std::vector<LoadPoint> points);

  Bytes max_of_points(std::size_t first, std::size_t last) const;

  std::vector<LoadPoint> points_;
  // A tournament over the points: the parent of nodes 2i and 2i + 1 is i and holds the larger, the
  // points are the nodes from points_.size() on.
  std::vector<Bytes> tournament_;
};

// By DeviceId.
std::vector<LoadCurve> load_curves(const Instance& instance, Sizes sizes);

// Whether some device has a larger max load, padded, in `a` than in `b`, which has the same
// devices.
bool has_larger_load(const Instance& a, const Instance& b);

}  // namespace berth
