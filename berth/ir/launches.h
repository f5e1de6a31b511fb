#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "berth/base/id.h"
#include "berth/base/result.h"

namespace berth {

using LaunchId = Id<struct LaunchTag>;  // as written: a repeat's body counts once

// At iteration t of its repeat, `step` times t is added to the word, modulo 2^64 as a device would.
// Several on one word add up.
struct Delta {
  std::uint32_t launch = 0;  // position in the body
  std::uint32_t word = 0;
  std::int64_t step = 0;

  friend bool operator==(const Delta&, const Delta&) = default;
};

// At iteration t of its repeat the word is values[t].
struct Frame {
  std::uint32_t launch = 0;  // position in the body
  std::uint32_t word = 0;
  std::vector<std::uint64_t> values;

  friend bool operator==(const Frame&, const Frame&) = default;
};

// Launches [first, first + count) of the table, run in order `iterations` times.
struct Repeat {
  std::uint64_t iterations = 1;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::vector<Delta> deltas;  // by launch, then word
  std::vector<Frame> frames;  // by launch, then word

  std::uint64_t end() const { return std::uint64_t{first} + count; }
  friend bool operator==(const Repeat&, const Repeat&) = default;
};

// Runs launches [first, first + count) of the table, repeats among them whole.
struct Submission {
  std::uint64_t first = 0;
  std::uint64_t count = 0;

  friend bool operator==(const Submission&, const Submission&) = default;
};

// A table of launches, some of them in repeats, and the order in which stretches of it run.
//
// What LaunchScheduleBuilder::build has checked stays true: a repeat has an iteration and a launch,
// its deltas and frames name words of its body, a framed word has one frame as long as the repeat
// and no delta, submissions lie inside the table and cut no repeat, and fewer than 2^62 launches
// are executed.
class LaunchSchedule {
 public:
  // How many there are as written.
  std::size_t size() const { return phase_of_.size(); }
  // Phases of launches, each once, in order of first appearance.
  std::span<const std::string> phases() const { return phases_; }
  // Index in phases().
  std::uint32_t phase_of(LaunchId id) const { return phase_of_[id.index()]; }
  const std::string& phase(LaunchId id) const { return phases_[phase_of(id)]; }
  std::span<const std::uint64_t> words(LaunchId id) const {
    const std::uint64_t begin = words_begin_[id.index()];
    return std::span(words_).subspan(begin, words_begin_[id.index() + 1] - begin);
  }
  // For messages; may be empty.
  std::string_view name(LaunchId id) const {
    return names_.empty() ? std::string_view() : names_[id.index()];
  }
  // By first launch, disjoint.
  std::span<const Repeat> repeats() const { return repeats_; }
  // The repeat whose body holds the launch; null where none does.
  const Repeat* repeat_of(LaunchId id) const;
  std::span<const Submission> submissions() const { return submissions_; }

  std::uint64_t word_count() const { return words_.size(); }  // as written
  std::uint64_t executed() const { return executed_; }        // launches

  friend bool operator==(const LaunchSchedule&, const LaunchSchedule&) = default;

 private:
  friend class LaunchScheduleBuilder;
  LaunchSchedule() = default;

  std::vector<std::string> phases_;
  std::vector<std::uint32_t> phase_of_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> words_begin_ = {0};  // of each launch, and the end
  std::vector<std::string> names_;                // none, or one a launch
  std::vector<Repeat> repeats_;
  std::vector<Submission> submissions_;
  std::uint64_t executed_ = 0;
};

// Takes a table item by item, in order:
//
//   builder.launch("layer", words);
//   builder.repeat(12, 1, deltas, frames);  // of the launch before it
//   builder.submit({0, 1});
class LaunchScheduleBuilder {
 public:
  void launch(std::string_view phase, std::span<const std::uint64_t> words,
              std::string_view name = {});
  // The last `count` launches, none of them in a repeat, are the body of one.
  void repeat(std::uint64_t iterations, std::uint32_t count, std::vector<Delta> deltas = {},
              std::vector<Frame> frames = {});
  void submit(Submission submission) { schedule_.submissions_.push_back(submission); }

  // Refuses, with the field's path in the file ("table[2].deltas[0].word") as the place, what
  // breaks the promises of a schedule. O(table log table).
  Result<LaunchSchedule> build() &&;

 private:
  std::optional<Error> find_repeat_fault(std::size_t index) const;
  std::optional<Error> count_executed();

  LaunchSchedule schedule_;
  std::unordered_map<std::string, std::uint32_t> phase_ids_;  // looked up, never iterated
  std::vector<std::uint64_t> repeat_items_;                   // where each stands in the table
  std::uint64_t items_ = 0;
};

}  // namespace berth
