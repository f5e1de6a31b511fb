#include "berth/lower/captured_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace berth {
namespace {

AddressRange extent_of(const CapturedMemory& memory) {
  return addresses(memory.address, memory.bytes);
}

bool begins_first(const AddressRange& a, const AddressRange& b) {
  return a.lower != b.lower ? a.lower < b.lower : a.upper < b.upper;
}

}  // namespace

CapturedRanges::CapturedRanges(const Capture& capture) : capture_(capture) {
  find_regions();
  find_shared();
}

void CapturedRanges::find_regions() {
  std::vector<MemoryId> wholes;
  for (std::size_t i = 0; i < capture_.memories.size(); ++i) {
    if (!capture_.memories[i].whole) wholes.emplace_back(i);
  }
  std::ranges::stable_sort(wholes, begins_first,
                           [&](MemoryId id) { return extent_of(capture_[id]); });
  std::size_t more = 0;
  for (const MemoryId id : wholes) {
    const AddressRange extent = extent_of(capture_[id]);
    if (regions_.empty() || !regions_.back().extent.overlaps(extent)) {
      regions_.push_back({extent, name_of(id)});
      more = 0;
      continue;
    }
    CapturedRegion& region = regions_.back();
    region.extent.upper = std::max(region.extent.upper, extent.upper);
    const auto first_name = region.name.substr(0, region.name.find(" and "));
    region.name = fmt::format("{} and {} more", first_name, ++more);
  }
}

// Kernels are given whole memories; of what is moved, parts alone say that they are something by
// themselves.
void CapturedRanges::find_shared() {
  std::set<MemoryId> named;
  for (const CapturedCommand& command : capture_.commands) {
    for (const CapturedWord& word : command.words) {
      if (!word.memory) continue;
      if (command.is_kernel || capture_[*word.memory].whole) named.insert(*word.memory);
    }
  }
  std::vector<AddressRange> places;
  places.reserve(named.size());
  for (const MemoryId id : named) places.push_back(extent_of(capture_[id]));
  std::ranges::sort(places, begins_first);
  WideAddress reached = 0;
  for (const AddressRange& place : places) {
    if (place.lower < reached) {
      region_of(static_cast<std::uint64_t>(place.lower))->is_shared = true;
    }
    reached = std::max(reached, place.upper);
  }
}

CapturedRegion* CapturedRanges::region_of(std::uint64_t address) {
  const auto after = std::ranges::upper_bound(
      regions_, WideAddress(address), {}, [](const CapturedRegion& r) { return r.extent.lower; });
  if (after == regions_.begin() || !std::prev(after)->extent.contains(address)) return nullptr;
  return &*std::prev(after);
}

std::size_t CapturedRanges::tensor_of(MemoryId memory, Access access) {
  const auto known = of_memory_.find(memory);
  if (known != of_memory_.end()) return known->second;
  const CapturedMemory& its = capture_[memory];
  const std::pair place = {its.address.value(), its.bytes.count()};
  const auto other = last_at_.find(place);
  if (other != last_at_.end() && access == Access::Read) {
    return of_memory_[memory] = other->second;
  }
  const std::size_t tensor = tensors_.size();
  tensors_.push_back({{name_of(memory), its.address, its.bytes}});
  region_of(its.address.value())->tensors.push_back(tensor);
  last_at_[place] = tensor;
  return of_memory_[memory] = tensor;
}

std::optional<std::size_t> CapturedRanges::holder_of(const CapturedRegion& region,
                                                     const AddressRange& bytes) {
  std::optional<std::size_t> best;
  bool best_is_exact = false;
  for (const std::size_t id : region.tensors) {
    ++looks_;
    const CapturedTensor& tensor = tensors_[id];
    const AddressRange extent = tensor.range.extent();
    if (!tensor.first_taken || !extent.covers(bytes)) continue;
    const bool is_exact = extent == bytes;
    const bool is_later = !best || tensors_[*best].last_taken <= tensor.last_taken;
    if (is_exact == best_is_exact ? !is_later : best_is_exact) continue;
    best = id;
    best_is_exact = is_exact;
  }
  return best;
}

std::string CapturedRanges::name_of(MemoryId memory) const {
  const CapturedMemory& its = capture_[memory];
  if (!its.whole) {
    const bool is_svm = its.kind == CapturedMemory::Kind::Svm;
    return fmt::format("{} {}", is_svm ? "svm" : "buffer", memory.index() + 1);
  }
  const std::uint64_t offset = its.address.value() - capture_[*its.whole].address.value();
  return fmt::format("part {}, bytes [{}, {}) of memory {}", memory.index() + 1, offset,
                     offset + its.bytes.count(), its.whole->index() + 1);
}

}  // namespace berth
