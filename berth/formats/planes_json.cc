#include "berth/formats/planes_json.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "berth/formats/json_lines.h"

namespace berth {
namespace {

constexpr std::string_view kFormat = "berth.planes/1";

std::string text_of(const NamedRange& range) {
  return fmt::format(R"("name": {}, "address": {}, "bytes": {})", json_quoted(range.name),
                     range.address.value(), range.bytes.count());
}

std::string window_line(const Window& window) {
  return fmt::format(R"({{"address": {}, "bytes": {}}})", window.address.value(),
                     window.bytes.count());
}

std::string global_line(const NamedRange& range) {
  return "{" + text_of(range) + "}";
}

std::string phase_line(const PhasePlanes& phase) {
  std::string line = fmt::format(R"({{"phase": {}, "planes": [)", json_quoted(phase.phase));
  for (const Plane& plane : phase.planes) {
    line += fmt::format("{}{{{}{}}}", &plane == phase.planes.data() ? "\n   " : ",\n   ",
                        text_of(plane.range), plane.carried ? ", \"carried\": true" : "");
  }
  return line + "]}";
}

class Reader {
 public:
  Result<PlaneTable> read(const JsonValue& root) {
    if (auto fault = find_format_fault(root, kFormat)) return tl::unexpected(std::move(*fault));
    JsonFields fields(root, "");
    fields.string("format");
    const auto alignment = fields.integer("alignment");
    read_each(fields, "windows", fields.optional_array("windows"), [&](JsonFields& window) {
      const Address address(window.address("address"));
      windows_.push_back({address, Bytes(window.integer("bytes"))});
    });
    read_each(fields, "globals", fields.optional_array("globals"),
              [&](JsonFields& global) { globals_.push_back(read_range(global)); });
    read_each(fields, "phases", fields.array("phases"),
              [&](JsonFields& phase) { read_phase(phase); });
    if (auto error = fields.finish()) return tl::unexpected(std::move(*error));
    return make(root, alignment);
  }

 private:
  // The table names the field; the file knows where it stands.
  Result<PlaneTable> make(const JsonValue& root, std::uint64_t alignment) {
    auto table =
        PlaneTable::make(alignment, std::move(windows_), std::move(globals_), std::move(phases_));
    if (table) return table;
    const Error& error = table.error();
    return tl::unexpected(
        json_error(value_at(root, error.where), error.where, error.message, error.hint));
  }

  template <typename ReadOne>
  static void read_each(JsonFields& parent, std::string_view key,
                        const std::optional<std::vector<JsonValue>>& items,
                        const ReadOne& read_one) {
    for (std::size_t i = 0; items && i < items->size() && !parent.failed(); ++i) {
      JsonFields fields((*items)[i], fmt::format("{}[{}]", parent.path_of(key), i));
      read_one(fields);
      if (auto error = fields.finish()) parent.refuse(std::move(*error));
    }
  }

  static NamedRange read_range(JsonFields& fields) {
    NamedRange range;
    range.name = fields.string("name");
    range.address = Address(fields.address("address"));
    range.bytes = Bytes(fields.integer("bytes"));
    return range;
  }

  void read_phase(JsonFields& fields) {
    PhasePlanes phase;
    phase.phase = fields.string("phase");
    read_each(fields, "planes", fields.array("planes"), [&](JsonFields& plane) {
      NamedRange range = read_range(plane);
      phase.planes.push_back({std::move(range), plane.optional_boolean("carried").value_or(false)});
    });
    phases_.push_back(std::move(phase));
  }

  std::vector<Window> windows_;
  std::vector<NamedRange> globals_;
  std::vector<PhasePlanes> phases_;
};

}  // namespace

Result<PlaneTable> read_planes(const JsonDocument& document) {
  return Reader().read(document.root());
}

std::string write_planes(const PlaneTable& planes) {
  std::string text =
      fmt::format("{{\"format\": \"{}\", \"alignment\": {}", kFormat, planes.alignment());
  write_lines(text, "windows", planes.windows(), window_line);
  write_lines(text, "globals", planes.globals(), global_line);
  write_lines(text, "phases", planes.phases(), phase_line);
  return text + "}\n";
}

}  // namespace berth
