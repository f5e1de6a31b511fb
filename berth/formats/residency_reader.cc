#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/formats/residency_json.h"

namespace berth {
namespace {

using Fault = std::optional<Error>;

constexpr std::string_view kFormat = "berth.residency/1";

// Keeps a sum within 64 bits.
bool add(Bytes& sum, std::optional<Bytes> more) {
  const auto total = more ? checked_add(sum, *more) : std::nullopt;
  if (total) sum = *total;
  return total.has_value();
}

class Reader {
 public:
  Result<ResidencyClaim> read(const JsonValue& root) {
    if (auto fault = find_format_fault(root, kFormat)) return tl::unexpected(*std::move(fault));
    JsonFields fields(root, "");
    fields.string("format");
    claim_.policy = word(fields, "policy", {"rule", "best"}) == 1 ? Policy::Best : Policy::Rule;
    claim_.deployment = fields.optional_string("deployment");
    claim_.feasible = fields.optional_boolean("feasible").value_or(true);
    each(fields, "chips", fields.array("chips"), &Reader::read_chip);
    claim_.concurrent = fields.optional_boolean("concurrent").value_or(false);
    each(fields, "programs", fields.array("programs"), &Reader::read_program);
    each(fields, "classes", fields.array("classes"), &Reader::read_class);
    read_off_chip(fields);
    if (const auto obstacles = fields.optional_array("obstacles")) {
      claim_.obstacles.emplace();
      each(fields, "obstacles", *obstacles, &Reader::read_obstacle);
    }
    each(fields, "certificate",
         fields.optional_array("certificate").value_or(std::vector<JsonValue>()),
         &Reader::read_certificate);
    if (auto error = fields.finish()) return tl::unexpected(*std::move(error));
    return std::move(claim_);
  }

 private:
  void each(JsonFields& parent, std::string_view key, const std::vector<JsonValue>& items,
            void (Reader::*read_one)(JsonFields&)) {
    for (std::size_t i = 0; i < items.size() && !parent.failed(); ++i) {
      JsonFields fields(items[i], fmt::format("{}[{}]", parent.path_of(key), i));
      (this->*read_one)(fields);
      if (auto error = fields.finish()) parent.refuse(*std::move(error));
    }
  }

  static std::size_t word(JsonFields& fields, std::string_view key,
                          const std::vector<std::string_view>& words) {
    const std::string found = fields.string(key);
    const auto at = std::ranges::find(words, found);
    if (at != words.end()) return static_cast<std::size_t>(at - words.begin());
    fields.refuse(key, fmt::format("found {}, expected one of: {}", json_quoted(found),
                                   fmt::join(words, ", ")));
    return 0;
  }

  std::size_t read_chip_index(JsonFields& fields) const {
    const std::uint64_t chip = fields.integer("chip");
    if (chip < claim_.chips.size()) return chip;
    fields.refuse("chip",
                  fmt::format("found {}, expected one of the {} chips", chip, claim_.chips.size()));
    return 0;
  }

  void read_chip(JsonFields& fields) {
    const std::uint64_t chip = fields.integer("chip");
    if (chip != claim_.chips.size()) {
      fields.refuse("chip", fmt::format("found {}, expected {}: chips stand in order", chip,
                                        claim_.chips.size()));
    }
    claim_.chips.push_back({.sram = Bytes(fields.integer("sram")),
                            .reserve = Bytes(fields.integer("reserve")),
                            .states = Bytes(fields.integer("states"))});
    claim_.below.push_back({optional_bytes(fields, "hbm"), optional_bytes(fields, "dram")});
  }

  static std::optional<Bytes> optional_bytes(JsonFields& fields, std::string_view key) {
    const auto count = fields.optional_integer(key);
    return count ? std::optional(Bytes(*count)) : std::nullopt;
  }

  void read_obstacle(JsonFields& fields) {
    using Kind = Obstacle::Kind;
    static constexpr std::array kKinds = {
        Kind::BufferPastSite, Kind::BuffersPastSram, Kind::PinnedPastSram, Kind::ReservePastSram,
        Kind::DramFull,       Kind::NoMemory,        Kind::NoLayout};
    std::vector<std::string_view> words;
    for (const Kind kind : kKinds) words.push_back(to_string(kind));
    Obstacle it;
    it.kind = kKinds[word(fields, "kind", words)];
    it.chip = ChipId(read_chip_index(fields));
    it.needed = Bytes(fields.integer("needed"));
    it.available = Bytes(fields.integer("available"));
    it.program = fields.optional_string("program").value_or("");
    it.site = fields.optional_integer("site").value_or(0);
    it.buffer = fields.optional_integer("buffer").value_or(0);
    it.phase = fields.optional_integer("phase").value_or(0);
    it.names = strings(fields, "names");
    claim_.obstacles->push_back(std::move(it));
  }

  void read_traffic(JsonFields& fields) {
    const std::uint64_t chip = fields.integer("chip");
    if (chip != claim_.traffic->size()) {
      fields.refuse("chip", fmt::format("found {}, expected {}: chips stand in order", chip,
                                        claim_.traffic->size()));
    }
    claim_.traffic->push_back({Bytes(fields.integer("hbm")), Bytes(fields.integer("dram")),
                               fields.optional_integer("hbm_ns"),
                               fields.optional_integer("dram_ns")});
  }

  std::vector<Bytes> read_footprint(JsonFields& fields, std::string_view key) const {
    std::vector<Bytes> bytes;
    for (const std::uint64_t count : numbers(fields, key)) bytes.emplace_back(count);
    if (bytes.size() != claim_.chips.size()) {
      fields.refuse(key, fmt::format("has {} entries, there are {} chips", bytes.size(),
                                     claim_.chips.size()));
    }
    return bytes;
  }

  static std::vector<std::string> strings(JsonFields& fields, std::string_view key) {
    std::vector<std::string> names;
    const auto items = fields.array(key);
    for (std::size_t i = 0; i < items.size() && !fields.failed(); ++i) {
      if (items[i].kind() == JsonValue::Kind::String) {
        names.emplace_back(items[i].string());
        continue;
      }
      fields.refuse(json_error(items[i], fmt::format("{}[{}]", fields.path_of(key), i),
                               fmt::format("found {}, expected a name", items[i].text())));
    }
    return names;
  }

  void read_program(JsonFields& fields) {
    ProgramClaim it;
    it.name = fields.string("name");
    it.layers = fields.integer("layers");
    it.buffer_footprint = read_footprint(fields, "buffer_footprint");
    it.sram_footprint = read_footprint(fields, "sram_footprint");
    it.tables = strings(fields, "tables");
    claim_.programs.push_back(std::move(it));
    each(fields, "spilled", fields.array("spilled"), &Reader::read_spill);
    each(fields, "partly", fields.optional_array("partly").value_or(std::vector<JsonValue>()),
         &Reader::read_partly);
    claim_.programs.back().traffic = Bytes(fields.integer("traffic"));
    claim_.programs.back().unplaced = Bytes(fields.optional_integer("unplaced").value_or(0));
    claim_.programs.back().traffic_placed = optional_bytes(fields, "traffic_placed");
    if (const auto layouts = fields.optional_array("layout")) {
      claim_.programs.back().layout.emplace();
      each(fields, "layout", *layouts, &Reader::read_layout);
    }
  }

  static ReasonClaim read_reason(JsonFields& fields) {
    ReasonClaim why{.chip = fields.optional_integer("chip"),
                    .bytes = optional_bytes(fields, "bytes"),
                    .phase = fields.optional_integer("phase"),
                    .tightest_phase = fields.optional_integer("tightest_phase"),
                    .short_by = optional_bytes(fields, "short_by"),
                    .beside = std::nullopt,
                    .more_beside = fields.optional_integer("more_beside"),
                    .stays_from = optional_bytes(fields, "stays_from")};
    if (fields.optional_value("beside")) why.beside = strings(fields, "beside");
    return why;
  }

  void read_spill(JsonFields& fields) {
    SpillClaim it{.tensor = fields.string("tensor"), .why = {}};
    it.why = read_reason(fields);
    claim_.programs.back().spilled.push_back(std::move(it));
  }

  void read_layout(JsonFields& fields) {
    LayoutClaim it{.chip = read_chip_index(fields),
                   .room = Bytes(fields.integer("room")),
                   .arena = Bytes(fields.integer("arena")),
                   .max_load = Bytes(fields.integer("max_load")),
                   .places = {},
                   .scratch = {},
                   .forced_out = strings(fields, "forced_out")};
    claim_.programs.back().layout->push_back(std::move(it));
    each(fields, "places", fields.array("places"), &Reader::read_place);
    each(fields, "scratch", fields.optional_array("scratch").value_or(std::vector<JsonValue>()),
         &Reader::read_scratch);
  }

  void read_place(JsonFields& fields) {
    PlaceClaim it{.tensor = fields.string("tensor"),
                  .offset = Bytes(fields.integer("offset")),
                  .bytes = optional_bytes(fields, "bytes"),
                  .stretch = std::nullopt};
    if (const auto phases = fields.optional_value("phases")) {
      it.stretch = read_range(fields, *phases, fields.path_of("phases"));
    }
    claim_.programs.back().layout->back().places.push_back(std::move(it));
  }

  void read_scratch(JsonFields& fields) {
    claim_.programs.back().layout->back().scratch.push_back(
        {fields.integer("phase"), Bytes(fields.integer("offset"))});
  }

  void read_partly(JsonFields& fields) {
    PartlyClaim it{.tensor = fields.string("tensor"), .stretches = {}, .moved = {}, .why = {}};
    const auto stretches = fields.array("in_sram");
    for (std::size_t i = 0; i < stretches.size() && !fields.failed(); ++i) {
      it.stretches.push_back(
          read_range(fields, stretches[i], fmt::format("{}[{}]", fields.path_of("in_sram"), i)));
    }
    it.moved = Bytes(fields.integer("moved"));
    it.why = read_reason(fields);
    claim_.programs.back().partly.push_back(std::move(it));
  }

  static LiveRange read_range(JsonFields& fields, const JsonValue& value, const std::string& path) {
    const auto pair =
        value.kind() == JsonValue::Kind::Array ? value.items() : std::vector<JsonValue>();
    const bool is_pair = pair.size() == 2 && pair[0].kind() == JsonValue::Kind::Integer &&
                         pair[1].kind() == JsonValue::Kind::Integer &&
                         pair[0].integer() < pair[1].integer();
    if (is_pair) return {pair[0].integer(), pair[1].integer()};
    fields.refuse(json_error(value, path, "expected a first phase and one past the last"));
    return {0, 1};
  }

  void read_class(JsonFields& fields) {
    ClassResidency it;
    it.state.program = fields.string("program");
    it.state.tensor = fields.string("tensor");
    it.state.chip = ChipId(read_chip_index(fields));
    it.state.instances = fields.integer("instances");
    it.state.bytes = Bytes(fields.integer("bytes"));
    it.state.moved = Bytes(fields.integer("moved"));
    if (const auto padded = fields.optional_integer("padded")) {
      it.declared = it.state.bytes;
      it.state.bytes = Bytes(*padded);
    }
    it.tier = static_cast<Tier>(word(fields, "tier", {"sram", "hbm", "dram"}));
    it.split = fields.optional_integer("instances_in_sram").value_or(0);
    if (it.split > it.state.instances) {
      fields.refuse("instances_in_sram",
                    fmt::format("found {} of {}", it.split, it.state.instances));
    }
    if (!add(held_, checked_multiply(it.state.bytes, it.state.instances)) ||
        !add(moved_, checked_multiply(it.state.moved, it.state.instances))) {
      fields.refuse("instances", "sums past 2^64 bytes cannot be judged");
    }
    claim_.classes.push_back(std::move(it));
  }

  void read_off_chip(JsonFields& parent) {
    const auto value = parent.optional_object("off_chip_bytes_per_step");
    if (!value) return parent.refuse("off_chip_bytes_per_step", "is missing, expected an object");
    JsonFields fields(*value, "off_chip_bytes_per_step");
    claim_.rule = Bytes(fields.integer("rule"));
    claim_.best = Bytes(fields.integer("best"));
    claim_.bound = Bytes(fields.integer("bound"));
    if (const auto whole = fields.optional_integer("best_of_whole")) {
      claim_.best_of_whole = Bytes(*whole);
    }
    claim_.nothing_kept = Bytes(fields.integer("nothing_kept"));
    if (const auto chips = fields.optional_array("chips")) {
      claim_.traffic.emplace();
      each(fields, "chips", *chips, &Reader::read_traffic);
      if (claim_.traffic->size() != claim_.chips.size()) {
        fields.refuse("chips", fmt::format("has {} entries, there are {} chips",
                                           claim_.traffic->size(), claim_.chips.size()));
      }
    }
    const auto parts = fields.optional_object("parts");
    if (!parts) fields.refuse("parts", "is missing, expected an object");
    if (parts) {
      JsonFields of(*parts, fields.path_of("parts"));
      claim_.parts = {Bytes(of.integer("spilled")), Bytes(of.integer("tables")),
                      Bytes(of.integer("states")),
                      Bytes(of.optional_integer("unplaced").value_or(0))};
      Bytes sum = claim_.parts.spilled;
      if (!add(sum, claim_.parts.tables) || !add(sum, claim_.parts.states) ||
          !add(sum, claim_.parts.unplaced)) {
        of.refuse("states", "sums past 2^64 bytes cannot be judged");
      }
      if (auto error = of.finish()) fields.refuse(*std::move(error));
    }
    if (auto error = fields.finish()) parent.refuse(*std::move(error));
  }

  static std::vector<std::uint64_t> numbers(JsonFields& fields, std::string_view key) {
    std::vector<std::uint64_t> list;
    const auto items = fields.array(key);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].kind() == JsonValue::Kind::Integer) {
        list.push_back(items[i].integer());
        continue;
      }
      fields.refuse(json_error(items[i], fmt::format("{}[{}]", fields.path_of(key), i),
                               fmt::format("found {}, expected an integer", items[i].text())));
    }
    return list;
  }

  void read_certificate(JsonFields& fields) {
    ChipCertificate& it = claim_.certificates.emplace_back();
    it.chip = ChipId(read_chip_index(fields));
    for (const std::uint64_t bytes : numbers(fields, "capacity")) {
      it.choice.capacity.emplace_back(bytes);
    }
    choice_held_ = choice_moved_ = Bytes(0);
    each(fields, "items", fields.array("items"), &Reader::read_item);
    it.kept = numbers(fields, "kept");
    if (it.kept.size() != it.choice.items.size()) {
      fields.refuse("kept", fmt::format("has {} entries, there are {} items", it.kept.size(),
                                        it.choice.items.size()));
    }
    each(fields, "parts", fields.array("parts"), &Reader::read_part);
  }

  void read_item(JsonFields& fields) {
    Choice& choice = claim_.certificates.back().choice;
    ChoiceItem item;
    // An older file has program and tensor as one name.
    const auto name = fields.optional_string("name");
    item.is_joined = name.has_value();
    item.program = name ? "" : fields.string("program");
    item.tensor = name ? *name : fields.string("tensor");
    item.phases = {fields.integer("first"), fields.integer("end")};
    item.bytes = Bytes(fields.integer("bytes"));
    item.moved = Bytes(fields.integer("moved"));
    item.count = fields.integer("count");
    if (item.phases.empty() || item.phases.upper > choice.capacity.size()) {
      fields.refuse("end",
                    fmt::format("found {}, expected a phase after first, {}, of the {}",
                                item.phases.upper, item.phases.lower, choice.capacity.size()));
    }
    read_turns(fields, item, choice.capacity.size());
    // Of items that take turns, not all go together: the check does without their sums.
    if (item.turns) return choice.items.push_back(std::move(item));
    if (!add(choice_held_, checked_multiply(item.bytes, item.count)) ||
        !add(choice_moved_, checked_multiply(item.moved, item.count))) {
      fields.refuse("count", "sums past 2^64 bytes cannot be judged");
    }
    choice.items.push_back(std::move(item));
  }

  static void read_turns(JsonFields& fields, ChoiceItem& item, std::size_t phases) {
    const auto turns = fields.optional_array("turns");
    if (!turns || fields.failed()) return;
    const bool is_pair = turns->size() == 2 && (*turns)[0].kind() == JsonValue::Kind::Integer &&
                         (*turns)[1].kind() == JsonValue::Kind::Integer;
    if (is_pair) item.turns = LiveRange{(*turns)[0].integer(), (*turns)[1].integer()};
    if (is_pair && !item.turns->empty() && item.turns->lower >= item.phases.upper &&
        item.turns->upper <= phases) {
      return;
    }
    fields.refuse(
        "turns", fmt::format("expected two phases after {}, of the {}", item.phases.upper, phases));
  }

  void read_part(JsonFields& fields) {
    PricePart& part = claim_.certificates.back().prices.parts.emplace_back();
    for (const std::uint64_t item : numbers(fields, "items")) part.items.push_back(item);
    part.walk = fields.optional_integer("walk");
    each(fields, "nodes", fields.array("nodes"), &Reader::read_node);
  }

  void read_node(JsonFields& fields) {
    PriceNode node;
    if (fields.optional_value("item")) {
      node.branch = PriceBranch{fields.integer("item"), fields.integer("most"),
                                fields.integer("below"), fields.integer("above")};
    } else {
      node.scale = fields.integer("scale");
      const auto prices = fields.array("prices");
      for (std::size_t i = 0; i < prices.size() && !fields.failed(); ++i) {
        read_price(fields, prices[i], i, node);
      }
    }
    claim_.certificates.back().prices.parts.back().nodes.push_back(std::move(node));
  }

  static void read_price(JsonFields& fields, const JsonValue& value, std::size_t index,
                         PriceNode& node) {
    const auto pair =
        value.kind() == JsonValue::Kind::Array ? value.items() : std::vector<JsonValue>();
    const bool is_pair = pair.size() == 2 && pair[0].kind() == JsonValue::Kind::Integer &&
                         pair[1].kind() == JsonValue::Kind::Integer;
    if (is_pair) return node.prices.push_back({pair[0].integer(), pair[1].integer()});
    fields.refuse(json_error(value, fmt::format("{}[{}]", fields.path_of("prices"), index),
                             "expected a phase and its price"));
  }

  ResidencyClaim claim_;
  Bytes held_;
  Bytes moved_;
  Bytes choice_held_;
  Bytes choice_moved_;
};

}  // namespace

Result<ResidencyClaim> read_residency(const JsonDocument& document) {
  return Reader().read(document.root());
}

}  // namespace berth
