#include "berth/certify/arena.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "berth/certify/arena_judge.h"

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

void read_each_word(const LaunchSchedule& schedule) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    const auto words = schedule.words(LaunchId(i));
    sum = std::accumulate(words.begin(), words.end(), sum);
  }
  benchmark::DoNotOptimize(sum);
}

void read_words(benchmark::State& state) {
  const auto schedule = schedule_of(static_cast<std::uint64_t>(state.range(0)), 1);
  for (auto _ : state) read_each_word(schedule);
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

void certify_words_on_two_threads(benchmark::State& state) {
  constexpr std::uint64_t kPhases = 32;
  const auto planes = planes_of(kPhases);
  const auto schedule = schedule_of(static_cast<std::uint64_t>(state.range(0)), kPhases);
  for (auto _ : state) {
    if (!judge_arena(planes, schedule, Words::ByInterval, 2).certified()) {
      state.SkipWithError("not certified");
    }
  }
  set_rate(state, schedule);
}
BENCHMARK(certify_words_on_two_threads)
    ->Arg(500)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMicrosecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

template <typename Work>
double seconds(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double>& values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// What is promised, as ratios of what was measured in turns in one run: how much of the speed of
// reading the words remains (read_rate, at least 0.5), and how much faster two threads are than one
// (two_threads, never below 1 but for noise). Medians.
void certify_words_against_reading(benchmark::State& state) {
  constexpr std::uint64_t kPhases = 32;
  const auto planes = planes_of(kPhases);
  const auto schedule = schedule_of(static_cast<std::uint64_t>(state.range(0)), kPhases);
  const ArenaChecker checker(planes);
  std::vector<double> reading;
  std::vector<double> one;
  std::vector<double> two;
  for (auto _ : state) {
    reading.push_back(seconds([&] { read_each_word(schedule); }));
    one.push_back(seconds([&] { judge_arena(planes, schedule, Words::ByInterval, 1); }));
    two.push_back(seconds([&] { judge_arena(planes, schedule, Words::ByInterval, 2); }));
  }
  state.counters["read_rate"] = median(reading) / median(one);
  state.counters["two_threads"] = median(one) / median(two);
}
BENCHMARK(certify_words_against_reading)
    ->Arg(430'000)  // about the least that two threads share
    ->Arg(1'000'000)
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(40)
    ->UseRealTime();

// One step of a decoder: a launch a phase, which writes one tensor and reads the two before it, all
// in an arena of 160 places.
struct DecodeStep {
  static constexpr std::uint64_t kLaunches = 500;
  static constexpr std::uint64_t kPlaces = 160;

  static NamedRange tensor(std::uint64_t i) {
    return {"tensor " + std::to_string(i), Address(kWindow + i % kPlaces * kPlane), Bytes(kPlane)};
  }
  DecodeStep() {
    std::mt19937_64 random(2);
    std::vector<PhasePlanes> phases;
    LaunchScheduleBuilder builder;
    for (std::uint64_t i = 0; i < kLaunches; ++i) {
      phases.push_back({"step " + std::to_string(i), {{tensor(i), false}}});
      std::vector<std::uint64_t> words = {tensor(i).address.value()};
      for (std::uint64_t back = 1; back <= std::min<std::uint64_t>(i, 2); ++back) {
        phases.back().planes.push_back({tensor(i - back), true});
        words.push_back(tensor(i - back).address.value());
      }
      while (words.size() < kWords) words.push_back(random() % 1'000'000);
      builder.launch(phases.back().phase, words);
    }
    builder.submit({0, kLaunches});
    schedule.emplace(std::move(builder).build().value());
    planes.emplace(PlaneTable::make(kPlane, {{Address(kWindow), Bytes(kPlaces * kPlane)}}, {},
                                    std::move(phases))
                       .value());
  }

  std::optional<PlaneTable> planes;
  std::optional<LaunchSchedule> schedule;
};

// The plan's tables are there already, as where each submit is judged.
void certify_decode_step(benchmark::State& state) {
  const DecodeStep step;
  const ArenaChecker checker(*step.planes);
  for (auto _ : state) {
    if (!checker.certify(*step.schedule).certified()) state.SkipWithError("not certified");
  }
}
BENCHMARK(certify_decode_step)->Unit(benchmark::kMicrosecond);

// How many times over the step is judged in the 20 us that it may take (at least 1), and what two
// threads make of it (never below 1 but for noise), in one run.
void certify_decode_step_against_its_limit(benchmark::State& state) {
  const DecodeStep step;
  const ArenaChecker checker(*step.planes);
  std::vector<double> judged;
  std::vector<double> one;
  std::vector<double> two;
  for (auto _ : state) {
    judged.push_back(seconds([&] { benchmark::DoNotOptimize(checker.certify(*step.schedule)); }));
    one.push_back(
        seconds([&] { judge_arena(*step.planes, *step.schedule, Words::ByInterval, 1); }));
    two.push_back(
        seconds([&] { judge_arena(*step.planes, *step.schedule, Words::ByInterval, 2); }));
  }
  state.counters["of_20_us"] = 20e-6 / median(judged);
  state.counters["two_threads"] = median(one) / median(two);
}
BENCHMARK(certify_decode_step_against_its_limit)
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(2000)
    ->UseRealTime();

// With the plan.
void certify_decode_step_and_plan(benchmark::State& state) {
  const DecodeStep step;
  for (auto _ : state) benchmark::DoNotOptimize(certify_arena(*step.planes, *step.schedule));
}
BENCHMARK(certify_decode_step_and_plan)->Unit(benchmark::kMicrosecond);

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
