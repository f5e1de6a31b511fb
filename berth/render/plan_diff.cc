#include "berth/render/plan_diff.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/base/text.h"
#include "berth/render/text.h"

namespace berth {
namespace {

using Kind = BufferChange::Kind;

constexpr std::size_t kNameWidth = 40;
constexpr std::size_t kMostGrown = 20;  // in a budget's table; more are counted

const char* word_of(Kind kind) {
  switch (kind) {
    case Kind::Larger:
      return "larger";
    case Kind::New:
      return "new";
    case Kind::Smaller:
      return "smaller";
    case Kind::Gone:
      return "gone";
    case Kind::Moved:
      return "moved";
    case Kind::Lives:
      return "lives";
  }
  __builtin_unreachable();
}

std::string life_text(const LiveRange& life) {
  return fmt::format("[{}, {})", life.lower, life.upper);
}

std::string place_text(const BufferPlace& place) {
  return fmt::format("{} B at {} of {}, live {}", place.bytes.count(), place.offset.value(),
                     printable(place.arena), life_text(place.life));
}

std::string change_text(const BufferChange& change) {
  if (!change.before) return place_text(*change.after);
  if (!change.after) return place_text(*change.before);
  const BufferPlace& before = *change.before;
  const BufferPlace& after = *change.after;
  std::vector<std::string> parts;
  if (before.bytes != after.bytes) {
    parts.push_back(fmt::format("{} B -> {} B", before.bytes.count(), after.bytes.count()));
  }
  if (before.arena != after.arena) {
    parts.push_back(printable(before.arena) + " -> " + printable(after.arena));
  }
  if (before.offset != after.offset) {
    parts.push_back(fmt::format("at {} -> {}", before.offset.value(), after.offset.value()));
  }
  if (before.life != after.life) {
    parts.push_back(fmt::format("live {} -> {}", life_text(before.life), life_text(after.life)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string peak_text(const std::optional<Bytes>& peak) {
  return peak ? fmt::format("{} B", peak->count()) : "none";
}

std::string arena_text(const std::string& name) {
  return name == "arena" ? name : "arena " + shortened(name, kNameWidth);
}

// "+512", "-12"; empty where one is missing.
std::string growth_text(const std::optional<Bytes>& before, const std::optional<Bytes>& after) {
  if (!before || !after) return "";
  return *after >= *before ? fmt::format("+{}", (*after - *before).count())
                           : fmt::format("-{}", (*before - *after).count());
}

std::string place_json(const std::optional<BufferPlace>& place) {
  if (!place) return "null";
  return fmt::format(R"({{"arena": {}, "offset": {}, "bytes": {}, "first": {}, "end": {}}})",
                     json_text(place->arena), place->offset.value(), place->bytes.count(),
                     place->life.lower, place->life.upper);
}

std::string peak_json(const std::optional<Bytes>& peak) {
  return peak ? fmt::format("{}", peak->count()) : "null";
}

bool is_grown(const BufferChange& change) {
  return change.kind == Kind::Larger || change.kind == Kind::New;
}

std::vector<const BufferChange*> grown_in(const std::optional<PlanDiff>& diff) {
  std::vector<const BufferChange*> grown;
  for (std::size_t i = 0; diff && i < diff->buffers.size(); ++i) {
    if (is_grown(diff->buffers[i])) grown.push_back(&diff->buffers[i]);
  }
  return grown;
}

const char* word_of(const BudgetLine& line) {
  if (line.fails()) return "over";
  return line.is_open() ? "open" : "kept";
}

std::string listed(const std::vector<std::string>& names, const char* between) {
  constexpr std::size_t kListed = 8;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kListed; ++i) {
    text += (i == 0 ? "" : between) + printable(names[i]);
  }
  if (names.size() > kListed) text += fmt::format(" and {} more", names.size() - kListed);
  return text;
}

// A name inside a table of Markdown.
std::string cell(const std::string& name) {
  std::string text;
  for (const char c : printable(name)) {
    if (std::string_view("|`*_<>[]\\").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

}  // namespace

std::string plan_diff_text(const PlanDiff& diff) {
  if (diff.same()) return "the plans place every buffer alike\n";
  std::string text;
  for (const ArenaChange& arena : diff.arenas) {
    const auto growth = growth_text(arena.before, arena.after);
    text += fmt::format("{}  {} -> {}{}\n", arena_text(arena.name), peak_text(arena.before),
                        peak_text(arena.after),
                        growth.empty() || growth == "+0" ? "" : "  (" + growth + ")");
  }
  std::size_t width = 0;
  for (const BufferChange& change : diff.buffers) {
    width = std::max(width, width_of(shortened(change.name, kNameWidth)));
  }
  for (const BufferChange& change : diff.buffers) {
    text +=
        fmt::format("  {}  {}  {}\n", left_aligned(word_of(change.kind), 7),
                    left_aligned(shortened(change.name, kNameWidth), width), change_text(change));
  }
  return text;
}

std::string plan_diff_json(const PlanDiff& diff) {
  std::string arenas;
  for (const ArenaChange& arena : diff.arenas) {
    arenas += fmt::format("{}\n  {{\"name\": {}, \"before\": {}, \"after\": {}}}",
                          arenas.empty() ? "" : ",", json_text(arena.name), peak_json(arena.before),
                          peak_json(arena.after));
  }
  std::string buffers;
  for (const BufferChange& change : diff.buffers) {
    buffers +=
        fmt::format("{}\n  {{\"change\": \"{}\", \"name\": {}, \"before\": {}, \"after\": {}}}",
                    buffers.empty() ? "" : ",", word_of(change.kind), json_text(change.name),
                    place_json(change.before), place_json(change.after));
  }
  return fmt::format("{{\"same\": {},\n \"arenas\": [{}],\n \"buffers\": [{}]}}\n", diff.same(),
                     arenas, buffers);
}

std::string budget_text(const std::vector<BudgetLine>& lines, const std::optional<PlanDiff>& diff) {
  std::string text = "\n";
  for (const BudgetLine& line : lines) {
    text += fmt::format("{}  {}  {} B", word_of(line), arena_text(line.arena), line.now.count());
    if (line.budget && line.beside > Bytes(0)) {
      text += fmt::format(" and {} B beside", line.beside.count());
    }
    if (line.budget) text += fmt::format(" of {} B", line.budget->count());
    if (line.before) {
      text +=
          fmt::format(", was {} B ({})", line.before->count(), growth_text(line.before, line.now));
    }
    if (line.is_open()) text += "; sizes that only the run knows: " + listed(line.unsized, ", ");
    if (line.budget && !line.not_counted.empty()) {
      text += "; not counted: " + listed(line.not_counted, "; ");
    }
    text += "\n";
  }
  const auto grown = grown_in(diff);
  for (std::size_t i = 0; i < std::min(grown.size(), kMostGrown); ++i) {
    text += fmt::format("  {}  {}  {}\n", left_aligned(word_of(grown[i]->kind), 6),
                        shortened(grown[i]->name, kNameWidth), change_text(*grown[i]));
  }
  if (grown.size() > kMostGrown) {
    text += fmt::format("  and {} more\n", grown.size() - kMostGrown);
  }
  return text;
}

std::string budget_markdown(const std::vector<BudgetLine>& lines,
                            const std::optional<PlanDiff>& diff) {
  std::string text = "| arena | before | now | change | budget | |\n|---|--:|--:|--:|--:|---|\n";
  for (const BudgetLine& line : lines) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", cell(line.arena),
                        line.before ? fmt::format("{}", line.before->count()) : "",
                        line.beside > Bytes(0) && line.budget
                            ? fmt::format("{} + {}", line.now.count(), line.beside.count())
                            : fmt::format("{}", line.now.count()),
                        growth_text(line.before, line.now),
                        line.budget ? fmt::format("{}", line.budget->count()) : "",
                        line.fails() ? "**over**" : word_of(line));
  }
  const auto grown = grown_in(diff);
  if (grown.empty()) return text;
  text += "\n| buffer | | before | now |\n|---|---|--:|--:|\n";
  for (std::size_t i = 0; i < std::min(grown.size(), kMostGrown); ++i) {
    const BufferChange& change = *grown[i];
    text += fmt::format("| {} | {} | {} | {} |\n", cell(change.name), word_of(change.kind),
                        change.before ? fmt::format("{}", change.before->bytes.count()) : "",
                        change.after->bytes.count());
  }
  if (grown.size() > kMostGrown) {
    text += fmt::format("\nand {} more\n", grown.size() - kMostGrown);
  }
  return text;
}

}  // namespace berth
