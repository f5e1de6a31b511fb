#include "berth/ir/launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

namespace berth {
namespace {

constexpr std::uint64_t kMostExecuted = std::uint64_t{1} << 62;  // keeps every verdict in 64 bits

Error fault(std::string where, std::string message, std::string hint = {}) {
  return {Error::Kind::Input, std::move(where), std::move(message), std::move(hint)};
}

std::string position(const auto& moved) {
  return fmt::format("word {} of launch {} of the body", moved.word, moved.launch);
}

bool names_same_word(const auto& a, const auto& b) {
  return a.launch == b.launch && a.word == b.word;
}

const auto kByWord = [](const auto& a, const auto& b) {
  return std::tie(a.launch, a.word) < std::tie(b.launch, b.word);
};

// How many launches a stretch of the table runs. A product has at most 96 bits, so no sum of them
// wraps.
class Executions {
 public:
  __extension__ using Wide = unsigned __int128;

  explicit Executions(std::span<const Repeat> repeats) : repeats_(repeats) {
    for (const Repeat& repeat : repeats) {
      more_.push_back(more_.back() + Wide(repeat.iterations - 1) * repeat.count);
    }
  }
  Wide of(Submission range) const {
    return range.count + more_before(range.first + range.count) - more_before(range.first);
  }

 private:
  // What the repeats that begin before a launch add to the launches as written.
  Wide more_before(std::uint64_t launch) const {
    const auto after = std::ranges::lower_bound(repeats_, launch, {}, &Repeat::first);
    return more_[static_cast<std::size_t>(after - repeats_.begin())];
  }

  std::span<const Repeat> repeats_;
  std::vector<Wide> more_ = {0};
};

// The indices of launches into a table of texts: each inside it, each text once, in the order in
// which they first appear.
std::optional<Error> find_text_fault(std::span<const std::uint32_t> indices,
                                     std::span<const std::string> texts, const std::string& name) {
  std::uint64_t known = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < known) continue;
    if (indices[i] > known || known == texts.size()) {
      return fault(fmt::format("{} of launch {}", name, i),
                   fmt::format("found {}, expected at most the next one, {}, of {}", indices[i],
                               known, texts.size()));
    }
    ++known;
  }
  if (known < texts.size()) {
    return fault(name + " texts",
                 fmt::format("{} of {} belong to no launch", texts.size() - known, texts.size()));
  }
  std::vector<std::string_view> sorted(texts.begin(), texts.end());
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice == sorted.end()) return std::nullopt;
  return fault(name + " texts", fmt::format("'{}' stands twice", *twice));
}

}  // namespace

bool operator==(const LaunchTable& a, const LaunchTable& b) {
  return a.phases == b.phases && a.names == b.names && std::ranges::equal(a.phase_of, b.phase_of) &&
         std::ranges::equal(a.name_of, b.name_of) && std::ranges::equal(a.words, b.words) &&
         std::ranges::equal(a.words_begin, b.words_begin) &&
         std::ranges::equal(a.extents, b.extents) && a.repeats == b.repeats &&
         a.submissions == b.submissions && a.queues == b.queues &&
         std::ranges::equal(a.queue_of, b.queue_of) && a.not_judged == b.not_judged;
}

const Repeat* LaunchSchedule::repeat_of(LaunchId id) const {
  const auto after = std::ranges::upper_bound(table_.repeats, id.index(), {}, &Repeat::first);
  if (after == table_.repeats.begin() || std::prev(after)->end() <= id.index()) return nullptr;
  return &*std::prev(after);
}

Result<LaunchSchedule> LaunchSchedule::make(LaunchTable table) {
  LaunchSchedule schedule(std::move(table));
  if (auto found = schedule.find_fault()) return tl::unexpected(*std::move(found));
  // Launches that are all nameless have no names.
  if (schedule.table_.names == std::vector<std::string>{""}) {
    schedule.table_.names.clear();
    schedule.table_.name_of = {};
  }
  // Launches that are all on the first queue need not say so.
  const auto is_first = [](std::uint32_t queue) { return queue == 0; };
  if (std::ranges::all_of(schedule.table_.queue_of, is_first)) schedule.table_.queue_of = {};
  for (Repeat& repeat : schedule.table_.repeats) {
    std::ranges::stable_sort(repeat.deltas, kByWord);
    std::ranges::sort(repeat.frames, kByWord);
  }
  return schedule;
}

std::optional<Error> LaunchSchedule::find_fault() {
  if (size() > UINT32_MAX) return fault("table", "more than 4294967295 launches");
  if (auto found = find_launch_fault()) return found;
  if (auto found = find_extent_fault()) return found;
  if (auto found = find_queue_fault()) return found;
  std::uint64_t free_from = 0;  // launches
  std::uint64_t items = 0;      // of the table, before them
  for (std::size_t i = 0; i < table_.repeats.size(); ++i) {
    const Repeat& repeat = table_.repeats[i];
    if (repeat.first < free_from || repeat.end() > size()) {
      return fault(fmt::format("repeats[{}]", i),
                   fmt::format("holds launches {} to {}, expected some of {} to {}", repeat.first,
                               repeat.end(), free_from, size()));
    }
    items += repeat.first - free_from;
    if (auto found = find_repeat_fault(repeat, items)) return found;
    ++items;
    free_from = repeat.end();
  }
  return count_executed();
}

std::optional<Error> LaunchSchedule::find_launch_fault() const {
  const auto begin = table_.words_begin;
  if (begin.size() != size() + 1 || begin.front() != 0 || begin.back() != table_.words.size()) {
    return fault("words_begin", "does not cut the words into those of each launch");
  }
  const auto back = std::ranges::adjacent_find(begin, std::greater());
  if (back != begin.end()) {
    return fault(fmt::format("words_begin of launch {}", std::distance(begin.begin(), back)),
                 fmt::format("found {}, and {} after it", *back, *std::next(back)));
  }
  if (auto found = find_text_fault(table_.phase_of, table_.phases, "phase")) return found;
  if (!table_.name_of.empty() && table_.name_of.size() != size()) {
    return fault("name", "some launches have none, and some have one");
  }
  return find_text_fault(table_.name_of, table_.names, "name");
}

std::optional<Error> LaunchSchedule::find_extent_fault() const {
  for (std::size_t i = 0; i < table_.extents.size(); ++i) {
    const Extent& extent = table_.extents[i];
    const auto at = [&] {
      return fmt::format("extent of word {} of launch {}", extent.word, extent.launch);
    };
    if (extent.launch >= size()) return fault(at(), fmt::format("there are {} launches", size()));
    const auto words = this->words(LaunchId(extent.launch)).size();
    if (extent.word >= words) return fault(at(), fmt::format("the launch has {} words", words));
    if (i == 0 || kByWord(table_.extents[i - 1], extent)) continue;
    return fault(at(), names_same_word(table_.extents[i - 1], extent)
                           ? "stands twice"
                           : "stands behind that of a later word");
  }
  return std::nullopt;
}

std::optional<Error> LaunchSchedule::find_queue_fault() const {
  const auto& queues = table_.queue_of;
  if (!queues.empty() && queues.size() != size()) {
    return fault("queue_of", fmt::format("names the queues of {} launches, expected {}",
                                         queues.size(), size()));
  }
  const std::size_t count = std::max<std::size_t>(table_.queues.size(), 1);
  const auto past = std::ranges::find_if(queues, [&](std::uint32_t q) { return q >= count; });
  if (past == queues.end()) return std::nullopt;
  return fault(fmt::format("queue of launch {}", past - queues.begin()),
               fmt::format("found {}, but there {} {}", *past, count == 1 ? "is" : "are", count),
               "queues are counted from 0");
}

std::span<const Extent> LaunchSchedule::extents(LaunchId id) const {
  const auto launch = static_cast<std::uint32_t>(id.index());
  const auto own = std::ranges::equal_range(table_.extents, launch, {}, &Extent::launch);
  return {own.begin(), own.end()};
}

std::optional<Error> LaunchSchedule::find_repeat_fault(const Repeat& repeat,
                                                       std::uint64_t item) const {
  const auto where = fmt::format("table[{}]", item);
  if (repeat.iterations == 0) return fault(where + ".repeat", "found 0, expected at least 1");
  if (repeat.count == 0) return fault(where + ".body", "is empty, expected at least one launch");

  const auto word_fault = [&](const auto& moved, const std::string& at) -> std::optional<Error> {
    if (moved.launch >= repeat.count) {
      return fault(at + ".launch", fmt::format("found {}, expected a launch of the body, which has "
                                               "{}",
                                               moved.launch, repeat.count));
    }
    const auto words = this->words(LaunchId(repeat.first + moved.launch)).size();
    if (moved.word < words) return std::nullopt;
    return fault(at + ".word",
                 fmt::format("found {}, expected a word of launch {} of the body, which has {}",
                             moved.word, moved.launch, words));
  };
  for (std::size_t i = 0; i < repeat.deltas.size(); ++i) {
    const auto at = fmt::format("{}.deltas[{}]", where, i);
    if (auto found = word_fault(repeat.deltas[i], at)) return found;
  }
  std::vector<Delta> deltas = repeat.deltas;
  std::ranges::sort(deltas, kByWord);
  std::vector<std::pair<Delta, std::size_t>> framed;  // the word alone, and the frame's place
  for (std::size_t i = 0; i < repeat.frames.size(); ++i) {
    const Frame& frame = repeat.frames[i];
    const auto at = fmt::format("{}.frames[{}]", where, i);
    if (auto found = word_fault(frame, at)) return found;
    if (frame.values.size() != repeat.iterations) {
      return fault(at + ".values", fmt::format("holds {} values, expected one for each of {} "
                                               "iterations",
                                               frame.values.size(), repeat.iterations));
    }
    const Delta word = {frame.launch, frame.word};
    if (std::ranges::binary_search(deltas, word, kByWord)) {
      return fault(at + ".word", position(frame) + " has a delta too",
                   "a word moves by deltas or takes a frame's values, not both");
    }
    framed.emplace_back(word, i);
  }
  std::ranges::stable_sort(framed, kByWord, &std::pair<Delta, std::size_t>::first);
  const auto twice = std::ranges::adjacent_find(
      framed, [](const auto& a, const auto& b) { return names_same_word(a.first, b.first); });
  if (twice == framed.end()) return std::nullopt;
  return fault(fmt::format("{}.frames[{}].word", where, std::next(twice)->second),
               position(twice->first) + " has a frame already");
}

std::optional<Error> LaunchSchedule::count_executed() {
  const std::uint64_t size = this->size();
  const Executions executions(table_.repeats);
  const auto cuts = [&](std::uint64_t border) -> const Repeat* {
    if (border == size) return nullptr;
    const Repeat* repeat = repeat_of(LaunchId(border));
    return repeat != nullptr && repeat->first < border ? repeat : nullptr;
  };
  for (std::size_t i = 0; i < table_.submissions.size(); ++i) {
    const auto [first, count] = table_.submissions[i];
    const auto where = fmt::format("submissions[{}]", i);
    if (first > size) {
      return fault(where + ".first",
                   fmt::format("found {}, expected at most the {} launches written", first, size));
    }
    if (count > size - first) {
      return fault(where + ".count", fmt::format("{} launches from {} on pass the {} that are "
                                                 "written",
                                                 count, first, size));
    }
    for (const auto& [border, field] :
         {std::pair(first, ".first"), std::pair(first + count, ".count")}) {
      if (const Repeat* cut = cuts(border)) {
        return fault(where + field,
                     fmt::format("launch {} stands inside the repeat of launches {} "
                                 "to {}",
                                 border, cut->first, cut->end()),
                     "a submission runs a repeat whole");
      }
    }
    const auto executed = executions.of({first, count});
    if (executed >= kMostExecuted - executed_) {
      return fault(where, "brings the number of executed launches to 2^62 or more");
    }
    executed_ += static_cast<std::uint64_t>(executed);
  }
  return std::nullopt;
}

std::uint32_t LaunchScheduleBuilder::Strings::id(std::string_view text) {
  const auto [known, is_new] =
      ids.try_emplace(std::string(text), static_cast<std::uint32_t>(texts.size()));
  if (is_new) texts.emplace_back(text);
  return known->second;
}

void LaunchScheduleBuilder::launch(std::string_view phase, std::span<const std::uint64_t> words,
                                   std::string_view name) {
  phase_of_.push_back(phases_.id(phase));
  name_of_.push_back(names_.id(name));
  queue_of_.push_back(0);
  words_.insert(words_.end(), words.begin(), words.end());
  words_begin_.push_back(words_.size());
}

void LaunchScheduleBuilder::repeat(std::uint64_t iterations, std::uint32_t count,
                                   std::vector<Delta> deltas, std::vector<Frame> frames) {
  assert(count <= phase_of_.size());
  const std::size_t first = phase_of_.size() - count;
  assert(repeats_.empty() || repeats_.back().end() <= first);
  repeats_.push_back(
      {iterations, static_cast<std::uint32_t>(first), count, std::move(deltas), std::move(frames)});
}

void LaunchScheduleBuilder::extent(std::uint32_t word, std::uint64_t reads, std::uint64_t writes) {
  assert(!phase_of_.empty());
  extents_.push_back({static_cast<std::uint32_t>(phase_of_.size() - 1), word, reads, writes});
}

Result<LaunchSchedule> LaunchScheduleBuilder::build() && {
  struct Owned {
    std::vector<std::uint32_t> phase_of;
    std::vector<std::uint32_t> name_of;
    std::vector<std::uint64_t> words;
    std::vector<std::uint64_t> words_begin;
    std::vector<Extent> extents;
    std::vector<std::uint32_t> queue_of;
  };
  std::ranges::stable_sort(extents_, kByWord);
  auto owned = std::make_shared<const Owned>(Owned{std::move(phase_of_), std::move(name_of_),
                                                   std::move(words_), std::move(words_begin_),
                                                   std::move(extents_), std::move(queue_of_)});
  return LaunchSchedule::make({.phases = std::move(phases_.texts),
                               .names = std::move(names_.texts),
                               .phase_of = owned->phase_of,
                               .name_of = owned->name_of,
                               .words = owned->words,
                               .words_begin = owned->words_begin,
                               .extents = owned->extents,
                               .repeats = std::move(repeats_),
                               .submissions = std::move(submissions_),
                               .queues = std::move(queues_),
                               .queue_of = owned->queue_of,
                               .not_judged = std::move(not_judged_),
                               .owner = owned});
}

LaunchSchedule without_extents(const LaunchSchedule& schedule) {
  LaunchTable table = schedule.table();
  table.extents = {};
  return *LaunchSchedule::make(std::move(table));
}

}  // namespace berth
