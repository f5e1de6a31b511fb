#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berth/base/id.h"
#include "berth/base/result.h"
#include "berth/base/seeded_hash.h"

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

// What a launch does with the bytes from a word's address on, whatever the iteration: of the first
// `reads` it may read any, and it writes each of the first `writes`. It touches no others through
// that word.
struct Extent {
  std::uint32_t launch = 0;  // as written
  std::uint32_t word = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;

  friend bool operator==(const Extent&, const Extent&) = default;
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

// What launches are put on. Those of one that is in order run one after another.
struct LaunchQueue {
  std::string name;  // for messages
  bool in_order = true;

  friend bool operator==(const LaunchQueue&, const LaunchQueue&) = default;
};

// What a schedule is made of. Its large parts are views, so that a file can be read in place.
struct LaunchTable {
  std::vector<std::string> phases;          // of launches, each once, in order of first appearance
  std::vector<std::string> names;           // the same; none where no launch has a name
  std::span<const std::uint32_t> phase_of;  // by launch: index in phases
  std::span<const std::uint32_t> name_of;   // by launch: index in names, if there are any
  std::span<const std::uint64_t> words;     // launch by launch
  std::span<const std::uint64_t> words_begin;  // of each launch there, and the end
  std::span<const Extent> extents;             // by launch, then word; none where nothing is said
  std::vector<Repeat> repeats;                 // by first launch
  std::vector<Submission> submissions;
  std::vector<LaunchQueue> queues;          // none: one, in order
  std::span<const std::uint32_t> queue_of;  // by launch: index in queues; none where all are on one
  std::vector<std::string> not_judged;      // what whoever made the table could not put in it
  std::shared_ptr<const void> owner;        // of what the spans view

  friend bool operator==(const LaunchTable& a, const LaunchTable& b);
};

// A table of launches, some of them in repeats, and the order in which stretches of it run.
//
// What `make` has checked stays true: every index is one of its table, phases and names are each
// there once, a repeat has an iteration and a launch, its deltas and frames name words of its body,
// a framed word has one frame as long as the repeat and no delta, an extent is of a word that is
// there and has no other, a queue is one that there is, submissions lie inside the table and cut no
// repeat, and fewer than 2^62 launches are executed.
class LaunchSchedule {
 public:
  // Refuses, with the field's path in the text form ("table[2].deltas[0].word") or the name of the
  // table's part as the place, what breaks the promises above. O(table log table).
  static Result<LaunchSchedule> make(LaunchTable table);

  // How many there are as written.
  std::size_t size() const { return table_.phase_of.size(); }
  // Phases of launches, each once, in order of first appearance.
  std::span<const std::string> phases() const { return table_.phases; }
  // Index in phases().
  std::uint32_t phase_of(LaunchId id) const { return table_.phase_of[id.index()]; }
  const std::string& phase(LaunchId id) const { return table_.phases[phase_of(id)]; }
  std::span<const std::uint64_t> words(LaunchId id) const {
    const std::uint64_t begin = table_.words_begin[id.index()];
    return table_.words.subspan(begin, table_.words_begin[id.index() + 1] - begin);
  }
  // Of launches [first, end), one after the other.
  std::span<const std::uint64_t> words(std::size_t first, std::size_t end) const {
    const std::uint64_t begin = table_.words_begin[first];
    return table_.words.subspan(begin, table_.words_begin[end] - begin);
  }
  // For messages; may be empty.
  std::string_view name(LaunchId id) const {
    if (table_.names.empty()) return {};
    return table_.names[table_.name_of[id.index()]];
  }
  // By first launch, disjoint.
  std::span<const Repeat> repeats() const { return table_.repeats; }
  // The repeat whose body holds the launch; null where none does.
  const Repeat* repeat_of(LaunchId id) const;
  std::span<const Submission> submissions() const { return table_.submissions; }
  // By launch, then word.
  std::span<const Extent> extents() const { return table_.extents; }
  // Of the words of a launch that have one, by word. O(log extents).
  std::span<const Extent> extents(LaunchId id) const;

  // None: one, in order.
  std::span<const LaunchQueue> queues() const { return table_.queues; }
  // Index in queues().
  std::uint32_t queue_of(LaunchId id) const {
    return table_.queue_of.empty() ? 0 : table_.queue_of[id.index()];
  }
  // What whoever made the table could not put in it, for people.
  std::span<const std::string> not_judged() const { return table_.not_judged; }

  std::uint64_t word_count() const { return table_.words.size(); }  // as written
  std::uint64_t executed() const { return executed_; }              // launches
  const LaunchTable& table() const { return table_; }

  friend bool operator==(const LaunchSchedule&, const LaunchSchedule&) = default;

 private:
  explicit LaunchSchedule(LaunchTable table) : table_(std::move(table)) {}
  std::optional<Error> find_fault();
  std::optional<Error> find_launch_fault() const;
  std::optional<Error> find_extent_fault() const;
  std::optional<Error> find_queue_fault() const;
  std::optional<Error> find_repeat_fault(const Repeat& repeat, std::uint64_t item) const;
  std::optional<Error> count_executed();

  LaunchTable table_;
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
  // Of a word of the last launch.
  void extent(std::uint32_t word, std::uint64_t reads, std::uint64_t writes);
  // The last launch is on this queue; otherwise it is on the first.
  void put_on(std::uint32_t queue) { queue_of_.back() = queue; }
  // The next queue.
  void queue(std::string name, bool in_order) { queues_.push_back({std::move(name), in_order}); }
  void not_judged(std::string what) { not_judged_.push_back(std::move(what)); }
  // The last `count` launches, none of them in a repeat, are the body of one.
  void repeat(std::uint64_t iterations, std::uint32_t count, std::vector<Delta> deltas = {},
              std::vector<Frame> frames = {});
  void submit(Submission submission) { submissions_.push_back(submission); }

  // Refuses what LaunchSchedule::make refuses.
  Result<LaunchSchedule> build() &&;

 private:
  // Strings by the order in which they first appear.
  struct Strings {
    std::uint32_t id(std::string_view text);

    std::vector<std::string> texts;
    std::unordered_map<std::string, std::uint32_t, SeededHash> ids;
  };

  Strings phases_;
  Strings names_;
  std::vector<std::uint32_t> phase_of_;
  std::vector<std::uint32_t> name_of_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> words_begin_ = {0};
  std::vector<Extent> extents_;
  std::vector<Repeat> repeats_;
  std::vector<Submission> submissions_;
  std::vector<LaunchQueue> queues_;
  std::vector<std::uint32_t> queue_of_;
  std::vector<std::string> not_judged_;
};

// The same without a word about what launches do with bytes.
LaunchSchedule without_extents(const LaunchSchedule& schedule);

}  // namespace berth
