#include "berth/formats/schedule.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "berth/ir/slot_table.h"

namespace berth {
namespace {

constexpr std::string_view kFormat = "berth.schedule/1";
constexpr std::uint64_t kLargestSkew = kScheduleUnit - 1;

// A node of the file refers to nodes by their place in the file; in the graph equal ones are one.
class Reader {
 public:
  Result<Schedule> read(const JsonValue& root) {
    if (auto fault = find_format_fault(root, kFormat)) return tl::unexpected(std::move(*fault));
    JsonFields fields(root, "");
    fields.string("format");
    const auto ops = fields.array("ops");
    const auto root_node = fields.integer("root");
    const auto held = fields.optional_array("held").value_or(std::vector<JsonValue>());
    if (auto error = fields.finish()) return tl::unexpected(std::move(*error));

    ids_.reserve(ops.size());
    for (const JsonValue& op : ops) {
      if (auto error = read_op(op)) return tl::unexpected(std::move(*error));
    }
    if (root_node >= ids_.size()) {
      return tl::unexpected(json_error(
          *root.field("root"), "root",
          fmt::format("found node {}, expected one of the {} in ops", root_node, ids_.size()),
          "give the index of the linear, which comes last"));
    }
    return make(root, root_node, held);
  }

 private:
  Result<Schedule> make(const JsonValue& root, std::uint64_t root_node,
                        const std::vector<JsonValue>& held) {
    std::vector<OpId> held_ids;
    for (std::size_t i = 0; i < held.size(); ++i) {
      auto id = node(held[i], fmt::format("held[{}]", i));
      if (!id) return tl::unexpected(id.error());
      held_ids.push_back(*id);
    }
    auto schedule = Schedule::make(std::move(graph_), ids_[root_node], std::move(held_ids));
    if (schedule) return schedule;
    // The schedule names the field; the file knows where it stands.
    const Error& error = schedule.error();
    const auto field = root.field(error.where.substr(0, error.where.find('[')));
    return tl::unexpected(json_error(field.value_or(root), error.where, error.message, error.hint));
  }

  Result<OpId> node(const JsonValue& value, const std::string& path) const {
    if (value.kind() != JsonValue::Kind::Integer || value.integer() >= ids_.size()) {
      return tl::unexpected(
          json_error(value, path,
                     fmt::format("found {}, expected one of the {} nodes before it", value.text(),
                                 ids_.size()),
                     "name an earlier node by its index in ops"));
    }
    return ids_[value.integer()];
  }

  std::optional<Error> read_op(const JsonValue& value) {
    JsonFields fields(value, fmt::format("ops[{}]", ids_.size()));
    const std::string name = fields.string("op");
    const auto kind = op_kind_of(name);
    if (!kind)
      fields.refuse("op",
                    fmt::format("found {}, expected one of: {}", json_quoted(name), kind_names()));
    if (fields.failed()) return fields.finish();

    Op op{*kind, {}, std::monostate()};
    read_sources(fields, op);
    read_attributes(fields, op);
    if (auto error = fields.finish()) return error;

    const auto id = graph_.add(std::move(op));
    if (!id) {
      fields.refuse(field_of(id.error().where), place_in(id.error().where) + id.error().message,
                    id.error().hint);
      return fields.finish();
    }
    if (is_storage(*kind)) {
      if (auto fault = slots_.add(graph_, *id)) {
        fields.refuse(fault->where, fault->message, fault->hint);
        return fields.finish();
      }
    }
    ids_.push_back(*id);
    return std::nullopt;
  }

  // The graph says src[2]; the field in the file is src.
  static std::string field_of(const std::string& where) { return where.substr(0, where.find('[')); }
  static std::string place_in(const std::string& where) {
    const auto bracket = where.find('[');
    return bracket == std::string::npos ? "" : where.substr(bracket) + " ";
  }

  static std::string kind_names() {
    std::string names;
    for (int kind = 0; kind <= static_cast<int>(OpKind::BackEdge); ++kind) {
      names += fmt::format("{}{}", kind == 0 ? "" : ", ", to_string(static_cast<OpKind>(kind)));
    }
    return names;
  }

  void read_sources(JsonFields& fields, Op& op) {
    const bool is_body = op.kind == OpKind::Kernel || op.kind == OpKind::Store;
    if (is_storage(op.kind)) return;
    const auto sources = is_body ? fields.optional_array("src").value_or(std::vector<JsonValue>())
                                 : fields.array("src");
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto id = node(sources[i], fmt::format("{}[{}]", fields.path_of("src"), i));
      if (!id) return fields.refuse(id.error());
      op.sources.push_back(*id);
    }
  }

  static bool is_storage(OpKind kind) {
    return kind == OpKind::Buffer || kind == OpKind::Param || kind == OpKind::Alloc;
  }

  static void read_attributes(JsonFields& fields, Op& op) {
    switch (op.kind) {
      case OpKind::Buffer:
      case OpKind::Param:
      case OpKind::Alloc:
        op.attributes = read_storage(fields);
        break;
      case OpKind::Shrink: {
        const auto begin = fields.integer("begin");
        op.attributes = ElementRange{begin, fields.integer("end")};
        break;
      }
      case OpKind::Bitcast:
        op.attributes = read_dtype(fields);
        break;
      case OpKind::Kernel:
      case OpKind::Store:
        op.attributes = BodyName{fields.optional_string("name").value_or("")};
        break;
      case OpKind::Call:
        op.attributes = CallAccess{fields.optional_string("access").value_or("")};
        break;
      case OpKind::End:
        op.attributes = LoopCount{fields.integer("count")};
        break;
      case OpKind::BackEdge:
        op.attributes = LoopCount{fields.optional_integer("count")};
        break;
      case OpKind::After:
      case OpKind::Linear:
        break;
    }
  }

  static Dtype read_dtype(JsonFields& fields) {
    const std::string name = fields.string("dtype");
    const auto dtype = Dtype::of(name);
    if (!dtype) {
      fields.refuse(
          "dtype", fmt::format("found {}, expected one of: {}", json_quoted(name), Dtype::names()));
    }
    return dtype.value_or(Dtype::int8());
  }

  static Storage read_storage(JsonFields& fields) {
    Storage storage;
    storage.slot = fields.integer("slot");
    storage.dtype = read_dtype(fields);
    storage.elements = fields.integer("size");
    storage.device = fields.string("device");
    storage.skew =
        static_cast<std::uint8_t>(fields.optional_integer("skew", kLargestSkew).value_or(0));
    storage.name = fields.optional_string("name").value_or("");
    return storage;
  }

  OpGraph graph_;
  SlotTable slots_;
  std::vector<OpId> ids_;  // by place in the file
};

class Writer {
 public:
  explicit Writer(const Schedule& schedule) : schedule_(schedule) {
    std::vector<OpId> roots = {schedule.root()};
    roots.insert(roots.end(), schedule.held().begin(), schedule.held().end());
    order_ = reachable(schedule.graph(), roots);
    place_.resize(schedule.graph().size());
    for (std::size_t i = 0; i < order_.size(); ++i) place_[order_[i].index()] = i;
  }

  std::string write() {
    text_ = fmt::format("{{\"format\": \"{}\",\n \"ops\": [", kFormat);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      text_ += i == 0 ? "\n  " : ",\n  ";
      write_op(schedule_.graph()[order_[i]]);
    }
    text_ += fmt::format("\n ],\n \"root\": {}", place_[schedule_.root().index()]);
    if (!schedule_.held().empty()) {
      text_ += ",\n \"held\": ";
      write_nodes(schedule_.held());
    }
    text_ += "}\n";
    return std::move(text_);
  }

 private:
  void write_nodes(std::span<const OpId> nodes) {
    text_ += '[';
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      text_ += fmt::format("{}{}", i == 0 ? "" : ", ", place_[nodes[i].index()]);
    }
    text_ += ']';
  }

  void write_op(const Op& op) {
    text_ += fmt::format("{{\"op\": \"{}\"", to_string(op.kind));
    if (!op.sources.empty() || needs_sources(op.kind)) {
      text_ += ", \"src\": ";
      write_nodes(op.sources);
    }
    std::visit([&](const auto& attributes) { write_attributes(attributes); }, op.attributes);
    text_ += '}';
  }

  static bool needs_sources(OpKind kind) { return kind == OpKind::Linear; }

  void write_attributes(std::monostate) {}
  void write_attributes(const Storage& storage) {
    text_ += fmt::format(R"(, "slot": {}, "dtype": "{}", "size": {}, "device": {})", storage.slot,
                         storage.dtype.name(), storage.elements, json_quoted(storage.device));
    if (storage.skew != 0) text_ += fmt::format(", \"skew\": {}", storage.skew);
    write_text("name", storage.name);
  }
  void write_attributes(const ElementRange& range) {
    text_ += fmt::format(", \"begin\": {}, \"end\": {}", range.lower, range.upper);
  }
  void write_attributes(Dtype dtype) { text_ += fmt::format(", \"dtype\": \"{}\"", dtype.name()); }
  void write_attributes(const BodyName& body) { write_text("name", body.name); }
  void write_attributes(const CallAccess& access) { write_text("access", access.letters); }
  void write_attributes(const LoopCount& loop) {
    if (loop.count) text_ += fmt::format(", \"count\": {}", *loop.count);
  }
  void write_text(std::string_view key, const std::string& value) {
    if (!value.empty()) text_ += fmt::format(", \"{}\": {}", key, json_quoted(value));
  }

  const Schedule& schedule_;
  std::vector<OpId> order_;
  std::vector<std::size_t> place_;  // in the file, by node
  std::string text_;
};

}  // namespace

Result<Schedule> read_schedule(const JsonDocument& document) {
  return Reader().read(document.root());
}

std::string write_schedule(const Schedule& schedule) {
  return Writer(schedule).write();
}

}  // namespace berth
