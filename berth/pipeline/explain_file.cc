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
constexpr std::size_t kChanged = 12;  // of the buffers at the peak
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

class Explainer {
 public:
  Explainer(const InputFile& file, const PlanOptions& options) : file_(file), options_(options) {}

  Result<Explanation> explain() {
    auto question = read_question(file_, options_);
    if (!question) return tl::unexpected(question.error());
    auto answer = pack(question->instance, options_.pack);
    if (!answer) return tl::unexpected(answer.error());
    if (std::holds_alternative<Infeasible>(*answer)) {
      return input_error(file_.path, "its fixed places leave no placement", "berth plan says why");
    }
    const auto& packing = std::get<Packing>(*answer);
    Explanation explanation;
    for (std::size_t i = 0; i < packing.arenas.size(); ++i) {
      explanation.push_back(peak_of(*question, packing.arenas[i], DeviceId(i)));
    }
    for (std::size_t i = 0; i < explanation.size(); ++i) {
      add_changes(explanation[i], *question, DeviceId(i));
    }
    return explanation;
  }

 private:
  ArenaExplanation peak_of(const Question& question, const ArenaFigures& figures,
                           DeviceId device) const {
    const Instance& instance = question.instance;
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

  static std::vector<BufferId> live_at(const Instance& instance, DeviceId device, Step step) {
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

  void add_changes(ArenaExplanation& arena, const Question& question, DeviceId device) {
    const auto live = live_at(question.instance, device, arena.peak_step);
    for (std::size_t i = 0; i < live.size() && i < kChanged; ++i) {
      change_buffer(arena, question, live[i]);
    }
    if (const auto* model = std::get_if<ModelForm>(&question.form)) {
      change_options(arena);
      swap_steps(arena, question, *model);
    }
    std::stable_sort(arena.changes.begin(), arena.changes.end(),
                     [](const Change& a, const Change& b) { return a.saved > b.saved; });
  }

  void change_buffer(ArenaExplanation& arena, const Question& question, BufferId id) {
    const Instance& instance = question.instance;
    const std::string name = printable(instance[id].name);
    auto without = buffers_of(instance);
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(id.index()));
    offer(arena, fmt::format("keep {} elsewhere, such as a tier down", name),
          with_buffers(instance, std::move(without)));
    // What is bound to a place or to kept bytes cannot be cut as it is.
    if (instance[id].fixed || !instance[id].gaps.empty()) return;
    auto halved = buffers_of(instance);
    halved[id.index()].size = Bytes(halved[id.index()].size.count() / 2);
    offer(arena, fmt::format("split {} along its rows, half of it live at a time", name),
          with_buffers(instance, std::move(halved)));
    if (const auto idle = idle_around(question, id, arena.peak_step)) {
      auto gone = buffers_of(instance);
      gone[id.index()].gaps.push_back({*idle, std::nullopt});
      offer(arena,
            fmt::format("let {} go after step {} and load or compute it again for step {}", name,
                        idle->lower - 1, idle->upper),
            with_buffers(instance, std::move(gone)));
    }
  }

  // The steps around `step` in which no step touches the buffer.
  static std::optional<LiveRange> idle_around(const Question& question, BufferId id, Step step) {
    const auto* model = std::get_if<ModelForm>(&question.form);
    if (model == nullptr) return std::nullopt;
    std::vector<bool> is_part(model->program.tensors.size());
    for (const Member& member : model->members) {
      if (member.buffer == id) is_part[member.tensor.index()] = true;
    }
    const LiveRange life = question.instance[id].life;
    LiveRange idle = life;
    bool is_touched_before = false;
    bool is_touched_after = false;
    for (Step at = life.lower; at < life.upper && at < model->program.phases.size(); ++at) {
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

  void change_options(ArenaExplanation& arena) {
    const auto with = [&](const std::string& what, auto change) {
      PlanOptions options = options_;
      change(options);
      const auto question = read_question(file_, options);
      if (question) offer(arena, what, question->instance);
    };
    if (!options_.in_place) {
      with("compute in place what can be (--in-place)",
           [](PlanOptions& options) { options.in_place = true; });
    }
    if (!options_.views) {
      with("reshape without copying (--views)", [](PlanOptions& options) { options.views = true; });
    }
    if (!options_.reorder) {
      with("run the steps in another order (--reorder)",
           [](PlanOptions& options) { options.reorder = true; });
    }
  }

  void swap_steps(ArenaExplanation& arena, const Question& question, const ModelForm& model) {
    const Step count = model.program.phases.size();
    const Step first = arena.peak_step - std::min(arena.peak_step, kNear);
    for (Step at = first; at + 1 < count && at <= arena.peak_step + kNear; ++at) {
      PhaseOrder order(count);
      for (Step i = 0; i < count; ++i) order[i] = i;
      std::swap(order[at], order[at + 1]);
      if (find_order_fault(model.program, order)) continue;
      // Of the file's own steps: the question may have them in another order already.
      if (!question.order.empty()) {
        for (auto& step : order) step = question.order[step];
      }
      PlanOptions options = options_;
      options.reorder = false;
      options.order = order;
      const auto swapped = read_question(file_, options);
      if (!swapped || swapped->order_fault) continue;
      offer(arena,
            fmt::format("swap {} and {}", step_text(question.instance.step_names(), at),
                        step_text(question.instance.step_names(), at + 1)),
            swapped->instance);
    }
  }

  void offer(ArenaExplanation& arena, std::string what, const std::optional<Instance>& instance) {
    if (!instance) return;
    ++arena.tried;
    PackOptions options = options_.pack;
    options.effort = std::min(options.effort, kEffortOfAChange);
    const auto answer = pack(*instance, options);
    const auto* packing = answer ? std::get_if<Packing>(&*answer) : nullptr;
    if (packing == nullptr) return;
    for (std::size_t i = 0; i < packing->arenas.size(); ++i) {
      if (instance->devices()[i].name != arena.device) continue;
      const Bytes peak = packing->arenas[i].peak;
      if (peak < arena.arena) arena.changes.push_back({std::move(what), peak, arena.arena - peak});
      return;
    }
  }

  const InputFile& file_;
  const PlanOptions& options_;
};

}  // namespace

Result<Explanation> explain_file(const InputFile& file, const PlanOptions& options) {
  return Explainer(file, options).explain();
}

}  // namespace berth
