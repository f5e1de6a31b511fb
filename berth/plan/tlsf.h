#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/result.h"
#include "berth/base/seeded_hash.h"
#include "berth/ir/instance.h"
#include "berth/ir/packing.h"

namespace berth {

// Two-level segregated fit over an imaginary heap: it gives out places and touches no memory.
//
//   first level    the number of binary digits of a block's size
//   second level   32 equal classes between one power of two and the next
//
// Each class is a queue: a block that becomes free, or changes size, joins at the end; the block
// taken is the oldest. Source: M. Masmano et al., "TLSF: a new dynamic memory allocator for
// real-time systems" (2004), with the details that the schedule planner's golden traces fix.
//
// alloc and free take O(1), plus one step a free neighbour that free merges.
class TlsfAllocator {
 public:
  // A heap of [0, bytes) whose requests are at least `block` bytes.
  explicit TlsfAllocator(Bytes bytes, Bytes block = Bytes(256));

  // The start of `bytes` free bytes, or nothing if no class that surely fits holds a block.
  std::optional<Offset> alloc(Bytes bytes);

  // Gives back what alloc returned and was not yet freed.
  void free(Offset place);

 private:
  static constexpr unsigned kSecondLevelDigits = 6;  // binary digits of 32
  static constexpr std::size_t kSecondLevel = 32;
  static constexpr std::size_t kFirstLevel = 65;  // sizes have 0 to 64 digits
  using BlockIndex = std::uint32_t;
  static constexpr BlockIndex kNone = UINT32_MAX;

  // A stretch of the heap. Blocks form two doubly linked lists: all of them by address, and the
  // free ones of a class by age.
  struct Block {
    std::uint64_t start = 0;
    std::uint64_t size = 0;
    BlockIndex left = kNone;
    BlockIndex right = kNone;
    BlockIndex older = kNone;
    BlockIndex younger = kNone;
    bool is_free = false;
  };

  struct Class {
    std::size_t first = 0;
    std::size_t second = 0;
  };

  struct Queue {
    BlockIndex oldest = kNone;
    BlockIndex youngest = kNone;
  };

  static Class class_of(std::uint64_t size);
  std::optional<Class> first_non_empty_from(Class from) const;
  BlockIndex new_block(const Block& block);
  void join_queue(BlockIndex index);
  void leave_queue(BlockIndex index);
  void split(BlockIndex index, std::uint64_t size);
  void swallow_right(BlockIndex index);

  std::uint64_t block_;
  std::vector<Block> blocks_;
  std::vector<BlockIndex> unused_;
  std::array<std::array<Queue, kSecondLevel>, kFirstLevel> queues_{};
  std::array<std::uint32_t, kFirstLevel> non_empty_{};               // a bit a second-level class
  std::unordered_map<std::uint64_t, BlockIndex, SeededHash> taken_;  // by start
};

// Places an instance online, in time order, as the schedule planner of the source text does: at
// each step first the buffers that ended there are freed, then those that start are placed; within
// either, in the order of the instance. One allocator a device, each over a heap of twice the sum
// of all extents.
//
// Gaps are not used (a buffer keeps its bytes over its whole life). A buffer whose alignment is
// stricter than the instance's unit takes the slack that its alignment may cost. Refuses fixed
// places, which an online allocator cannot keep, and extents whose sum passes half of 64 bits.
Result<Placement> place_tlsf(const Instance& instance);

}  // namespace berth
