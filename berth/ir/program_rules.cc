#include "berth/ir/program_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/ir/tensor_size.h"

namespace berth {
namespace {

// In decimal, for 64 bits do not hold it.
std::string exact_tiled_bytes(const TileLayout& layout) {
  std::vector<std::uint64_t> factors = {layout.tile_bytes.count()};
  for (std::size_t i = 0; i < layout.dims.size(); ++i) {
    factors.push_back((layout.dims[i] - 1) / layout.tile[i] + 1);
  }
  const auto bytes = tensor_bytes(factors, 8);
  return bytes ? std::to_string(bytes->count()) : bytes.error();
}

using Table = ProgramFault::Table;
using Fault = std::optional<ProgramFault>;

constexpr std::string_view kTooLarge = "sums past 2^64 cannot be planned";

Fault fault_in(Table table, std::size_t index, std::string field, std::string message,
               std::string hint = {}) {
  return ProgramFault{table, index, 0, std::move(field), std::move(message), std::move(hint)};
}

class Rules {
 public:
  explicit Rules(const Program& program) : program_(program) {}

  Fault first() {
    for (const auto rule :
         {&Rules::names, &Rules::layouts, &Rules::views, &Rules::host, &Rules::loops, &Rules::reads,
          &Rules::parts, &Rules::sums, &Rules::moves}) {
      if (Fault fault = (this->*rule)()) return fault;
    }
    return std::nullopt;
  }

 private:
  const std::vector<Tensor>& tensors() const { return program_.tensors; }

  Fault names() {
    std::map<std::string_view, std::size_t> bearers;
    for (std::size_t i = 0; i < tensors().size(); ++i) {
      const auto [first, is_new] = bearers.emplace(tensors()[i].name, i);
      if (is_new) continue;
      return fault_in(Table::Tensors, i, "name",
                      fmt::format("\"{}\" is already the name of tensors[{}]", tensors()[i].name,
                                  first->second),
                      "give each tensor a name of its own");
    }
    return std::nullopt;
  }

  Fault layouts() {
    for (std::size_t i = 0; i < tensors().size(); ++i) {
      const auto& layout = tensors()[i].layout;
      if (!layout) continue;
      if (layout->dims.size() != layout->tile.size()) {
        return fault_in(
            Table::Tensors, i, "tile",
            fmt::format("has {} entries, dims has {}", layout->tile.size(), layout->dims.size()));
      }
      if (std::ranges::find(layout->tile, 0U) != layout->tile.end()) {
        return fault_in(Table::Tensors, i, "tile", "holds a 0, expected at least 1 for each dim");
      }
      const auto bytes = tiled_bytes(*layout);
      if (!bytes) {
        return fault_in(Table::Tensors, i, "dims",
                        fmt::format("whole tiles of \"{}\" take {} bytes, more than 64 bits hold",
                                    tensors()[i].name, exact_tiled_bytes(*layout)));
      }
      if (*bytes != tensors()[i].bytes) {
        return fault_in(Table::Tensors, i, "dims",
                        fmt::format("whole tiles of \"{}\" take {} bytes, not {}",
                                    tensors()[i].name, bytes->count(), tensors()[i].bytes.count()));
      }
    }
    return std::nullopt;
  }

  Fault views() {
    for (std::size_t i = 0; i < tensors().size(); ++i) {
      const Tensor& view = tensors()[i];
      if (!view.view_of) continue;
      const Tensor& base = tensors()[view.view_of->of.index()];
      const auto end = checked_add(view.view_of->offset, view.bytes);
      if (!end || *end > base.bytes) {
        return fault_in(Table::Tensors, i, "view_of",
                        fmt::format("the {} bytes of \"{}\" from byte {} on end at {}, past the {} "
                                    "of \"{}\"",
                                    view.bytes.count(), view.name, view.view_of->offset.count(),
                                    end ? std::to_string(end->count()) : "more than 2^64",
                                    base.bytes.count(), base.name));
      }
      if (view.chip != base.chip) {
        return fault_in(Table::Tensors, i, "chip",
                        fmt::format("found {}, but \"{}\", of which it is bytes, is on chip {}",
                                    view.chip.index(), base.name, base.chip.index()));
      }
    }
    return view_circle();
  }

  // Each tensor is left behind once its chain is known to end.
  Fault view_circle() {
    std::vector<bool> ends(tensors().size(), false);
    roots_.resize(tensors().size());
    for (std::size_t i = 0; i < tensors().size(); ++i) {
      std::vector<std::size_t> chain;
      std::size_t at = i;
      while (!ends[at]) {
        chain.push_back(at);
        if (!tensors()[at].view_of) break;
        at = tensors()[at].view_of->of.index();
        if (chain.size() > tensors().size()) {
          return fault_in(Table::Tensors, i, "view_of", "views go round in a circle");
        }
      }
      const std::size_t root = ends[at] ? roots_[at] : at;
      for (const std::size_t link : chain) {
        ends[link] = true;
        roots_[link] = root;
      }
    }
    return std::nullopt;
  }

  Fault host() {
    for (std::size_t i = 0; i < tensors().size(); ++i) {
      const Tensor& tensor = tensors()[i];
      if (!tensor.host || (!tensor.pinned && tensor.tier != Tier::Sram)) continue;
      return fault_in(Table::Tensors, i, "host",
                      "what the host reads is never in SRAM, but it is pinned there or declared to "
                      "live there");
    }
    return std::nullopt;
  }

  Fault loops() {
    for (std::size_t i = 0; i < program_.loops.size(); ++i) {
      const LiveRange& phases = program_.loops[i].phases;
      if (!phases.empty() && phases.upper <= program_.phases.size()) continue;
      return fault_in(Table::Loops, i, "last",
                      fmt::format("the loop holds phases {} to {} of {}, expected some that exist",
                                  phases.lower, phases.upper - 1, program_.phases.size()));
    }
    return crossing_loops();
  }

  // In order of first phase, the longest first: a loop must end within the last one still open.
  Fault crossing_loops() {
    std::vector<std::size_t> order(program_.loops.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto range = [&](std::size_t i) { return program_.loops[i].phases; };
    std::ranges::sort(order, {}, [&](std::size_t i) {
      return std::tuple(range(i).lower, UINT64_MAX - range(i).upper, i);
    });
    std::vector<std::size_t> open;
    for (const std::size_t i : order) {
      while (!open.empty() && !range(open.back()).overlaps(range(i))) open.pop_back();
      if (!open.empty() && !range(open.back()).covers(range(i))) {
        return fault_in(Table::Loops, i, "",
                        fmt::format("it crosses loops[{}]: of two loops that meet, one must hold "
                                    "the other",
                                    open.back()));
      }
      open.push_back(i);
    }
    const auto spans = phase_spans(program_);
    if (!spans) return fault_in(Table::Loops, 0, "bound", "a phase runs more than 2^64 times");
    for (const PhaseSpan& span : *spans) spans_.push_back(span);
    return std::nullopt;
  }

  // Where an access runs, for what may come before what: its phase, and the outermost loop of the
  // phase around it.
  struct Place {
    Step phase = 0;
    std::optional<std::size_t> loop;
  };

  static std::vector<std::size_t> outermost_loops(const Phase& phase) {
    std::vector<std::size_t> outermost;
    for (std::size_t i = 0; i < phase.loops.size(); ++i) {
      const auto inside = phase.loops[i].inside;
      outermost.push_back(inside ? outermost[*inside] : i);
    }
    return outermost;
  }

  bool share_a_loop(const Place& read, const Place& write) const {
    if (read.phase == write.phase && read.loop && read.loop == write.loop) return true;
    const auto is_in_loop = [&](Step phase) {
      return std::ranges::any_of(program_.loops, [&](const PhaseLoop& loop) {
        return loop.phases.contains(phase) && loop.phases.lower == spans_[phase].span.lower;
      });
    };
    return spans_[read.phase].span == spans_[write.phase].span && is_in_loop(read.phase);
  }

  Fault reads() {
    struct Early {
      std::size_t access = 0;
      Place place;
    };
    std::vector<bool> written(tensors().size(), false);
    std::vector<std::optional<Early>> early(tensors().size());
    for (Step step = 0; step < program_.phases.size(); ++step) {
      const Phase& phase = program_.phases[step];
      const auto outermost = outermost_loops(phase);
      for (std::size_t i = 0; i < phase.accesses.size(); ++i) {
        const TensorAccess& access = phase.accesses[i];
        const std::size_t tensor = roots_[access.tensor.index()];
        if (tensors()[tensor].kind != TensorKind::Intermediate || written[tensor]) continue;
        Place place{step, std::nullopt};
        if (access.loop) place.loop = outermost[*access.loop];
        if (access.kind == TensorAccess::Kind::Read) {
          if (!early[tensor]) early[tensor] = Early{i, place};
          continue;
        }
        written[tensor] = true;
        if (!early[tensor] || share_a_loop(early[tensor]->place, place)) early[tensor].reset();
      }
    }
    for (std::size_t i = 0; i < early.size(); ++i) {
      if (!early[i]) continue;
      return ProgramFault{Table::Accesses,
                          early[i]->place.phase,
                          early[i]->access,
                          "read",
                          fmt::format("reads intermediate \"{}\" {}", tensors()[i].name,
                                      written[i] ? "before it is written" : "that nothing writes"),
                          "write it first, or put both into one loop"};
    }
    return std::nullopt;
  }

  // What is copied to its place in a whole is all of it, and inside.
  Fault parts() {
    for (Step step = 0; step < program_.phases.size(); ++step) {
      const Phase& phase = program_.phases[step];
      for (std::size_t i = 0; i < phase.accesses.size(); ++i) {
        if (!phase.accesses[i].part_of) continue;
        const std::string fault = part_fault(phase, phase.accesses[i]);
        if (fault.empty()) continue;
        return ProgramFault{Table::Accesses,
                            step,
                            i,
                            "part_of",
                            fault,
                            "name a tensor that this phase writes, in which all these bytes lie"};
      }
    }
    return std::nullopt;
  }

  std::string part_fault(const Phase& phase, const TensorAccess& access) const {
    const Tensor& part = tensors()[access.tensor.index()];
    const Tensor& whole = tensors()[access.part_of->of.index()];
    const auto end = checked_add(access.part_of->offset, part.bytes);
    if (access.part_of->of == access.tensor) return "is the tensor itself";
    if (part.chip != whole.chip) return fmt::format("\"{}\" is on another chip", whole.name);
    if (!end || *end > whole.bytes) {
      return fmt::format("{} bytes from byte {} on end past the {} of \"{}\"", part.bytes.count(),
                         access.part_of->offset.count(), whole.bytes.count(), whole.name);
    }
    if (access.bytes < part.bytes) {
      return fmt::format("only {} of {} bytes are read", access.bytes.count(), part.bytes.count());
    }
    const bool is_written = std::ranges::any_of(phase.accesses, [&](const TensorAccess& other) {
      return other.kind == TensorAccess::Kind::Write && other.tensor == access.part_of->of;
    });
    return is_written ? "" : fmt::format("the phase does not write \"{}\"", whole.name);
  }

  static bool add(Bytes& sum, std::optional<Bytes> more) {
    const auto total = more ? checked_add(sum, *more) : std::nullopt;
    if (total) sum = *total;
    return total.has_value();
  }

  Fault sums() {
    Bytes sum;
    for (std::size_t i = 0; i < tensors().size(); ++i) {
      if (tensors()[i].view_of || add(sum, tensors()[i].bytes)) continue;
      return fault_in(Table::Tensors, i, "bytes", std::string(kTooLarge));
    }
    for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
      const SiteBuffer& buffer = program_.buffers[i];
      if (!add(sum, checked_add(Bytes(buffer.offset.value()), buffer.bytes))) {
        return fault_in(Table::Buffers, i, "bytes", std::string(kTooLarge));
      }
    }
    for (std::size_t i = 0; i < program_.phases.size(); ++i) {
      if (!add(sum, program_.phases[i].scratch)) {
        return fault_in(Table::Phases, i, "scratch", std::string(kTooLarge));
      }
    }
    return std::nullopt;
  }

  Fault moves() {
    Bytes sum;
    for (Step step = 0; step < program_.phases.size(); ++step) {
      const Phase& phase = program_.phases[step];
      const auto times = loop_times(phase);
      if (!times) {
        return fault_in(Table::Phases, step, "body", "a loop's body runs more than 2^64 times");
      }
      for (std::size_t i = 0; i < phase.accesses.size(); ++i) {
        const TensorAccess& access = phase.accesses[i];
        auto moved = checked_multiply(access.bytes, access.loop ? (*times)[*access.loop] : 1);
        if (moved) moved = checked_multiply(*moved, spans_[step].times);
        if (add(sum, moved)) continue;
        return ProgramFault{Table::Accesses, step, i, "bytes", std::string(kTooLarge), ""};
      }
    }
    return std::nullopt;
  }

  const Program& program_;
  std::vector<std::size_t> roots_;  // by tensor, once views are known to end
  std::vector<PhaseSpan> spans_;    // once the loops are known to nest
};

}  // namespace

std::string path_of(const ProgramFault& fault) {
  constexpr std::string_view names[] = {"tensors", "buffers", "phases", "loops", "phases"};
  std::string path = fmt::format("{}[{}]", names[static_cast<int>(fault.table)], fault.index);
  if (fault.table == Table::Accesses) path += fmt::format(".accesses[{}]", fault.access);
  return fault.field.empty() ? path : path + "." + fault.field;
}

std::optional<ProgramFault> find_program_fault(const Program& program) {
  return Rules(program).first();
}

}  // namespace berth
