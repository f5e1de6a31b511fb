#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "berth/certify/prices.h"
#include "berth/reside/activations.h"
#include "berth/reside/choose.h"

// Residency: the rule on large programs beside a plain version of it, and the best with its proof.
// `gap_percent` is what is not proved, over what moves off chip.
namespace berth {
namespace {

// Most live for a phase or two, one in eight for up to twenty.
Program program_of(std::uint64_t tensors, std::uint64_t phases) {
  std::mt19937_64 random(1);
  Program program{.name = "p"};
  program.phases.resize(phases);
  for (std::uint64_t i = 0; i < tensors; ++i) {
    const TensorId id(i);
    const Step first = i * (phases - 1) / tensors;
    const Step length = 1 + (random() % 8 == 0 ? random() % 20 : random() % 2);
    const Bytes bytes(1024 * (1 + random() % 1000));
    program.tensors.push_back({.name = "t" + std::to_string(i), .bytes = bytes});
    using Kind = TensorAccess::Kind;
    program.phases[first].accesses.push_back({.tensor = id, .kind = Kind::Write, .bytes = bytes});
    for (std::uint64_t reads = 1 + random() % 3; reads > 0; --reads) {
      program.phases[std::min<Step>(phases - 1, first + length)].accesses.push_back(
          {.tensor = id, .bytes = bytes});
    }
  }
  return program;
}

Target target_of(std::uint64_t sram) {
  return {.name = "chip", .any_site_reaches_any = true, .chips = {{.sites = {{1, Bytes(sram)}}}}};
}

Choice choice_of(const Program& program, std::uint64_t capacity) {
  const auto demand = program_demand(program, target_of(capacity)).value();
  Choice choice;
  choice.capacity.assign(program.phases.size(), Bytes(capacity));
  for (std::size_t i = 0; i < program.tensors.size(); ++i) {
    const Demand::Tensor& it = demand[TensorId(i)];
    choice.items.push_back({"t", *it.life, program.tensors[i].bytes, it.moved});
  }
  return choice;
}

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The rule as its source tells it: the first phase that overflows, looked for from the start; of
// all tensors live there the one to leave; and again. Returns how many left.
std::size_t rule_told(const Program& program, std::uint64_t capacity) {
  const Choice choice = choice_of(program, capacity);
  std::vector<std::uint64_t> load(choice.capacity.size(), 0);
  for (const ChoiceItem& item : choice.items) {
    for (Step i = item.phases.lower; i < item.phases.upper; ++i) load[i] += item.bytes.count();
  }
  std::vector<bool> left(choice.items.size(), false);
  std::size_t count = 0;
  for (;;) {
    const auto over = std::ranges::find_if(load, [&](std::uint64_t it) { return it > capacity; });
    if (over == load.end()) return count;
    const auto phase = static_cast<Step>(over - load.begin());
    std::optional<std::size_t> victim;
    const auto key = [&](std::size_t i) {
      return std::pair(choice.items[i].phases.upper, choice.items[i].bytes);
    };
    for (std::size_t i = 0; i < choice.items.size(); ++i) {
      if (left[i] || !choice.items[i].phases.contains(phase)) continue;
      if (!victim || key(i) > key(*victim)) victim = i;
    }
    left[*victim] = true;
    ++count;
    const ChoiceItem& item = choice.items[*victim];
    for (Step i = item.phases.lower; i < item.phases.upper; ++i) load[i] -= item.bytes.count();
  }
}

// `as_told`: how many times as long the rule takes as its source tells it.
void rule(benchmark::State& state) {
  constexpr std::uint64_t kSram = 6'000'000;
  const auto program = program_of(static_cast<std::uint64_t>(state.range(0)),
                                  static_cast<std::uint64_t>(state.range(1)));
  double ours = 0;
  std::size_t spilled = 0;
  for (auto _ : state) {
    ours =
        seconds_of([&] { spilled = place_activations(program, target_of(kSram))->spilled.size(); });
  }
  std::size_t told = 0;
  const double theirs = seconds_of([&] { told = rule_told(program, kSram); });
  if (told != spilled) state.SkipWithError("the rule as told spills others");
  state.counters["spilled"] = static_cast<double>(spilled);
  state.counters["as_told"] = theirs / ours;
}
BENCHMARK(rule)->Args({300, 100})->Args({10'000, 1'000})->Unit(benchmark::kMillisecond);
BENCHMARK(rule)->Args({100'000, 10'000})->Iterations(3)->Unit(benchmark::kMillisecond);

// What stays if the densest come first, and whatever still fits after them: as the rule does with
// states.
std::uint64_t saved_densest_first(const Choice& choice) {
  std::vector<std::size_t> order(choice.items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const auto density = [&](std::size_t i) {
      return static_cast<double>(choice.items[i].moved.count()) /
             static_cast<double>(choice.items[i].bytes.count());
    };
    return density(a) > density(b);
  });
  std::vector<std::uint64_t> load(choice.capacity.size(), 0);
  std::uint64_t saved = 0;
  for (const std::size_t i : order) {
    const ChoiceItem& item = choice.items[i];
    const auto begin = load.begin() + static_cast<std::ptrdiff_t>(item.phases.lower);
    const auto end = load.begin() + static_cast<std::ptrdiff_t>(item.phases.upper);
    if (*std::max_element(begin, end) + item.bytes.count() > choice.capacity[0].count()) continue;
    std::for_each(begin, end, [&](std::uint64_t& it) { it += item.bytes.count(); });
    saved += item.moved.count();
  }
  return saved;
}

// `densest_over_best`: what moves off chip if the densest come first, over what the best moves.
void solve(benchmark::State& state, const std::vector<Choice>& choices, std::uint64_t effort) {
  double off_chip = 0;
  double densest = 0;
  double open = 0;
  double proved = 0;
  double slowest_check = 0;
  for (auto _ : state) {
    for (const Choice& choice : choices) {
      const std::vector<std::uint64_t> nothing(choice.items.size(), 0);
      const Chosen best = choose_best(choice, nothing, {effort});
      state.PauseTiming();
      PriceVerdict verdict;
      slowest_check =
          std::max(slowest_check, seconds_of([&] { verdict = check_prices(choice, best.prices); }));
      std::uint64_t everything = 0;
      for (const ChoiceItem& item : choice.items) everything += item.moved.count();
      const Bytes bound = std::get<ProvedBound>(verdict).saved;
      off_chip += static_cast<double>(everything - best.saved.count());
      densest += static_cast<double>(everything - saved_densest_first(choice));
      open += static_cast<double>((bound - best.saved).count());
      proved += bound == best.saved ? 1 : 0;
      state.ResumeTiming();
    }
  }
  state.counters["gap_percent"] = 100 * open / off_chip;
  state.counters["proved"] = proved / static_cast<double>(state.iterations());
  state.counters["of"] = static_cast<double>(choices.size());
  state.counters["densest_over_best"] = densest / off_chip;
  state.counters["check_ms"] = 1e3 * slowest_check;
}

void best(benchmark::State& state) {
  const auto tensors = static_cast<std::uint64_t>(state.range(0));
  const auto phases = static_cast<std::uint64_t>(state.range(1));
  solve(state, {choice_of(program_of(tensors, phases), 2'500'000)}, 2'000);
}
BENCHMARK(best)->Args({300, 100})->Args({5'000, 1'600})->Unit(benchmark::kMillisecond);

// Lives of up to an eighth of the program, so that some thirty are live at once: ten seeds.
void best_of_long_lives(benchmark::State& state) {
  std::vector<Choice> choices;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    std::mt19937_64 random(seed);
    const auto phases = static_cast<Step>(state.range(1));
    Choice choice;
    std::uint64_t area = 0;
    for (std::int64_t i = 0; i < state.range(0); ++i) {
      const Step first = random() % phases;
      const Step last = std::min<Step>(phases - 1, first + 1 + random() % (phases / 8 + 1));
      const std::uint64_t bytes = 1024 * (1 + random() % 1000);
      choice.items.push_back(
          {"p", "t", {first, last + 1}, Bytes(bytes), Bytes(bytes * (2 + random() % 3))});
      area += bytes * (last + 1 - first);
    }
    choice.capacity.assign(phases, Bytes(area / phases * 6 / 10));
    choices.push_back(std::move(choice));
  }
  solve(state, choices, static_cast<std::uint64_t>(state.range(2)));
}
BENCHMARK(best_of_long_lives)
    ->Args({300, 100, 2'000})
    ->Args({300, 100, 10'000})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

void best_of_classes(benchmark::State& state) {
  std::mt19937_64 random(11);
  Choice choice;
  Bytes held;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    const std::uint64_t bytes = 1 + random() % 4'000'000;
    choice.items.push_back({"p", "s", {0, 1}, Bytes(bytes), Bytes(bytes + random() % bytes)});
    held += Bytes(bytes);
  }
  choice.capacity = {Bytes(held.count() / 2)};
  solve(state, {choice}, 2'000);
}
BENCHMARK(best_of_classes)->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth
