#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/pipeline/options.h"

namespace berth::cli {

inline constexpr const char* kInputToPlan =
    "A .tflite or .onnx model, a program or a schedule (.json), or an instance table (.csv); - is "
    "standard input";

// The options that say how a file is read and planned, as they are typed.
class PlanOptionTexts {
 public:
  // `for_check`: only those that say how a file is read.
  void add_to(CLI::App& command, bool for_check);
  // Those that what 'explain' says depends on; a capacity is the goal there.
  void add_to_explain(CLI::App& command);
  // Only those that say what a model leaves open, and which of its tensors share bytes.
  void add_model_to(CLI::App& command);

  // Refuses a size, name or number that is none, naming the option.
  Result<PlanOptions> parse() const;

 private:
  void add_reading_to(CLI::App& command);
  void add_search_to(CLI::App& command);
  void add_offline_plan_to(CLI::App& command);

  std::string packer_ = "auto";
  std::vector<std::string> capacity_;
  std::string reserve_;
  std::vector<std::string> scratch_;
  std::vector<std::string> base_;
  std::vector<std::string> hold_;
  std::vector<std::string> bind_;
  std::vector<std::string> shape_;
  std::vector<std::string> state_;
  std::string alignment_;
  std::string seed_;
  std::string effort_;
  std::string threads_;
  std::string time_limit_;
  bool views_ = false;
  bool in_place_ = false;
  bool offline_plan_ = false;
  bool reorder_ = false;
  bool extents_ = false;
};

}  // namespace berth::cli
