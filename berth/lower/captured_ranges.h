#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "berth/ir/capture.h"
#include "berth/ir/planes.h"

namespace berth {

// Addresses that allocations of a run share: they are one stretch.
struct CapturedRegion {
  AddressRange extent;
  std::string name;
  bool is_shared = false;              // two memories that commands name meet in it
  std::vector<std::size_t> tensors{};  // in it, by when they were first taken
  std::uint64_t unjudged = 0;          // moves of bytes that are no one tensor
  std::set<std::uint64_t> pointers{};  // into it, where it is not shared
};

// A memory; with those of the same place and size that were first taken to be read alone, and so
// are other names for what it holds.
struct CapturedTensor {
  NamedRange range;
  std::optional<std::uint64_t> first_taken{};  // by which command
  std::uint64_t last_taken = 0;
  std::size_t plane = 0;  // of that command's phase
};

// The allocations of a run, and what commands make of them.
class CapturedRanges {
 public:
  explicit CapturedRanges(const Capture& capture);

  std::vector<CapturedRegion>& regions() { return regions_; }
  CapturedRegion* region_of(std::uint64_t address);
  CapturedTensor& operator[](std::size_t tensor) { return tensors_[tensor]; }

  // The tensor that a memory is, which is taken so.
  std::size_t tensor_of(MemoryId memory, Access access);
  // Of the tensors taken so far that hold these bytes: one with no others, else any; of several,
  // the one that was taken last.
  std::optional<std::size_t> holder_of(const CapturedRegion& region, const AddressRange& bytes);
  // How many tensors holder_of has looked at.
  std::uint64_t looks() const { return looks_; }

 private:
  void find_regions();
  void find_shared();
  std::string name_of(MemoryId memory) const;

  const Capture& capture_;
  std::vector<CapturedRegion> regions_;  // by address, disjoint
  std::vector<CapturedTensor> tensors_;
  std::map<MemoryId, std::size_t> of_memory_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> last_at_;  // of a place
  std::uint64_t looks_ = 0;
};

}  // namespace berth
