#include "berth/pipeline/peak_kinds.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "berth/render/occupancy.h"

namespace berth {
namespace {

enum Kind : std::size_t { Inputs, Outputs, Intermediates, Persistent, Scratch };

constexpr std::array<std::string_view, 5> kNames = {"inputs", "outputs", "intermediates",
                                                    "persistent", "scratch"};

Kind kind_of(TensorKind kind) {
  switch (kind) {
    case TensorKind::Input:
      return Inputs;
    case TensorKind::Output:
      return Outputs;
    case TensorKind::Intermediate:
      return Intermediates;
    case TensorKind::Weight:
    case TensorKind::State:
      return Persistent;
  }
  return Intermediates;
}

// Rows of a plan begin with the members of its question; scratch comes after them.
Kind kind_of_row(const ModelForm& form, std::size_t row) {
  if (row >= form.members.size()) return Scratch;
  return kind_of(form.program.tensors[form.members[row].tensor.index()].kind);
}

// In the step in which it takes over, the bytes are still its donor's.
bool is_counted(const PlannedBuffer& buffer, Step step) {
  return !buffer.reuses || step > buffer.life.lower;
}

std::string text_of(const std::array<Bytes, kNames.size()>& sums) {
  std::string text;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", kNames[i], sums[i].count());
  }
  return text;
}

}  // namespace

std::vector<std::string> peaks_by_kind(const Question& question, const Plan& plan) {
  const auto* form = std::get_if<ModelForm>(&question.form);
  if (form == nullptr || plan.target) return {};
  std::vector<std::string> lines;
  const auto by_arena = occupancy_of(plan);
  for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
    const Step step = plan.arenas[i].figures.peak_step;
    std::array<Bytes, kNames.size()> sums{};
    for (const Tile& tile : live_at(plan, by_arena[i], step)) {
      if (!is_counted(plan.buffers[tile.buffer], step)) continue;
      sums[kind_of_row(*form, tile.buffer)] += tile.load;
    }
    lines.push_back(text_of(sums));
  }
  return lines;
}

}  // namespace berth
