#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "berth/plan/problem.h"
#include "berth/plan/range_set.h"

namespace berth {

// Which bytes are taken at which time, and where the next task still fits.
//
// A binary tree stands over the slots. A rectangle (slots x bytes) is kept at the few nodes that
// together make up its slots, as in a segment tree. Each node holds two sets of byte ranges:
//
//   across  bytes taken over all of the node's slots by rectangles kept right here
//   below   bytes taken somewhere in the node's slots by rectangles kept here or below
//
//            [0,4)  across: b          slots  0 1 2 3
//            /    \                    b      # # # #    kept at [0,4)
//        [0,2)    [2,4) across: c      c          # #    kept at [2,4)
//        /  \      /  \                a    #            kept at [1,2)
//      [0]  [1] a [2] [3]
//
// What meets the slots of a task is then the `below` of the nodes that make up those slots and the
// `across` of every node above them: O(log n) sets, whatever the number of rectangles. Placing a
// task well means the ranges grow together (the picture of an arena filling up), so the sets stay
// short, and finding a place is a walk over a few short sorted lists side by side.
class Occupancy {
 public:
  explicit Occupancy(Slot slots);

  void add(std::span<const Rect> rects, std::uint64_t place);
  // As at first, but for the memory, which stays in place for the next round.
  void clear();

  // Ranges read or moved so far: the cost of everything done.
  std::uint64_t work() const { return work_; }

 private:
  friend class FreePlaces;

  using SetIndex = std::uint32_t;
  struct Node {
    SetIndex across = 0;
    SetIndex below = 0;
  };

  RangeSet& set(SetIndex& index);
  // Whether some of these bytes were free there.
  bool add_to(SetIndex& index, ByteRange taken);

  Slot leaves_ = 1;             // a power of two
  std::vector<Node> nodes_;     // the children of node i are 2i and 2i + 1; the root is 1
  std::vector<RangeSet> sets_;  // set 0 is the empty set
  std::uint64_t work_ = 0;
};

// Where one task is free, found from the lowest place up: the sets that concern the task are walked
// side by side, and whichever has something against a place moves it past what is in the way.
class FreePlaces {
 public:
  FreePlaces(Occupancy& occupancy, const Task& task, std::span<const Rect> rects);

  // The lowest free place at or above `from`, which must not decrease from call to call.
  std::uint64_t at_or_above(std::uint64_t from);
  // The highest place to which the task may slide from there before it meets something; nothing if
  // it never does.
  std::optional<std::uint64_t> highest_in_reach();

 private:
  // One set that concerns the task, with the bytes that the task holds there.
  struct Watch {
    const ByteRange* next = nullptr;
    const ByteRange* end = nullptr;
    ByteRange bytes;
  };
  void watch(const Rect& rect);

  Occupancy& occupancy_;
  const Task& task_;
  std::vector<Watch> watches_;
};

}  // namespace berth
