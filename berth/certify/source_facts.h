#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/certify/program_facts.h"
#include "berth/ir/deployment.h"
#include "berth/ir/prices.h"
#include "berth/ir/target.h"

namespace berth {

// What a residency is about, read off its input for the check alone. Sizes are in whole units, the
// larger of the input's alignment and of the chips'; `declared` has them as they were.
struct SourceFacts {
  const Deployment& declared;
  Deployment deployment;
  Target target;
  Alignment unit;
  std::vector<ProgramFacts> facts;                               // by program
  std::vector<std::vector<bool>> is_table;                       // by program, by TensorId
  std::vector<std::map<std::string_view, std::size_t>> by_name;  // by program: TensorIds
  std::vector<StateClass> carried;                               // or given
  std::map<std::tuple<std::string, std::string, ChipId>, Bytes> declared_bytes;  // of these

  const Program& program(std::size_t index) const { return deployment.programs[index].program; }
  std::optional<std::size_t> find(std::size_t program, std::string_view name) const;
  bool holds_tensors(std::size_t chip) const { return chip_holds_tensors(target, ChipId(chip)); }
};

// The deployment has no fault and its chips and sites are the target's.
SourceFacts source_facts(const Deployment& declared, const Target& target, Alignment of_input);

// Items of older files bear program and tensor joined by a point. Gives each the one of `known`
// that it can mean. An item that can mean none or several, or whose name another item bears too,
// stays.
using OwnerNames = std::vector<std::pair<std::string, std::string>>;
void find_owners(Choice& choice, const OwnerNames& known);

}  // namespace berth
