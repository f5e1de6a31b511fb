#include "berth/certify/arena_live.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

#include "tests/support/arenas.h"

namespace berth {
namespace {

using test::fresh;
using test::range;

// Some hundred tensors, so that those which share bytes stand many words of bits apart; every byte
// knows who was declared over it last.
TEST(LiveTensors, AreThoseThatHoldAllTheirBytes) {
  constexpr std::uint64_t kBytes = 600;
  std::mt19937_64 random(1);
  for (int round = 0; round < 40; ++round) {
    std::vector<PhasePlanes> phases;
    for (int i = 0; i < 300; ++i) {
      const std::uint64_t address = random() % kBytes;
      const std::uint64_t most = random() % 20 == 0 ? 400 : 6;
      const std::uint64_t bytes = 1 + random() % std::min(most, kBytes - address);
      phases.push_back(
          {std::to_string(i), {fresh(range(random() % 2 == 0 ? "a" : "b", address, bytes))}});
    }
    const PlaneTable planes = PlaneTable::make(1, {}, {}, phases).value();
    const PlaneTensors tensors(planes);
    LiveTensors live(tensors);
    std::array<std::size_t, kBytes> owner{};  // the tensor, counted from 1
    for (int step = 0; step < 200; ++step) {
      const PhaseId phase(random() % phases.size());
      const std::size_t tensor = tensors.of(phase)[0].tensor;
      if (!live.holds(tensor)) live.declare(tensor);
      const AddressRange bytes = planes[phase].planes[0].range.extent();
      for (auto at = bytes.lower; at < bytes.upper; ++at)
        owner[static_cast<std::size_t>(at)] = tensor + 1;
      for (std::size_t i = 0; i < phases.size(); ++i) {
        const AddressRange its = planes[PhaseId(i)].planes[0].range.extent();
        bool owns = true;
        for (auto at = its.lower; at < its.upper; ++at) {
          owns =
              owns && owner[static_cast<std::size_t>(at)] == tensors.of(PhaseId(i))[0].tensor + 1;
        }
        ASSERT_EQ(live.holds(tensors.of(PhaseId(i))[0].tensor), owns)
            << round << " " << step << " " << i;
      }
    }
  }
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
