#include "berth/certify/residency_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "berth/base/text.h"

namespace berth {
namespace {

// What must have a place on one chip, and for which phases. No tensor: a phase's scratch.
struct Part {
  std::optional<std::size_t> tensor;
  LiveRange life;
  Bytes bytes;
  Bytes saves;  // in one run, by staying
  bool may_leave = false;
  std::optional<LiveRange> stretch = std::nullopt;
};

struct Placed {
  LiveRange life;
  Bytes begin;
  Bytes end;
};

class Layouts {
 public:
  Layouts(const ResidencyClaim& claim, const SourceFacts& source)
      : claim_(claim), source_(source) {}

  std::vector<std::string> find() {
    for (index_ = 0; index_ < claim_.programs.size(); ++index_) {
      if (told().layout) judge_program();
    }
    return std::move(faults_);
  }

 private:
  const ProgramClaim& told() const { return claim_.programs[index_]; }
  const Program& program() const { return source_.program(index_); }
  const ProgramFacts& facts() const { return source_.facts[index_]; }

  template <typename... Arguments>
  void fault(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    faults_.push_back(fmt::format("program {}: ", printable(told().name)) +
                      fmt::format(text, std::forward<Arguments>(arguments)...));
  }

  void judge_program() {
    std::set<std::uint64_t> seen;
    Bytes forced;
    for (const LayoutClaim& it : *told().layout) {
      if (!seen.insert(it.chip).second) fault("chip {} has two layouts", it.chip);
      if (const auto moved = judge_layout(it)) forced += *moved;
    }
    for (std::size_t chip = 0; chip < claim_.chips.size(); ++chip) {
      if (seen.contains(chip) || parts_on(chip).empty()) continue;
      fault("what stays on chip {} has no layout", chip);
    }
    const Bytes placed = told().traffic + forced;
    if (told().traffic_placed.value_or(told().traffic) == placed) return;
    fault("with what its layouts force out it moves {} bytes a run, not {}", placed.count(),
          told().traffic_placed.value_or(told().traffic).count());
  }

  std::vector<Part> parts_on(std::size_t chip) const {
    std::set<std::string_view> gone;
    for (const SpillClaim& it : told().spilled) gone.insert(it.tensor);
    for (const PartlyClaim& it : told().partly) gone.insert(it.tensor);
    const std::set<std::string_view> tables(told().tables.begin(), told().tables.end());
    std::vector<Part> parts;
    for (std::size_t i = 0; i < program().tensors.size(); ++i) {
      const Tensor& it = program().tensors[i];
      if (it.chip.index() != chip || it.bytes == Bytes(0) || !facts().life[i]) continue;
      const bool is_table = source_.is_table[index_][i];
      const bool stays =
          is_table ? tables.contains(it.name)
                   : (facts().may_leave[i] || facts().must_stay[i]) && !gone.contains(it.name);
      const LiveRange life = is_table ? LiveRange{0, program().phases.size()} : *facts().life[i];
      if (stays) {
        parts.push_back({i, life, it.bytes, facts().moved[i], facts().may_leave[i]});
      }
    }
    for (const PartlyClaim& it : told().partly) {
      const std::size_t i = *source_.find(index_, it.tensor);
      const Tensor& tensor = program().tensors[i];
      if (tensor.chip.index() != chip) continue;
      for (const LiveRange range : it.stretches) {
        const auto saved = saved_in(facts().uses[i], tensor.bytes, range);
        parts.push_back({i, range, tensor.bytes, saved.value_or(Bytes(0)), true, range});
      }
    }
    for (Step phase = 0; phase < program().phases.size(); ++phase) {
      const Bytes scratch = facts().scratch[chip][phase];
      if (scratch > Bytes(0)) parts.push_back({{}, {phase, phase + 1}, scratch, Bytes(0)});
    }
    return parts;
  }

  // What it forces out moves this; nothing where the layout is wrong.
  std::optional<Bytes> judge_layout(const LayoutClaim& it) {
    const std::size_t before = faults_.size();
    judge_figures(it);
    std::multiset<std::string_view> forced(it.forced_out.begin(), it.forced_out.end());
    auto places = places_of(it);
    std::map<Step, Bytes> scratch;
    for (const ScratchClaim& one : it.scratch) {
      if (!scratch.emplace(one.phase, one.offset).second) fault("scratch of a phase stands twice");
    }
    std::vector<Placed> placed;
    Bytes moved;
    for (const Part& part : parts_on(it.chip)) {
      std::optional<Bytes> offset;
      if (part.tensor) {
        const auto found = places.find({*part.tensor, part.stretch ? part.stretch->lower : 0});
        const bool is_there = found != places.end() && found->second.stretch == part.stretch;
        if (is_there) offset = found->second.offset;
        if (is_there) places.erase(found);
      } else if (const auto found = scratch.find(part.life.lower); found != scratch.end()) {
        offset = found->second;
        scratch.erase(found);
      }
      if (offset) {
        put(part, *offset, it, placed);
        continue;
      }
      const auto left =
          part.tensor ? forced.find(program().tensors[*part.tensor].name) : forced.end();
      if (left == forced.end() || !part.may_leave) {
        fault("{} has no place on chip {}", name_of(part), it.chip);
        continue;
      }
      forced.erase(left);
      moved += part.saves;
    }
    for (const auto& [key, place] : places) {
      fault("{} has a place on chip {}, where it does not stay", printable(place.tensor), it.chip);
    }
    if (!forced.empty() || !scratch.empty()) {
      fault("the layout of chip {} speaks of what does not stay there", it.chip);
    }
    judge_bytes(it, placed);
    return faults_.size() == before ? std::optional(moved) : std::nullopt;
  }

  std::string name_of(const Part& part) const {
    if (part.tensor) return printable(program().tensors[*part.tensor].name);
    return fmt::format("the scratch of phase {}", part.life.lower);
  }

  void judge_figures(const LayoutClaim& it) {
    const ChipResidency& chip = claim_.chips[it.chip];
    const Bytes buffers = facts().buffers[it.chip];
    Bytes room = chip.sram < buffers ? Bytes(0) : chip.sram - buffers;
    room = room < chip.states ? Bytes(0) : room - chip.states;
    std::vector<Bytes> more(program().phases.size() + 1);
    std::vector<Bytes> fewer(more.size());
    for (const Part& part : parts_on(it.chip)) {
      more[part.life.lower] += part.bytes;
      fewer[part.life.upper] += part.bytes;
    }
    Bytes live;
    Bytes most;
    for (std::size_t phase = 0; phase < more.size(); ++phase) {
      live -= fewer[phase];
      live += more[phase];
      most = std::max(most, live);
    }
    if (it.room != room || it.max_load != most) {
      fault("chip {} leaves {} bytes, and {} live there at once, not {} and {}", it.chip,
            room.count(), most.count(), it.room.count(), it.max_load.count());
    }
    if (claim_.feasible && it.arena > room) {
      fault("the layout of chip {} takes {} bytes of {}", it.chip, it.arena.count(), room.count());
    }
  }

  // By tensor, and where its stretch begins.
  std::map<std::pair<std::size_t, Step>, PlaceClaim> places_of(const LayoutClaim& it) {
    std::map<std::pair<std::size_t, Step>, PlaceClaim> places;
    for (const PlaceClaim& place : it.places) {
      const auto tensor = source_.find(index_, place.tensor);
      const Step from = place.stretch ? place.stretch->lower : 0;
      if (!tensor || !places.emplace(std::pair(*tensor, from), place).second) {
        fault("{} has a place on chip {}, and is no tensor or has two", printable(place.tensor),
              it.chip);
        continue;
      }
      const Bytes declared = source_.declared.programs[index_].program.tensors[*tensor].bytes;
      if (place.bytes.value_or(declared) != declared) {
        fault("{} takes {} bytes, not {}", printable(place.tensor), declared.count(),
              place.bytes->count());
      }
    }
    return places;
  }

  void put(const Part& part, Bytes offset, const LayoutClaim& it, std::vector<Placed>& placed) {
    const auto end = checked_add(offset, part.bytes);
    if (!end || *end > it.arena || offset.count() % source_.unit.value() != 0) {
      fault("{} stands at byte {} of chip {}, past the layout's {} bytes or in no whole unit",
            name_of(part), offset.count(), it.chip, it.arena.count());
      return;
    }
    placed.push_back({part.life, offset, *end});
  }

  // No two that live at one phase share a byte, and the last byte is the arena's.
  void judge_bytes(const LayoutClaim& it, std::vector<Placed> placed) {
    Bytes end;
    for (const Placed& one : placed) end = std::max(end, one.end);
    if (end != it.arena) {
      fault("the layout of chip {} takes {} bytes, not {}", it.chip, end.count(), it.arena.count());
    }
    std::ranges::sort(placed, {}, [](const Placed& one) { return one.life.lower; });
    std::set<std::pair<Step, std::size_t>> ends;
    std::map<Bytes, std::size_t> live;  // by first byte
    for (std::size_t i = 0; i < placed.size(); ++i) {
      const Placed& one = placed[i];
      for (; !ends.empty() && ends.begin()->first <= one.life.lower; ends.erase(ends.begin())) {
        live.erase(placed[ends.begin()->second].begin);
      }
      const auto after = live.lower_bound(one.begin);
      const bool meets_after = after != live.end() && placed[after->second].begin < one.end;
      const bool meets_before =
          after != live.begin() && placed[std::prev(after)->second].end > one.begin;
      if (meets_after || meets_before) {
        fault("two that live at phase {} share bytes from {} on, on chip {}", one.life.lower,
              one.begin.count(), it.chip);
        return;
      }
      live.emplace(one.begin, i);
      ends.emplace(one.life.upper, i);
    }
  }

  const ResidencyClaim& claim_;
  const SourceFacts& source_;
  std::size_t index_ = 0;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> compare_layouts(const ResidencyClaim& claim, const SourceFacts& source) {
  return Layouts(claim, source).find();
}

}  // namespace berth
