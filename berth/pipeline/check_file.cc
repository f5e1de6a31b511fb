#include "berth/pipeline/check_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "berth/base/sha256.h"
#include "berth/certify/placement.h"
#include "berth/formats/json.h"
#include "berth/formats/plan_json.h"
#include "berth/formats/target_toml.h"
#include "berth/live/program_lives.h"
#include "berth/pipeline/compose_plan.h"
#include "berth/pipeline/given_out.h"
#include "berth/pipeline/plan_on_target.h"
#include "berth/pipeline/question.h"
#include "berth/pipeline/unpermitted.h"
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

Result<Plan> read_any_plan(const InputFile& file, const PlanOptions& options,
                           std::vector<std::string>& notes) {
  switch (kind_of(file.content)) {
    case InputKind::PlanJson:
      return read_plan_file(file);
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

// What the plan says of one name.
struct Told {
  Bytes bytes;
  LiveRange life;
  std::string device;
  Offset offset;
};

std::string life_text(const LiveRange& life) {
  return fmt::format("[{}, {})", life.lower, life.upper);
}

// Where the input does not let the buffer be.
std::optional<std::string> find_misplaced(const PlannedBuffer& buffer, const std::string& device,
                                          const Told& told) {
  if (buffer.bytes == Bytes(0)) return std::nullopt;
  if (told.device != device) {
    return fmt::format("buffer {} is of device '{}' in the input, of '{}' in the plan", buffer.name,
                       device, told.device);
  }
  const std::uint64_t offset = told.offset.value();
  const std::uint64_t skew = buffer.skew.count();
  if (offset < skew || (offset - skew) % buffer.alignment.value() != 0) {
    return fmt::format(
        "buffer {} is at {}, which is not {} bytes past a multiple of its alignment {}",
        buffer.name, offset, skew, buffer.alignment.value());
  }
  if (!buffer.fixed || *buffer.fixed == told.offset) return std::nullopt;
  return fmt::format("buffer {} is fixed at {} in the input, and at {} in the plan", buffer.name,
                     buffer.fixed->value(), offset);
}

// The first buffer of the question that the plan does not place (nor keeps) as it must be.
std::optional<std::string> find_mismatch(const Plan& plan, const Plan& question) {
  std::map<std::string, Told> told;
  for (const PlannedBuffer& buffer : plan.buffers) {
    const std::string& device = plan.arenas[buffer.arena].device;
    if (told.emplace(buffer.name, Told{buffer.bytes, buffer.life, device, buffer.offset}).second)
      continue;
    return fmt::format("the plan places buffer {} twice", buffer.name);
  }
  // What a person may leave out of a plan; what the input itself leaves out is no question.
  std::set<std::string> left_out;
  for (const KeptTensor& tensor : plan.kept) {
    if (told.contains(tensor.name)) {
      return fmt::format("the plan both places buffer {} and keeps it apart", tensor.name);
    }
    if (tensor.why == KeptWhy::Held || tensor.why == KeptWhy::PlannerOff) {
      left_out.insert(tensor.name);
    }
  }

  for (const PlannedBuffer& buffer : question.buffers) {
    const auto found = told.find(buffer.name);
    if (found == told.end()) {
      if (left_out.contains(buffer.name)) continue;
      return fmt::format(
          "the input has buffer {} ({} bytes, live {}), which the plan does not place", buffer.name,
          buffer.bytes.count(), life_text(buffer.life));
    }
    const Told& said = found->second;
    if (said.bytes != buffer.bytes) {
      return fmt::format("buffer {} has {} bytes in the input, {} in the plan", buffer.name,
                         buffer.bytes.count(), said.bytes.count());
    }
    if (!said.life.covers(buffer.life)) {
      return fmt::format("buffer {} is live {} in the input, only {} in the plan", buffer.name,
                         life_text(buffer.life), life_text(said.life));
    }
    const std::string& device = question.arenas[buffer.arena].device;
    if (plan.target && !said.device.starts_with(device + ".")) {
      return fmt::format("buffer {} is on {} in the input, on {} in the plan", buffer.name, device,
                         said.device);
    }
    if (!plan.target) {
      if (auto fault = find_misplaced(buffer, device, said)) return fault;
    }
    told.erase(found);
  }
  for (const PlannedBuffer& buffer : plan.buffers) {
    if (told.contains(buffer.name)) {
      return fmt::format("the plan places buffer {}, which the input does not have", buffer.name);
    }
  }
  return std::nullopt;
}

// The first buffer that the plan says is fixed though the table, which alone could fix it, does
// not: a lower bound would rest on that.
std::optional<std::string> find_fixed_by_nobody(const Plan& plan, const Plan& table) {
  std::set<std::string_view> fixed;
  for (const PlannedBuffer& row : table.buffers) {
    if (row.fixed) fixed.insert(row.name);
  }
  for (const PlannedBuffer& buffer : plan.buffers) {
    if (!buffer.fixed || fixed.contains(buffer.name)) continue;
    return fmt::format("buffer {} is fixed at {} in the plan, in the input it is not", buffer.name,
                       buffer.fixed->value());
  }
  return std::nullopt;
}

// Names of what a model gives out; a table and a schedule do not tell it from what they hold.
std::vector<std::string> outputs_of(const Question& question) {
  const auto* model = std::get_if<ModelForm>(&question.form);
  if (model == nullptr) return {};
  const auto names = unique_names(model->program);
  std::vector<std::string> outputs;
  for (const TensorId id : model->program.outputs) outputs.push_back(names[id.index()]);
  return outputs;
}

// What is wrong with a plan, and that it is of another file where it is.
std::optional<std::string> of_file(std::optional<std::string> mismatch, const Plan& plan,
                                   const Plan& rows) {
  const bool is_other_file =
      !plan.source.sha256.empty() && plan.source.sha256 != rows.source.sha256;
  if (mismatch && is_other_file) {
    *mismatch += fmt::format("; the plan was made from another file (sha256 {}, the input's is {})",
                             plan.source.sha256, rows.source.sha256);
  }
  return mismatch;
}

// An arena on a target whose device and tier are not one memory.
std::optional<std::string> find_two_named(const Plan& plan) {
  for (const PlannedArena& arena : plan.arenas) {
    if (arena.device.ends_with("." + arena.tier)) continue;
    return fmt::format("arena {} calls its tier '{}'", arena.device, arena.tier);
  }
  return std::nullopt;
}

// The input as a plan that places nothing in particular and shares nothing that it need not: its
// rows are what must be told.
Result<std::optional<std::string>> mismatch_with(const Plan& plan, const InputFile& input,
                                                 const PlanOptions& options) {
  if (plan.target) {
    const auto rows = rows_on_target(input, plan.target->tile, options);
    if (!rows) return tl::unexpected(rows.error());
    auto mismatch = find_two_named(plan);
    if (!mismatch) mismatch = find_mismatch(plan, *rows);
    if (!mismatch) mismatch = find_unpermitted(plan, *rows, {});  // there nothing shares
    return of_file(std::move(mismatch), plan, *rows);
  }
  PlanOptions in_order = options;
  in_order.in_place = true;
  in_order.share = false;
  // A plan of a model or a schedule says the unit that it keeps to; a table says its own.
  const InputKind kind = kind_of(input.content);
  const bool says_unit = kind == InputKind::Tflite || kind == InputKind::Onnx ||
                         (kind == InputKind::ScheduleJson && !plan.arenas.empty() &&
                          plan.arenas[0].unit.value() >= kScheduleUnit);
  if (says_unit && !options.alignment && !plan.arenas.empty()) {
    in_order.alignment = plan.arenas[0].unit;
  }
  if (!plan.order.empty()) in_order.order = plan.order;
  const auto question = read_question(input, in_order);
  if (!question) return tl::unexpected(question.error());
  if (question->order_fault) return *question->order_fault;
  if (question->order != plan.order) {
    return "the plan gives its steps another order, and the input is no model whose steps could "
           "have one";
  }
  Packing nowhere;
  nowhere.placement.places.resize(question->instance.size());
  nowhere.arenas.resize(question->instance.devices().size());
  const auto rows = compose_plan(input, *question, nowhere, options);
  if (!rows) return tl::unexpected(rows.error());
  auto mismatch = find_mismatch(plan, *rows);
  if (!mismatch && kind == InputKind::InstanceCsv) mismatch = find_fixed_by_nobody(plan, *rows);
  if (!mismatch) mismatch = find_unpermitted(plan, *rows, question->permissions);
  if (!mismatch) mismatch = find_taken_output(plan, outputs_of(*question));
  return of_file(std::move(mismatch), plan, *rows);
}

// What of a plan is not for this target: the tiles that it says tensors are stored in, an arena
// past the memory that its device is, two arenas in one memory.
std::optional<std::string> find_past_target(const Plan& plan, const Target& target) {
  if (plan.target && plan.target->tile != target.tile) {
    return fmt::format("the plan stores tensors in tiles [{}], the target in tiles [{}]",
                       fmt::join(plan.target->tile, ", "), fmt::join(target.tile, ", "));
  }
  std::set<std::string> devices;
  for (const PlannedArena& arena : plan.arenas) {
    if (!devices.insert(arena.device).second) {
      return fmt::format("the plan has two arenas in {}", arena.device);
    }
    bool is_known = false;
    for (std::size_t i = 0; i < target.chips.size(); ++i) {
      const Chip& chip = target.chips[i];
      const std::array<std::pair<const char*, std::optional<Bytes>>, 4> memories = {
          {{"sram", chip.sram()}, {"hbm", chip.hbm}, {"dram", chip.dram}, {"flash", chip.flash}}};
      for (const auto& [tier, has] : memories) {
        if (arena.device != fmt::format("chip{}.{}", i, tier)) continue;
        is_known = true;
        if (!has || arena.figures.peak <= *has) continue;
        return fmt::format("arena {} takes {} bytes, the target has {}", arena.device,
                           arena.figures.peak.count(), has->count());
      }
    }
    if (!is_known) return fmt::format("the target has no memory '{}'", arena.device);
  }
  return std::nullopt;
}

// Whether a model's views were asked for is not told by the plan, but by what it says of them.
Result<std::optional<std::string>> mismatch_of_views(const Plan& plan, const InputFile& input,
                                                     const PlanOptions& options) {
  auto mismatch = mismatch_with(plan, input, options);
  const bool has_views = std::ranges::any_of(
      plan.buffers, [](const PlannedBuffer& buffer) { return buffer.view_of.has_value(); });
  if (!mismatch || !*mismatch || options.views || !has_views) return mismatch;
  PlanOptions with_views = options;
  with_views.views = true;
  auto other = mismatch_with(plan, input, with_views);
  return other && !*other ? other : mismatch;
}

// A limit that the plan itself may not know of.
void limit(Plan& plan, const PlanOptions& options) {
  for (PlannedArena& arena : plan.arenas) {
    for (const auto& [device, bytes] : options.capacity) {
      if (device.empty() || device == arena.device) arena.capacity = bytes;
    }
    if (options.reserve > Bytes(0)) arena.reserve = options.reserve;
  }
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

}  // namespace

Result<CheckedFile> check_file(const InputFile& file, const std::optional<InputFile>& input,
                               const PlanOptions& options, const std::optional<InputFile>& target) {
  CheckedFile checked;
  auto plan = read_any_plan(file, options, checked.notes);
  if (!plan) return tl::unexpected(plan.error());
  checked.plan = *std::move(plan);
  limit(checked.plan, options);
  checked.verdict = check_placement(checked.plan);
  checked.order_fault = find_order_fault(checked.plan);
  // Of other forms the figures are our own: there is no claim to be held against anything.
  if (checked.verdict.sound() && kind_of(file.content) == InputKind::PlanJson) {
    check_bounds(checked);
  }
  if (input && checked.sound()) {
    auto mismatch = mismatch_of_views(checked.plan, *input, options);
    if (!mismatch) return tl::unexpected(mismatch.error());
    checked.mismatch = *std::move(mismatch);
  }
  if (target && checked.sound()) {
    const auto chips = read_target(target->content, target->path);
    if (!chips) return tl::unexpected(chips.error());
    checked.mismatch = find_past_target(checked.plan, *chips);
  }
  return checked;
}

}  // namespace berth
