#include "cli/option_rules.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace berth::cli {
namespace {

using Kind = InputKind;

constexpr unsigned bit(Kind kind) {
  return 1U << static_cast<unsigned>(kind);
}

constexpr unsigned kModels = bit(Kind::Tflite) | bit(Kind::Onnx);
constexpr unsigned kPrograms = kModels | bit(Kind::ProgramJson);
constexpr unsigned kInputs = kPrograms | bit(Kind::InstanceCsv) | bit(Kind::ScheduleJson);
constexpr unsigned kOnTarget = kPrograms | bit(Kind::DeploymentJson);
constexpr unsigned kJudged =
    kInputs | bit(Kind::PlanJson) | bit(Kind::ReasonJson) | bit(Kind::ResidencyJson);

// Which kinds of file an option says something about. `is_explained`: also of what 'explain' says.
struct OptionRule {
  std::string_view option;
  bool (*is_given)(const PlanOptions&);
  unsigned kinds;
  bool is_explained;
  std::string_view purpose;
  std::string_view hint;
};

constexpr std::string_view kLeaveOut = "leave it out";
constexpr std::string_view kSharedOtherwise =
    "leave it out: a program says what shares bytes with view_of and reuses, a table with reuses "
    "and part_of";

constexpr std::array<OptionRule, 14> kRules = {{
    {"--bind", [](const PlanOptions& it) { return !it.bindings.symbols.empty(); }, kModels, true,
     "gives a size that an .onnx model leaves open", kLeaveOut},
    {"--shape", [](const PlanOptions& it) { return !it.bindings.shapes.empty(); }, kModels, true,
     "gives a shape that an .onnx model leaves open", kLeaveOut},
    {"--state", [](const PlanOptions& it) { return !it.states.empty(); }, bit(Kind::Onnx), true,
     "names an output of an .onnx model that is the next run's input", kLeaveOut},
    {"--views", [](const PlanOptions& it) { return it.views; }, kModels, true,
     "lets operators of a .tflite or .onnx model share bytes", kSharedOtherwise},
    {"--in-place", [](const PlanOptions& it) { return it.in_place; }, kModels, true,
     "lets operators of a .tflite or .onnx model write over an operand", kSharedOtherwise},
    {"--reorder", [](const PlanOptions& it) { return it.reorder; }, kPrograms, true,
     "looks for another order of the steps of a model or a program", kLeaveOut},
    {"--offline-plan", [](const PlanOptions& it) { return it.offline_plan; }, bit(Kind::Tflite),
     true, "keeps the places of the plan inside a .tflite model", kLeaveOut},
    {"--extents", [](const PlanOptions& it) { return it.extents; }, bit(Kind::ScheduleJson), false,
     "is of launches, which a schedule has, or what is planned on a target",
     "give a schedule or --target, or leave it out"},
    {"--capacity", [](const PlanOptions& it) { return !it.capacity.empty(); },
     kInputs | bit(Kind::PlanJson), true, "says what a device has", kLeaveOut},
    {"--reserve", [](const PlanOptions& it) { return it.reserve > Bytes(0); },
     kInputs | bit(Kind::PlanJson), true, "says what of a capacity nobody may use", kLeaveOut},
    {"--base", [](const PlanOptions& it) { return !it.base.empty(); }, kInputs, false,
     "says where an arena begins", kLeaveOut},
    {"--alignment", [](const PlanOptions& it) { return it.alignment.has_value(); }, kInputs, true,
     "says how the sizes of an input are read", "give INPUT too, or leave it out"},
    {"--scratch", [](const PlanOptions& it) { return !it.scratch.empty(); }, kInputs, true,
     "adds bytes to the steps of an input", "give INPUT too, or leave it out"},
    {"--hold", [](const PlanOptions& it) { return !it.hold.empty(); }, kInputs, true,
     "leaves a buffer of an input out", "give INPUT too, or leave it out"},
}};

unsigned kinds_taken(Use use) {
  switch (use) {
    case Use::Plan:
    case Use::Explain:
      return kInputs;
    case Use::PlanOnTarget:
    case Use::Reside:
      return kOnTarget;
    case Use::Judge:
      return kJudged | bit(Kind::DeploymentJson);
  }
  __builtin_unreachable();
}

// What is not of models alone, the plan on a target judges by its own rules.
unsigned kinds_of(const OptionRule& rule, Use use) {
  const bool is_of_models = (rule.kinds & ~kPrograms) == 0;
  return use == Use::PlanOnTarget && !is_of_models ? rule.kinds | kOnTarget : rule.kinds;
}

}  // namespace

std::optional<Error> find_misplaced_option(const PlanOptions& options, const InputFile& file,
                                           Use use) {
  const Kind kind = kind_of(file.content);
  if ((kinds_taken(use) & bit(kind)) == 0) return std::nullopt;
  for (const OptionRule& rule : kRules) {
    if (!rule.is_given(options)) continue;
    std::string but;
    if ((kinds_of(rule, use) & bit(kind)) == 0) {
      but = fmt::format("{} is {}", file.path, name_of(kind));
    } else if (use == Use::Explain && !rule.is_explained) {
      but = "an explanation does not depend on it";
    } else {
      continue;
    }
    return Error{Error::Kind::Usage, std::string(rule.option),
                 fmt::format("{}, but {}", rule.purpose, but),
                 std::string(use == Use::Explain && !rule.is_explained ? kLeaveOut : rule.hint)};
  }
  return std::nullopt;
}

}  // namespace berth::cli
