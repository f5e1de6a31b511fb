#include "berth/plan/tlsf.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>

namespace berth {
namespace {

unsigned digits(std::uint64_t value) {
  return static_cast<unsigned>(std::bit_width(value));
}

}  // namespace

TlsfAllocator::TlsfAllocator(Bytes bytes, Bytes block) : block_(block.count()) {
  if (bytes == Bytes(0)) return;
  join_queue(new_block({.start = 0, .size = bytes.count()}));
}

std::optional<Offset> TlsfAllocator::alloc(Bytes bytes) {
  const std::uint64_t request = std::max(bytes.count(), block_);

  // Look from the class at which every block is surely large enough: that of the request rounded
  // up to the next class boundary.
  std::uint64_t search = request;
  if (digits(request) >= kSecondLevelDigits) {
    const std::uint64_t mask = (std::uint64_t{1} << (digits(request) - kSecondLevelDigits)) - 1;
    if (__builtin_add_overflow(request, mask, &search)) return std::nullopt;
    search &= ~mask;
  }
  const auto found = first_non_empty_from(class_of(search));
  if (!found) return std::nullopt;

  const BlockIndex index = queues_[found->first][found->second].oldest;
  leave_queue(index);
  if (blocks_[index].size > request) split(index, request);
  taken_.emplace(blocks_[index].start, index);
  return Offset(blocks_[index].start);
}

void TlsfAllocator::free(Offset place) {
  const auto taken = taken_.find(place.value());
  assert(taken != taken_.end());
  BlockIndex index = taken->second;
  taken_.erase(taken);

  join_queue(index);
  while (blocks_[index].left != kNone && blocks_[blocks_[index].left].is_free) {
    index = blocks_[index].left;
  }
  while (blocks_[index].right != kNone && blocks_[blocks_[index].right].is_free) {
    swallow_right(index);
  }
}

TlsfAllocator::Class TlsfAllocator::class_of(std::uint64_t size) {
  assert(size > 0);
  const unsigned first = digits(size);
  const std::uint64_t above = size - (std::uint64_t{1} << (first - 1));
  const unsigned shift = first > kSecondLevelDigits ? first - kSecondLevelDigits : 0;
  return {first, static_cast<std::size_t>(above >> shift)};
}

std::optional<TlsfAllocator::Class> TlsfAllocator::first_non_empty_from(Class from) const {
  std::uint32_t candidates = non_empty_[from.first] & (UINT32_MAX << from.second);
  std::size_t first = from.first;
  while (candidates == 0) {
    if (++first == kFirstLevel) return std::nullopt;
    candidates = non_empty_[first];
  }
  return Class{first, static_cast<std::size_t>(std::countr_zero(candidates))};
}

TlsfAllocator::BlockIndex TlsfAllocator::new_block(const Block& block) {
  if (unused_.empty()) {
    blocks_.push_back(block);
    return static_cast<BlockIndex>(blocks_.size() - 1);
  }
  const BlockIndex index = unused_.back();
  unused_.pop_back();
  blocks_[index] = block;
  return index;
}

void TlsfAllocator::join_queue(BlockIndex index) {
  const auto [first, second] = class_of(blocks_[index].size);
  Queue& queue = queues_[first][second];
  blocks_[index].is_free = true;
  blocks_[index].older = queue.youngest;
  blocks_[index].younger = kNone;
  (queue.youngest == kNone ? queue.oldest : blocks_[queue.youngest].younger) = index;
  queue.youngest = index;
  non_empty_[first] |= std::uint32_t{1} << second;
}

void TlsfAllocator::leave_queue(BlockIndex index) {
  const auto [first, second] = class_of(blocks_[index].size);
  Queue& queue = queues_[first][second];
  const auto [older, younger] = std::pair(blocks_[index].older, blocks_[index].younger);
  (older == kNone ? queue.oldest : blocks_[older].younger) = younger;
  (younger == kNone ? queue.youngest : blocks_[younger].older) = older;
  if (queue.oldest == kNone) non_empty_[first] &= ~(std::uint32_t{1} << second);
  blocks_[index].is_free = false;
}

void TlsfAllocator::split(BlockIndex index, std::uint64_t size) {
  const BlockIndex rest = new_block({.start = blocks_[index].start + size,
                                     .size = blocks_[index].size - size,
                                     .left = index,
                                     .right = blocks_[index].right});
  Block& block = blocks_[index];
  if (block.right != kNone) blocks_[block.right].left = rest;
  block.right = rest;
  block.size = size;
  join_queue(rest);
}

// The block changes size, so it joins its new class at the end.
void TlsfAllocator::swallow_right(BlockIndex index) {
  const BlockIndex right = blocks_[index].right;
  leave_queue(right);
  leave_queue(index);
  blocks_[index].size += blocks_[right].size;
  blocks_[index].right = blocks_[right].right;
  if (blocks_[index].right != kNone) blocks_[blocks_[index].right].left = index;
  unused_.push_back(right);
  join_queue(index);
}

namespace {

// What the allocator is asked for: the extent, and what its alignment may cost beyond the unit.
Bytes request_of(const Instance& instance, BufferId id) {
  const auto slack = instance.alignment(id).value() - instance.unit().value();
  return instance.extent(id) + Bytes(slack);
}

// Buffers by the step at which they start or end, ties in the order of the instance.
std::vector<BufferId> by_step(const Instance& instance, Step LiveRange::*edge) {
  std::vector<BufferId> order;
  for (std::size_t i = 0; i < instance.size(); ++i) {
    if (instance.extent(BufferId(i)) > Bytes(0)) order.emplace_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](BufferId a, BufferId b) {
    return instance[a].life.*edge < instance[b].life.*edge;
  });
  return order;
}

Result<Bytes> heap_of(const Instance& instance) {
  Bytes sum;
  for (std::size_t i = 0; i < instance.size(); ++i) {
    const BufferId id(i);
    if (instance[id].fixed) {
      return input_error("buffer " + instance[id].name,
                         fmt::format("must be placed at {}, which packer tlsf cannot keep",
                                     instance[id].fixed->value()),
                         "use another packer, such as auto");
    }
    const auto more = checked_add(sum, request_of(instance, id));
    if (!more) return input_error("packer tlsf", "the extents add up to more than 64 bits hold");
    sum = *more;
  }
  const auto heap = checked_multiply(sum, 2);
  if (!heap) {
    return input_error("packer tlsf",
                       fmt::format("its heap, twice the {} bytes of all extents, is more than 64 "
                                   "bits hold",
                                   sum.count()),
                       "use another packer, such as greedy");
  }
  return *heap;
}

}  // namespace

Result<Placement> place_tlsf(const Instance& instance) {
  const auto heap = heap_of(instance);
  if (!heap) return tl::unexpected(heap.error());

  const Bytes block = std::min(Bytes(256), Bytes(instance.unit().value()));
  std::vector<TlsfAllocator> allocators(instance.devices().size(), TlsfAllocator(*heap, block));
  std::vector<Offset> starts(instance.size());
  Placement placement{std::vector<Offset>(instance.size())};

  const auto by_end = by_step(instance, &LiveRange::upper);
  auto next_end = by_end.begin();
  for (const BufferId id : by_step(instance, &LiveRange::lower)) {
    for (; next_end != by_end.end() && instance[*next_end].life.upper <= instance[id].life.lower;
         ++next_end) {
      allocators[instance[*next_end].device.index()].free(starts[next_end->index()]);
    }
    const auto start = allocators[instance[id].device.index()].alloc(request_of(instance, id));
    assert(start);  // The heap's untouched end is always large enough: it is twice the sum.
    starts[id.index()] = *start;
    placement.places[id.index()] = round_up(*start, instance.alignment(id));
  }
  return placement;
}

}  // namespace berth
