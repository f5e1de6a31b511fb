#include "berth/formats/program_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/formats/json_lines.h"
#include "berth/ir/program_rules.h"

namespace berth {
namespace {

using Fault = std::optional<Error>;
using Table = ProgramFault::Table;

constexpr std::string_view kFormat = "berth.program/1";
constexpr std::array<std::string_view, 5> kKinds = {"input", "output", "weight", "intermediate",
                                                    "state"};
constexpr std::array<std::string_view, 3> kTiers = {"sram", "hbm", "dram"};

template <std::size_t size>
std::optional<std::size_t> word_in(JsonFields& fields, std::string_view key,
                                   const std::optional<std::string>& word,
                                   const std::array<std::string_view, size>& words) {
  if (!word) return std::nullopt;
  const auto found = std::ranges::find(words, *word);
  if (found == words.end()) {
    fields.refuse(key, fmt::format("found {}, expected one of: {}", json_quoted(*word),
                                   fmt::join(words, ", ")));
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - words.begin());
}

// An entry of the file, for errors that are found once all is read.
struct Written {
  JsonValue value;
  std::string path;
};

class Reader {
 public:
  Reader(const JsonValue& root, std::string path) : root_(root), path_(std::move(path)) {}

  Result<Program> read() {
    if (auto fault = find_format_fault(root_, kFormat)) return tl::unexpected(*std::move(fault));
    JsonFields fields(root_, path_);
    fields.string("format");
    program_.name = fields.string("name");
    const auto tensors = fields.array("tensors");
    const auto buffers = fields.optional_array("buffers").value_or(std::vector<JsonValue>());
    const auto phases = fields.array("phases");
    const auto loops = fields.optional_array("loops").value_or(std::vector<JsonValue>());
    if (auto error = fields.finish()) return tl::unexpected(*std::move(error));

    read_names(tensors);
    const std::array reads = {
        std::pair(&tensors, &Reader::read_tensor), std::pair(&buffers, &Reader::read_buffer),
        std::pair(&phases, &Reader::read_phase), std::pair(&loops, &Reader::read_loop)};
    for (std::size_t table = 0; table < reads.size(); ++table) {
      const auto& [items, read_one] = reads[table];
      for (std::size_t i = 0; i < items->size(); ++i) {
        const Written entry{(*items)[i], path_of_entry(static_cast<Table>(table), i)};
        entries_[table].push_back(entry.value);
        if (Fault fault = (this->*read_one)(entry)) return tl::unexpected(*std::move(fault));
      }
    }
    if (const auto fault = find_program_fault(program_)) return tl::unexpected(error_of(*fault));
    return std::move(program_);
  }

 private:
  std::string path_of_entry(Table table, std::size_t index) const {
    constexpr std::array<std::string_view, 4> names = {"tensors", "buffers", "phases", "loops"};
    return fmt::format("{}{}{}[{}]", path_, path_.empty() ? "" : ".",
                       names[static_cast<std::size_t>(table)], index);
  }

  Error error_of(const ProgramFault& fault) const {
    const bool is_access = fault.table == Table::Accesses;
    const Written entry =
        is_access ? accesses_[fault.index][fault.access]
                  : Written{entries_[static_cast<std::size_t>(fault.table)][fault.index],
                            path_of_entry(fault.table, fault.index)};
    const auto field = fault.field.empty() ? std::nullopt : entry.value.field(fault.field);
    const std::string path = fault.field.empty() ? entry.path : entry.path + "." + fault.field;
    return json_error(field.value_or(entry.value), path, fault.message, fault.hint);
  }

  // Views and accesses may name tensors that come later.
  void read_names(const std::vector<JsonValue>& tensors) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].kind() != JsonValue::Kind::Object) continue;
      const auto name = tensors[i].field("name");
      if (!name || name->kind() != JsonValue::Kind::String) continue;
      ids_.emplace(name->string(), TensorId(i));
    }
  }

  std::optional<TensorId> tensor_named(JsonFields& fields, std::string_view key,
                                       const std::optional<std::string>& name) const {
    if (!name) return std::nullopt;
    const auto found = ids_.find(*name);
    if (found != ids_.end()) return found->second;
    fields.refuse(key,
                  fmt::format("found {}, which is no tensor of this program", json_quoted(*name)),
                  "declare it in tensors");
    return std::nullopt;
  }

  static ChipId read_chip(JsonFields& fields) {
    return ChipId(fields.optional_integer("chip", UINT32_MAX).value_or(0));
  }

  static std::vector<std::uint64_t> read_numbers(JsonFields& fields, std::string_view key) {
    std::vector<std::uint64_t> numbers;
    for (const JsonValue& item : fields.array(key)) {
      if (item.kind() != JsonValue::Kind::Integer) {
        fields.refuse(key, fmt::format("holds {}, expected integers", item.text()));
        break;
      }
      numbers.push_back(item.integer());
    }
    return numbers;
  }

  static void read_size(JsonFields& fields, Tensor& tensor) {
    const auto bytes = fields.optional_integer("bytes");
    const bool is_tiled = fields.optional_value("dims") || fields.optional_value("tile") ||
                          fields.optional_value("tile_bytes");
    if (bytes && is_tiled) {
      fields.refuse("bytes", "stands beside dims and tile, expected one of the two",
                    "take one of them out");
    }
    if (!is_tiled) {
      if (!bytes)
        fields.refuse("bytes", "is missing, expected bytes, or dims, tile and tile_bytes");
      tensor.bytes = Bytes(bytes.value_or(0));
      return;
    }
    tensor.layout = TileLayout{read_numbers(fields, "dims"), read_numbers(fields, "tile"),
                               Bytes(fields.integer("tile_bytes"))};
    const auto& dims = tensor.layout->dims;
    const auto& tile = tensor.layout->tile;
    // What is wrong with the tiles the rules say.
    const bool is_sound = dims.size() == tile.size() && std::ranges::find(tile, 0U) == tile.end();
    if (is_sound) tensor.bytes = tiled_bytes(*tensor.layout).value_or(Bytes(0));
  }

  Fault read_tensor(const Written& entry) {
    JsonFields fields(entry.value, entry.path);
    Tensor tensor;
    tensor.name = fields.string("name");
    const auto kind = word_in(fields, "kind", fields.string("kind"), kKinds);
    tensor.kind = static_cast<TensorKind>(kind.value_or(0));
    tensor.chip = read_chip(fields);
    read_size(fields, tensor);
    const auto tier = word_in(fields, "tier", fields.optional_string("tier"), kTiers);
    if (tier) tensor.tier = static_cast<Tier>(*tier);
    const auto base = tensor_named(fields, "view_of", fields.optional_string("view_of"));
    const auto offset = fields.optional_integer("offset");
    if (base) tensor.view_of = TensorView{*base, Bytes(offset.value_or(0))};
    if (offset && !base) fields.refuse("offset", "stands without view_of, which it belongs to");
    tensor.pinned = fields.optional_boolean("pinned").value_or(false);
    tensor.host = fields.optional_boolean("host").value_or(false);
    if (auto error = fields.finish()) return error;

    const TensorId id(program_.tensors.size());
    if (tensor.kind == TensorKind::Input) program_.inputs.push_back(id);
    if (tensor.kind == TensorKind::Output) program_.outputs.push_back(id);
    program_.tensors.push_back(std::move(tensor));
    return std::nullopt;
  }

  Fault read_buffer(const Written& entry) {
    JsonFields fields(entry.value, entry.path);
    SiteBuffer buffer;
    buffer.chip = read_chip(fields);
    buffer.site = fields.integer("site");
    buffer.offset = Offset(fields.integer("offset"));
    buffer.bytes = Bytes(fields.integer("bytes"));
    if (auto error = fields.finish()) return error;
    program_.buffers.push_back(buffer);
    return std::nullopt;
  }

  Fault read_loop(const Written& entry) {
    JsonFields fields(entry.value, entry.path);
    const std::uint64_t first = fields.integer("first");
    const std::uint64_t last = fields.integer("last");
    const std::uint64_t bound = fields.integer("bound");
    if (last < first || last >= program_.phases.size()) {
      fields.refuse("last",
                    fmt::format("found {}, expected a phase from first, {}, on, of the {}", last,
                                first, program_.phases.size()),
                    "phases are counted from 0, and last is in the loop");
    }
    if (auto error = fields.finish()) return error;
    program_.loops.push_back({{first, last + 1}, bound});
    return std::nullopt;
  }

  // A body inside the phase, and the loop that it is the body of.
  struct Body {
    std::vector<JsonValue> items;
    std::string path;
    std::optional<std::size_t> loop;
    std::size_t next = 0;
  };

  Fault read_phase(const Written& entry) {
    JsonFields fields(entry.value, entry.path);
    Phase phase;
    phase.name = fields.string("name");
    phase.scratch = Bytes(fields.optional_integer("scratch").value_or(0));
    std::vector<Body> open = {{fields.array("body"), fields.path_of("body"), std::nullopt}};
    if (auto error = fields.finish()) return error;

    accesses_.emplace_back();
    while (!open.empty()) {
      if (open.back().next == open.back().items.size()) {
        open.pop_back();
        continue;
      }
      const std::size_t index = open.back().next++;
      const Written item{open.back().items[index], fmt::format("{}[{}]", open.back().path, index)};
      const auto around = open.back().loop;
      const bool is_loop =
          item.value.kind() == JsonValue::Kind::Object && item.value.field("loop").has_value();
      Fault fault =
          is_loop ? read_inner_loop(item, around, phase, open) : read_access(item, around, phase);
      if (fault) return fault;
    }
    program_.phases.push_back(std::move(phase));
    return std::nullopt;
  }

  static Fault read_inner_loop(const Written& item, std::optional<std::size_t> around, Phase& phase,
                               std::vector<Body>& open) {
    JsonFields fields(item.value, item.path);
    phase.loops.push_back({fields.integer("loop"), around});
    open.push_back({fields.array("body"), fields.path_of("body"), phase.loops.size() - 1});
    return fields.finish();
  }

  Fault read_access(const Written& item, std::optional<std::size_t> around, Phase& phase) {
    JsonFields fields(item.value, item.path);
    TensorAccess access;
    access.loop = around;
    const auto read = fields.optional_string("read");
    const auto write = fields.optional_string("write");
    if (!fields.failed() && read.has_value() == write.has_value()) {
      fields.refuse(read ? "read" : "", read ? "stands beside write, expected one of the two"
                                             : "expected a read, a write or a loop");
    }
    access.kind = write ? TensorAccess::Kind::Write : TensorAccess::Kind::Read;
    const std::string_view key = write ? "write" : "read";
    access.tensor = tensor_named(fields, key, write ? write : read).value_or(TensorId());
    access.bytes = Bytes(fields.integer("bytes"));
    access.reuses = tensor_named(fields, "reuses", fields.optional_string("reuses"));
    if (access.reuses && !write) {
      fields.refuse("reuses", "belongs to a write", "take it out, or move it to a write");
    }
    if (access.reuses == access.tensor) {
      fields.refuse("reuses", "names the tensor that is written itself",
                    "name another tensor, one that dies there");
    }
    if (const auto whole = tensor_named(fields, "part_of", fields.optional_string("part_of"))) {
      access.part_of = TensorView{*whole, Bytes(fields.optional_integer("offset").value_or(0))};
      if (write) fields.refuse("part_of", "belongs to a read", "take it out, or move it to a read");
    }
    if (auto error = fields.finish()) return error;
    phase.accesses.push_back(access);
    accesses_.back().push_back(item);
    return std::nullopt;
  }

  JsonValue root_;
  std::string path_;
  Program program_;
  std::map<std::string, TensorId, std::less<>> ids_;
  std::array<std::vector<JsonValue>, 4> entries_;  // by Table
  std::vector<std::vector<Written>> accesses_;     // by phase
};

}  // namespace

Result<Program> read_program(const JsonValue& value, const std::string& path) {
  return Reader(value, path).read();
}

namespace {

std::string list(const std::vector<std::uint64_t>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::string tensor_line(const Program& program, const Tensor& tensor) {
  std::string line = fmt::format(R"({{"name": {}, "kind": "{}")", json_quoted(tensor.name),
                                 kKinds[static_cast<std::size_t>(tensor.kind)]);
  if (tensor.chip != ChipId(0)) line += fmt::format(R"(, "chip": {})", tensor.chip.index());
  const bool has_tiles = tensor.layout && tensor.layout->packed_bits == 0;
  if (has_tiles && tiled_bytes(*tensor.layout) == tensor.bytes) {
    line += fmt::format(R"(, "dims": {}, "tile": {}, "tile_bytes": {})", list(tensor.layout->dims),
                        list(tensor.layout->tile), tensor.layout->tile_bytes.count());
  } else {
    line += fmt::format(R"(, "bytes": {})", tensor.bytes.count());
  }
  if (tensor.tier) {
    line += fmt::format(R"(, "tier": "{}")", kTiers[static_cast<std::size_t>(*tensor.tier)]);
  }
  if (tensor.view_of) {
    line += fmt::format(R"(, "view_of": {}, "offset": {})",
                        json_quoted(program.tensors[tensor.view_of->of.index()].name),
                        tensor.view_of->offset.count());
  }
  if (tensor.pinned) line += R"(, "pinned": true)";
  if (tensor.host) line += R"(, "host": true)";
  return line + "}";
}

std::string access_text(const Program& program, const TensorAccess& access) {
  const bool is_read = access.kind == TensorAccess::Kind::Read;
  std::string text =
      fmt::format(R"({{"{}": {}, "bytes": {})", is_read ? "read" : "write",
                  json_quoted(program.tensors[access.tensor.index()].name), access.bytes.count());
  if (access.reuses) {
    text +=
        fmt::format(R"(, "reuses": {})", json_quoted(program.tensors[access.reuses->index()].name));
  }
  if (access.part_of) {
    text += fmt::format(R"(, "part_of": {}, "offset": {})",
                        json_quoted(program.tensors[access.part_of->of.index()].name),
                        access.part_of->offset.count());
  }
  return text + "}";
}

// Accesses stand in the order in which they run, so that those of a loop stand together.
std::string body_text(const Program& program, const Phase& phase) {
  std::string text;
  std::vector<std::size_t> open;  // loops, the innermost last
  bool is_first = true;
  const auto separate = [&] {
    if (!std::exchange(is_first, false)) text += ", ";
  };
  const auto close_to = [&](std::size_t depth) {
    for (; open.size() > depth; open.pop_back()) text += "]}";
  };
  for (const TensorAccess& access : phase.accesses) {
    std::vector<std::size_t> around;  // the innermost first
    for (auto loop = access.loop; loop; loop = phase.loops[*loop].inside) around.push_back(*loop);
    std::ranges::reverse(around);
    const auto [shared, other] = std::ranges::mismatch(open, around);
    close_to(static_cast<std::size_t>(shared - open.begin()));
    if (open.size() < around.size()) {
      for (auto loop = other; loop != around.end(); ++loop) {
        separate();
        text += fmt::format(R"({{"loop": {}, "body": [)", phase.loops[*loop].bound);
        open.push_back(*loop);
        is_first = true;
      }
    }
    separate();
    text += access_text(program, access);
  }
  close_to(0);
  return text;
}

}  // namespace

std::string write_program(const Program& program) {
  std::string text =
      fmt::format("{{\"format\": \"{}\", \"name\": {}", kFormat, json_quoted(program.name));
  write_lines(text, "tensors", program.tensors,
              [&](const Tensor& tensor) { return tensor_line(program, tensor); });
  if (!program.buffers.empty()) {
    write_lines(text, "buffers", program.buffers, [](const SiteBuffer& buffer) {
      return fmt::format(R"({{"chip": {}, "site": {}, "offset": {}, "bytes": {}}})",
                         buffer.chip.index(), buffer.site, buffer.offset.value(),
                         buffer.bytes.count());
    });
  }
  write_lines(text, "phases", program.phases, [&](const Phase& phase) {
    const std::string scratch =
        phase.scratch == Bytes(0) ? "" : fmt::format(R"(, "scratch": {})", phase.scratch.count());
    return fmt::format(R"({{"name": {}{}, "body": [{}]}})", json_quoted(phase.name), scratch,
                       body_text(program, phase));
  });
  if (!program.loops.empty()) {
    write_lines(text, "loops", program.loops, [](const PhaseLoop& loop) {
      return fmt::format(R"({{"first": {}, "last": {}, "bound": {}}})", loop.phases.lower,
                         loop.phases.upper - 1, loop.bound);
    });
  }
  return text + "}\n";
}

}  // namespace berth
