#include "berth/certify/program_facts.h"

#include <algorithm>
#include <map>
#include <set>

namespace berth {
namespace {

std::vector<std::size_t> roots_of(const Program& program) {
  constexpr std::size_t kUnknown = SIZE_MAX;
  std::vector<std::size_t> roots(program.tensors.size(), kUnknown);
  for (std::size_t i = 0; i < roots.size(); ++i) {
    std::vector<std::size_t> way;
    std::size_t at = i;
    for (; roots[at] == kUnknown && program.tensors[at].view_of;
         at = program.tensors[at].view_of->of.index()) {
      way.push_back(at);
    }
    if (roots[at] == kUnknown) roots[at] = at;
    for (const std::size_t view : way) roots[view] = roots[at];
  }
  return roots;
}

bool writes_all(const Program& program, const TensorAccess& access) {
  const Tensor& tensor = program.tensors[access.tensor.index()];
  if (access.kind != TensorAccess::Kind::Write || tensor.view_of) return false;
  return access.bytes >= tensor.bytes;
}

void read_accesses(const Program& program, ProgramFacts& facts) {
  const auto spans = *phase_spans(program);
  for (Step step = 0; step < program.phases.size(); ++step) {
    const Phase& phase = program.phases[step];
    const auto times = *loop_times(phase);
    for (const TensorAccess& access : phase.accesses) {
      const std::size_t root = facts.root[access.tensor.index()];
      const std::uint64_t runs = (access.loop ? times[*access.loop] : 1) * spans[step].times;
      const Bytes moved = *checked_multiply(access.bytes, runs);
      facts.moved[root] += moved;
      auto& life = facts.life[root];
      const LiveRange span = spans[step].span;
      life = life ? LiveRange{std::min(life->lower, span.lower), std::max(life->upper, span.upper)}
                  : span;
      auto& uses = facts.uses[root];
      if (uses.empty() || uses.back().phases.upper <= span.lower) {
        uses.push_back({span, {}, false, writes_all(program, access)});
      }
      uses.back().moved += moved;
      uses.back().writes |= access.kind == TensorAccess::Kind::Write;
    }
  }
}

void read_site_maps(const Program& program, ProgramFacts& facts) {
  std::map<std::pair<std::size_t, std::uint64_t>, std::uint64_t> ends;
  for (const SiteBuffer& buffer : program.buffers) {
    std::uint64_t& end = ends[{buffer.chip.index(), buffer.site}];
    end = std::max(end, buffer.offset.value() + buffer.bytes.count());
  }
  for (const auto& [site, end] : ends) facts.buffers[site.first] += Bytes(end);
  facts.raw_buffers = facts.buffers;
}

void read_scratch(const Program& program, ProgramFacts& facts) {
  for (Step step = 0; step < program.phases.size(); ++step) {
    std::set<std::size_t> chips;
    for (const TensorAccess& access : program.phases[step].accesses) {
      chips.insert(program.tensors[access.tensor.index()].chip.index());
    }
    if (chips.empty()) chips.insert(0);
    for (const std::size_t chip : chips) facts.scratch[chip][step] += program.phases[step].scratch;
  }
}

}  // namespace

bool chip_holds_tensors(const Target& target, ChipId chip) {
  return target.any_site_reaches_any || target.chips[chip.index()].site_count() == 1;
}

std::optional<Bytes> saved_in(const std::vector<ProgramFacts::Use>& uses, Bytes bytes,
                              LiveRange phases) {
  using Use = ProgramFacts::Use;
  const auto first =
      std::ranges::find(uses, phases.lower, [](const Use& use) { return use.phases.lower; });
  const auto last =
      std::ranges::find(uses, phases.upper, [](const Use& use) { return use.phases.upper; });
  if (first == uses.end() || last == uses.end() || last < first) return std::nullopt;
  Bytes moved;
  bool is_written = false;
  for (auto use = first; use != last + 1; ++use) {
    moved += use->moved;
    is_written |= use->writes;
  }
  const bool comes_back = first != uses.begin() && !first->begins_anew;
  const bool leaves = last + 1 != uses.end() && !(last + 1)->begins_anew;
  for (const bool moves_whole : {comes_back, leaves && is_written}) {
    if (!moves_whole) continue;
    if (moved <= bytes) return std::nullopt;
    moved -= bytes;
  }
  return moved;
}

ProgramFacts facts_of(const Program& program, const Target& target) {
  const std::size_t tensors = program.tensors.size();
  ProgramFacts facts{.moved = std::vector<Bytes>(tensors),
                     .life = std::vector<std::optional<LiveRange>>(tensors),
                     .uses = std::vector<std::vector<ProgramFacts::Use>>(tensors),
                     .buffers = std::vector<Bytes>(target.chips.size()),
                     .scratch = {target.chips.size(), std::vector<Bytes>(program.phases.size())},
                     .may_leave = std::vector<bool>(tensors, false),
                     .must_stay = std::vector<bool>(tensors, false)};
  facts.root = roots_of(program);
  read_accesses(program, facts);
  read_site_maps(program, facts);
  read_scratch(program, facts);
  for (std::size_t i = 0; i < tensors; ++i) {
    const Tensor& tensor = program.tensors[i];
    const bool is_placed = tensor.kind == TensorKind::Intermediate && facts.root[i] == i &&
                           facts.life[i] && !tensor.host;
    const bool holds = chip_holds_tensors(target, tensor.chip);
    const bool is_declared = tensor.tier == Tier::Sram;
    facts.must_stay[i] = is_placed && (is_declared || (tensor.pinned && holds));
    facts.may_leave[i] = is_placed && holds && !is_declared && !tensor.pinned;
  }
  for (std::size_t i = 0; i < tensors; ++i) {
    facts.moved[i] = facts.moved[facts.root[i]];
    facts.life[i] = facts.life[facts.root[i]];
  }
  return facts;
}

}  // namespace berth
