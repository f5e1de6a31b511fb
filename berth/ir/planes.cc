#include "berth/ir/planes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace berth {
namespace {

std::optional<Error> find_window_fault(std::span<const Window> windows) {
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto where = fmt::format("windows[{}].bytes", i);
    const auto& [address, bytes] = windows[i];
    if (bytes == Bytes(0)) {
      return Error{Error::Kind::Input, where, "found 0, expected at least 1",
                   "an empty window would hold no word against the plan; leave it out"};
    }
    if (addresses(address, bytes).upper > kAddressEnd) {
      return Error{Error::Kind::Input, where,
                   fmt::format("{:#x} and {} bytes end past 2^64", address.value(), bytes.count()),
                   "a window is a stretch of addresses"};
    }
  }
  return std::nullopt;
}

// The first phase, by place, whose name stands before it already. `by_name` is in order of name,
// then place.
std::optional<Error> find_double_phase(std::span<const PhasePlanes> phases,
                                       std::span<const PhaseId> by_name) {
  std::optional<std::pair<PhaseId, PhaseId>> twice;  // the later, the earlier
  for (std::size_t i = 1; i < by_name.size(); ++i) {
    const std::pair found(by_name[i], by_name[i - 1]);
    if (phases[found.first.index()].phase != phases[found.second.index()].phase) continue;
    twice = twice ? std::min(*twice, found) : found;
  }
  if (!twice) return std::nullopt;
  const auto& [later, earlier] = *twice;
  return Error{Error::Kind::Input, fmt::format("phases[{}].phase", later.index()),
               fmt::format("phase '{}' is declared by phases[{}] already",
                           phases[later.index()].phase, earlier.index()),
               "declare all planes of a phase in one place"};
}

}  // namespace

Result<PlaneTable> PlaneTable::make(std::uint64_t alignment, std::vector<Window> windows,
                                    std::vector<NamedRange> globals,
                                    std::vector<PhasePlanes> phases) {
  if (alignment == 0) return input_error("alignment", "found 0, expected at least 1");
  if (phases.size() > UINT32_MAX) return input_error("phases", "more than 4294967295 phases");
  if (auto fault = find_window_fault(windows)) return tl::unexpected(*std::move(fault));
  PlaneTable table;
  for (std::size_t i = 0; i < phases.size(); ++i) table.by_name_.emplace_back(i);
  std::ranges::stable_sort(table.by_name_, {}, [&](PhaseId id) -> const std::string& {
    return phases[id.index()].phase;
  });
  if (auto fault = find_double_phase(phases, table.by_name_)) {
    return tl::unexpected(*std::move(fault));
  }
  table.alignment_ = alignment;
  table.windows_ = std::move(windows);
  table.globals_ = std::move(globals);
  table.phases_ = std::move(phases);
  return table;
}

std::optional<PhaseId> PlaneTable::find(std::string_view phase) const {
  const auto name_of = [&](PhaseId id) -> std::string_view { return (*this)[id].phase; };
  const auto found = std::ranges::lower_bound(by_name_, phase, {}, name_of);
  if (found == by_name_.end() || name_of(*found) != phase) return std::nullopt;
  return *found;
}

}  // namespace berth
