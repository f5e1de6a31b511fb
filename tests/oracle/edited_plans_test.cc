// Every one-field edit of what our own planner placed and lower wrote, judged by the certificate
// and by the byte oracle: no edit is accepted that the oracle refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "berth/certify/arena_judge.h"
#include "berth/live/schedule_lives.h"
#include "berth/lower/lower.h"
#include "berth/plan/pack.h"
#include "tests/oracle/arena_oracle.h"
#include "tests/support/arenas.h"
#include "tests/support/schedules.h"

namespace berth {
namespace {

using test::ArenaCase;
using test::Item;
using test::kArenaRegion;

constexpr std::uint64_t kOrigin = 0x1000;

// Up to 5 buffers of a few bytes on two devices, calls of them, and loops of calls.
Schedule small_schedule(std::mt19937_64& random) {
  test::Draft draft;
  std::vector<OpId> buffers;
  for (auto count = 2 + random() % 4; count > 0; --count) {
    const std::string name(1, static_cast<char>('a' + buffers.size()));
    buffers.push_back(draft.buffer(name, 1 + random() % 6, random() % 4 == 0 ? "CPU" : "GPU"));
  }
  std::vector<OpId> entries;
  const auto call = [&] {
    std::vector<OpId> arguments;
    for (auto count = 1 + random() % 2; count > 0; --count) {
      arguments.push_back(buffers[random() % buffers.size()]);
    }
    return draft.call("k", arguments);
  };
  for (auto count = 2 + random() % 6; count > 0; --count) {
    const bool is_loop = random() % 4 == 0;
    entries.push_back(is_loop ? draft.loop({call(), call()}, 1 + random() % 3) : call());
  }
  return draft.schedule(std::move(entries));
}

// Packed to the byte, both arenas in the region.
std::optional<LoweredSchedule> planned(const Schedule& schedule) {
  const auto lives = schedule_instance(schedule).value();
  const auto devices = lives.instance.devices();
  const auto buffers = lives.instance.buffers();
  const std::vector<std::string> steps(lives.instance.step_names().begin(),
                                       lives.instance.step_names().end());
  const auto instance = Instance::make({devices.begin(), devices.end()},
                                       {buffers.begin(), buffers.end()}, Alignment(), steps)
                            .value();
  const auto packing = std::get<Packing>(pack(instance, {.packer = "greedy"}).value());
  const std::vector<Address> arenas = {Address(kOrigin + 4), Address(kOrigin + 36)};
  for (const ArenaFigures& arena : packing.arenas) {
    if (arena.peak > Bytes(28)) return std::nullopt;
  }
  return lower(schedule, instance, lives.ops, packing, std::span(arenas).first(devices.size()))
      .value();
}

ArenaCase case_of(const LoweredSchedule& lowered) {
  ArenaCase arena;
  arena.origin = kOrigin;
  const auto& [planes, launches, warnings] = lowered;
  arena.alignment = planes.alignment();
  arena.windows = {planes.windows().begin(), planes.windows().end()};
  arena.phases = {planes.phases().begin(), planes.phases().end()};
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const Repeat* repeat = launches.repeat_of(LaunchId(i));
    if (repeat == nullptr || repeat->first == i) arena.table.emplace_back();
    const auto words = launches.words(LaunchId(i));
    arena.table.back().body.push_back({launches.phase(LaunchId(i)), {words.begin(), words.end()}});
    if (repeat != nullptr) arena.table.back().iterations = repeat->iterations;
    for (Extent extent : launches.extents(LaunchId(i))) {
      extent.launch = static_cast<std::uint32_t>(arena.table.back().body.size() - 1);
      arena.table.back().extents.push_back(extent);
    }
  }
  arena.submissions = {launches.submissions().begin(), launches.submissions().end()};
  return arena;
}

// Calls `judge` with each edit of one field, in turn.
template <typename Judge>
void each_edit(const ArenaCase& whole, const Judge& judge) {
  ArenaCase edited = whole;
  const auto each = [&](auto& field, const auto& values) {
    const auto before = field;
    for (const auto& value : values) {
      if (value == before) continue;
      field = value;
      judge(edited);
    }
    field = before;
  };
  std::vector<Address> addresses;
  std::vector<std::uint64_t> words = {0, 7, UINT64_MAX};
  for (std::uint64_t byte = 0; byte < kArenaRegion - 8; ++byte) {
    addresses.emplace_back(kOrigin + byte);
    words.push_back(kOrigin + byte);
  }
  std::vector<Bytes> sizes;
  for (std::uint64_t size = 0; size < 9; ++size) sizes.emplace_back(size);
  const std::vector<std::uint64_t> lengths = {0, 1, 2, 3, 4, 5, 6, 7, 8, 60, UINT64_MAX};
  const std::vector<Bytes> window_sizes = {Bytes(1), Bytes(8), Bytes(20), Bytes(60)};
  std::vector<std::string> phases = {"none"};
  std::vector<std::string> names = {"", "a", "b", "z"};
  for (const PhasePlanes& phase : whole.phases) phases.push_back(phase.phase);

  each(edited.alignment, std::vector<std::uint64_t>{1, 2, 3, 4, 8});
  for (Window& window : edited.windows) {
    each(window.address, addresses);
    each(window.bytes, window_sizes);
  }
  for (PhasePlanes& phase : edited.phases) {
    each(phase.phase, std::vector<std::string>{"none"});
    for (Plane& plane : phase.planes) {
      each(plane.range.address, addresses);
      each(plane.range.bytes, sizes);
      each(plane.range.name, names);
      each(plane.carried, std::vector<bool>{false, true});
    }
  }
  for (Item& item : edited.table) {
    if (item.iterations > 0) each(item.iterations, std::vector<std::uint64_t>{1, 2, 3, 4});
    for (Item::Written& written : item.body) {
      each(written.phase, phases);
      for (std::uint64_t& word : written.words) each(word, words);
    }
    for (Extent& extent : item.extents) {
      each(extent.reads, lengths);
      each(extent.writes, lengths);
    }
  }
  std::uint64_t launches = 0;
  for (const Item& item : whole.table) launches += item.body.size();
  std::vector<std::uint64_t> counts;
  for (std::uint64_t count = 0; count <= launches; ++count) counts.push_back(count);
  for (Submission& submission : edited.submissions) {
    each(submission.first, counts);
    each(submission.count, counts);
  }
}

TEST(EditedPlans, NoEditIsAcceptedThatTheOracleRefuses) {
  std::mt19937_64 random(1);
  std::uint64_t plans = 0;
  std::uint64_t edits = 0;
  std::uint64_t accepted = 0;
  while (plans < 25) {
    const auto lowered = planned(small_schedule(random));
    if (!lowered) continue;
    ++plans;
    const ArenaCase whole = case_of(*lowered);
    ASSERT_TRUE(judge_arena(lowered->planes, lowered->launches).certified());
    ASSERT_EQ(oracle::arena_code(whole, false), 0u);
    each_edit(whole, [&](const ArenaCase& edit) {
      const auto schedule = test::build(edit.table, &edit.submissions);
      if (!schedule) return;  // submissions that mean nothing
      const std::uint64_t code = judge_arena(edit.planes(), *schedule).code();
      ++edits;
      accepted += code == 0 ? 1 : 0;
      EXPECT_EQ(code, oracle::arena_code(edit, false)) << "plan " << plans << ", edit " << edits;
    });
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(edits, 20'000u);
  EXPECT_GT(accepted * 20, edits);
  EXPECT_LT(accepted * 3, edits * 2);
}

}  // namespace
}  // namespace berth
