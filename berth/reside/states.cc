#include "berth/reside/states.h"

#include <algorithm>
#include <tuple>

namespace berth {
namespace {

__extension__ using Wide = unsigned __int128;

auto name_of(const StateClass& state) {
  return std::tie(state.program, state.tensor, state.chip);
}

}  // namespace

bool ranks_before(const StateClass& a, const StateClass& b) {
  const bool a_is_empty = a.bytes == Bytes(0);
  const bool b_is_empty = b.bytes == Bytes(0);
  if (a_is_empty != b_is_empty) return a_is_empty;
  if (a_is_empty) return name_of(a) < name_of(b);
  const Wide a_moves = Wide(a.moved.count()) * b.bytes.count();
  const Wide b_moves = Wide(b.moved.count()) * a.bytes.count();
  if (a_moves != b_moves) return a_moves > b_moves;
  if (a.held() != b.held()) return a.held() < b.held();
  return name_of(a) < name_of(b);
}

std::vector<ClassResidency> plan_states(std::span<const StateClass> classes,
                                        std::span<const ChipRoom> rooms) {
  std::vector<ClassResidency> placed;
  for (const StateClass& state : classes) placed.push_back({state});
  std::ranges::stable_sort(placed, ranks_before, &ClassResidency::state);
  std::vector<Bytes> left;
  for (const ChipRoom& room : rooms) {
    left.push_back(room.sram < room.reserve ? Bytes(0) : room.sram - room.reserve);
  }
  for (ClassResidency& it : placed) {
    const std::size_t chip = it.state.chip.index();
    if (!rooms[chip].holds_tensors || it.state.host || it.state.held() > left[chip]) continue;
    it.tier = Tier::Sram;
    left[chip] -= it.state.held();
  }
  return placed;
}

void plan_off_chip(const Target& target, std::vector<ClassResidency>& classes) {
  std::vector<Bytes> hbm_left;
  for (const Chip& chip : target.chips) hbm_left.push_back(chip.hbm);
  for (ClassResidency& it : classes) {
    if (it.tier == Tier::Sram) continue;
    const std::size_t chip = it.state.chip.index();
    const Bytes bytes = *checked_multiply(it.state.bytes, it.state.instances - it.split);
    const bool has_hbm = target.chips[chip].hbm > Bytes(0);
    it.tier = has_hbm && bytes <= hbm_left[chip] ? Tier::Hbm : Tier::Dram;
    if (it.tier == Tier::Hbm) hbm_left[chip] -= bytes;
  }
}

}  // namespace berth
