#include "berth/certify/arena_live.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

namespace berth {

PlaneTensors::PlaneTensors(const PlaneTable& planes) {
  // The name last: most places are told apart by their address alone.
  std::vector<const NamedRange*> ranges;
  for (const PhasePlanes& phase : planes.phases()) {
    begin_.push_back(ranges.size());
    for (const Plane& plane : phase.planes) {
      ranges.push_back(&plane.range);
      uses_.push_back({.carried = plane.carried});
    }
  }
  begin_.push_back(ranges.size());
  std::vector<std::size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) {
    return std::tie(ranges[i]->address, ranges[i]->bytes, ranges[i]->name);
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const NamedRange& range = *ranges[order[i]];
    if (i == 0 || range != *ranges[order[i - 1]])
      bytes_.push_back({range.address.value(), range.address.value() + (range.bytes.count() - 1)});
    uses_[order[i]].tensor = static_cast<std::uint32_t>(bytes_.size() - 1);
  }
}

LiveTensors::LiveTensors(const PlaneTensors& tensors) : tensors_(tensors) {
  std::size_t count = tensors.size();
  do {
    count = count / kBits + 1;
    levels_.emplace_back(count);
  } while (count > 1);
}

void LiveTensors::flip(std::size_t tensor) {
  std::size_t at = tensor;
  for (auto& level : levels_) {
    std::uint64_t& word = level[at / kBits];
    const bool was_empty = word == 0;
    word ^= std::uint64_t{1} << (at % kBits);
    if (!was_empty && word != 0) return;
    at /= kBits;
  }
}

std::size_t LiveTensors::before(std::size_t tensor) const {
  std::size_t at = tensor;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    std::uint64_t bits = levels_[level][at / kBits] & ~(~std::uint64_t{0} << (at % kBits));
    for (at /= kBits; bits != 0; bits = levels_[--level][at]) {
      at = at * kBits + static_cast<std::size_t>(std::bit_width(bits)) - 1;
      if (level == 0) return at;
    }
  }
  return kNone;
}

std::size_t LiveTensors::after(std::size_t tensor) const {
  std::size_t at = tensor;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    std::uint64_t bits = levels_[level][at / kBits] & (~std::uint64_t{1} << (at % kBits));
    for (at /= kBits; bits != 0; bits = levels_[--level][at]) {
      at = at * kBits + static_cast<std::size_t>(std::countr_zero(bits));
      if (level == 0) return at;
    }
  }
  return kNone;
}

void LiveTensors::declare(std::size_t tensor) {
  // Two that begin before it and reach into it would overlap: there is one at most.
  const std::size_t earlier = before(tensor);
  if (earlier != kNone && tensors_.overlap(earlier, tensor)) flip(earlier);
  for (auto later = after(tensor); later != kNone && tensors_.overlap(later, tensor);
       later = after(later)) {
    flip(later);
  }
  flip(tensor);
}

}  // namespace berth
