#pragma once

#include <cstdint>
#include <vector>

#include "berth/ir/launches.h"
#include "berth/ir/planes.h"

namespace berth {

// Planes and launches of which parts are left out.
class ArenaCut {
 public:
  enum Kind {
    Submissions,
    Repeats,
    Launches,
    Phases,
    Windows,
    Globals,
    Planes,
    Words,
    Deltas,
    Frames,
    Extents
  };
  static constexpr int kKinds = Extents + 1;

  ArenaCut(const PlaneTable& planes, const LaunchSchedule& schedule);

  // Parts of a kind are numbered as they stand, through all phases, launches and repeats.
  std::size_t count(Kind kind) const { return kept_[kind].size(); }
  void keep(Kind kind, std::size_t part, bool kept) { kept_[kind][part] = kept; }
  // Of a repeat; at most as many as it has.
  std::uint64_t& iterations(std::size_t repeat) { return iterations_[repeat]; }

  // What is kept, of what is kept: a launch that is left out takes its words with it, a word what
  // moves it. A repeat that is left out leaves its body, to be run once.
  PlaneTable planes() const;
  LaunchSchedule schedule() const;

 private:
  bool keeps(Kind kind, std::size_t part) const { return kept_[kind][part]; }
  std::uint32_t count_kept(Kind kind, std::size_t begin, std::size_t end) const;
  void add_launch(std::size_t launch, LaunchScheduleBuilder& builder) const;
  void add_repeat(std::size_t repeat, LaunchScheduleBuilder& builder) const;
  template <typename Moved>
  std::vector<Moved> kept_moves(Kind kind, std::size_t part, const Repeat& repeat,
                                const std::vector<Moved>& moves) const;

  const PlaneTable& planes_;
  const LaunchSchedule& schedule_;
  std::vector<bool> kept_[kKinds];
  std::vector<std::uint64_t> iterations_;   // by repeat
  std::vector<std::size_t> words_begin_;    // by launch
  std::vector<std::size_t> extents_begin_;  // by launch
  std::vector<std::size_t> deltas_begin_;   // by repeat
  std::vector<std::size_t> frames_begin_;   // by repeat
};

}  // namespace berth
