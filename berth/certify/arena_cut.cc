#include "berth/certify/arena_cut.h"

#include <algorithm>
#include <utility>

namespace berth {

ArenaCut::ArenaCut(const PlaneTable& planes, const LaunchSchedule& schedule)
    : planes_(planes), schedule_(schedule) {
  std::size_t counts[kKinds] = {};
  counts[Submissions] = schedule.submissions().size();
  counts[Repeats] = schedule.repeats().size();
  counts[Launches] = schedule.size();
  counts[Phases] = planes.phases().size();
  counts[Windows] = planes.windows().size();
  counts[Globals] = planes.globals().size();
  for (const PhasePlanes& phase : planes.phases()) counts[Planes] += phase.planes.size();
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    words_begin_.push_back(counts[Words]);
    counts[Words] += schedule.words(LaunchId(i)).size();
    extents_begin_.push_back(counts[Extents]);
    counts[Extents] += schedule.extents(LaunchId(i)).size();
  }
  for (const Repeat& repeat : schedule.repeats()) {
    deltas_begin_.push_back(counts[Deltas]);
    frames_begin_.push_back(counts[Frames]);
    counts[Deltas] += repeat.deltas.size();
    counts[Frames] += repeat.frames.size();
    iterations_.push_back(repeat.iterations);
  }
  for (int kind = 0; kind < kKinds; ++kind) kept_[kind].assign(counts[kind], true);
}

PlaneTable ArenaCut::planes() const {
  std::vector<Window> windows;
  std::vector<NamedRange> globals;
  std::vector<PhasePlanes> phases;
  for (std::size_t i = 0; i < planes_.windows().size(); ++i) {
    if (keeps(Windows, i)) windows.push_back(planes_.windows()[i]);
  }
  for (std::size_t i = 0; i < planes_.globals().size(); ++i) {
    if (keeps(Globals, i)) globals.push_back(planes_.globals()[i]);
  }
  std::size_t part = 0;
  for (std::size_t i = 0; i < planes_.phases().size(); ++i) {
    PhasePlanes phase{planes_.phases()[i].phase, {}};
    for (const Plane& plane : planes_.phases()[i].planes) {
      if (keeps(Planes, part++)) phase.planes.push_back(plane);
    }
    if (keeps(Phases, i)) phases.push_back(std::move(phase));
  }
  return *PlaneTable::make(planes_.alignment(), std::move(windows), std::move(globals),
                           std::move(phases));
}

LaunchSchedule ArenaCut::schedule() const {
  LaunchScheduleBuilder builder;
  std::vector<std::uint64_t> before = {0};  // launches that are kept, by launch
  for (std::size_t i = 0; i < schedule_.size(); ++i) {
    before.push_back(before.back() + (keeps(Launches, i) ? 1 : 0));
  }
  std::size_t repeat = 0;
  for (std::size_t i = 0; i < schedule_.size(); ++i) {
    if (keeps(Launches, i)) add_launch(i, builder);
    if (repeat == schedule_.repeats().size() || schedule_.repeats()[repeat].end() != i + 1)
      continue;
    if (before[i + 1] > before[schedule_.repeats()[repeat].first]) add_repeat(repeat, builder);
    ++repeat;
  }
  for (std::size_t i = 0; i < schedule_.submissions().size(); ++i) {
    const auto [first, count] = schedule_.submissions()[i];
    if (keeps(Submissions, i))
      builder.submit({before[first], before[first + count] - before[first]});
  }
  return *std::move(builder).build();
}

void ArenaCut::add_launch(std::size_t launch, LaunchScheduleBuilder& builder) const {
  const LaunchId id(launch);
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < schedule_.words(id).size(); ++i) {
    if (keeps(Words, words_begin_[launch] + i)) words.push_back(schedule_.words(id)[i]);
  }
  builder.launch(schedule_.phase(id), words, schedule_.name(id));
  const auto extents = schedule_.extents(id);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::size_t word = words_begin_[launch] + extents[i].word;
    if (!keeps(Extents, extents_begin_[launch] + i) || !keeps(Words, word)) continue;
    builder.extent(count_kept(Words, words_begin_[launch], word), extents[i].reads,
                   extents[i].writes);
  }
}

void ArenaCut::add_repeat(std::size_t index, LaunchScheduleBuilder& builder) const {
  if (!keeps(Repeats, index)) return;
  const Repeat& repeat = schedule_.repeats()[index];
  auto deltas = kept_moves(Deltas, deltas_begin_[index], repeat, repeat.deltas);
  auto frames = kept_moves(Frames, frames_begin_[index], repeat, repeat.frames);
  for (Frame& frame : frames) frame.values.resize(iterations_[index]);
  const auto first = kept_[Launches].begin() + repeat.first;
  const auto count = std::count(first, first + repeat.count, true);
  builder.repeat(iterations_[index], static_cast<std::uint32_t>(count), std::move(deltas),
                 std::move(frames));
}

std::uint32_t ArenaCut::count_kept(Kind kind, std::size_t begin, std::size_t end) const {
  const auto first = kept_[kind].begin();
  return static_cast<std::uint32_t>(std::count(first + static_cast<std::ptrdiff_t>(begin),
                                               first + static_cast<std::ptrdiff_t>(end), true));
}

// With positions among what is kept.
template <typename Moved>
std::vector<Moved> ArenaCut::kept_moves(Kind kind, std::size_t part, const Repeat& repeat,
                                        const std::vector<Moved>& moves) const {
  std::vector<Moved> kept;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const std::size_t launch = repeat.first + moves[i].launch;
    const std::size_t word = words_begin_[launch] + moves[i].word;
    if (!keeps(kind, part + i) || !keeps(Launches, launch) || !keeps(Words, word)) continue;
    kept.push_back(moves[i]);
    kept.back().launch = count_kept(Launches, repeat.first, launch);
    kept.back().word = count_kept(Words, words_begin_[launch], word);
  }
  return kept;
}

}  // namespace berth
