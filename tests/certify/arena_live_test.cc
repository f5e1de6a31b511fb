#include "berth/certify/arena_live.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/support/arenas.h"

namespace berth {
namespace {

using test::fresh;
using test::range;

struct Crowd {
  std::uint64_t bytes;   // that the tensors lie in
  std::uint64_t narrow;  // tensors of a few bytes
  std::uint64_t wide;    // tensors of up to two thirds of all
  int rounds;
};

Plane random_plane(std::mt19937_64& random, std::uint64_t bytes, std::uint64_t most) {
  const std::uint64_t address = random() % bytes;
  const std::uint64_t length = 1 + random() % std::min(most, bytes - address);
  return fresh(range(random() % 2 == 0 ? "a" : "b", address, length));
}

// So many tensors that those which share bytes stand many words of bits apart, and words that hold
// none of the live ones too; every byte knows who was declared over it last.
void expect_live_are_those_that_hold_their_bytes(const Crowd& crowd) {
  std::mt19937_64 random(1);
  for (int round = 0; round < crowd.rounds; ++round) {
    std::vector<PhasePlanes> phases;
    for (std::uint64_t i = 0; i < crowd.narrow + crowd.wide; ++i) {
      const std::uint64_t most = i < crowd.narrow ? 6 : crowd.bytes * 2 / 3;
      phases.push_back({std::to_string(i), {random_plane(random, crowd.bytes, most)}});
    }
    const PlaneTable planes = PlaneTable::make(1, {}, {}, phases).value();
    const PlaneTensors tensors(planes);
    LiveTensors live(tensors);
    std::vector<std::size_t> owner(crowd.bytes);  // the tensor, counted from 1
    for (int step = 0; step < 200; ++step) {
      const bool is_wide = random() % 20 == 0;
      const PhaseId phase(is_wide ? crowd.narrow + random() % crowd.wide : random() % crowd.narrow);
      const std::size_t tensor = tensors.of(phase)[0].tensor;
      if (!live.holds(tensor)) live.declare(tensor);
      const AddressRange bytes = planes[phase].planes[0].range.extent();
      for (auto at = bytes.lower; at < bytes.upper; ++at)
        owner[static_cast<std::size_t>(at)] = tensor + 1;
      for (std::size_t i = 0; i < phases.size(); ++i) {
        const AddressRange its = planes[PhaseId(i)].planes[0].range.extent();
        const std::size_t own = tensors.of(PhaseId(i))[0].tensor;
        bool owns = true;
        for (auto at = its.lower; owns && at < its.upper; ++at) {
          owns = owner[static_cast<std::size_t>(at)] == own + 1;
        }
        ASSERT_EQ(live.holds(own), owns) << round << " " << step << " " << i;
      }
    }
  }
}

TEST(LiveTensors, AreThoseThatHoldAllTheirBytes) {
  expect_live_are_those_that_hold_their_bytes({600, 285, 15, 40});
}

TEST(LiveTensors, AreThoseAmongManyThousandToo) {
  expect_live_are_those_that_hold_their_bytes({20'000, 6'000, 60, 3});
  expect_live_are_those_that_hold_their_bytes({40'000, 12'000, 60, 2});
}

TEST(PlaneTensors, EqualPlanesAreOne) {
  const auto planes = PlaneTable::make(1, {}, {},
                                       {{"p", {fresh(range("a", 0, 4)), fresh(range("b", 8, 4))}},
                                        {"q", {fresh(range("b", 8, 4)), fresh(range("a", 0, 5))}},
                                        {"r", {}}})
                          .value();
  const PlaneTensors tensors(planes);
  EXPECT_EQ(tensors.size(), 3u);
  EXPECT_EQ(tensors.of(PhaseId(0))[1].tensor, tensors.of(PhaseId(1))[0].tensor);
  EXPECT_NE(tensors.of(PhaseId(0))[0].tensor, tensors.of(PhaseId(1))[1].tensor);
  EXPECT_TRUE(tensors.of(PhaseId(2)).empty());
}

}  // namespace
}  // namespace berth
