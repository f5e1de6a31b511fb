#include "berth/pipeline/residency_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::size_t kNamed = 8;

std::string named(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kNamed);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + printable(names[i]);
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

}  // namespace

std::vector<std::string> residency_notes(const Deployment& deployment, const Residency& plan) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    const ProgramResidency& it = plan.programs[i];
    const auto& tensors = deployment.programs[i].program.tensors;
    std::vector<std::string> idle;
    for (std::size_t id = 0; id < tensors.size(); ++id) {
      const bool is_state = tensors[id].kind == TensorKind::State && !tensors[id].view_of;
      if (is_state && !it.lives[id]) idle.push_back(tensors[id].name);
    }
    if (!idle.empty()) {
      notes.push_back(fmt::format("program {}: no phase touches its states {}", printable(it.name),
                                  named(idle)));
    }
    std::vector<std::string> pinned;
    for (const Unplaced& apart : it.apart) {
      if (apart.pinned) pinned.push_back(tensors[apart.tensor.index()].name);
    }
    if (!pinned.empty()) {
      notes.push_back(fmt::format(
          "program {}: {} cannot stay in SRAM though pinned: its chip holds no tensors between "
          "sections (any_site_reaches_any), or the host reads it",
          printable(it.name), named(pinned)));
    }
  }
  return notes;
}

}  // namespace berth
