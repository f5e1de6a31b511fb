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

std::size_t LiveTensors::before(std::size_t tensor) const {
  std::size_t word = tensor / kBits;
  std::uint64_t bits = live_[word] & ~(~std::uint64_t{0} << (tensor % kBits));
  while (bits == 0 && word > 0) bits = live_[--word];
  if (bits == 0) return kNone;
  return word * kBits + static_cast<std::size_t>(std::bit_width(bits)) - 1;
}

std::size_t LiveTensors::after(std::size_t tensor) const {
  std::size_t word = tensor / kBits;
  std::uint64_t bits = live_[word] & (~std::uint64_t{1} << (tensor % kBits));
  while (bits == 0 && word + 1 < live_.size()) bits = live_[++word];
  if (bits == 0) return kNone;
  return word * kBits + static_cast<std::size_t>(std::countr_zero(bits));
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
