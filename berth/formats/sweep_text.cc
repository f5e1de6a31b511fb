#include "berth/formats/sweep_text.h"

#include <fmt/format.h>

#include "berth/formats/json.h"

namespace berth {

std::string write_sweep_csv(const Sweep& sweep) {
  std::string text = "sram,rule,best,bound,feasible\n";
  for (const SweepStep& it : sweep.steps) {
    text += fmt::format("{},{},{},{},{}\n", it.sram.count(), it.rule.count(), it.best.count(),
                        it.bound.count(), it.feasible ? 1 : 0);
  }
  return text;
}

std::string write_sweep(const Sweep& sweep) {
  std::string steps;
  for (const SweepStep& it : sweep.steps) {
    steps += fmt::format(R"({}{{"sram": {}, "rule": {}, "best": {}, "bound": {}, "feasible": {}}})",
                         steps.empty() ? "" : ",\n  ", it.sram.count(), it.rule.count(),
                         it.best.count(), it.bound.count(), it.feasible);
  }
  return fmt::format(
      "{{\"format\": \"berth.sweep/1\", \"deployment\": {}, \"target\": {}, \"to\": {},\n"
      " \"steps\": [{}]}}\n",
      json_quoted(sweep.deployment), json_quoted(sweep.target), sweep.to.count(), steps);
}

}  // namespace berth
