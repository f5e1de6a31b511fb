#include "berth/formats/plan_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "berth/formats/asked_json.h"
#include "berth/formats/gaps_json.h"
#include "berth/formats/json_lines.h"
#include "berth/formats/target_use_json.h"

namespace berth {
namespace {

constexpr std::string_view kFormat = "berth.plan/1";

constexpr std::array<std::string_view, 10> kWhyNames = {
    "constant", "variable",   "held",  "disk",   "dynamic",
    "param",    "call-local", "empty", "unused", "planner-off"};

std::optional<KeptWhy> why_of(std::string_view name) {
  const auto found = std::ranges::find(kWhyNames, name);
  if (found == kWhyNames.end()) return std::nullopt;
  return static_cast<KeptWhy>(found - kWhyNames.begin());
}

std::string arena_line(const PlannedArena& arena) {
  const ArenaFigures& figures = arena.figures;
  std::string line = fmt::format(
      R"({{"device": {}, "tier": {}, "bytes": {}, "max_load": {}, "max_load_unpadded": {}, )"
      R"("lower_bound": {}, "proved_least": {}, "peak_step": {}, "unit": {}, "alignment": {}, )"
      R"("address": {})",
      json_quoted(arena.device), json_quoted(arena.tier), figures.peak.count(),
      figures.max_load.count(), figures.max_load_unpadded.count(), figures.lower_bound.count(),
      arena.claims_proved_least.value_or(figures.proved_least()), figures.peak_step,
      arena.unit.value(), arena.alignment.value(), arena.address.value());
  if (arena.capacity) line += fmt::format(", \"capacity\": {}", arena.capacity->count());
  if (arena.reserve > Bytes(0)) line += fmt::format(", \"reserve\": {}", arena.reserve.count());
  if (arena.beside > Bytes(0)) line += fmt::format(", \"beside\": {}", arena.beside.count());
  return line + "}";
}

std::string buffer_line(const PlannedBuffer& buffer) {
  std::string line = fmt::format(
      R"({{"name": {}, "arena": {}, "offset": {}, "bytes": {}, "skew": {}, "alignment": {}, )"
      R"("first": {}, "end": {})",
      json_quoted(buffer.name), buffer.arena, buffer.offset.value(), buffer.bytes.count(),
      buffer.skew.count(), buffer.alignment.value(), buffer.life.lower, buffer.life.upper);
  if (buffer.fixed) line += fmt::format(", \"fixed\": {}", buffer.fixed->value());
  if (buffer.view_of) line += fmt::format(", \"view_of\": {}", *buffer.view_of);
  if (buffer.held) line += ", \"held\": true";
  if (buffer.reuses) line += fmt::format(", \"reuses\": {}", *buffer.reuses);
  return line + gaps_field(buffer.gaps) + "}";
}

std::string origin_line(const std::optional<PhaseOrigin>& origin) {
  if (!origin) return "null";
  std::string line = fmt::format(R"({{"graph": {}, "operator": {})", origin->graph, origin->index);
  if (!origin->name.empty()) line += ", \"name\": " + json_quoted(origin->name);
  return line + "}";
}

std::string kept_line(const KeptTensor& kept) {
  std::string line = fmt::format(R"({{"name": {}, "why": "{}", "bytes": {})",
                                 json_quoted(kept.name), to_string(kept.why), kept.bytes.count());
  if (kept.device) line += ", \"device\": " + json_quoted(*kept.device);
  if (kept.life) {
    line += fmt::format(", \"first\": {}, \"end\": {}", kept.life->lower, kept.life->upper);
  }
  return line + "}";
}

}  // namespace

std::string_view to_string(KeptWhy why) {
  return kWhyNames[static_cast<std::size_t>(why)];
}

std::string write_plan(const Plan& plan) {
  std::string text = fmt::format(
      "{{\"format\": \"{}\",\n \"source\": {{\"file\": {}, \"sha256\": {}}},\n \"packer\": {}, "
      "\"found_by\": {}, \"seed\": {}",
      kFormat, json_quoted(plan.source.file), json_quoted(plan.source.sha256),
      json_quoted(plan.packer), json_quoted(plan.found_by), plan.seed);
  if (plan.asked != Asked{}) text += ",\n \"asked\": " + asked_json(plan.asked);
  write_lines(text, "arenas", plan.arenas, arena_line);
  text += fmt::format(",\n \"ordering\": {}, \"cut\": {}", json_quoted(plan.ordering), plan.cut);
  write_lines(text, "buffers", plan.buffers, buffer_line);
  write_lines(text, "kept", plan.kept, kept_line);
  if (!plan.step_names.empty()) write_lines(text, "steps", plan.step_names, json_quoted);
  if (!plan.origins.empty()) write_lines(text, "operators", plan.origins, origin_line);
  if (!plan.order.empty()) text += fmt::format(",\n \"order\": [{}]", fmt::join(plan.order, ", "));
  if (!plan.not_counted.empty()) write_lines(text, "not_counted", plan.not_counted, json_quoted);
  if (plan.estimate) text += fmt::format(",\n \"estimate\": {}", plan.estimate->count());
  if (plan.target) text += ",\n \"on_target\": " + target_use_json(*plan.target);
  return text + "}\n";
}

namespace {

class Reader {
 public:
  Result<Plan> read(const JsonValue& root) {
    if (auto fault = find_format_fault(root, kFormat)) return tl::unexpected(std::move(*fault));
    JsonFields fields(root, "");
    fields.string("format");
    const auto source = fields.optional_object("source");
    if (source) read_source(fields, *source);
    if (!source) fields.refuse("source", "is missing, expected an object");
    plan_.packer = fields.string("packer");
    plan_.found_by = fields.optional_string("found_by").value_or(plan_.packer);
    plan_.seed = fields.integer("seed");
    if (const auto value = fields.optional_object("asked")) {
      auto asked = read_asked(*value, "asked");
      if (!asked) fields.refuse(asked.error());
      if (asked) plan_.asked = *std::move(asked);
    }
    read_each(fields, "arenas", &Reader::read_arena);
    plan_.ordering = fields.string("ordering");
    plan_.cut = fields.boolean("cut");
    buffer_count_ = fields.array("buffers").size();
    read_each(fields, "buffers", &Reader::read_buffer);
    read_each(fields, "kept", &Reader::read_kept);
    plan_.step_names = read_texts(fields, "steps");
    read_origins(fields);
    plan_.not_counted = read_texts(fields, "not_counted");
    if (const auto bytes = fields.optional_integer("estimate")) plan_.estimate = Bytes(*bytes);
    if (fields.optional_value("order")) {
      for (const auto step : fields.addresses("order")) plan_.order.push_back(step);
    }
    if (const auto value = fields.optional_object("on_target")) {
      auto target = read_target_use(*value, "on_target");
      if (!target) fields.refuse(target.error());
      if (target) plan_.target = *std::move(target);
    }
    if (auto error = fields.finish_among_others()) return tl::unexpected(std::move(*error));
    return std::move(plan_);
  }

 private:
  void read_each(JsonFields& parent, std::string_view key, void (Reader::*read_one)(JsonFields&)) {
    const auto items = parent.array(key);
    for (std::size_t i = 0; i < items.size() && !parent.failed(); ++i) {
      JsonFields fields(items[i], fmt::format("{}[{}]", key, i));
      (this->*read_one)(fields);
      if (auto error = fields.finish_among_others()) parent.refuse(std::move(*error));
    }
  }

  void read_source(JsonFields& parent, const JsonValue& value) {
    JsonFields fields(value, "source");
    plan_.source.file = fields.string("file");
    plan_.source.sha256 = fields.optional_string("sha256").value_or("");
    if (auto error = fields.finish_among_others()) parent.refuse(std::move(*error));
  }

  void read_arena(JsonFields& fields) {
    PlannedArena arena;
    arena.device = fields.string("device");
    arena.tier = fields.string("tier");
    ArenaFigures& figures = arena.figures;
    figures.peak = Bytes(fields.integer("bytes"));
    figures.max_load = Bytes(fields.integer("max_load"));
    figures.max_load_unpadded =
        Bytes(fields.optional_integer("max_load_unpadded").value_or(figures.max_load.count()));
    figures.lower_bound = Bytes(fields.integer("lower_bound"));
    figures.peak_step = fields.integer("peak_step");
    const bool proved_least = fields.boolean("proved_least");
    if (proved_least != figures.proved_least()) arena.claims_proved_least = proved_least;
    arena.alignment = read_alignment(fields, "alignment");
    arena.unit = read_alignment(fields, "unit", arena.alignment);
    const auto address = fields.optional_address("address");
    if (!address) fields.refuse("address", "is missing, expected an address");
    arena.address = Address(address.value_or(0));
    if (const auto capacity = fields.optional_integer("capacity"))
      arena.capacity = Bytes(*capacity);
    arena.reserve = Bytes(fields.optional_integer("reserve").value_or(0));
    arena.beside = Bytes(fields.optional_integer("beside").value_or(0));
    plan_.arenas.push_back(std::move(arena));
  }

  // An index in a table of `size` rows.
  static std::optional<std::size_t> read_index(JsonFields& fields, std::string_view key,
                                               std::size_t size, std::string_view table) {
    const auto index = fields.optional_integer(key);
    if (index && *index >= size) {
      fields.refuse(
          key, fmt::format("found {}, expected an index in {}, which has {}", *index, table, size));
      return std::nullopt;
    }
    return index;
  }

  void read_buffer(JsonFields& fields) {
    PlannedBuffer buffer;
    buffer.name = fields.string("name");
    const auto arena = read_index(fields, "arena", plan_.arenas.size(), "arenas");
    if (!arena) fields.refuse("arena", "is missing, expected an index in arenas");
    buffer.arena = arena.value_or(0);
    buffer.offset = Offset(fields.integer("offset"));
    buffer.bytes = Bytes(fields.integer("bytes"));
    buffer.skew = Bytes(fields.integer("skew"));
    buffer.alignment = read_alignment(fields, "alignment");
    buffer.life.lower = fields.integer("first");
    buffer.life.upper = fields.integer("end");
    if (buffer.life.empty()) {
      fields.refuse("end", fmt::format("found {}, expected more than first, {}", buffer.life.upper,
                                       buffer.life.lower));
    }
    if (const auto fixed = fields.optional_integer("fixed")) buffer.fixed = Offset(*fixed);
    buffer.view_of = read_index(fields, "view_of", buffer_count_, "buffers");
    buffer.reuses = read_index(fields, "reuses", buffer_count_, "buffers");
    buffer.held = fields.optional_boolean("held").value_or(false);
    buffer.gaps = read_gaps(fields);
    plan_.buffers.push_back(std::move(buffer));
  }

  void read_kept(JsonFields& fields) {
    KeptTensor kept;
    kept.name = fields.string("name");
    const std::string why = fields.string("why");
    kept.why = why_of(why).value_or(KeptWhy::Constant);
    if (!why_of(why)) {
      fields.refuse("why", fmt::format("found {}, expected one of: {}", json_quoted(why),
                                       fmt::join(kWhyNames, ", ")));
    }
    kept.bytes = Bytes(fields.integer("bytes"));
    kept.device = fields.optional_string("device");
    const auto first = fields.optional_integer("first");
    const auto end = fields.optional_integer("end");
    if (first && end) kept.life = LiveRange{*first, *end};
    if (first.has_value() != end.has_value() || (kept.life && kept.life->empty())) {
      fields.refuse("end", "a life needs both 'first' and an 'end' past it");
    }
    plan_.kept.push_back(std::move(kept));
  }

  static std::vector<std::string> read_texts(JsonFields& fields, std::string_view key) {
    const auto items = fields.optional_array(key).value_or(std::vector<JsonValue>());
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].kind() != JsonValue::Kind::String) {
        fields.refuse(json_error(items[i], fmt::format("{}[{}]", key, i),
                                 fmt::format("found {}, expected a string", items[i].text())));
        return {};
      }
      texts.emplace_back(items[i].string());
    }
    return texts;
  }

  void read_origins(JsonFields& fields) {
    const auto origins = fields.optional_array("operators").value_or(std::vector<JsonValue>());
    for (std::size_t i = 0; i < origins.size() && !fields.failed(); ++i) {
      plan_.origins.emplace_back();
      if (origins[i].kind() == JsonValue::Kind::Null) continue;
      JsonFields origin(origins[i], fmt::format("operators[{}]", i));
      plan_.origins.back() = PhaseOrigin{origin.integer("graph"), origin.integer("operator"),
                                         origin.optional_string("name").value_or("")};
      if (auto error = origin.finish_among_others()) fields.refuse(std::move(*error));
    }
  }

  Plan plan_;
  std::size_t buffer_count_ = 0;
};

}  // namespace

Result<Plan> read_plan(const JsonDocument& document) {
  return Reader().read(document.root());
}

}  // namespace berth
