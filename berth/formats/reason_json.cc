#include "berth/formats/reason_json.h"

#include <fmt/format.h>

#include <utility>

#include "berth/formats/gaps_json.h"
#include "berth/formats/json_lines.h"

namespace berth {
namespace {

constexpr std::string_view kFormat = "berth.reason/1";

std::string buffer_line(const Buffer& buffer) {
  std::string line = fmt::format(
      R"({{"name": {}, "bytes": {}, "skew": {}, "alignment": {}, "first": {}, "end": {})",
      json_quoted(buffer.name), buffer.size.count(), buffer.skew.count(), buffer.alignment.value(),
      buffer.life.lower, buffer.life.upper);
  if (buffer.fixed) line += fmt::format(", \"fixed\": {}", buffer.fixed->value());
  return line + gaps_field(buffer.gaps) + "}";
}

Buffer read_buffer(JsonFields& fields) {
  Buffer buffer;
  buffer.name = fields.string("name");
  buffer.size = Bytes(fields.integer("bytes"));
  buffer.skew = Bytes(fields.optional_integer("skew").value_or(0));
  buffer.alignment = read_alignment(fields, "alignment", Alignment());
  buffer.life.lower = fields.integer("first");
  buffer.life.upper = fields.integer("end");
  if (const auto fixed = fields.optional_integer("fixed")) buffer.fixed = Offset(*fixed);
  buffer.gaps = read_gaps(fields);
  return buffer;
}

PlanSource read_source(JsonFields& parent) {
  PlanSource source;
  const auto value = parent.optional_object("source");
  if (!value) return source;
  JsonFields fields(*value, "source");
  source.file = fields.string("file");
  source.sha256 = fields.optional_string("sha256").value_or("");
  if (auto error = fields.finish()) parent.refuse(std::move(*error));
  return source;
}

}  // namespace

std::string write_reason(const Reason& reason) {
  const Device& device = reason.part.devices()[0];
  std::string text = fmt::format(
      "{{\"format\": \"{}\",\n \"source\": {{\"file\": {}, \"sha256\": {}}},\n \"device\": {}",
      kFormat, json_quoted(reason.source.file), json_quoted(reason.source.sha256),
      json_quoted(device.name));
  if (device.capacity) {
    text += fmt::format(", \"capacity\": {}, \"reserve\": {}", device.capacity->count(),
                        (*device.capacity - *device.usable()).count());
  }
  text += fmt::format(", \"unit\": {}", reason.part.unit().value());
  if (reason.step) text += fmt::format(", \"step\": {}", *reason.step);
  text += fmt::format(", \"minimal\": {}", reason.minimal);
  write_lines(text, "buffers", reason.part.buffers(), buffer_line);
  return text + "}\n";
}

Result<Reason> read_reason(const JsonDocument& document) {
  const JsonValue root = document.root();
  if (auto fault = find_format_fault(root, kFormat)) return tl::unexpected(std::move(*fault));
  JsonFields fields(root, "");
  fields.string("format");
  PlanSource source = read_source(fields);
  Device device{fields.string("device"), {}, {}};
  if (const auto capacity = fields.optional_integer("capacity")) device.capacity = Bytes(*capacity);
  device.reserve = Bytes(fields.optional_integer("reserve").value_or(0));
  const Alignment unit = read_alignment(fields, "unit", Alignment());
  const auto step = fields.optional_integer("step");
  const bool minimal = fields.optional_boolean("minimal").value_or(false);
  std::vector<Buffer> buffers;
  const auto rows = fields.array("buffers");
  for (std::size_t i = 0; i < rows.size() && !fields.failed(); ++i) {
    JsonFields row(rows[i], fmt::format("buffers[{}]", i));
    buffers.push_back(read_buffer(row));
    if (auto error = row.finish()) fields.refuse(std::move(*error));
  }
  if (auto error = fields.finish()) return tl::unexpected(std::move(*error));
  auto part = Instance::make({std::move(device)}, std::move(buffers), unit);
  if (!part) {
    Error error = std::move(part.error());
    error.where = json_error(root, "buffers", "").where + ": " + error.where;
    return tl::unexpected(std::move(error));
  }
  return Reason{std::move(source), *std::move(part), step, minimal};
}

}  // namespace berth
