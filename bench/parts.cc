#include <benchmark/benchmark.h>

#include "bench/generate.h"
#include "berth/live/load.h"
#include "berth/plan/greedy.h"
#include "berth/plan/occupancy.h"
#include "berth/plan/pack.h"
#include "berth/plan/problem.h"
#include "berth/plan/tlsf.h"

// The parts of packing, one by one, on instances of growing size; the last column of each row is
// the fitted complexity.
namespace berth {
namespace {

constexpr std::int64_t kLeast = 1 << 12;
constexpr std::int64_t kMost = 1 << 18;

Instance instance_of(const benchmark::State& state) {
  return generate::mixed_lives(static_cast<std::size_t>(state.range(0)), 1);
}

void load_curve(benchmark::State& state) {
  const auto instance = instance_of(state);
  for (auto _ : state) benchmark::DoNotOptimize(load_curves(instance, Sizes::Padded));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(load_curve)->RangeMultiplier(4)->Range(kLeast, kMost)->Complexity(benchmark::oNLogN);

void compress_time(benchmark::State& state) {
  const auto instance = instance_of(state);
  for (auto _ : state) benchmark::DoNotOptimize(Problem::of_each_device(instance));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(compress_time)->RangeMultiplier(4)->Range(kLeast, kMost)->Complexity(benchmark::oNLogN);

void sort_tasks(benchmark::State& state) {
  const auto problem = Problem::of_each_device(instance_of(state))[0];
  for (auto _ : state) benchmark::DoNotOptimize(tasks_in_order(problem, Order{}));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(sort_tasks)->RangeMultiplier(4)->Range(kLeast, kMost)->Complexity(benchmark::oNLogN);

void greedy(benchmark::State& state, GreedyRule rule) {
  const auto problem = Problem::of_each_device(instance_of(state))[0];
  for (auto _ : state) benchmark::DoNotOptimize(pack_greedily(problem, rule));
  state.SetComplexityN(state.range(0));
}
BENCHMARK_CAPTURE(greedy, size_first, GreedyRule{{Order::Key::Size, false, false}, Fit::First})
    ->RangeMultiplier(4)
    ->Range(kLeast, kMost)
    ->Complexity(benchmark::oNLogN);
BENCHMARK_CAPTURE(greedy, size_best, GreedyRule{{Order::Key::Size, false, false}, Fit::Best})
    ->RangeMultiplier(4)
    ->Range(kLeast, kMost)
    ->Complexity(benchmark::oNLogN);

void online(benchmark::State& state) {
  const auto instance = instance_of(state);
  for (auto _ : state) benchmark::DoNotOptimize(place_tlsf(instance));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(online)->RangeMultiplier(4)->Range(kLeast, kMost)->Complexity(benchmark::oNLogN);

}  // namespace
}  // namespace berth
