#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/interval.h"

namespace berth {

// What may stay in one chip's SRAM: `bytes` over `phases`, up to `count` times; each time saves
// `moved` bytes of traffic. Items of which only some go together also take `turns`: phases past all
// others, which have the capacity of one of them.
struct ChoiceItem {
  std::string program;
  std::string tensor;
  LiveRange phases;
  Bytes bytes;
  Bytes moved;
  std::uint64_t count = 1;
  std::optional<LiveRange> turns = std::nullopt;
  // Of older files: `tensor` is all that they say, program and tensor joined by a point.
  bool is_joined = false;

  // Where its bytes count. The second is empty where it takes no turns.
  std::array<LiveRange, 2> ranges() const {
    return {phases, turns.value_or(LiveRange{phases.upper, phases.upper})};
  }

  friend bool operator==(const ChoiceItem&, const ChoiceItem&) = default;
};

// Which items shall stay, so that at every phase those that live there fit its capacity, and the
// most is saved? What any items that go together save, and the bytes of all that take no turns, fit
// 64 bits; phases exist.
struct Choice {
  std::vector<Bytes> capacity;  // by phase
  std::vector<ChoiceItem> items;

  friend bool operator==(const Choice&, const Choice&) = default;
};

// Two ways to go on: at most `most` of the item stay (node `below`), or more (node `above`).
struct PriceBranch {
  std::size_t item = 0;
  std::uint64_t most = 0;
  std::size_t below = 0;
  std::size_t above = 0;

  friend bool operator==(const PriceBranch&, const PriceBranch&) = default;
};

// What a byte of a phase's capacity is worth, in bytes moved, times the scale of its node.
struct PhasePrice {
  Step phase = 0;
  std::uint64_t price = 0;

  friend bool operator==(const PhasePrice&, const PhasePrice&) = default;
};

// A branch, or a leaf with prices. No choice within a leaf saves more than
//   sum of price x capacity, and of max(0, scale x moved - bytes x prices over its phases),
// divided by the scale: certify/prices.h says exactly how.
struct PriceNode {
  std::optional<PriceBranch> branch;
  std::uint64_t scale = 1;
  std::vector<PhasePrice> prices;  // by phase; what is not named is 0

  friend bool operator==(const PriceNode&, const PriceNode&) = default;
};

// A tree over some of the items, as if they had every phase's capacity to themselves. Children
// stand after their parent; the first node is the root.
struct PricePart {
  std::vector<std::size_t> items;
  std::vector<PriceNode> nodes;
  // The items save no more than this: every set of them that may stay is looked at, phase by phase,
  // but those that the prices of the only node allow no more (certify/walk.h).
  std::optional<std::uint64_t> walk;

  friend bool operator==(const PricePart&, const PricePart&) = default;
};

// The certificate of optimality: no item stands in two parts, and what stands in none is taken to
// stay.
struct Prices {
  std::vector<PricePart> parts;

  friend bool operator==(const Prices&, const Prices&) = default;
};

}  // namespace berth
