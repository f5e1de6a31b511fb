// From a model's file to a certified plan: the median time of each model of the folder that is
// named, and what it may take at most. Exit status 1 where one takes longer.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "berth/pipeline/plan_file.h"
#include "tests/testing/published_models.h"

namespace berth {
namespace {

constexpr int kRuns = 5;
constexpr double kMostOfTiny = 100;  // milliseconds
constexpr double kMostOfOnnx = 2000;
constexpr std::array kTiny = {"mlc_ad01_int8", "mlc_kws_dscnn_int8", "mlc_resnet8_int8",
                              "mlc_vww96_int8"};

// Nothing where there is no plan.
std::optional<PlannedFile> planned(const std::string& path, const PlanOptions& options) {
  const auto input = open_input(path);
  if (!input) return std::nullopt;
  auto answer = plan_file(*input, options);
  if (!answer || !std::holds_alternative<PlannedFile>(*answer)) return std::nullopt;
  return std::get<PlannedFile>(*std::move(answer));
}

// False where there is no plan, or where it took too long.
bool measure(const std::filesystem::path& path, const PlanOptions& options, double most) {
  std::optional<PlannedFile> plan;
  std::vector<double> times;
  for (int run = 0; run < kRuns; ++run) {
    const auto start = std::chrono::steady_clock::now();
    plan = planned(path.string(), options);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    times.push_back(took.count());
  }
  std::ranges::sort(times);
  const double median = times[times.size() / 2];
  if (!plan) {
    fmt::print("| {} | no plan | | | | {:.0f} |\n", path.filename().string(), most);
    return false;
  }
  std::uint64_t arena = 0;
  for (const PlannedArena& each : plan->plan.arenas) arena += each.figures.peak.count();
  fmt::print("| {} | {} | {} | {} | {:.2f} | {:.0f}{} |\n", path.filename().string(),
             plan->plan.step_names.size(), plan->plan.buffers.size(), arena, median, most,
             median <= most ? "" : ", missed");
  std::fflush(stdout);
  return median <= most;
}

int run(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder)) {
    fmt::print("no models at {}\n", folder.string());
    return 0;
  }
  fmt::print("| model | steps | buffers | arena | ms | at most |\n|---|---|---|---|---|---|\n");
  bool is_met = true;
  for (const char* name : kTiny) {
    is_met &= measure(folder / (std::string(name) + ".tflite"), {}, kMostOfTiny);
  }
  for (const auto& row : testing::published_models()) {
    PlanOptions options;
    options.bindings = testing::bindings_of(row[1]);
    is_met &= measure(folder / (row[0] + ".onnx"), options, kMostOfOnnx);
  }
  return is_met ? 0 : 1;
}

}  // namespace
}  // namespace berth

int main(int count, char** words) {
  return berth::run(count > 1 ? words[1] : BERTH_ROOT "/../shared/data/models");
}
