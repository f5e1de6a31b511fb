#include "berth/live/phase_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "bench/generate.h"
#include "berth/certify/order.h"
#include "berth/live/load.h"
#include "berth/live/program_lives.h"

namespace berth {
namespace {

using Kind = TensorAccess::Kind;

constexpr std::uint64_t kEffort = 1'000'000;

Program program_of(const std::vector<std::uint64_t>& bytes) {
  Program program;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    program.tensors.push_back({.name = "t" + std::to_string(i), .bytes = Bytes(bytes[i])});
  }
  return program;
}

void add_phase(Program& program, const std::vector<std::size_t>& reads,
               const std::vector<std::size_t>& writes) {
  Phase phase{"p" + std::to_string(program.phases.size()), {}};
  for (const auto read : reads) phase.accesses.push_back({TensorId(read), Kind::Read, {}});
  for (const auto write : writes) phase.accesses.push_back({TensorId(write), Kind::Write, {}});
  program.phases.push_back(phase);
}

Bytes load_of(const Program& program, const PhaseOrder& order) {
  const auto lives = program_instance(reordered(program, order), Alignment());
  return load_curves(lives->instance, Sizes::Padded)[0].max();
}

PhaseOrder as_given(const Program& program) {
  PhaseOrder order(program.phases.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

// Two branches that each blow up and shrink again: one after the other, only one is large.
Program two_branches() {
  Program program = program_of({1, 10, 1, 10, 1, 1});
  program.tensors[0].kind = TensorKind::Input;
  program.inputs = {TensorId(0)};
  program.outputs = {TensorId(5)};
  add_phase(program, {0}, {1});
  add_phase(program, {0}, {3});
  add_phase(program, {1}, {2});
  add_phase(program, {3}, {4});
  add_phase(program, {2, 4}, {5});
  return program;
}

TEST(PhaseOrder, FinishesOneBranchBeforeTheOther) {
  const Program program = two_branches();
  EXPECT_EQ(load_of(program, as_given(program)), Bytes(21));  // t1 and t3, and t0 or t2
  const auto order = find_smaller_order(program, Alignment(), kEffort);
  ASSERT_TRUE(order && *order);
  EXPECT_EQ(load_of(program, **order), Bytes(12));
  EXPECT_EQ(find_order_fault(program, **order), std::nullopt);
}

TEST(PhaseOrder, NothingMovesPastAPhaseThatStays) {
  Program program = two_branches();
  program.phases[1].stays = true;
  const auto order = find_smaller_order(program, Alignment(), kEffort);
  ASSERT_TRUE(order.has_value());
  if (*order) {
    EXPECT_EQ((**order)[0], 0U);
    EXPECT_EQ((**order)[1], 1U);
  }
  EXPECT_NE(find_order_fault(program, {0, 2, 1, 3, 4}), std::nullopt);
}

TEST(PhaseOrder, AnOrderThatTurnsRoundAWriteAndAReadIsFound) {
  const Program program = two_branches();
  EXPECT_NE(find_order_fault(program, {2, 0, 1, 3, 4})->find("both touch t1"), std::string::npos);
  EXPECT_NE(find_order_fault(program, {0, 1, 2, 3}), std::nullopt);
  EXPECT_NE(find_order_fault(program, {0, 1, 2, 3, 3}), std::nullopt);
  EXPECT_NE(find_order_fault(program, {0, 1, 2, 3, 5}), std::nullopt);
  EXPECT_EQ(find_order_fault(program, {1, 3, 0, 2, 4}), std::nullopt);
}

Program random_program(std::uint64_t seed, std::size_t phases) {
  generate::Dice dice(seed);
  std::vector<std::uint64_t> bytes;
  for (std::size_t i = 0; i <= phases; ++i) bytes.push_back(dice.between(1, 20));
  Program program = program_of(bytes);
  program.tensors[0].kind = TensorKind::Input;
  program.inputs = {TensorId(0)};
  program.outputs = {TensorId(phases)};
  if (dice.one_in(3)) program.tensors[phases / 2].view_of = {TensorId(0), Bytes(0)};
  if (program.tensors[phases / 2].view_of) program.tensors[phases / 2].bytes = Bytes(1);
  for (std::size_t i = 0; i < phases; ++i) {
    std::vector<std::size_t> reads = {dice.between(0, i + 1)};
    if (dice.one_in(2)) reads.push_back(dice.between(0, i + 1));
    // Now and then what another phase wrote before is written again.
    std::vector<std::size_t> writes = {i + 1};
    if (i > 1 && dice.one_in(6)) writes.push_back(dice.between(1, i));
    add_phase(program, reads, writes);
    program.phases.back().stays = dice.one_in(12);
    program.phases.back().scratch = Bytes(0);
  }
  return program;
}

// Whether two phases may not change places: one writes what the other touches, view or not.
bool depend(const Program& program, const Phase& a, const Phase& b) {
  if (a.stays || b.stays) return true;
  const auto bytes_of = [&](TensorId tensor) {
    const auto& view = program.tensors[tensor.index()].view_of;
    return view ? view->of : tensor;
  };
  for (const TensorAccess& x : a.accesses) {
    for (const TensorAccess& y : b.accesses) {
      const bool writes = x.kind == Kind::Write || y.kind == Kind::Write;
      if (writes && bytes_of(x.tensor) == bytes_of(y.tensor)) return true;
    }
  }
  return false;
}

bool is_sound(const Program& program, const PhaseOrder& order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const bool turned = order[i] > order[j];
      if (turned && depend(program, program.phases[order[i]], program.phases[order[j]])) {
        return false;
      }
    }
  }
  return true;
}

TEST(PhaseOrder, IsTheBestOfAllPermutations) {
  std::size_t better = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const Program program = random_program(seed, 6);
    const bool has_barrier = std::any_of(program.phases.begin(), program.phases.end(),
                                         [](const Phase& phase) { return phase.stays; });
    PhaseOrder order = as_given(program);
    const Bytes given = load_of(program, order);
    Bytes best = given;
    do {
      const bool sound = is_sound(program, order);
      ASSERT_EQ(!find_order_fault(program, order).has_value(), sound) << "seed " << seed;
      if (sound) best = std::min(best, load_of(program, order));
    } while (std::next_permutation(order.begin(), order.end()));
    const auto found = find_smaller_order(program, Alignment(), kEffort);
    ASSERT_TRUE(found.has_value());
    if (!*found) {
      ASSERT_EQ(given, best) << "seed " << seed;
      continue;
    }
    ASSERT_TRUE(is_sound(program, **found)) << "seed " << seed;
    // Stretches between phases that stay are ordered each by itself, some of them for nothing.
    if (has_barrier) {
      ASSERT_LE(load_of(program, **found), given) << "seed " << seed;
    } else {
      ASSERT_EQ(load_of(program, **found), best) << "seed " << seed;
      ++better;
    }
  }
  EXPECT_GT(better, 20U);
}

TEST(PhaseOrder, ABeamIsSoundWhereThereIsNoTimeForMore) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Program program = random_program(seed, 60);
    const auto found = find_smaller_order(program, Alignment(), 20'000);
    ASSERT_TRUE(found.has_value());
    if (!*found) continue;
    EXPECT_EQ(find_order_fault(program, **found), std::nullopt) << "seed " << seed;
    EXPECT_LE(load_of(program, **found), load_of(program, as_given(program)));
  }
}

}  // namespace
}  // namespace berth
