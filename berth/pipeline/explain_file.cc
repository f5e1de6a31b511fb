#include "berth/pipeline/explain_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "berth/base/text.h"
#include "berth/certify/order.h"
#include "berth/live/load.h"
#include "berth/live/phase_order.h"
#include "berth/pipeline/question.h"
#include "berth/plan/pack.h"

namespace berth {
namespace {

constexpr std::uint64_t kEffortOfAChange = 100'000;
constexpr std::size_t kChanged = 12;     // of the buffers at the peak
constexpr std::size_t kMostPasses = 12;  // changes on the way to a goal
// Neighbouring steps are swapped this near to the peak.
constexpr Step kNear = 3;

std::vector<Buffer> buffers_of(const Instance& instance) {
  return {instance.buffers().begin(), instance.buffers().end()};
}

std::optional<Instance> with_buffers(const Instance& instance, std::vector<Buffer> buffers) {
  const auto devices = instance.devices();
  const auto names = instance.step_names();
  auto made = Instance::make({devices.begin(), devices.end()}, std::move(buffers), instance.unit(),
                             {names.begin(), names.end()});
  return made ? std::optional(*std::move(made)) : std::nullopt;
}

Bytes bytes_at(const Instance& instance, BufferId id, Step step) {
  for (const Section& section : instance.sections(id)) {
    if (section.steps.contains(step)) return Bytes(section.bytes.upper - section.bytes.lower);
  }
  return Bytes(0);
}

// A change of one buffer, by its name: what an input becomes under other options may count
// differently.
struct Edit {
  enum class Kind { LetGo, Split, Elsewhere };  // what asks for less comes first

  Kind kind = Kind::Elsewhere;
  std::string buffer;
  Bytes size;
  LiveRange idle{};  // of LetGo
};

std::optional<Instance> edited(const Instance& instance, const Edit& edit) {
  auto buffers = buffers_of(instance);
  const auto found = std::ranges::find(buffers, edit.buffer, &Buffer::name);
  if (found == buffers.end()) return std::nullopt;
  switch (edit.kind) {
    case Edit::Kind::Elsewhere:
      buffers.erase(found);
      break;
    case Edit::Kind::Split:
      found->size = Bytes(found->size.count() / 2);
      break;
    case Edit::Kind::LetGo:
      found->gaps.push_back({edit.idle, std::nullopt});
      break;
  }
  return with_buffers(instance, std::move(buffers));
}

// What a question has become by the changes so far, and how it is packed.
struct Standing {
  PlanOptions options;
  std::vector<Edit> edits;
  Question question;
  Instance instance;  // with the edits
  Packing packing;

  const ArenaFigures* arena_of(const std::string& device) const {
    for (std::size_t i = 0; i < packing.arenas.size(); ++i) {
      if (instance.devices()[i].name == device) return &packing.arenas[i];
    }
    return nullptr;
  }
};

// One change that may be made: of a buffer, or of the options under which the input is read.
struct Candidate {
  std::string what;
  std::optional<Edit> edit;
  std::optional<PlanOptions> options;
};

struct Measured {
  Candidate candidate;
  Change change;
};

std::vector<BufferId> live_at(const Instance& instance, DeviceId device, Step step) {
  std::vector<BufferId> live;
  for (std::size_t i = 0; i < instance.size(); ++i) {
    const BufferId id(i);
    if (instance[id].device == device && bytes_at(instance, id, step) > Bytes(0)) {
      live.push_back(id);
    }
  }
  std::stable_sort(live.begin(), live.end(), [&](BufferId a, BufferId b) {
    return bytes_at(instance, a, step) > bytes_at(instance, b, step);
  });
  return live;
}

// The steps around `step` in which no step touches the buffer.
std::optional<LiveRange> idle_around(const Question& question, const Buffer& buffer, Step step) {
  const auto* model = std::get_if<ModelForm>(&question.form);
  if (model == nullptr) return std::nullopt;
  std::vector<bool> is_part(model->program.tensors.size());
  for (const Member& member : model->members) {
    if (question.instance[member.buffer].name == buffer.name) {
      is_part[member.tensor.index()] = true;
    }
  }
  LiveRange idle = buffer.life;
  bool is_touched_before = false;
  bool is_touched_after = false;
  const Step count = model->program.phases.size();
  for (Step at = buffer.life.lower; at < buffer.life.upper && at < count; ++at) {
    const auto& accesses = model->program.phases[at].accesses;
    const bool touches = std::ranges::any_of(
        accesses, [&](const TensorAccess& access) { return is_part[access.tensor.index()]; });
    if (!touches) continue;
    if (at == step) return std::nullopt;
    if (at < step) {
      idle.lower = at + 1;
      is_touched_before = true;
    } else if (!is_touched_after) {
      idle.upper = at;
      is_touched_after = true;
    }
  }
  if (!is_touched_before || !is_touched_after) return std::nullopt;
  return idle;
}

void add_edits(const Standing& now, const Buffer& buffer, Step step,
               std::vector<Candidate>& candidates) {
  const std::string name = printable(buffer.name);
  const auto add = [&](std::string what, Edit edit) {
    candidates.push_back({std::move(what), std::move(edit), std::nullopt});
  };
  add(fmt::format("keep {} elsewhere, such as a tier down", name),
      {Edit::Kind::Elsewhere, buffer.name, buffer.size});
  // What is bound to a place or to kept bytes cannot be cut as it is.
  if (buffer.fixed || !buffer.gaps.empty()) return;
  add(fmt::format("split {} along its rows, half of it live at a time", name),
      {Edit::Kind::Split, buffer.name, buffer.size});
  if (const auto idle = idle_around(now.question, buffer, step)) {
    add(fmt::format("let {} go after step {} and load or compute it again for step {}", name,
                    idle->lower - 1, idle->upper),
        {Edit::Kind::LetGo, buffer.name, buffer.size, *idle});
  }
}

void add_options(const Standing& now, std::vector<Candidate>& candidates) {
  const auto add = [&](std::string what, bool PlanOptions::*option) {
    if (now.options.*option) return;
    PlanOptions options = now.options;
    options.*option = true;
    candidates.push_back({std::move(what), std::nullopt, std::move(options)});
  };
  add("compute in place what can be (--in-place)", &PlanOptions::in_place);
  add("reshape without copying (--views)", &PlanOptions::views);
  // Gaps count the steps as they are now.
  if (now.edits.empty() && !now.options.order) {
    add("run the steps in another order (--reorder)", &PlanOptions::reorder);
  }
}

void add_swaps(const Standing& now, const ModelForm& model, Step step,
               std::vector<Candidate>& candidates) {
  if (!now.edits.empty()) return;
  const Step count = model.program.phases.size();
  for (Step at = step - std::min(step, kNear); at + 1 < count && at <= step + kNear; ++at) {
    PhaseOrder order(count);
    for (Step i = 0; i < count; ++i) order[i] = i;
    std::swap(order[at], order[at + 1]);
    if (find_order_fault(model.program, order)) continue;
    // Of the file's own steps: the question may have them in another order already.
    if (!now.question.order.empty()) {
      for (auto& of_file : order) of_file = now.question.order[of_file];
    }
    PlanOptions options = now.options;
    options.reorder = false;
    options.order = order;
    const auto names = now.question.instance.step_names();
    candidates.push_back(
        {fmt::format("swap {} and {}", step_text(names, at), step_text(names, at + 1)),
         std::nullopt, std::move(options)});
  }
}

class Explainer {
 public:
  Explainer(const InputFile& file, const PlanOptions& options) : file_(file), asked_(options) {}

  Result<Explanation> explain() {
    PlanOptions options = asked_;
    options.capacity.clear();  // the goal, which the packing as it is does not know
    options.reserve = Bytes(0);
    say("reading " + printable(file_.path));
    auto question = read_question(file_, options);
    if (!question) return tl::unexpected(question.error());
    say(fmt::format("placing {} buffers", question->instance.size()));
    auto answer = pack(question->instance, options.pack);
    if (!answer) return tl::unexpected(answer.error());
    if (std::holds_alternative<Infeasible>(*answer)) {
      return input_error(file_.path, "its fixed places leave no placement", "berth plan says why");
    }
    Instance instance = question->instance;
    const Standing now = {std::move(options),
                          {},
                          *std::move(question),
                          std::move(instance),
                          std::move(std::get<Packing>(*answer))};
    Explanation explanation;
    for (std::size_t i = 0; i < now.packing.arenas.size(); ++i) {
      explanation.push_back(peak_of(now, DeviceId(i)));
    }
    if (auto fault = set_goals(explanation)) return tl::unexpected(*std::move(fault));
    for (ArenaExplanation& arena : explanation) add_changes(arena, now);
    return explanation;
  }

 private:
  void say(const std::string& stage) const {
    if (asked_.on_stage) asked_.on_stage(stage);
  }

  bool is_interrupted() const {
    return asked_.pack.interrupt != nullptr && asked_.pack.interrupt->load();
  }

  static ArenaExplanation peak_of(const Standing& now, DeviceId device) {
    const Instance& instance = now.instance;
    const ArenaFigures& figures = now.packing.arenas[device.index()];
    ArenaExplanation arena;
    arena.device = instance[device].name;
    arena.arena = figures.peak;
    arena.max_load = figures.max_load;
    arena.proved_least = figures.proved_least();
    arena.peak_step = figures.peak_step;
    arena.peak_step_name = step_text(instance.step_names(), figures.peak_step);
    for (const BufferId id : live_at(instance, device, figures.peak_step)) {
      const Buffer& buffer = instance[id];
      arena.live.push_back({buffer.name, bytes_at(instance, id, figures.peak_step), buffer.life,
                            step_text(instance.step_names(), buffer.life.lower),
                            step_text(instance.step_names(), buffer.life.upper - 1)});
    }
    return arena;
  }

  // What each device has, less the reserve; its own entry wins over the one for all.
  std::optional<Error> set_goals(Explanation& explanation) const {
    for (const bool own : {false, true}) {
      for (const auto& [name, bytes] : asked_.capacity) {
        if (own == name.empty()) continue;
        bool is_met = !own;
        for (ArenaExplanation& arena : explanation) {
          if (own && arena.device != name) continue;
          arena.goal = bytes < asked_.reserve ? Bytes(0) : bytes - asked_.reserve;
          is_met = true;
        }
        if (is_met) continue;
        return Error{Error::Kind::Usage, "--goal",
                     fmt::format("{} has no device '{}'", file_.path, name),
                     "name one of those that explain tells"};
      }
    }
    return std::nullopt;
  }

  void add_changes(ArenaExplanation& arena, const Standing& start) {
    std::vector<Measured> measured = measure_all(start, arena.device, arena.tried);
    for (const Measured& one : measured) {
      if (one.change.arena < arena.arena) arena.changes.push_back(one.change);
    }
    std::stable_sort(arena.changes.begin(), arena.changes.end(),
                     [](const Change& a, const Change& b) { return a.saved > b.saved; });
    if (!arena.goal) return;
    std::optional<Standing> now = start;
    while (now && !arena.meets_goal() && arena.way.size() < kMostPasses && !is_interrupted()) {
      std::size_t tried = 0;
      if (!arena.way.empty()) measured = measure_all(*now, arena.device, tried);
      const Measured* next = chosen(measured, arena.reached(), *arena.goal);
      if (next == nullptr) return;
      auto after = advanced(*now, next->candidate);
      arena.way.push_back(next->change);
      now = std::move(after);
    }
  }

  // What costs nothing comes first; of the rest the least that suffices, or else the most; of those
  // that win as much, what asks for less.
  static const Measured* chosen(const std::vector<Measured>& measured, Bytes before, Bytes goal) {
    const Measured* best = nullptr;
    const auto rank = [&](const Measured& it) {
      const bool is_free = it.candidate.options.has_value();
      const bool suffices = it.change.arena <= goal;
      const std::uint64_t left = it.change.arena.count();
      const auto edit = it.candidate.edit.value_or(Edit{});
      return std::tuple(!is_free, !suffices, suffices && !is_free ? ~left : left, edit.kind,
                        edit.size);
    };
    for (const Measured& it : measured) {
      if (it.change.arena >= before) continue;
      if (best == nullptr || rank(it) < rank(*best)) best = &it;
    }
    return best;
  }

  std::vector<Candidate> candidates_of(const Standing& now, const std::string& device,
                                       Step step) const {
    std::vector<Candidate> candidates;
    DeviceId id(0);
    while (now.instance[id].name != device) id = DeviceId(id.index() + 1);
    const auto live = live_at(now.instance, id, step);
    for (std::size_t i = 0; i < live.size() && i < kChanged; ++i) {
      add_edits(now, now.instance[live[i]], step, candidates);
    }
    if (const auto* model = std::get_if<ModelForm>(&now.question.form)) {
      add_options(now, candidates);
      add_swaps(now, *model, step, candidates);
    }
    return candidates;
  }

  // Every change that can be made of what stands at this arena's peak; `tried` counts them.
  std::vector<Measured> measure_all(const Standing& now, const std::string& device,
                                    std::size_t& tried) const {
    std::vector<Measured> measured;
    const ArenaFigures* before = now.arena_of(device);
    if (before == nullptr) return measured;
    auto candidates = candidates_of(now, device, before->peak_step);
    for (std::size_t i = 0; i < candidates.size() && !is_interrupted(); ++i) {
      say(fmt::format("planning change {} of {}", i + 1, candidates.size()));
      const auto after = advanced(now, candidates[i]);
      if (!after) continue;
      ++tried;
      const ArenaFigures* figures = after->arena_of(device);
      if (figures == nullptr) continue;
      const Bytes saved = figures->peak < before->peak ? before->peak - figures->peak : Bytes(0);
      const std::string step = step_text(after->instance.step_names(), figures->peak_step);
      std::string what = candidates[i].what;
      measured.push_back({std::move(candidates[i]),
                          {std::move(what), figures->peak, saved, figures->peak_step, step}});
    }
    return measured;
  }

  // What stands after a change; nothing where it cannot be made.
  std::optional<Standing> advanced(const Standing& now, const Candidate& candidate) const {
    std::optional<Question> read;
    if (candidate.options) {
      auto question = read_question(file_, *candidate.options);
      if (!question || question->order_fault) return std::nullopt;
      read = *std::move(question);
    }
    std::optional<Instance> instance = read ? read->instance : now.instance;
    std::vector<Edit> edits = now.edits;
    if (read) {
      for (const Edit& edit : now.edits) {
        if (instance) instance = edited(*instance, edit);
      }
    }
    if (candidate.edit && instance) {
      instance = edited(*instance, *candidate.edit);
      edits.push_back(*candidate.edit);
    }
    if (!instance) return std::nullopt;
    PackOptions options = asked_.pack;
    options.on_progress = nullptr;
    options.effort = std::min(options.effort, kEffortOfAChange);
    auto answer = pack(*instance, options);
    auto* packing = answer ? std::get_if<Packing>(&*answer) : nullptr;
    if (packing == nullptr) return std::nullopt;
    return Standing{candidate.options.value_or(now.options), std::move(edits),
                    read ? *std::move(read) : now.question, *std::move(instance),
                    std::move(*packing)};
  }

  const InputFile& file_;
  const PlanOptions& asked_;
};

}  // namespace

Result<Explanation> explain_file(const InputFile& file, const PlanOptions& options) {
  return Explainer(file, options).explain();
}

}  // namespace berth
