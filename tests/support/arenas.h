#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "berth/ir/launches.h"
#include "berth/ir/planes.h"

namespace berth::test {

inline NamedRange range(std::string name, std::uint64_t address, std::uint64_t bytes) {
  return {std::move(name), Address(address), Bytes(bytes)};
}
inline Plane fresh(NamedRange range) {
  return {std::move(range), false};
}
inline Plane carried(NamedRange range) {
  return {std::move(range), true};
}

// One launch or repeat of a table under construction.
struct Item {
  struct Written {
    std::string phase;
    std::vector<std::uint64_t> words;
  };
  std::uint64_t iterations = 0;  // 0: a launch by itself
  std::vector<Written> body;
  std::vector<Delta> deltas;
  std::vector<Frame> frames;
  std::vector<Extent> extents;  // of launches by their position in the body
};

inline Item launch(std::string phase, std::vector<std::uint64_t> words = {}) {
  return {0, {{std::move(phase), std::move(words)}}, {}, {}, {}};
}
// With bytes from word 0 on.
inline Item launch(std::string phase, std::uint64_t word, std::uint64_t reads,
                   std::uint64_t writes) {
  return {0, {{std::move(phase), {word}}}, {}, {}, {{0, 0, reads, writes}}};
}
inline Item repeat(std::uint64_t iterations, const std::vector<Item>& body,
                   std::vector<Delta> deltas = {}, std::vector<Frame> frames = {}) {
  Item item{iterations, {}, std::move(deltas), std::move(frames), {}};
  for (const Item& launch : body) {
    for (Extent extent : launch.extents) {
      extent.launch = static_cast<std::uint32_t>(item.body.size());
      item.extents.push_back(extent);
    }
    item.body.push_back(launch.body.front());
  }
  return item;
}

// Without submissions the whole table runs once.
inline Result<LaunchSchedule> build(const std::vector<Item>& table,
                                    const std::vector<Submission>* submissions = nullptr) {
  LaunchScheduleBuilder builder;
  std::uint64_t launches = 0;
  for (const Item& item : table) {
    for (std::uint32_t i = 0; i < item.body.size(); ++i) {
      builder.launch(item.body[i].phase, item.body[i].words);
      for (const Extent& extent : item.extents) {
        if (extent.launch == i) builder.extent(extent.word, extent.reads, extent.writes);
      }
    }
    launches += item.body.size();
    if (item.iterations == 0) continue;
    builder.repeat(item.iterations, static_cast<std::uint32_t>(item.body.size()), item.deltas,
                   item.frames);
  }
  if (submissions == nullptr) {
    builder.submit({0, launches});
  } else {
    for (const Submission& submission : *submissions) builder.submit(submission);
  }
  return std::move(builder).build();
}

inline constexpr std::uint64_t kArenaRegion = 64;  // bytes

// A plan and a schedule whose ranges and windows lie in the region from `origin` on.
struct ArenaCase {
  std::uint64_t origin = 0;
  std::uint64_t alignment = 1;
  std::vector<Window> windows;
  std::vector<NamedRange> globals;
  std::vector<PhasePlanes> phases;
  std::vector<Item> table;
  std::vector<Submission> submissions;

  PlaneTable planes() const {
    return PlaneTable::make(alignment, windows, globals, phases).value();
  }
};

// Small plans, sound or nearly, with a few launches: repeats with steps of every size, submissions,
// addresses that wrap.
ArenaCase random_arena(std::mt19937_64& random);

// The same with extents of most words, that mostly fit, and mostly write a plane before it is read.
ArenaCase random_arena_with_extents(std::mt19937_64& random);

}  // namespace berth::test
