#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>
#include <vector>

#include "berth/reside/activations.h"
#include "berth/reside/choose.h"

// Residency: the rule on large programs, and the best with its proof. `gap` is what is not proved,
// over what moves off chip.
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

void rule(benchmark::State& state) {
  const auto program = program_of(static_cast<std::uint64_t>(state.range(0)),
                                  static_cast<std::uint64_t>(state.range(1)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(place_activations(program, target_of(6'000'000)));
  }
}
BENCHMARK(rule)->Args({300, 100})->Args({100'000, 10'000})->Unit(benchmark::kMillisecond);

void solve(benchmark::State& state, const Choice& choice, std::uint64_t effort) {
  const std::vector<std::uint64_t> nothing(choice.items.size(), 0);
  for (auto _ : state) benchmark::DoNotOptimize(choose_best(choice, nothing, {effort}));
}

void best(benchmark::State& state) {
  const auto tensors = static_cast<std::uint64_t>(state.range(0));
  const auto phases = static_cast<std::uint64_t>(state.range(1));
  solve(state, choice_of(program_of(tensors, phases), 2'500'000), 2'000);
}
BENCHMARK(best)->Args({300, 100})->Args({5'000, 1'600})->Unit(benchmark::kMillisecond);

void best_of_classes(benchmark::State& state) {
  std::mt19937_64 random(11);
  Choice choice;
  Bytes held;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    const std::uint64_t bytes = 1 + random() % 4'000'000;
    choice.items.push_back({"s", {0, 1}, Bytes(bytes), Bytes(bytes + random() % bytes)});
    held += Bytes(bytes);
  }
  choice.capacity = {Bytes(held.count() / 2)};
  solve(state, choice, 20);
}
BENCHMARK(best_of_classes)->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth
