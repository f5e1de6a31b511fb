#include "berth/pipeline/check_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "berth/base/sha256.h"
#include "berth/certify/placement.h"
#include "berth/formats/json.h"
#include "berth/formats/plan_json.h"
#include "berth/formats/target_toml.h"
#include "berth/pipeline/against_input.h"
#include "berth/pipeline/against_target.h"
#include "berth/pipeline/asked_options.h"
#include "berth/pipeline/compose_plan.h"
#include "berth/pipeline/given_places.h"
#include "berth/pipeline/question.h"
#include "berth/plan/figures.h"

namespace berth {
namespace {

Result<Plan> read_plan_file(const InputFile& file) {
  const auto document = JsonDocument::parse(file.content, file.path);
  if (!document) return tl::unexpected(document.error());
  return read_plan(*document);
}

// The places that the file gives are the placement. An empty buffer may stand anywhere.
Result<Plan> plan_of_places(const InputFile& file, const Question& question,
                            const PlanOptions& options) {
  Packing packing{.packer = "as given"};
  for (const Buffer& buffer : question.instance.buffers()) {
    packing.placement.places.push_back(buffer.fixed.value_or(Offset(0)));
  }
  packing.arenas = arena_figures(question.instance, packing.placement);
  return compose_plan(file, question, packing, options);
}

Result<Plan> read_placed_table(const InputFile& file, const PlanOptions& options) {
  const auto question = read_question(file, options);
  if (!question) return tl::unexpected(question.error());
  for (const Buffer& buffer : question->instance.buffers()) {
    if (buffer.fixed || buffer.size == Bytes(0)) continue;
    return input_error(file.path, fmt::format("buffer {} has no offset", buffer.name),
                       "give each row its offset: 'berth plan' finds them");
  }
  return plan_of_places(file, *question, options);
}

// Only the tensors that the model's own plan places are judged.
Result<Plan> read_placed_model(const InputFile& file, const PlanOptions& options,
                               std::vector<std::string>& notes) {
  PlanOptions keeping = options;
  keeping.offline_plan = true;
  auto question = read_question(file, keeping);
  if (!question) return tl::unexpected(question.error());
  std::vector<bool> left_to_runtime;
  std::size_t left = 0;
  for (const Buffer& buffer : question->instance.buffers()) {
    left_to_runtime.push_back(!buffer.fixed);
    left += left_to_runtime.back() ? 1 : 0;
  }
  if (left == left_to_runtime.size()) {
    return input_error(file.path, "carries no offline plan that places a tensor",
                       "'berth plan' makes one");
  }
  if (left > 0) {
    notes.push_back(fmt::format("{} of {} buffers are left to the runtime to place; not judged",
                                left, left_to_runtime.size()));
  }
  question = without_buffers(*std::move(question), left_to_runtime);
  if (!question) return tl::unexpected(question.error());
  return plan_of_places(file, *question, options);
}

// An answer in another form than a plan.
Result<Plan> read_answer(const InputFile& file, const PlanOptions& options,
                         std::vector<std::string>& notes) {
  switch (kind_of(file.content)) {
    case InputKind::InstanceCsv:
      return read_placed_table(file, options);
    case InputKind::Tflite:
      return read_placed_model(file, options, notes);
    default:
      return input_error(file.path, "holds no plan",
                         "expected a plan (berth.plan/1), a table with offsets, or a .tflite model "
                         "with an offline plan");
  }
}

// Where an answer says that each buffer is; what else it says is the input's to say.
Result<std::vector<GivenRow>> given_rows(const InputFile& file, const PlanOptions& options,
                                         std::vector<std::string>& notes) {
  std::vector<GivenRow> rows;
  if (kind_of(file.content) == InputKind::InstanceCsv) {
    const auto read = read_instance_csv(file.content, file.path, Alignment());
    if (!read) return tl::unexpected(read.error());
    for (const Buffer& buffer : read->instance.buffers()) {
      rows.push_back({buffer.name, buffer.fixed, buffer.size, buffer.life, buffer.gaps,
                      read->instance[buffer.device].name});
    }
    return rows;
  }
  const auto plan = read_answer(file, options, notes);
  if (!plan) return tl::unexpected(plan.error());
  for (const PlannedBuffer& buffer : plan->buffers) {
    rows.push_back({buffer.name, buffer.offset, buffer.bytes});
  }
  return rows;
}

// A limit that the plan itself may not know of. A device's own entry wins over the one for all.
std::optional<Error> limit(Plan& plan, const PlanOptions& options) {
  for (const bool own : {false, true}) {
    for (const auto& [device, bytes] : options.capacity) {
      if (own == device.empty()) continue;
      bool is_met = !own;
      for (PlannedArena& arena : plan.arenas) {
        if (own && device != arena.device) continue;
        arena.capacity = bytes;
        is_met = true;
      }
      if (is_met) continue;
      return Error{Error::Kind::Usage, "--capacity",
                   fmt::format("the plan has no arena of a device '{}'", device),
                   "name a device as the plan names it"};
    }
  }
  for (PlannedArena& arena : plan.arenas) {
    if (options.reserve > Bytes(0)) arena.reserve = options.reserve;
  }
  return std::nullopt;
}

// What keeps an order from being one of as many steps as it has, each once.
std::optional<std::string> find_order_fault(const Plan& plan) {
  std::vector<bool> seen(plan.order.size(), false);
  for (std::size_t i = 0; i < plan.order.size(); ++i) {
    const std::size_t step = plan.order[i];
    if (step < seen.size() && !seen[step]) {
      seen[step] = true;
      continue;
    }
    return fmt::format("the order has step {} at {}, twice or past the {} there are", step, i,
                       seen.size());
  }
  for (const PlannedBuffer& buffer : plan.buffers) {
    if (plan.order.empty() || buffer.life.upper <= seen.size()) continue;
    return fmt::format("buffer {} is live up to step {}, the order has {}", buffer.name,
                       buffer.life.upper, seen.size());
  }
  return std::nullopt;
}

// A bound that the buffers themselves refute is a wrong claim; what else was found of each is said.
void check_bounds(CheckedFile& checked) {
  checked.bounds = check_lower_bounds(checked.plan);
  for (std::size_t arena = 0; arena < checked.bounds.size(); ++arena) {
    const BoundFinding& found = checked.bounds[arena];
    if (found.answer != BoundFinding::Answer::Refuted) continue;
    checked.verdict.add(WrongClaim{arena, WrongClaim::Claim::LowerBoundAboveNeed,
                                   checked.plan.arenas[arena].figures.lower_bound.count(),
                                   found.fits.count()});
  }
}

// Whether the plan was made from this file and this target, by their digests.
std::optional<std::string> find_other_source(const Plan& plan,
                                             const std::optional<InputFile>& input,
                                             const std::optional<InputFile>& target) {
  const auto other = [](const std::string& said, const InputFile& file, const char* what) {
    return fmt::format("the plan was made {} (sha256 {}, that of {} is {})", what, said, file.path,
                       sha256(file.content));
  };
  const std::string& source = plan.source.sha256;
  if (input && !source.empty() && source != sha256(input->content)) {
    return other(source, *input, "from another file");
  }
  if (target && plan.target && !plan.target->sha256.empty() &&
      plan.target->sha256 != sha256(target->content)) {
    return other(plan.target->sha256, *target, "for another target");
  }
  return std::nullopt;
}

// What is wrong with a plan, and that it is of another file where it is.
std::optional<std::string> of_file(std::optional<std::string> mismatch,
                                   std::optional<std::string> other) {
  if (!mismatch) return other;
  if (other) *mismatch += "; " + *other;
  return mismatch;
}

// A plan (berth.plan/1), held against all that is given beside it.
Result<CheckedFile> check_plan(const InputFile& file, const std::optional<InputFile>& input,
                               const PlanOptions& options, const std::optional<InputFile>& target) {
  CheckedFile checked;
  auto plan = read_plan_file(file);
  if (!plan) return tl::unexpected(plan.error());
  checked.plan = *std::move(plan);
  if (auto error = limit(checked.plan, options)) return tl::unexpected(*std::move(error));
  checked.verdict = check_placement(checked.plan);
  checked.order_fault = find_order_fault(checked.plan);
  if (checked.verdict.sound()) check_bounds(checked);
  if (!checked.sound() || (!input && !target)) return checked;

  std::optional<Target> chips;
  if (target) {
    auto read = read_target(target->content, target->path);
    if (!read) return tl::unexpected(read.error());
    chips = *std::move(read);
  }
  const Target* const known = chips ? &*chips : nullptr;
  if (checked.plan.target || target) checked.mismatch = find_past_target(checked.plan, known);
  if (input && !checked.mismatch) {
    auto against = held_against(checked.plan, *input, options, known);
    if (!against) return tl::unexpected(against.error());
    checked.mismatch = std::move(against->mismatch);
    checked.by_plan_alone = std::move(against->by_plan_alone);
    checked.notes = std::move(against->notes);
  }
  checked.mismatch =
      of_file(std::move(checked.mismatch), find_other_source(checked.plan, input, target));
  return checked;
}

}  // namespace

Result<CheckedFile> check_file(const InputFile& file, const std::optional<InputFile>& input,
                               const PlanOptions& options, const std::optional<InputFile>& target) {
  if (kind_of(file.content) == InputKind::PlanJson) {
    return check_plan(file, input, options, target);
  }
  CheckedFile checked;
  if (input) {
    const auto rows = given_rows(file, options, checked.notes);
    if (!rows) return tl::unexpected(rows.error());
    auto at = input_at(*rows, *input, options);
    if (!at) return tl::unexpected(at.error());
    checked.plan = std::move(at->plan);
    checked.mismatch = std::move(at->mismatch);
    if (checked.mismatch) return checked;
  } else {
    auto plan = read_answer(file, options, checked.notes);
    if (!plan) return tl::unexpected(plan.error());
    checked.plan = *std::move(plan);
  }
  if (auto error = limit(checked.plan, options)) return tl::unexpected(*std::move(error));
  checked.verdict = check_placement(checked.plan);
  if (target && checked.sound()) {
    const auto chips = read_target(target->content, target->path);
    if (!chips) return tl::unexpected(chips.error());
    checked.mismatch = find_past_target(checked.plan, &*chips);
  }
  return checked;
}

}  // namespace berth
