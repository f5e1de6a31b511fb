#include "berth/live/deployment_lives.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "berth/base/seeded_hash.h"
#include "berth/ir/phase_chips.h"
#include "berth/ir/site_footprint.h"
#include "berth/live/tensor_groups.h"

namespace berth {
namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 20;

StoredAs stored_as(const DeployedProgram& deployed, TensorId id) {
  switch (deployed.program.tensors[id.index()].kind) {
    case TensorKind::Intermediate:
      return StoredAs::Arena;
    case TensorKind::Weight:
      return StoredAs::Weight;
    case TensorKind::Input:
      return StoredAs::Input;
    case TensorKind::Output:
      return StoredAs::Output;
    case TensorKind::State:
      break;
  }
  const auto& carried = deployed.carried;
  const bool is_carried = !carried || std::ranges::find(*carried, id) != carried->end();
  return is_carried ? StoredAs::State : StoredAs::Table;
}

bool is_shared(StoredAs as) {
  return as == StoredAs::Input || as == StoredAs::Output;
}

// The phases of a program in which each root is touched: first to last, loops as one.
std::vector<std::optional<LiveRange>> touched_phases(const Program& program,
                                                     const TensorGroups& groups) {
  Program alone = program;
  // What is given in or out is touched by nobody for that.
  alone.inputs.clear();
  alone.outputs.clear();
  const auto lives = group_tensors(alone);
  std::vector<std::optional<LiveRange>> touched(program.tensors.size());
  for (std::size_t i = 0; i < touched.size(); ++i) {
    const TensorId id(i);
    if (groups[id].root == id) touched[i] = lives->of(id).life;
  }
  return touched;
}

class Writer {
 public:
  explicit Writer(const Deployment& deployment) : deployment_(deployment) {
    is_alone_ = deployment.programs.size() == 1 && deployment.programs[0].layers == 1;
  }

  Result<DeploymentLives> write() {
    if (auto fault = find_limit()) return tl::unexpected(*std::move(fault));
    for (std::size_t i = 0; i < deployment_.programs.size(); ++i) {
      if (auto fault = add_program(i)) return tl::unexpected(*std::move(fault));
    }
    const LiveRange all = {0, lives_.steps()};
    for (StoredTensor& tensor : lives_.tensors) {
      if (outlives_step(tensor.as)) tensor.life = all;
    }
    return std::move(lives_);
  }

 private:
  std::optional<Error> find_limit() const {
    std::uint64_t rows = 0;
    for (const DeployedProgram& it : deployment_.programs) {
      std::uint64_t of_run = 1 + it.program.tensors.size() + it.program.phases.size();
      for (const Phase& phase : it.program.phases) of_run += phase.accesses.size();
      const auto more = checked_multiply(Bytes(of_run), it.layers);
      if (more && more->count() <= kMostRows && (rows += more->count()) <= kMostRows) continue;
      return Error{Error::Kind::Limit, "program " + it.name,
                   fmt::format("its {} layers come to more than {} tensors, phases and accesses",
                               it.layers, kMostRows),
                   "plan fewer layers"};
    }
    return std::nullopt;
  }

  std::optional<Error> add_program(std::size_t index) {
    const DeployedProgram& deployed = deployment_.programs[index];
    auto groups = group_tensors(deployed.program);
    if (!groups) return groups.error();
    if (auto fault = find_lost_view(deployed, *groups)) return fault;
    const auto touched = touched_phases(deployed.program, *groups);
    keep_untouched(deployed, *groups, touched);
    const auto sites = site_footprint(deployed.program);
    for (std::uint64_t layer = 0; layer < deployed.layers; ++layer) {
      const ProgramRun run = {index, layer, lives_.step_names.size()};
      for (const Phase& phase : deployed.program.phases) {
        lives_.step_names.push_back(prefix(deployed, layer, "/") + phase.name);
      }
      add_tensors(run, *groups, touched);
      add_scratch(run);
      for (const auto& [chip, bytes] : sites) add_sites(run, chip, bytes);
      lives_.runs.push_back(run);
    }
    return std::nullopt;
  }

  static std::optional<Error> find_lost_view(const DeployedProgram& deployed,
                                             const TensorGroups& groups) {
    const auto& tensors = deployed.program.tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const Tensor& root = tensors[groups[TensorId(i)].root.index()];
      const bool lasts = tensors[i].kind != TensorKind::Intermediate;
      if (!lasts || root.kind != TensorKind::Intermediate) continue;
      return Error{
          Error::Kind::Input, fmt::format("program {}", deployed.name),
          fmt::format("\"{}\" is a view of the intermediate \"{}\", whose bytes do not last",
                      tensors[i].name, root.name),
          "give it bytes of its own, or make the other one of its kind"};
    }
    return std::nullopt;
  }

  // "gdn[3]." of one of several layers, "gdn." of one of several programs; nothing where there is
  // but one run of one program.
  std::string prefix(const DeployedProgram& deployed, std::optional<std::uint64_t> layer,
                     std::string_view end) const {
    if (is_alone_) return "";
    if (!layer || deployed.layers == 1) return fmt::format("{}{}", deployed.name, end);
    return fmt::format("{}[{}]{}", deployed.name, *layer, end);
  }

  std::string unused_name(std::string name) {
    const std::string plain = name;
    std::size_t& tried = tried_[plain];  // what was taken stays taken
    while (!names_.insert(name).second) name = fmt::format("{}#{}", plain, ++tried);
    return name;
  }

  void keep_untouched(const DeployedProgram& deployed, const TensorGroups& groups,
                      const std::vector<std::optional<LiveRange>>& touched) {
    for (std::size_t i = 0; i < touched.size(); ++i) {
      const TensorId id(i);
      const Tensor& tensor = deployed.program.tensors[i];
      if (groups[id].root != id || tensor.bytes == Bytes(0) || touched[i]) continue;
      const StoredAs as = stored_as(deployed, id);
      if (as == StoredAs::State) continue;
      const KeptWhy why = as == StoredAs::Weight ? KeptWhy::Constant : KeptWhy::Unused;
      lives_.kept.push_back(
          {unused_name(prefix(deployed, std::nullopt, ".") + tensor.name), why, tensor.bytes});
    }
  }

  void add_tensors(const ProgramRun& run, const TensorGroups& groups,
                   const std::vector<std::optional<LiveRange>>& touched) {
    const DeployedProgram& deployed = deployment_.programs[run.program];
    const LiveRange whole = {run.first, run.first + deployed.program.phases.size()};
    for (std::size_t i = 0; i < touched.size(); ++i) {
      const TensorId id(i);
      const Tensor& tensor = deployed.program.tensors[i];
      const StoredAs as = stored_as(deployed, id);
      if (groups[id].root != id || tensor.bytes == Bytes(0)) continue;
      if (!touched[i] && as != StoredAs::State) continue;
      if (is_shared(as) && run.layer > 0) continue;
      LiveRange life = whole;
      if (as == StoredAs::Arena) {
        life = {run.first + touched[i]->lower, run.first + touched[i]->upper};
      }
      const auto layer = is_shared(as) ? std::nullopt : std::optional(run.layer);
      lives_.tensors.push_back({unused_name(prefix(deployed, layer, ".") + tensor.name),
                                run.program, run.layer, id, as, life});
    }
  }

  void add_scratch(const ProgramRun& run) {
    const DeployedProgram& deployed = deployment_.programs[run.program];
    for (Step phase = 0; phase < deployed.program.phases.size(); ++phase) {
      const Phase& it = deployed.program.phases[phase];
      if (it.scratch == Bytes(0)) continue;
      for (const ChipId chip : phase_chips(deployed.program, it)) {
        const Step step = run.first + phase;
        lives_.scratch.push_back(
            {unused_name(fmt::format("scratch of step {} on chip {}", step, chip.index())),
             run.program, phase, chip, it.scratch, step});
      }
    }
  }

  void add_sites(const ProgramRun& run, ChipId chip, Bytes bytes) {
    const DeployedProgram& deployed = deployment_.programs[run.program];
    const std::size_t phases = deployed.program.phases.size();
    if (bytes == Bytes(0) || phases == 0) return;
    lives_.sites.push_back(
        {unused_name(fmt::format("{}site buffers on chip {}", prefix(deployed, run.layer, "."),
                                 chip.index())),
         run.program,
         chip,
         bytes,
         {run.first, run.first + phases}});
  }

  const Deployment& deployment_;
  bool is_alone_ = false;
  std::unordered_set<std::string, SeededHash> names_;
  std::unordered_map<std::string, std::size_t, SeededHash> tried_;  // numbers, by plain name
  DeploymentLives lives_;
};

}  // namespace

bool outlives_step(StoredAs as) {
  return as != StoredAs::Arena && as != StoredAs::Table;
}

Result<DeploymentLives> deployment_lives(const Deployment& deployment) {
  return Writer(deployment).write();
}

}  // namespace berth
