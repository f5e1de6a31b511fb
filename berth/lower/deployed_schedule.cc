#include "berth/lower/deployed_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "berth/live/tensor_groups.h"

namespace berth {
namespace {

constexpr std::string_view tier_name(Tier tier) {
  constexpr std::string_view names[] = {"sram", "hbm", "dram", "flash"};
  return names[static_cast<std::size_t>(tier)];
}

// The loops of a program in the order in which they begin, the longer first.
std::vector<PhaseLoop> loops_outside_in(const Program& program) {
  std::vector<PhaseLoop> loops = program.loops;
  std::ranges::stable_sort(loops, {}, [](const PhaseLoop& loop) {
    return std::tuple(loop.phases.lower, UINT64_MAX - loop.phases.upper);
  });
  return loops;
}

class Writer {
 public:
  Writer(const Deployment& deployment, const DeploymentLives& lives, std::span<const Tier> tiers)
      : deployment_(deployment), lives_(lives), tiers_(tiers) {}

  Result<DeployedSchedule> write() {
    if (auto fault = add_storage()) return tl::unexpected(*std::move(fault));
    for (const DeployedProgram& deployed : deployment_.programs) {
      auto groups = group_tensors(deployed.program);
      if (!groups) return tl::unexpected(groups.error());
      groups_.push_back(*std::move(groups));
    }
    for (const ProgramRun& run : lives_.runs) {
      if (auto fault = add_run(run)) return tl::unexpected(*std::move(fault));
    }
    const auto root = graph_.add(linear_op(std::move(entries_)));
    if (!root) return tl::unexpected(root.error());
    auto schedule = Schedule::make(std::move(graph_), *root, std::move(held_));
    if (!schedule) return tl::unexpected(schedule.error());
    return DeployedSchedule{*std::move(schedule), std::move(ops_), std::move(entry_of_)};
  }

 private:
  const Tensor& tensor_of(const StoredTensor& stored) const {
    return deployment_.programs[stored.program].program.tensors[stored.tensor.index()];
  }

  std::optional<Error> add_storage() {
    std::uint64_t buffers = 0;
    std::uint64_t params = 0;
    for (std::size_t i = 0; i < lives_.tensors.size(); ++i) {
      const StoredTensor& stored = lives_.tensors[i];
      const Tensor& tensor = tensor_of(stored);
      const bool is_input = stored.as == StoredAs::Input;
      Storage storage{.slot = is_input ? params++ : buffers++,
                      .elements = tensor.bytes.count(),
                      .device = device_name(tensor.chip, tiers_[i]),
                      .name = stored.name};
      const auto op =
          graph_.add(is_input ? param_op(std::move(storage)) : buffer_op(std::move(storage)));
      if (!op) return op.error();
      ops_.push_back(*op);
      if (outlives_step(stored.as) && !is_input) held_.push_back(*op);
      const bool is_shared = is_input || stored.as == StoredAs::Output;
      op_of_[{stored.program, is_shared ? 0 : stored.layer, stored.tensor}] = *op;
    }
    return std::nullopt;
  }

  // A loop that is open: its entries so far.
  struct Open {
    PhaseLoop loop;
    std::vector<OpId> entries;
  };

  std::optional<Error> add_run(const ProgramRun& run) {
    const Program& program = deployment_.programs[run.program].program;
    const auto loops = loops_outside_in(program);
    std::vector<Open> open;
    auto next = loops.begin();
    for (Step phase = 0; phase < program.phases.size(); ++phase) {
      for (; next != loops.end() && next->phases.lower == phase; ++next)
        open.push_back({*next, {}});
      const auto call = add_call(run, phase);
      if (!call) return call.error();
      entry_of_.push_back(entries_.size());
      (open.empty() ? entries_ : open.back().entries).push_back(*call);
      while (!open.empty() && open.back().loop.phases.upper == phase + 1) {
        if (auto fault = close(open)) return fault;
      }
    }
    return std::nullopt;
  }

  std::optional<Error> close(std::vector<Open>& open) {
    Open closed = std::move(open.back());
    open.pop_back();
    const auto body = graph_.add(linear_op(std::move(closed.entries)));
    if (!body) return body.error();
    const auto loop = graph_.add(end_op(*body, closed.loop.bound));
    if (!loop) return loop.error();
    (open.empty() ? entries_ : open.back().entries).push_back(*loop);
    return std::nullopt;
  }

  // Each tensor that has bytes is one argument, however often the phase touches it.
  Result<OpId> add_call(const ProgramRun& run, Step phase) {
    const Phase& it = deployment_.programs[run.program].program.phases[phase];
    std::vector<TensorId> touched;
    std::map<TensorId, std::pair<bool, bool>> uses;  // reads, writes
    for (const TensorAccess& access : it.accesses) {
      const auto [use, is_new] = uses.emplace(access.tensor, std::pair(false, false));
      if (is_new) touched.push_back(access.tensor);
      (access.kind == TensorAccess::Kind::Read ? use->second.first : use->second.second) = true;
    }
    std::vector<OpId> arguments;
    std::string letters;
    for (const TensorId tensor : touched) {
      const auto argument = add_argument(run, tensor);
      if (!argument) return tl::unexpected(argument.error());
      if (!*argument) continue;
      arguments.push_back(**argument);
      const auto [reads, writes] = uses.at(tensor);
      letters += reads && writes ? 'b' : reads ? 'r' : 'w';
    }
    const auto body = graph_.add(kernel_op(lives_.step_names[run.first + phase]));
    if (!body) return body;
    return graph_.add(call_op(*body, arguments, std::move(letters)));
  }

  // What the program calls this tensor: its buffer, or bytes of it.
  Result<std::optional<OpId>> add_argument(const ProgramRun& run, TensorId tensor) {
    const Program& program = deployment_.programs[run.program].program;
    const auto& part = groups_[run.program][tensor];
    const Bytes bytes = program.tensors[tensor.index()].bytes;
    const Tensor& root = program.tensors[part.root.index()];
    if (bytes == Bytes(0)) return std::optional<OpId>();
    const bool is_shared = root.kind == TensorKind::Input || root.kind == TensorKind::Output;
    const OpId base = op_of_.at({run.program, is_shared ? 0 : run.layer, part.root});
    if (part.offset == Bytes(0) && bytes == root.bytes) return std::optional(base);
    auto view = graph_.add(shrink_op(base, {part.offset.count(), (part.offset + bytes).count()}));
    if (!view) return tl::unexpected(view.error());
    return std::optional(*view);
  }

  const Deployment& deployment_;
  const DeploymentLives& lives_;
  std::span<const Tier> tiers_;
  std::vector<TensorGroups> groups_;  // by program
  OpGraph graph_;
  std::vector<OpId> ops_;
  std::vector<OpId> held_;
  std::map<std::tuple<std::size_t, std::uint64_t, TensorId>, OpId> op_of_;
  std::vector<OpId> entries_;
  std::vector<std::size_t> entry_of_;
};

}  // namespace

std::string device_name(ChipId chip, Tier tier) {
  return fmt::format("chip{}.{}", chip.index(), tier_name(tier));
}

Result<DeployedSchedule> deployed_schedule(const Deployment& deployment,
                                           const DeploymentLives& lives,
                                           std::span<const Tier> tiers) {
  return Writer(deployment, lives, tiers).write();
}

}  // namespace berth
