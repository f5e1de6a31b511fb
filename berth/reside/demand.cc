#include "berth/reside/demand.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "berth/ir/phase_chips.h"
#include "berth/ir/program_rules.h"
#include "berth/ir/site_footprint.h"

namespace berth {
namespace {

using Fault = std::optional<Error>;

Fault find_fault(const Program& program) {
  const auto fault = find_program_fault(program);
  if (!fault) return std::nullopt;
  return Error{Error::Kind::Input, fmt::format("program {}: {}", program.name, path_of(*fault)),
               fault->message, fault->hint};
}

Error missing(const Program& program, std::string path, std::string message) {
  return {Error::Kind::Input, fmt::format("program {}: {}", program.name, path), std::move(message),
          "give the target that the program was made for"};
}

Fault find_missing_place(const Program& program, const Target& target) {
  const std::size_t chips = target.chips.size();
  for (std::size_t i = 0; i < program.tensors.size(); ++i) {
    const ChipId chip = program.tensors[i].chip;
    if (chip.index() < chips) continue;
    return missing(program, fmt::format("tensors[{}].chip", i),
                   fmt::format("found chip {}, the target has {}", chip.index(), chips));
  }
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const SiteBuffer& buffer = program.buffers[i];
    if (buffer.chip.index() >= chips) {
      return missing(program, fmt::format("buffers[{}].chip", i),
                     fmt::format("found chip {}, the target has {}", buffer.chip.index(), chips));
    }
    const std::uint64_t sites = target.chips[buffer.chip.index()].site_count();
    if (buffer.site < sites) continue;
    return missing(
        program, fmt::format("buffers[{}].site", i),
        fmt::format("found site {}, chip {} has {}", buffer.site, buffer.chip.index(), sites));
  }
  return std::nullopt;
}

// A view's root: the end of its chain, which is known to have one.
std::vector<TensorId> roots_of(const Program& program) {
  std::vector<std::optional<TensorId>> known(program.tensors.size());
  for (std::size_t i = 0; i < known.size(); ++i) {
    std::vector<std::size_t> chain;
    std::size_t at = i;
    while (!known[at]) {
      chain.push_back(at);
      const auto& view = program.tensors[at].view_of;
      if (!view) {
        known[at] = TensorId(at);
        break;
      }
      at = view->of.index();
    }
    for (const std::size_t link : chain) known[link] = known[at];
  }
  std::vector<TensorId> roots;
  for (const auto& root : known) roots.push_back(*root);
  return roots;
}

void extend(std::optional<LiveRange>& life, LiveRange more) {
  if (!life) {
    life = more;
    return;
  }
  life->lower = std::min(life->lower, more.lower);
  life->upper = std::max(life->upper, more.upper);
}

// Calls `visit(access, step, moved, span)` for each access; the program has no fault.
template <typename Visit>
void each_access(const Program& program, const Visit& visit) {
  const auto spans = phase_spans(program).value();
  for (Step step = 0; step < program.phases.size(); ++step) {
    const auto times = loop_times(program.phases[step]).value();
    for (const TensorAccess& access : program.phases[step].accesses) {
      const std::uint64_t inner = access.loop ? times[*access.loop] : 1;
      const Bytes moved =
          *checked_multiply(*checked_multiply(access.bytes, inner), spans[step].times);
      visit(access, step, moved, spans[step].span);
    }
  }
}

std::vector<std::vector<Demand::Scratch>> scratch_of(const Program& program, std::size_t chips) {
  std::vector<std::vector<Demand::Scratch>> scratch(chips);
  for (Step step = 0; step < program.phases.size(); ++step) {
    const Phase& phase = program.phases[step];
    if (phase.scratch == Bytes(0)) continue;
    for (const ChipId chip : phase_chips(program, phase)) {
      scratch[chip.index()].push_back({step, phase.scratch});
    }
  }
  return scratch;
}

}  // namespace

std::optional<Bytes> tensor_bytes(const Tensor& tensor) {
  return tensor.layout ? tiled_bytes(*tensor.layout) : tensor.bytes;
}

Result<std::vector<Bytes>> moved_bytes(const Program& program) {
  if (Fault fault = find_fault(program)) return tl::unexpected(*std::move(fault));
  std::vector<Bytes> moved(program.tensors.size());
  each_access(program, [&](const TensorAccess& access, Step, Bytes bytes, LiveRange) {
    moved[access.tensor.index()] += bytes;
  });
  return moved;
}

std::vector<Bytes> buffer_footprint(const Program& program, std::size_t chips) {
  std::vector<Bytes> footprint(chips);
  for (const auto& [chip, bytes] : site_footprint(program)) footprint[chip.index()] = bytes;
  return footprint;
}

bool holds_tensors_on_chip(const Target& target, ChipId chip) {
  return target.any_site_reaches_any || target.chips[chip.index()].site_count() == 1;
}

bool holds_tensors_on_chip(const Target& target) {
  for (std::size_t i = 0; i < target.chips.size(); ++i) {
    if (holds_tensors_on_chip(target, ChipId(i))) return true;
  }
  return false;
}

Result<Demand> program_demand(const Program& program, const Target& target) {
  if (Fault fault = find_fault(program)) return tl::unexpected(*std::move(fault));
  if (Fault fault = find_missing_place(program, target)) return tl::unexpected(*std::move(fault));
  Demand demand;
  for (const TensorId root : roots_of(program)) demand.tensors.push_back({root, {}, {}});
  each_access(program, [&](const TensorAccess& access, Step, Bytes moved, LiveRange span) {
    Demand::Tensor& root = demand.tensors[demand[access.tensor].root.index()];
    root.moved += moved;
    extend(root.life, span);
  });
  demand.buffers = buffer_footprint(program, target.chips.size());
  for (std::size_t chip = 0; chip < demand.buffers.size(); ++chip) {
    Bytes& bytes = demand.buffers[chip];
    bytes = checked_round_up(bytes, target.chips[chip].alignment).value_or(bytes);
  }
  demand.scratch = scratch_of(program, target.chips.size());
  return demand;
}

std::vector<std::vector<TensorUse>> tensor_uses(const Program& program, const Demand& demand) {
  const auto is_all = [&](const TensorAccess& access) {
    const Tensor& tensor = program.tensors[access.tensor.index()];
    return access.kind == TensorAccess::Kind::Write && !tensor.view_of &&
           access.bytes >= tensor.bytes;
  };
  std::vector<std::vector<TensorUse>> uses(program.tensors.size());
  each_access(program, [&](const TensorAccess& access, Step, Bytes moved, LiveRange span) {
    auto& of_root = uses[demand[access.tensor].root.index()];
    if (of_root.empty() || of_root.back().phases != span) {
      of_root.push_back({span, {}, false, is_all(access)});
    }
    of_root.back().moved += moved;
    if (access.kind == TensorAccess::Kind::Write) of_root.back().writes = true;
  });
  return uses;
}

}  // namespace berth
