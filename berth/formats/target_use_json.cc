#include "berth/formats/target_use_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "berth/ir/target.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, 4> kTiers = {"sram", "hbm", "dram", "flash"};
constexpr std::array<std::string_view, 3> kWhys = {"pushed-out", "less-worth", "no-layout"};
constexpr std::array<std::string_view, 2> kPolicies = {"rule", "best"};

template <typename Word, std::size_t size>
std::string_view word_of(Word word, const std::array<std::string_view, size>& words) {
  return words[static_cast<std::size_t>(word)];
}

std::string tier_line(const TierUse& use) {
  std::string line =
      fmt::format(R"({{"chip": {}, "tier": "{}")", use.chip.index(), word_of(use.tier, kTiers));
  if (use.capacity) line += fmt::format(R"(, "capacity": {})", use.capacity->count());
  line += fmt::format(R"(, "lasting": {}, "used": {}, "peak": {})", use.lasting.count(),
                      use.used.count(), use.peak.count());
  if (const auto free = use.free()) line += fmt::format(R"(, "free": {})", free->count());
  line += fmt::format(R"(, "moved": {})", use.moved.count());
  if (use.nanoseconds) line += fmt::format(R"(, "nanoseconds": {})", *use.nanoseconds);
  return line + "}";
}

std::string spilled_line(const SpilledTensor& it) {
  std::string line = fmt::format(
      R"({{"program": {}, "tensor": {}, "chip": {}, "bytes": {}, "to": "{}", "why": "{}")",
      json_quoted(it.program), json_quoted(it.tensor), it.chip.index(), it.bytes.count(),
      word_of(it.to, kTiers), word_of(it.why, kWhys));
  if (it.phase) {
    line += fmt::format(R"(, "phase": {}, "short_by": {})", *it.phase, it.short_by.count());
  }
  return line + fmt::format(R"(, "moved": {}}})", it.moved.count());
}

std::string lines(const std::vector<std::string>& items) {
  return items.empty() ? "[]" : fmt::format("[\n   {}]", fmt::join(items, ",\n   "));
}

template <typename Item, typename Line>
std::string lines_of(const std::vector<Item>& items, const Line& line) {
  std::vector<std::string> texts;
  for (const Item& item : items) texts.push_back(line(item));
  return lines(texts);
}

template <typename Word, std::size_t size>
Word read_word(JsonFields& fields, std::string_view key,
               const std::array<std::string_view, size>& words) {
  const std::string text = fields.string(key);
  const auto found = std::ranges::find(words, text);
  if (found == words.end()) {
    fields.refuse(key, fmt::format("found {}, expected one of: {}", json_quoted(text),
                                   fmt::join(words, ", ")));
    return Word{};
  }
  return static_cast<Word>(found - words.begin());
}

std::optional<Bytes> optional_bytes(JsonFields& fields, std::string_view key) {
  const auto count = fields.optional_integer(key);
  return count ? std::optional(Bytes(*count)) : std::nullopt;
}

TierUse read_tier(JsonFields& fields) {
  TierUse use;
  use.chip = ChipId(fields.integer("chip", UINT32_MAX));
  use.tier = read_word<Tier>(fields, "tier", kTiers);
  use.capacity = optional_bytes(fields, "capacity");
  use.lasting = Bytes(fields.integer("lasting"));
  use.used = Bytes(fields.integer("used"));
  use.peak = Bytes(fields.integer("peak"));
  use.moved = Bytes(fields.integer("moved"));
  use.nanoseconds = fields.optional_integer("nanoseconds");
  return use;
}

SpilledTensor read_spilled(JsonFields& fields) {
  SpilledTensor it;
  it.program = fields.string("program");
  it.tensor = fields.string("tensor");
  it.chip = ChipId(fields.integer("chip", UINT32_MAX));
  it.bytes = Bytes(fields.integer("bytes"));
  it.to = read_word<Tier>(fields, "to", kTiers);
  it.why = read_word<SpilledTensor::Why>(fields, "why", kWhys);
  it.phase = fields.optional_integer("phase");
  it.short_by = optional_bytes(fields, "short_by").value_or(Bytes(0));
  it.moved = Bytes(fields.integer("moved"));
  return it;
}

template <typename Item>
void read_items(JsonFields& parent, std::string_view key, std::vector<Item>& items,
                Item (*read_one)(JsonFields&)) {
  const auto values = parent.array(key);
  for (std::size_t i = 0; i < values.size() && !parent.failed(); ++i) {
    JsonFields fields(values[i], fmt::format("{}[{}]", parent.path_of(key), i));
    items.push_back(read_one(fields));
    if (auto error = fields.finish_among_others()) parent.refuse(std::move(*error));
  }
}

using Figures = std::vector<std::pair<std::string_view, std::uint64_t*>>;

void read_figures(JsonFields& parent, std::string_view key, const Figures& figures) {
  const auto value = parent.optional_object(key);
  if (!value) {
    parent.refuse(key, "is missing, expected an object");
    return;
  }
  JsonFields fields(*value, parent.path_of(key));
  for (const auto& [name, figure] : figures) *figure = fields.integer(name);
  if (auto error = fields.finish_among_others()) parent.refuse(std::move(*error));
}

// A total that 64 bits do not hold could be written by nobody.
OffChipUse read_off_chip(JsonFields& parent) {
  std::uint64_t spilled = 0, unplaced = 0, states = 0, tables = 0, weights = 0, ends = 0;
  read_figures(parent, "off_chip_bytes_per_step",
               {{"spilled", &spilled},
                {"unplaced", &unplaced},
                {"states", &states},
                {"tables", &tables},
                {"weights", &weights},
                {"inputs_and_outputs", &ends}});
  std::optional<Bytes> total = Bytes(0);
  for (const std::uint64_t part : {spilled, unplaced, states, tables, weights, ends}) {
    total = total ? checked_add(*total, Bytes(part)) : total;
  }
  if (!total) parent.refuse("off_chip_bytes_per_step", "its parts add up to more than 2^64");
  if (!total) return {};
  return {Bytes(spilled), Bytes(unplaced), Bytes(states),
          Bytes(tables),  Bytes(weights),  Bytes(ends)};
}

}  // namespace

std::string target_use_json(const TargetUse& use) {
  const OffChipUse& off = use.off_chip;
  const CertificateUse& seen = use.certificate;
  return fmt::format(
      "{{\"name\": {}, \"sha256\": {}, \"tile\": [{}], \"policy\": \"{}\",\n"
      "  \"tiers\": {},\n  \"spilled\": {},\n"
      "  \"off_chip_bytes_per_step\": {{\"total\": {}, \"spilled\": {}, \"unplaced\": {}, "
      "\"states\": {}, \"tables\": {}, \"weights\": {}, \"inputs_and_outputs\": {}}},\n"
      "  \"certificate\": {{\"verdict\": 0, \"certified\": {}, \"vacuous\": {}, "
      "\"launches\": {}, \"executed\": {}, \"instances\": {}, \"words\": {}, \"words_in_windows\": "
      "{}}}}}",
      json_quoted(use.name), json_quoted(use.sha256), fmt::join(use.tile, ", "),
      word_of(use.policy, kPolicies), lines_of(use.tiers, tier_line),
      lines_of(use.spilled, spilled_line), off.total().count(), off.spilled.count(),
      off.unplaced.count(), off.states.count(), off.tables.count(), off.weights.count(),
      off.ends.count(), !seen.vacuous(), seen.vacuous(), seen.launches, seen.executed,
      seen.instances, seen.words, seen.words_in_windows);
}

Result<TargetUse> read_target_use(const JsonValue& value, const std::string& path) {
  JsonFields fields(value, path);
  TargetUse use;
  use.name = fields.string("name");
  use.sha256 = fields.string("sha256");
  use.tile = fields.addresses("tile");
  if (use.tile.size() > kMostTileSides) {
    fields.refuse("tile", fmt::format("expected {} integers at most", kMostTileSides));
  }
  if (std::ranges::find(use.tile, 0U) != use.tile.end()) {
    fields.refuse("tile", "expected integers of at least 1");
  }
  use.policy = read_word<Policy>(fields, "policy", kPolicies);
  read_items(fields, "tiers", use.tiers, read_tier);
  read_items(fields, "spilled", use.spilled, read_spilled);
  use.off_chip = read_off_chip(fields);
  read_figures(fields, "certificate",
               {{"launches", &use.certificate.launches},
                {"executed", &use.certificate.executed},
                {"instances", &use.certificate.instances},
                {"words", &use.certificate.words},
                {"words_in_windows", &use.certificate.words_in_windows}});
  if (auto error = fields.finish_among_others()) return tl::unexpected(*std::move(error));
  return use;
}

}  // namespace berth
