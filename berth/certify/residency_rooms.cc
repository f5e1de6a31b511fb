#include "berth/certify/residency_rooms.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "berth/base/text.h"

namespace berth {
namespace {

__extension__ using Wide = unsigned __int128;

// What lives below the SRAM of one chip: for ever, in flash if need be, and program by program.
struct Below {
  Wide lasting = 0;
  Wide weights = 0;
  Wide turns = 0;  // the most of one program at once
  std::string first;
};

// Whether the tensor is in SRAM for all of its life.
bool is_inside(const SourceFacts& source, std::size_t program, std::size_t tensor,
               const std::set<std::string_view>& gone, const std::set<std::string_view>& tables) {
  const std::string_view name = source.program(program).tensors[tensor].name;
  if (source.is_table[program][tensor]) return tables.contains(name);
  const ProgramFacts& facts = source.facts[program];
  return (facts.may_leave[tensor] || facts.must_stay[tensor]) && !gone.contains(name);
}

void add_program(const ResidencyClaim& claim, const SourceFacts& source, std::size_t p,
                 std::size_t chip, Below& below) {
  const DeployedProgram& deployed = source.deployment.programs[p];
  const ProgramFacts& facts = source.facts[p];
  std::set<std::string_view> gone;
  for (const SpillClaim& it : claim.programs[p].spilled) gone.insert(it.tensor);
  for (const PartlyClaim& it : claim.programs[p].partly) gone.insert(it.tensor);
  const std::set<std::string_view> tables(claim.programs[p].tables.begin(),
                                          claim.programs[p].tables.end());
  std::vector<Wide> more(deployed.program.phases.size() + 1);
  std::vector<Wide> fewer(more.size());
  for (std::size_t i = 0; i < deployed.program.tensors.size(); ++i) {
    const Tensor& it = deployed.program.tensors[i];
    const bool is_here =
        it.chip.index() == chip && facts.root[i] == i && facts.life[i] && it.bytes > Bytes(0);
    const bool is_carried = it.kind == TensorKind::State && !source.is_table[p][i];
    if (!is_here || is_carried || is_inside(source, p, i, gone, tables)) continue;
    if (below.first.empty()) below.first = fmt::format("{}.{}", deployed.name, it.name);
    if (it.kind == TensorKind::Weight) {
      below.weights += Wide(it.bytes.count()) * deployed.layers;
    } else if (it.kind == TensorKind::Intermediate || source.is_table[p][i]) {
      const bool is_table = source.is_table[p][i];
      more[is_table ? 0 : facts.life[i]->lower] += it.bytes.count();
      fewer[is_table ? more.size() - 1 : facts.life[i]->upper] += it.bytes.count();
    } else {
      below.lasting += it.bytes.count();
    }
  }
  Wide live = 0;
  for (std::size_t phase = 0; phase < more.size(); ++phase) {
    live += more[phase] - fewer[phase];
    below.turns = std::max(below.turns, live);
  }
}

}  // namespace

std::vector<std::string> compare_rooms(const ResidencyClaim& claim, const SourceFacts& source) {
  std::vector<std::string> faults;
  if (!claim.feasible) return faults;
  for (std::size_t chip = 0; chip < source.target.chips.size(); ++chip) {
    const Chip& it = source.target.chips[chip];
    if (!it.dram) continue;  // not limited
    Below below;
    for (const ClassResidency& state : claim.classes) {
      const std::uint64_t out = state.state.instances - state.on_chip();
      if (state.state.chip.index() != chip || out == 0 || state.state.bytes == Bytes(0)) continue;
      below.lasting += Wide(state.state.bytes.count()) * out;
      if (below.first.empty()) {
        below.first = fmt::format("{}.{}", state.state.program, state.state.tensor);
      }
    }
    for (std::size_t p = 0; p < source.facts.size(); ++p) {
      if (source.deployment.programs[p].layers > 0) add_program(claim, source, p, chip, below);
    }
    const Wide in_flash = std::min(below.weights, Wide(it.flash.count()));
    const Wide needed = below.lasting + (below.weights - in_flash) + below.turns;
    const Wide has = Wide(it.hbm.count()) + it.dram->count();
    if (needed <= has) continue;
    faults.push_back(fmt::format(
        "chip {}: {} and what else lives below its SRAM take more than its memories "
        "have ({} bytes), and it says that the plan can be",
        chip, printable(below.first), static_cast<std::uint64_t>(std::min<Wide>(has, UINT64_MAX))));
  }
  return faults;
}

}  // namespace berth
