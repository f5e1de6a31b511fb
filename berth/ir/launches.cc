#include "berth/ir/launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
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

}  // namespace

const Repeat* LaunchSchedule::repeat_of(LaunchId id) const {
  const auto after = std::ranges::upper_bound(repeats_, id.index(), {}, &Repeat::first);
  if (after == repeats_.begin() || std::prev(after)->end() <= id.index()) return nullptr;
  return &*std::prev(after);
}

void LaunchScheduleBuilder::launch(std::string_view phase, std::span<const std::uint64_t> words,
                                   std::string_view name) {
  const auto [known, is_new] = phase_ids_.try_emplace(
      std::string(phase), static_cast<std::uint32_t>(schedule_.phases_.size()));
  if (is_new) schedule_.phases_.emplace_back(phase);
  if (!name.empty()) {
    schedule_.names_.resize(schedule_.size());
    schedule_.names_.emplace_back(name);
  } else if (!schedule_.names_.empty()) {
    schedule_.names_.emplace_back();
  }
  schedule_.phase_of_.push_back(known->second);
  schedule_.words_.insert(schedule_.words_.end(), words.begin(), words.end());
  schedule_.words_begin_.push_back(schedule_.words_.size());
  ++items_;
}

void LaunchScheduleBuilder::repeat(std::uint64_t iterations, std::uint32_t count,
                                   std::vector<Delta> deltas, std::vector<Frame> frames) {
  assert(count <= schedule_.size());
  const std::size_t first = schedule_.size() - count;
  assert(schedule_.repeats_.empty() || schedule_.repeats_.back().end() <= first);
  items_ -= count;
  repeat_items_.push_back(items_++);
  schedule_.repeats_.push_back(
      {iterations, static_cast<std::uint32_t>(first), count, std::move(deltas), std::move(frames)});
}

std::optional<Error> LaunchScheduleBuilder::find_repeat_fault(std::size_t index) const {
  const Repeat& repeat = schedule_.repeats_[index];
  const auto where = fmt::format("table[{}]", repeat_items_[index]);
  if (repeat.iterations == 0) return fault(where + ".repeat", "found 0, expected at least 1");
  if (repeat.count == 0) return fault(where + ".body", "is empty, expected at least one launch");

  const auto word_fault = [&](const auto& moved, const std::string& at) -> std::optional<Error> {
    if (moved.launch >= repeat.count) {
      return fault(at + ".launch", fmt::format("found {}, expected a launch of the body, which has "
                                               "{}",
                                               moved.launch, repeat.count));
    }
    const auto words = schedule_.words(LaunchId(repeat.first + moved.launch)).size();
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

std::optional<Error> LaunchScheduleBuilder::count_executed() {
  const std::uint64_t size = schedule_.size();
  const Executions executions(schedule_.repeats_);
  const auto cuts = [&](std::uint64_t border) -> const Repeat* {
    if (border == size) return nullptr;
    const Repeat* repeat = schedule_.repeat_of(LaunchId(border));
    return repeat != nullptr && repeat->first < border ? repeat : nullptr;
  };
  for (std::size_t i = 0; i < schedule_.submissions_.size(); ++i) {
    const auto [first, count] = schedule_.submissions_[i];
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
    if (executed >= kMostExecuted - schedule_.executed_) {
      return fault(where, "brings the number of executed launches to 2^62 or more");
    }
    schedule_.executed_ += static_cast<std::uint64_t>(executed);
  }
  return std::nullopt;
}

Result<LaunchSchedule> LaunchScheduleBuilder::build() && {
  if (schedule_.size() > UINT32_MAX) return input_error("table", "more than 4294967295 launches");
  for (std::size_t i = 0; i < schedule_.repeats_.size(); ++i) {
    if (auto found = find_repeat_fault(i)) return tl::unexpected(*std::move(found));
  }
  for (Repeat& repeat : schedule_.repeats_) {
    std::ranges::stable_sort(repeat.deltas, kByWord);
    std::ranges::sort(repeat.frames, kByWord);
  }
  if (auto found = count_executed()) return tl::unexpected(*std::move(found));
  return std::move(schedule_);
}

}  // namespace berth
