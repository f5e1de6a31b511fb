#include "berth/certify/source_facts.h"

#include <algorithm>

namespace berth {
namespace {

Bytes whole_units(Bytes bytes, Alignment unit) {
  const std::uint64_t over = bytes.count() % unit.value();
  if (over == 0) return bytes;
  return checked_add(bytes, Bytes(unit.value() - over)).value_or(bytes);
}

void put_in_units(SourceFacts& source) {
  for (DeployedProgram& it : source.deployment.programs) {
    for (Tensor& tensor : it.program.tensors) {
      if (!tensor.view_of) tensor.bytes = whole_units(tensor.bytes, source.unit);
    }
    for (Phase& phase : it.program.phases) phase.scratch = whole_units(phase.scratch, source.unit);
  }
  if (!source.deployment.given) return;
  for (StateClass& it : source.deployment.given->classes) {
    it.bytes = whole_units(it.bytes, source.unit);
  }
}

// States of their own that no step leaves for the next.
std::vector<bool> tables_of(const DeployedProgram& deployed, const ProgramFacts& facts) {
  std::vector<bool> is_table(deployed.program.tensors.size(), false);
  if (!deployed.carried) return is_table;
  for (std::size_t i = 0; i < is_table.size(); ++i) {
    is_table[i] = deployed.program.tensors[i].kind == TensorKind::State && facts.root[i] == i;
  }
  for (const TensorId carried : *deployed.carried) is_table[carried.index()] = false;
  return is_table;
}

void find_carried(SourceFacts& source) {
  if (source.deployment.given) {
    source.carried = source.deployment.given->classes;
    for (const StateClass& it : source.declared.given->classes) {
      source.declared_bytes.emplace(std::tuple(it.program, it.tensor, it.chip), it.bytes);
    }
    return;
  }
  for (std::size_t p = 0; p < source.facts.size(); ++p) {
    const DeployedProgram& deployed = source.deployment.programs[p];
    for (std::size_t i = 0; i < deployed.program.tensors.size(); ++i) {
      const Tensor& it = deployed.program.tensors[i];
      const bool is_state = it.kind == TensorKind::State && source.facts[p].root[i] == i;
      if (!is_state || source.is_table[p][i]) continue;
      source.carried.push_back({deployed.name, it.name, it.chip, deployed.layers, it.bytes,
                                source.facts[p].moved[i], it.host});
      source.declared_bytes.emplace(std::tuple(deployed.name, it.name, it.chip),
                                    source.declared.programs[p].program.tensors[i].bytes);
    }
  }
}

}  // namespace

std::optional<std::size_t> SourceFacts::find(std::size_t program, std::string_view name) const {
  const auto found = by_name[program].find(name);
  if (found == by_name[program].end()) return std::nullopt;
  return found->second;
}

SourceFacts source_facts(const Deployment& declared, const Target& target, Alignment of_input) {
  SourceFacts source{.declared = declared,
                     .deployment = declared,
                     .target = target,
                     .unit = of_input,
                     .facts = {},
                     .is_table = {},
                     .by_name = {},
                     .carried = {},
                     .declared_bytes = {}};
  for (const Chip& chip : target.chips) source.unit = std::max(source.unit, chip.alignment);
  for (Chip& chip : source.target.chips) chip.alignment = source.unit;
  put_in_units(source);
  for (const DeployedProgram& it : source.deployment.programs) {
    ProgramFacts facts = facts_of(it.program, source.target);
    for (Bytes& bytes : facts.buffers) bytes = whole_units(bytes, source.unit);
    source.is_table.push_back(tables_of(it, facts));
    source.facts.push_back(std::move(facts));
  }
  // Of the input, whose names stay where they are.
  for (const DeployedProgram& it : declared.programs) {
    auto& names = source.by_name.emplace_back();
    for (std::size_t i = 0; i < it.program.tensors.size(); ++i) {
      names.emplace(it.program.tensors[i].name, i);
    }
  }
  find_carried(source);
  return source;
}

void find_owners(Choice& choice, const OwnerNames& known) {
  if (std::ranges::none_of(choice.items, &ChoiceItem::is_joined)) return;
  std::map<std::string, std::vector<std::size_t>> joined;
  for (std::size_t i = 0; i < known.size(); ++i) {
    joined[known[i].first + "." + known[i].second].push_back(i);
  }
  std::map<std::string, std::size_t> whole;  // items of that name which take no turns
  for (const ChoiceItem& it : choice.items) whole[it.tensor] += it.turns ? 0 : 1;
  for (ChoiceItem& it : choice.items) {
    const auto found = joined.find(it.tensor);
    if (!it.is_joined || found == joined.end() || found->second.size() != 1) continue;
    if (whole[it.tensor] > 1) continue;
    const auto& [program, tensor] = known[found->second[0]];
    it.program = program;
    it.tensor = tensor;
    it.is_joined = false;
  }
}

}  // namespace berth
