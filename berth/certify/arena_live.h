#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/certify/arena_arithmetic.h"
#include "berth/ir/planes.h"

namespace berth {

// The tensors that the planes of a plan are, once rules A and B hold: equal planes are one. Tensors
// stand in order of address.
class PlaneTensors {
 public:
  explicit PlaneTensors(const PlaneTable& planes);

  // What a plane is.
  struct Use {
    std::uint32_t tensor = 0;
    bool carried = false;
  };

  std::size_t size() const { return bytes_.size(); }
  // A phase's planes, in order.
  std::span<const Use> of(PhaseId phase) const {
    const std::size_t begin = begin_[phase.index()];
    return std::span(uses_).subspan(begin, begin_[phase.index() + 1] - begin);
  }
  bool overlap(std::size_t a, std::size_t b) const {
    return ranges_overlap(bytes_[a].first, bytes_[a].last, bytes_[b].first, bytes_[b].last) != 0;
  }

 private:
  // Sound ranges have a byte and end at 2^64 at most, so their last byte is an address.
  struct Bytes {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };

  std::vector<Bytes> bytes_;        // by tensor
  std::vector<Use> uses_;           // by plane, phase by phase
  std::vector<std::size_t> begin_;  // of each phase there, and the end
};

// The tensors that would satisfy a carried use now: declared, and not declared over since. They are
// pairwise disjoint at any time, so those that share a byte with one that is declared stand next to
// it among the live.
class LiveTensors {
 public:
  explicit LiveTensors(const PlaneTensors& tensors);

  bool holds(std::size_t tensor) const {
    return (levels_.front()[tensor / kBits] >> (tensor % kBits) & 1) != 0;
  }
  // One that is not live: what is, nothing else holds a byte of. O(log tensors), and as much for
  // each that it is declared over.
  void declare(std::size_t tensor);

 private:
  static constexpr std::size_t kBits = 64;
  static constexpr std::size_t kNone = SIZE_MAX;

  void flip(std::size_t tensor);
  // The live tensor next to one; kNone if there is none.
  std::size_t before(std::size_t tensor) const;
  std::size_t after(std::size_t tensor) const;

  const PlaneTensors& tensors_;
  // A bit a tensor; above it, a bit a word of the level below that is not 0; up to one word.
  std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace berth
