#include "berth/ir/program.h"

#include <algorithm>

namespace berth {
namespace {

bool multiply(std::uint64_t& product, std::uint64_t factor) {
  return !__builtin_mul_overflow(product, factor, &product);
}

}  // namespace

std::optional<Bytes> packed_bytes(const std::vector<std::uint64_t>& dims, unsigned bits) {
  __extension__ using Wide = unsigned __int128;
  // A dim of 0 makes none, however many the others would.
  if (std::ranges::find(dims, 0U) != dims.end()) return Bytes(0);
  Wide elements = 1;
  for (const std::uint64_t dim : dims) {
    elements *= dim;
    if (elements > Wide(UINT64_MAX) * 8) return std::nullopt;
  }
  const Wide bytes = (elements * bits + 7) / 8;
  if (bytes > UINT64_MAX) return std::nullopt;
  return Bytes(static_cast<std::uint64_t>(bytes));
}

std::optional<Bytes> tiled_bytes(const TileLayout& layout) {
  // A dim of 0 makes no tiles, however many the others would.
  if (std::ranges::find(layout.dims, 0U) != layout.dims.end()) return Bytes(0);
  if (layout.packed_bits > 0) return packed_bytes(layout.dims, layout.packed_bits);
  std::uint64_t bytes = layout.tile_bytes.count();
  for (std::size_t i = 0; i < layout.dims.size(); ++i) {
    const std::uint64_t tiles = (layout.dims[i] - 1) / layout.tile[i] + 1;
    if (!multiply(bytes, tiles)) return std::nullopt;
  }
  return Bytes(bytes);
}

std::optional<std::vector<std::uint64_t>> loop_times(const Phase& phase) {
  std::vector<std::uint64_t> times;
  times.reserve(phase.loops.size());
  for (const InnerLoop& loop : phase.loops) {
    std::uint64_t product = loop.bound;
    if (loop.inside && !multiply(product, times[*loop.inside])) return std::nullopt;
    times.push_back(product);
  }
  return times;
}

// Sorted by first phase, the longest first, each loop stands behind those that hold it; a stack
// keeps the ones still open.
std::optional<std::vector<PhaseSpan>> phase_spans(const Program& program) {
  std::vector<PhaseLoop> loops = program.loops;
  std::ranges::stable_sort(loops, [](const PhaseLoop& a, const PhaseLoop& b) {
    return a.phases.lower != b.phases.lower ? a.phases.lower < b.phases.lower
                                            : a.phases.upper > b.phases.upper;
  });
  struct Open {
    Step end;
    PhaseSpan span;
  };
  std::vector<Open> open;
  std::vector<PhaseSpan> spans;
  spans.reserve(program.phases.size());
  auto next = loops.begin();
  for (Step phase = 0; phase < program.phases.size(); ++phase) {
    while (!open.empty() && open.back().end <= phase) open.pop_back();
    for (; next != loops.end() && next->phases.lower == phase; ++next) {
      PhaseSpan span = open.empty() ? PhaseSpan{next->phases, 1} : open.back().span;
      if (!multiply(span.times, next->bound)) return std::nullopt;
      open.push_back({next->phases.upper, span});
    }
    spans.push_back(open.empty() ? PhaseSpan{{phase, phase + 1}, 1} : open.back().span);
  }
  return spans;
}

}  // namespace berth
