#include "berth/pipeline/input.h"

#include <utility>

#include "berth/formats/file.h"
#include "berth/formats/mistaken_file.h"

namespace berth {
namespace {

constexpr std::size_t kIdentifierAt = 4;  // of a FlatBuffers file

bool has_identifier(std::string_view content, std::string_view identifier) {
  return content.size() >= kIdentifierAt + identifier.size() &&
         content.substr(kIdentifierAt, identifier.size()) == identifier;
}

// The value of the first "format" in the text: enough to choose a reader, which then looks closely.
InputKind json_kind(std::string_view content) {
  constexpr std::string_view key = "\"format\"";
  const auto at = content.find(key);
  if (at == std::string_view::npos) return InputKind::OtherJson;
  const auto value = content.find_first_not_of(" \t\r\n:", at + key.size());
  if (value == std::string_view::npos) return InputKind::OtherJson;
  if (content.substr(value).starts_with("\"berth.schedule/")) return InputKind::ScheduleJson;
  if (content.substr(value).starts_with("\"berth.plan/")) return InputKind::PlanJson;
  if (content.substr(value).starts_with("\"berth.reason/")) return InputKind::ReasonJson;
  if (content.substr(value).starts_with("\"berth.program/")) return InputKind::ProgramJson;
  if (content.substr(value).starts_with("\"berth.deployment/")) return InputKind::DeploymentJson;
  if (content.substr(value).starts_with("\"berth.residency/")) return InputKind::ResidencyJson;
  return InputKind::OtherJson;
}

// ModelProto begins with its ir_version: field 1, a small varint.
bool looks_like_onnx(std::string_view content) {
  return content.size() > 2 && content[0] == '\x08' && content[1] > 0 && content[1] < ' ';
}

// No text that berth reads has a zero byte; most binaries have one early on.
bool looks_binary(std::string_view content) {
  constexpr std::size_t kLooked = 4096;
  return content.substr(0, kLooked).find('\0') != std::string_view::npos;
}

}  // namespace

Result<InputFile> open_input(const std::string& path) {
  auto content = read_file(path);
  if (!content) return tl::unexpected(content.error());
  if (auto mistaken = find_mistaken_file(path, *content)) {
    return tl::unexpected(*std::move(mistaken));
  }
  return InputFile{path, *std::move(content)};
}

InputKind kind_of(std::string_view content) {
  if (has_identifier(content, "TFL3")) return InputKind::Tflite;
  if (has_identifier(content, "ET12")) return InputKind::Executorch;
  if (looks_like_onnx(content)) return InputKind::Onnx;
  if (looks_binary(content)) return InputKind::OtherBinary;
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  const auto first = content.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return InputKind::InstanceCsv;
  // Of other JSON values, a string or a number may be a table's first line.
  const auto text = content.substr(first, content.find_last_not_of(" \t\r\n") + 1 - first);
  const bool is_word = text == "null" || text == "true" || text == "false";
  const bool is_json = text.starts_with('{') || text.starts_with('[') || is_word;
  return is_json ? json_kind(content) : InputKind::InstanceCsv;
}

std::string_view name_of(InputKind kind) {
  switch (kind) {
    case InputKind::InstanceCsv:
      return "an instance table";
    case InputKind::ScheduleJson:
      return "a schedule";
    case InputKind::PlanJson:
      return "a plan";
    case InputKind::ReasonJson:
      return "a reason";
    case InputKind::ProgramJson:
      return "a program";
    case InputKind::DeploymentJson:
      return "a deployment";
    case InputKind::ResidencyJson:
      return "a residency";
    case InputKind::Tflite:
      return "a .tflite model";
    case InputKind::Onnx:
      return "an .onnx model";
    case InputKind::Executorch:
      return "an ExecuTorch program";
    case InputKind::OtherBinary:
      return "a binary of another kind";
    case InputKind::OtherJson:
      return "JSON of another kind";
  }
  __builtin_unreachable();
}

}  // namespace berth
