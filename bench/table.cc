#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "bench/generate.h"
#include "berth/formats/file.h"
#include "berth/formats/instance_csv.h"
#include "berth/formats/json.h"
#include "berth/formats/schedule.h"
#include "berth/live/schedule_lives.h"
#include "berth/plan/pack.h"

// One table, instance x packer: the peak over the max load, and the median seconds of a plan from
// an instance in memory to places.
namespace berth {
namespace {

struct Row {
  std::string name;
  Instance instance;
};

struct Cell {
  double ratio = 0;
  double seconds = 0;
  bool refused = false;
  bool is_least = false;
};

Result<Row> read_row(const std::string& path) {
  auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  if (path.ends_with(".csv")) {
    return read_instance_csv(*std::move(text), path).map([&](InstanceFile file) {
      return Row{base_name(path), std::move(file.instance)};
    });
  }
  auto document = JsonDocument::parse(*std::move(text), path);
  if (!document) return tl::unexpected(document.error());
  return read_schedule(*document)
      .and_then([](const Schedule& schedule) { return schedule_instance(schedule); })
      .map([&](ScheduleInstance planned) {
        return Row{base_name(path), std::move(planned.instance)};
      });
}

// Made-up instances by name: "chain:100000", "long:1000000".
std::optional<Row> generated_row(const std::string& name) {
  const auto colon = name.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto n = std::strtoull(name.c_str() + colon + 1, nullptr, 10);
  if (name.starts_with("chain:")) return Row{name, generate::chain(n)};
  if (name.starts_with("mixed:")) return Row{name, generate::mixed_lives(n, 1)};
  if (name.starts_with("long:")) return Row{name, generate::long_and_short(n, 1)};
  if (name.starts_with("octaves:")) return Row{name, generate::every_octave(n, 1)};
  return std::nullopt;
}

// Of the processor: packing works on one thread here, and a busy machine must not count.
double seconds_of(const std::function<void()>& work) {
  const auto start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// Arenas added up, where an instance has several.
double ratio_of(const Packing& packing) {
  double peak = 0;
  double load = 0;
  for (const ArenaFigures& arena : packing.arenas) {
    peak += static_cast<double>(arena.peak.count());
    load += static_cast<double>(arena.max_load.count());
  }
  return load == 0 ? 1 : peak / load;
}

Cell measure(const Instance& instance, const PackOptions& options, std::size_t runs) {
  Cell cell;
  std::vector<double> seconds;
  for (std::size_t i = 0; i < runs && !cell.refused; ++i) {
    Result<PackAnswer> answer = Packing{};
    seconds.push_back(seconds_of([&] { answer = pack(instance, options); }));
    const auto* packing = answer ? std::get_if<Packing>(&*answer) : nullptr;
    cell.refused = packing == nullptr;
    if (cell.refused) break;
    cell.ratio = ratio_of(*packing);
    cell.is_least = std::all_of(packing->arenas.begin(), packing->arenas.end(),
                                [](const ArenaFigures& arena) { return arena.proved_least(); });
  }
  std::sort(seconds.begin(), seconds.end());
  cell.seconds = seconds[seconds.size() / 2];
  return cell;
}

void print_header(const std::vector<std::string>& packers) {
  fmt::print("{:<28} {:>8}", "instance", "buffers");
  for (const auto& packer : packers) fmt::print("  {:>22}", packer);
  fmt::print("\n");
}

void print_row(const Row& row, const std::vector<std::string>& packers, const PackOptions& base,
               std::size_t runs) {
  fmt::print("{:<28} {:>8}", row.name, row.instance.size());
  for (const auto& packer : packers) {
    PackOptions options = base;
    options.packer = packer;
    const Cell cell = measure(row.instance, options, runs);
    const auto text = cell.refused ? std::string("refused")
                                   : fmt::format("{:.5f}{} {:>8.3f} s", cell.ratio,
                                                 cell.is_least ? "=" : " ", cell.seconds);
    fmt::print("  {:>22}", text);
    std::fflush(stdout);
  }
  fmt::print("\n");
}

int run(int argc, char** argv) {
  CLI::App app{
      "Prints peak over max load (= where it is proved least) and median processor seconds, "
      "instance x "
      "packer"};
  std::vector<std::string> inputs;
  std::vector<std::string> packers = {"auto", "tlsf", "greedy:size:first", "greedy:size:best",
                                      "greedy:start:first"};
  std::size_t runs = 5;
  PackOptions options;
  app.add_option("inputs", inputs,
                 "instance CSV, schedule JSON, chain:N, mixed:N, long:N or octaves:N")
      ->required();
  app.add_option("--packers", packers, "columns")->delimiter(',');
  app.add_option("--runs", runs, "runs a cell, of which the median is printed")
      ->check(CLI::PositiveNumber);
  app.add_option("--effort", options.effort, "search budget in nodes");
  app.add_option("--seed", options.seed, "seed of the search");
  CLI11_PARSE(app, argc, argv);

  print_header(packers);
  for (const auto& input : inputs) {
    auto generated = generated_row(input);
    auto row = generated ? Result<Row>(*std::move(generated)) : read_row(input);
    if (!row) {
      fmt::print(stderr, "{}\n", to_string(row.error()));
      return 3;
    }
    print_row(*row, packers, options, runs);
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("largest resident set: {} MiB\n", usage.ru_maxrss / 1024);
  return 0;
}

}  // namespace
}  // namespace berth

int main(int argc, char** argv) {
  return berth::run(argc, argv);
}
