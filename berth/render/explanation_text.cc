#include "berth/render/explanation_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/base/text.h"
#include "berth/render/text.h"

namespace berth {
namespace {

constexpr std::size_t kListed = 10;
constexpr std::size_t kNameWidth = 40;

std::string bytes_column(Bytes bytes, std::size_t width) {
  return right_aligned(fmt::format("{}", bytes.count()), width);
}

std::string live_lines(const ArenaExplanation& arena) {
  std::string text;
  std::size_t names = 0;
  std::size_t numbers = 0;
  const auto count = std::min(kListed, arena.live.size());
  for (std::size_t i = 0; i < count; ++i) {
    names = std::max(names, width_of(shortened(arena.live[i].name, kNameWidth)));
    numbers = std::max(numbers, fmt::format("{}", arena.live[i].bytes.count()).size());
  }
  for (std::size_t i = 0; i < count; ++i) {
    const PeakBuffer& buffer = arena.live[i];
    text +=
        fmt::format("  {}  {} B  {}  born at {}, last read at {}\n",
                    left_aligned(shortened(buffer.name, kNameWidth), names),
                    bytes_column(buffer.bytes, numbers),
                    right_aligned(per_cent(buffer.bytes, arena.max_load), 7),
                    shortened(buffer.born, kNameWidth), shortened(buffer.last_read, kNameWidth));
  }
  if (arena.live.size() > count) {
    text += fmt::format("  and {} smaller ones\n", arena.live.size() - count);
  }
  return text;
}

std::string change_lines(const ArenaExplanation& arena) {
  if (arena.changes.empty()) {
    return fmt::format("none of {} single changes makes it smaller\n", arena.tried);
  }
  std::string text = fmt::format("what single changes win, each planned anew ({} of {} win):\n",
                                 arena.changes.size(), arena.tried);
  std::size_t saved = 0;
  std::size_t left = 0;
  for (const Change& change : arena.changes) {
    saved = std::max(saved, fmt::format("-{}", change.saved.count()).size());
    left = std::max(left, fmt::format("{}", change.arena.count()).size());
  }
  for (const Change& change : arena.changes) {
    text += fmt::format("  {} B  to {} B  {}; then most is live at {}\n",
                        right_aligned(fmt::format("-{}", change.saved.count()), saved),
                        bytes_column(change.arena, left), printable(change.what),
                        shortened(change.peak_step_name, kNameWidth));
  }
  return text;
}

std::string goal_lines(const ArenaExplanation& arena) {
  if (!arena.goal) return "";
  const std::uint64_t goal = arena.goal->count();
  if (arena.arena <= *arena.goal) return fmt::format("it is within the {} B asked for\n", goal);
  std::string text = fmt::format("towards the {} B asked for, one change after another:\n", goal);
  for (std::size_t i = 0; i < arena.way.size(); ++i) {
    const Change& change = arena.way[i];
    text += fmt::format("  {}. {}: -{} B, to {} B; then most is live at {}\n", i + 1,
                        printable(change.what), change.saved.count(), change.arena.count(),
                        shortened(change.peak_step_name, kNameWidth));
  }
  if (arena.meets_goal()) {
    return text + fmt::format("reached with {} change{}\n", arena.way.size(),
                              arena.way.size() == 1 ? "" : "s");
  }
  return text + fmt::format("not reached: no further change was found, and {} B more must go\n",
                            (arena.reached() - *arena.goal).count());
}

std::string changes_json(const std::vector<Change>& changes) {
  std::string text;
  for (const Change& change : changes) {
    text += fmt::format("{}\n   {{\"what\": {}, \"bytes\": {}, \"saved\": {}, \"peak_step\": {}}}",
                        text.empty() ? "" : ",", json_text(change.what), change.arena.count(),
                        change.saved.count(), change.peak_step);
  }
  return text;
}

}  // namespace

std::string explanation_text(const Explanation& explanation) {
  std::string text;
  for (const ArenaExplanation& arena : explanation) {
    if (!text.empty()) text += "\n";
    text += fmt::format("arena{}{}: {} B{}, {} B live at {}\n", arena.device.empty() ? "" : " ",
                        printable(arena.device), arena.arena.count(),
                        arena.proved_least ? ", proved least" : "", arena.max_load.count(),
                        shortened(arena.peak_step_name, kNameWidth));
    if (arena.live.empty()) continue;
    text += live_lines(arena) + change_lines(arena) + goal_lines(arena);
  }
  return text;
}

std::string explanation_json(const Explanation& explanation) {
  std::string text = "{\"arenas\": [";
  for (std::size_t i = 0; i < explanation.size(); ++i) {
    const ArenaExplanation& arena = explanation[i];
    text += fmt::format(
        "{}\n {{\"device\": {}, \"bytes\": {}, \"max_load\": {}, \"proved_least\": {}, "
        "\"peak_step\": {}, \"tried\": {},\n  \"live\": [",
        i == 0 ? "" : ",", json_text(arena.device), arena.arena.count(), arena.max_load.count(),
        arena.proved_least, arena.peak_step, arena.tried);
    for (std::size_t j = 0; j < arena.live.size(); ++j) {
      const PeakBuffer& buffer = arena.live[j];
      text += fmt::format("{}\n   {{\"name\": {}, \"bytes\": {}, \"first\": {}, \"end\": {}}}",
                          j == 0 ? "" : ",", json_text(buffer.name), buffer.bytes.count(),
                          buffer.life.lower, buffer.life.upper);
    }
    text += "],\n  \"changes\": [" + changes_json(arena.changes) + "]";
    if (arena.goal) {
      text += fmt::format(",\n  \"goal\": {}, \"reached\": {}, \"way\": [{}]", arena.goal->count(),
                          arena.meets_goal(), changes_json(arena.way));
    }
    text += "}";
  }
  return text + "]}\n";
}

}  // namespace berth
