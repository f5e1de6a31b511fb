#include "berth/pipeline/against_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "berth/certify/input_rows.h"
#include "berth/live/program_lives.h"
#include "berth/pipeline/against_target.h"
#include "berth/pipeline/asked_options.h"
#include "berth/pipeline/compose_plan.h"
#include "berth/pipeline/given_out.h"
#include "berth/pipeline/question.h"
#include "berth/pipeline/unpermitted.h"

namespace berth {
namespace {

// Names of what a model gives out; a table and a schedule do not tell it from what they hold.
std::vector<std::string> outputs_of(const Question& question) {
  const auto* model = std::get_if<ModelForm>(&question.form);
  if (model == nullptr) return {};
  const auto names = unique_names(model->program);
  std::vector<std::string> outputs;
  for (const TensorId id : model->program.outputs) outputs.push_back(names[id.index()]);
  return outputs;
}

std::set<std::string> held_names(const std::vector<KeptTensor>& kept) {
  std::set<std::string> names;
  for (const KeptTensor& it : kept) {
    if (it.why == KeptWhy::Held) names.insert(it.name);
  }
  return names;
}

// What shares the bytes of a model's held tensors is held with them: those of them that the plan
// did keep apart so are held when nothing shares.
Result<std::vector<std::string>> held_with(const Plan& plan, const InputFile& input,
                                           const PlanOptions& options) {
  const auto question = read_question(input, options);
  if (!question) return tl::unexpected(question.error());
  std::vector<std::string> names = options.hold;
  if (!std::holds_alternative<ModelForm>(question->form)) return names;
  const std::set<std::string> asked(names.begin(), names.end());
  const auto by_plan = held_names(plan.kept);
  for (const std::string& name : held_names(question->kept)) {
    if (by_plan.contains(name) && !asked.contains(name)) names.push_back(name);
  }
  return names;
}

std::string keeping_all(const std::vector<std::string>& by_plan_alone) {
  return fmt::format(
      "the plan places nothing, by its own word alone ({}): tell 'berth check' so too if that is "
      "what was asked",
      fmt::join(by_plan_alone, " "));
}

// Whether the plan leaves everything out for a reason that somebody gave.
bool places_nothing(const Plan& plan) {
  const bool is_asked = std::ranges::any_of(plan.kept, [](const KeptTensor& it) {
    return it.why == KeptWhy::Held || it.why == KeptWhy::PlannerOff || it.why == KeptWhy::Variable;
  });
  return plan.buffers.empty() && is_asked;
}

bool leaves_out(const std::string& option) {
  return option.starts_with("--hold ") || option.starts_with("--state ") ||
         option.starts_with("NO_MEMORY_PLANNER");
}

// The input as a plan that places nothing in particular.
Result<Plan> rows_of(const Question& question, const InputFile& input, const PlanOptions& options) {
  Packing nowhere;
  nowhere.placement.places.resize(question.instance.size());
  nowhere.arenas.resize(question.instance.devices().size());
  return compose_plan(input, question, nowhere, options);
}

// Whether a size inside a range was told: it is held against the plan too, since not every size in
// a range need ask for less than its upper end.
bool is_inside_range(const Asked& asked, const PlanOptions& told) {
  return std::ranges::any_of(told.bindings.symbols, [&](const auto& symbol) {
    return std::ranges::any_of(asked.sizes, [&](const AskedSize& size) {
      const bool is_in = size.least <= symbol.second.least && symbol.second.most <= size.most;
      const bool is_all = size.least == symbol.second.least && size.most == symbol.second.most;
      return size.name == symbol.first && is_in && !is_all;
    });
  });
}

// The first buffer that the input, read with the sizes that are told, does not find room and time
// for in the plan of a range.
Result<std::optional<std::string>> find_without_room(const Plan& plan, const InputFile& input,
                                                     PlanOptions options) {
  if (!plan.order.empty()) options.order = plan.order;
  options.hold.clear();  // held in the range is held here
  options.share = false;
  const auto question = read_question(input, options);
  if (!question) return tl::unexpected(question.error());
  const auto rows = rows_of(*question, input, options);
  if (!rows) return tl::unexpected(rows.error());
  std::map<std::string_view, const PlannedBuffer*> placed;
  for (const PlannedBuffer& buffer : plan.buffers) placed.emplace(buffer.name, &buffer);
  const auto held = held_names(plan.kept);
  for (const PlannedBuffer& row : rows->buffers) {
    if (row.bytes == Bytes(0) || held.contains(row.name)) continue;
    const auto found = placed.find(row.name);
    if (found != placed.end() && row.bytes <= found->second->bytes &&
        found->second->life.covers(row.life)) {
      continue;
    }
    return std::optional(fmt::format(
        "with the sizes that are told buffer {} takes {} bytes and is live [{}, {}), for which the "
        "plan of the whole range has no room",
        row.name, row.bytes.count(), row.life.lower, row.life.upper));
  }
  return std::optional<std::string>();
}

// The input as a plan that places nothing in particular and shares nothing that it need not: its
// rows are what must be told.
Result<std::optional<std::string>> find_other_question(const Plan& plan, const InputFile& input,
                                                       PlanOptions options) {
  if (!plan.order.empty()) options.order = plan.order;
  if (!options.hold.empty()) {
    auto held = held_with(plan, input, options);
    if (!held) return tl::unexpected(held.error());
    options.hold = *std::move(held);
  }
  options.share = false;
  const auto question = read_question(input, options);
  if (!question) return tl::unexpected(question.error());
  if (question->order_fault) return *question->order_fault;
  if (question->order != plan.order) {
    return "the plan gives its steps another order, and the input is no model whose steps could "
           "have one";
  }
  const auto rows = rows_of(*question, input, options);
  if (!rows) return tl::unexpected(rows.error());
  auto mismatch = find_mismatch(plan, *rows);
  if (!mismatch) mismatch = find_unpermitted(plan, *rows, question->permissions);
  if (!mismatch) mismatch = find_taken_output(plan, outputs_of(*question));
  return mismatch;
}

// What a plan on a target tells of it, and nobody else.
std::string target_text(const Plan& plan) {
  return fmt::format("--target {} (tiles [{}], its memories)", plan.target->name,
                     fmt::join(plan.target->tile, ", "));
}

}  // namespace

Result<AgainstInput> held_against(const Plan& plan, const InputFile& input,
                                  const PlanOptions& options, const Target* target) {
  AgainstInput against;
  against.by_plan_alone = told_by_plan_alone(plan.asked, options);
  against.notes = other_than_asked(plan.asked, options);
  if (plan.source.sha256.empty()) {
    against.notes.push_back("the plan does not say from which file it was made (source.sha256)");
  }
  const PlanOptions asked = with_asked(options, plan.asked);
  auto mismatch = plan.target ? find_other_on_target(plan, input, target, asked)
                              : find_other_question(plan, input, asked);
  if (!mismatch) {
    // What nobody has told is the plan's fault.
    const bool is_of_plan =
        mismatch.error().kind == Error::Kind::Usage && !against.by_plan_alone.empty();
    if (!is_of_plan) return tl::unexpected(mismatch.error());
    against.mismatch = fmt::format("what the plan says that it was asked is not of this input: {}",
                                   mismatch.error().message);
    return against;
  }
  against.mismatch = *std::move(mismatch);
  if (!against.mismatch && !plan.target && is_inside_range(plan.asked, options)) {
    PlanOptions inside = asked;
    inside.bindings.symbols = options.bindings.symbols;
    inside = with_asked_sizes(std::move(inside), plan.asked);
    auto without = find_without_room(plan, input, std::move(inside));
    if (!without) return tl::unexpected(without.error());
    against.mismatch = *std::move(without);
  }
  // A plan says nothing of sizes past those that it was made for, though their buffers may have
  // room.
  const auto past = other_than_asked(plan.asked, options);
  if (!against.mismatch && !past.empty()) against.mismatch = past.front();
  const bool is_by_plan = std::ranges::any_of(against.by_plan_alone, leaves_out);
  if (!against.mismatch && is_by_plan && places_nothing(plan)) {
    against.mismatch = keeping_all(against.by_plan_alone);
  }
  if (plan.target && target == nullptr) against.by_plan_alone.push_back(target_text(plan));
  if (plan.target)
    against.by_plan_alone.push_back("(what a step moves, what spilled and its certificate)");
  return against;
}

}  // namespace berth
