#include "berth/reside/choose.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "berth/certify/prices.h"
#include "tests/reside/programs.h"
#include "tests/reside/try_all.h"

namespace berth {
namespace {

using test::Life;

constexpr std::uint64_t kMiB = 1 << 20;

Choice choice_of(const std::vector<Life>& lives, std::uint64_t capacity) {
  Choice choice;
  for (const Life& life : lives) {
    choice.items.push_back({.tensor = "t",
                            .phases = {life.first, life.last + 1},
                            .bytes = Bytes(life.bytes),
                            .moved = Bytes(life.moved.value_or(2 * life.bytes))});
    choice.capacity.resize(std::max<std::size_t>(choice.capacity.size(), life.last + 1),
                           Bytes(capacity));
  }
  return choice;
}

struct State {
  std::uint64_t bytes;
  std::uint64_t instances;
  std::uint64_t moved;
};

enum class Split { Whole, Apart };

Choice choice_of(const std::vector<State>& states, std::uint64_t room, Split split) {
  Choice choice{.capacity = {Bytes(room)}};
  for (const auto& [bytes, instances, moved] : states) {
    const std::uint64_t times = split == Split::Apart ? 1 : instances;
    choice.items.push_back({"p",
                            "s",
                            {0, 1},
                            Bytes(bytes * times),
                            Bytes(moved * times),
                            split == Split::Apart ? instances : 1});
  }
  return choice;
}

std::uint64_t everything(const Choice& choice) {
  std::uint64_t sum = 0;
  for (const ChoiceItem& item : choice.items) sum += item.moved.count() * item.count;
  return sum;
}

Chosen chosen(const Choice& choice) {
  return choose_best(choice, std::vector<std::uint64_t>(choice.items.size(), 0));
}

// What is saved: a choice, and proved to be the most by the independent check.
std::uint64_t most(const Choice& choice) {
  const Chosen best = chosen(choice);
  EXPECT_EQ(saved_by(choice, best.kept), best.saved);
  EXPECT_EQ(check_prices(choice, best.prices), PriceVerdict(ProvedBound{best.saved}));
  return best.saved.count();
}

std::uint64_t traffic(const std::vector<Life>& lives, std::uint64_t capacity) {
  const Choice choice = choice_of(lives, capacity);
  return everything(choice) - most(choice);
}

TEST(ChooseBest, MovesTheLeastOffChip) {
  const std::vector<Life> touching = {{0, 1, 30}, {1, 2, 30}, {2, 3, 30}};
  EXPECT_EQ(traffic(touching, 60), 0u);
  EXPECT_EQ(traffic(touching, 59), 60u);
  EXPECT_EQ(traffic({{0, 5, 20}, {1, 3, 30}, {2, 4, 20}}, 60), 40u);
  EXPECT_EQ(traffic({{0, 4, 20}, {0, 4, 30}, {1, 2, 20}}, 60), 40u);
  EXPECT_EQ(traffic({{0, 4, 30}, {0, 4, 30}, {1, 2, 10}}, 60), 20u);
  EXPECT_EQ(traffic({{0, 2, 30}, {1, 6, 30}, {3, 5, 30}, {4, 6, 30}}, 50), 120u);
  EXPECT_EQ(traffic({{0, 9, 10}, {1, 2, 60}}, 50), 120u);
  EXPECT_EQ(traffic({{0, 9, 60, 600}, {3, 4, 60, 120}}, 100), 120u);
  EXPECT_EQ(traffic({{0, 1, 30}}, 0), 60u);
}

TEST(ChooseBest, IsMonotoneInCapacity) {
  const std::vector<Life> lives = {{0, 3, 40}, {1, 5, 30}, {2, 4, 30, 90}, {4, 6, 50}, {5, 6, 20}};
  const std::vector<std::uint64_t> expected = {330, 240, 240, 190, 180, 150, 60, 60, 60, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(traffic(lives, 20 + 10 * i), expected[i]) << 20 + 10 * i;
  }
}

TEST(ChooseBest, KeepsTheMostOfWholeClasses) {
  EXPECT_EQ(
      most(choice_of({{100, 4, 200}, {20, 4, 40}, {100, 4, 101}, {10, 4, 10}}, 800, Split::Whole)),
      1204u);
  EXPECT_EQ(most(choice_of({{1, 1, 2}, {10, 1, 10}}, 10, Split::Whole)), 10u);
  EXPECT_EQ(most(choice_of({{6, 1, 12}, {5, 1, 9}, {5, 1, 9}}, 10, Split::Whole)), 18u);
  EXPECT_EQ(most(choice_of({{400, 2, 800}}, 800, Split::Whole)), 1600u);
  const std::uint64_t large = 1ULL << 53;
  EXPECT_EQ(most(choice_of({{large, 1, large + 1}, {1, 1, 1}}, large, Split::Whole)), large + 1);
  const std::vector<State> rwkv = {{kMiB, 32, 2 * kMiB}, {8192, 32, 16384}, {8192, 32, 16384}};
  EXPECT_EQ(
      everything(choice_of(rwkv, 0, Split::Whole)) - most(choice_of(rwkv, 32 * kMiB, Split::Whole)),
      1'048'576u);
  const std::vector<State> jamba = {
      {8 * kMiB, 4, 8'392'704}, {524'288, 28, 1'048'576}, {65'536, 28, 131'072}};
  EXPECT_EQ(most(choice_of(jamba, 40 * kMiB, Split::Whole)), 37'240'832u);
}

TEST(ChooseBest, KeepsLayersOfAClassWhereTheyMayPartWays) {
  EXPECT_EQ(most(choice_of({{16 * kMiB, 32, 16'781'312}}, 460 * kMiB, Split::Whole)), 0u);
  EXPECT_EQ(most(choice_of({{16 * kMiB, 32, 16'781'312}}, 460 * kMiB, Split::Apart)), 469'876'736u);
  const std::vector<State> mamba = {{1'310'720, 64, 2'621'440}, {43'008, 64, 86'016}};
  EXPECT_EQ(most(choice_of(mamba, 60 * kMiB, Split::Whole)), 5'505'024u);
  // Densest first keeps conv and 45 layers of ssm, 123,469,824; 48 layers of ssm fill it exactly.
  EXPECT_EQ(most(choice_of(mamba, 60 * kMiB, Split::Apart)), 125'829'120u);
  const std::vector<State> qwen = {
      {64 * kMiB, 12, 67'110'912}, {2 * kMiB, 36, 4 * kMiB}, {49'152, 36, 98'304}};
  EXPECT_EQ(most(choice_of(qwen, 460 * kMiB, Split::Whole)), 154'533'888u);
  EXPECT_EQ(most(choice_of(qwen, 460 * kMiB, Split::Apart)), 557'199'360u);
}

TEST(ChooseBest, IsWhatTryingAllFinds) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 5000; ++round) {
    Choice choice;
    for (std::uint64_t i = 1 + random() % 6; i > 0; --i) {
      choice.capacity.emplace_back(random() % 40);
    }
    for (std::uint64_t i = random() % 8; i > 0; --i) {
      const Step first = random() % choice.capacity.size();
      const Step last = first + random() % (choice.capacity.size() - first);
      choice.items.push_back({"p",
                              "i",
                              {first, last + 1},
                              Bytes(random() % 20),
                              Bytes(random() % 50),
                              random() % 8 == 0 ? random() % 4 : 1});
    }
    const std::uint64_t found = most(choice);
    ASSERT_EQ(found, test::most_by_trying(choice)) << round;
    for (Bytes& capacity : choice.capacity) capacity += Bytes(random() % 3);
    ASSERT_GE(most(choice), found) << round;
  }
}

Choice random_choice(std::uint64_t seed, std::size_t items, std::size_t phases) {
  std::mt19937_64 random(seed);
  Choice choice;
  std::uint64_t area = 0;
  for (std::size_t i = 0; i < items; ++i) {
    const Step first = random() % phases;
    const Step last = std::min<Step>(phases - 1, first + 1 + random() % (phases / 8 + 1));
    const std::uint64_t bytes = 1024 * (1 + random() % 1000);
    choice.items.push_back(
        {"p", "i", {first, last + 1}, Bytes(bytes), Bytes(bytes * (2 + random() % 3))});
    area += bytes * (last + 1 - first);
  }
  choice.capacity.assign(phases, Bytes(area / phases * 6 / 10));
  return choice;
}

struct Gap {
  std::uint64_t saved;
  std::uint64_t bound;
  double seconds;
};

Gap gap(const Choice& choice, std::uint64_t effort) {
  const auto start = std::chrono::steady_clock::now();
  const Chosen best =
      choose_best(choice, std::vector<std::uint64_t>(choice.items.size(), 0), {effort});
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const auto verdict = check_prices(choice, best.prices);
  EXPECT_TRUE(std::holds_alternative<ProvedBound>(verdict));
  const Gap result{best.saved.count(), std::get<ProvedBound>(verdict).saved.count(), time.count()};
  if (std::getenv("BERTH_FIGURES") != nullptr) {
    std::printf("%zu items, %zu phases: off chip %llu, at least %llu, %llu nodes, %.2f s\n",
                choice.items.size(), choice.capacity.size(),
                static_cast<unsigned long long>(everything(choice) - result.saved),
                static_cast<unsigned long long>(everything(choice) - result.bound),
                static_cast<unsigned long long>(best.nodes), result.seconds);
  }
  EXPECT_LE(result.saved, result.bound);
  return result;
}

std::uint64_t off_chip(const Choice& choice, const Gap& found) {
  return everything(choice) - found.saved;
}

TEST(ChooseBest, ProvesProgramsOfSixty) {
  for (const std::uint64_t seed : {1U, 2U, 4U}) {
    const Gap found = gap(random_choice(seed, 60, 40), 20'000);
    EXPECT_EQ(found.saved, found.bound) << seed;
  }
}

TEST(ChooseBest, ComesCloseToTheBoundWhereTheEffortEnds) {
  const Choice some = random_choice(0, 300, 100);
  const Gap near = gap(some, 1'000);
  EXPECT_LE(near.bound - near.saved, off_chip(some, near) / 30);
  const Choice many = random_choice(9, 5000, 500);
  const Gap nearer = gap(many, 10);
  EXPECT_LE(nearer.bound - nearer.saved, off_chip(many, nearer) / 50);
}

Choice classes_of(std::uint64_t seed, int count,
                  std::uint64_t (*moved)(std::uint64_t, std::uint64_t)) {
  std::mt19937_64 random(seed);
  std::vector<State> states;
  std::uint64_t sum = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t bytes = 1 + random() % 4'000'000;
    states.push_back({bytes, 1, moved(bytes, random())});
    sum += bytes;
  }
  return choice_of(states, sum / 2, Split::Whole);
}

TEST(ChooseBest, ProvesTenThousandClasses) {
  for (const std::uint64_t seed : {11U, 12U, 13U}) {
    const Choice choice = classes_of(seed, 10'000, [](std::uint64_t bytes, std::uint64_t random) {
      return bytes + random % bytes;
    });
    const Gap found = gap(choice, 20);
    EXPECT_EQ(found.saved, found.bound) << seed;
  }
}

TEST(ChooseBest, ProvesTenThousandClassesOfOneDensity) {
  const Choice choice =
      classes_of(11, 10'000, [](std::uint64_t bytes, std::uint64_t) { return 2 * bytes; });
  const Gap found = gap(choice, 20);
  EXPECT_EQ(found.saved, found.bound);
  EXPECT_EQ(found.saved, choice.capacity[0].count() * 2);
}

// Where every class saves as much more than its bytes, the price alone is far off.
TEST(ChooseBest, StaysHonestOnClassesThatAreHardToChoose) {
  const Choice choice =
      classes_of(11, 300, [](std::uint64_t bytes, std::uint64_t) { return bytes + 400'000; });
  const Gap found = gap(choice, 200);
  EXPECT_LE(found.bound - found.saved, off_chip(choice, found) / 100);
}

}  // namespace
}  // namespace berth
