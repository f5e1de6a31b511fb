#pragma once

#include <vector>

#include "berth/ir/prices.h"

namespace berth {

// Items that compete with one another, as a choice of their own: only phases that can overflow, and
// of those none whose load never decides.
struct Component {
  Choice choice;
  std::vector<std::size_t> items;  // of the whole choice, by item of this one
  std::vector<Step> phases;        // of the whole choice, by phase of this one
};

// The parts of a choice that do not meet in any phase that can overflow. What lives in no such
// phase stands in none: it stays. An item that fits no more than some times alone may stay at most
// so often. O(n log n) in items and phases.
std::vector<Component> components_of(const Choice& choice);

}  // namespace berth
