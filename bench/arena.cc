#include "berth/certify/arena.h"

#include <benchmark/benchmark.h>

#include <numeric>
#include <random>
#include <string>
#include <vector>

// The arena certificate. `read_words` is what no checker can be faster than: reading the table
// once.
namespace berth {
namespace {

constexpr std::uint64_t kWindow = 0x7000'0000'0000;
constexpr std::uint64_t kPlane = 4096;
constexpr std::uint64_t kPlanes = 64;  // a phase
constexpr std::uint64_t kWords = 20;   // a launch

// Every phase names the same planes, each beside the next; the first phase declares them.
PlaneTable planes_of(std::uint64_t phases) {
  std::vector<PhasePlanes> table;
  for (std::uint64_t phase = 0; phase < phases; ++phase) {
    PhasePlanes planes{"phase " + std::to_string(phase), {}};
    for (std::uint64_t i = 0; i < kPlanes; ++i) {
      planes.planes.push_back(
          {{"plane " + std::to_string(i), Address(kWindow + i * kPlane), Bytes(kPlane)},
           phase > 0});
    }
    table.push_back(std::move(planes));
  }
  return PlaneTable::make(kPlane, {{Address(kWindow), Bytes(kPlanes * kPlane)}}, {},
                          std::move(table))
      .value();
}

// 30 % of the words are in the window: half of them anywhere, half in the plane of the word before.
LaunchSchedule schedule_of(std::uint64_t launches, std::uint64_t phases) {
  std::mt19937_64 random(1);
  LaunchScheduleBuilder builder;
  std::uint64_t plane = 0;
  for (std::uint64_t i = 0; i < launches; ++i) {
    std::vector<std::uint64_t> words;
    for (std::uint64_t word = 0; word < kWords; ++word) {
      const bool is_address = random() % 10 < 3;
      if (is_address && random() % 2 == 0) plane = random() % kPlanes;
      words.push_back(is_address ? kWindow + plane * kPlane + random() % kPlane
                                 : random() % 1'000'000);
    }
    builder.launch("phase " + std::to_string(i * phases / launches), words);
  }
  builder.submit({0, launches});
  return std::move(builder).build().value();
}

void set_rate(benchmark::State& state, const LaunchSchedule& schedule) {
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(schedule.word_count() * sizeof(std::uint64_t)));
}

void read_words(benchmark::State& state) {
  const auto schedule = schedule_of(static_cast<std::uint64_t>(state.range(0)), 1);
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
      const auto words = schedule.words(LaunchId(i));
      sum = std::accumulate(words.begin(), words.end(), sum);
    }
    benchmark::DoNotOptimize(sum);
  }
  set_rate(state, schedule);
}
BENCHMARK(read_words)->Arg(500)->Arg(1'000'000)->Unit(benchmark::kMicrosecond);

void certify_words(benchmark::State& state) {
  constexpr std::uint64_t kPhases = 32;
  const auto planes = planes_of(kPhases);
  const auto schedule = schedule_of(static_cast<std::uint64_t>(state.range(0)), kPhases);
  for (auto _ : state) {
    if (!certify_arena(planes, schedule).certified()) state.SkipWithError("not certified");
  }
  set_rate(state, schedule);
}
BENCHMARK(certify_words)->Arg(500)->Arg(1'000'000)->Unit(benchmark::kMicrosecond);

void certify_repeat(benchmark::State& state) {
  const auto planes = planes_of(2);
  LaunchScheduleBuilder builder;
  builder.launch("phase 0", std::vector<std::uint64_t>{kWindow, kWindow + kPlane});
  builder.launch("phase 1", std::vector<std::uint64_t>{kWindow, kWindow + kPlane});
  builder.repeat(static_cast<std::uint64_t>(state.range(0)), 2);
  builder.submit({0, 2});
  const auto schedule = std::move(builder).build().value();
  for (auto _ : state) benchmark::DoNotOptimize(certify_arena(planes, schedule));
}
BENCHMARK(certify_repeat)->Arg(2)->Arg(1'000'000'000);

}  // namespace
}  // namespace berth
