#include "berth/pipeline/replay_files.h"

#include <fmt/format.h>

#include <utility>

#include "berth/formats/json.h"
#include "berth/formats/schedule.h"
#include "berth/replay/explain_replay.h"

namespace berth {
namespace {

Result<Schedule> read(const InputFile& file) {
  const auto document = JsonDocument::parse(file.content, file.path);
  if (!document) return tl::unexpected(document.error());
  return read_schedule(*document);
}

std::string use_json(const OpGraph& graph, const ArgumentUse& use) {
  const bool is_call = graph[use.call].kind == OpKind::Call;
  const bool is_flag = graph[use.call].kind == OpKind::BackEdge;
  const std::string body =
      is_call ? std::get<BodyName>(graph[graph[use.call].sources[0]].attributes).name : "";
  return fmt::format(
      R"({{"step": {}, "call": {}, "argument": {}, "buffer": {}, "first": {}, "end": {}}})",
      is_call || is_flag ? std::to_string(use.step) : "null", is_call ? json_quoted(body) : "null",
      use.argument, json_quoted(tensor_name(graph, use.tensor)), use.bytes.lower, use.bytes.upper);
}

std::string wrong_json(const WrongRead& wrong, const OpGraph& placed, const OpGraph& names) {
  const Storage& storage = placed.storage(wrong.storage);
  return fmt::format(
      "{{\"read\": {},\n  \"buffer\": {}, \"byte\": {}, \"bytes\": {},\n"
      "  \"slot\": {}, \"device\": {}, \"place\": {},\n  \"written\": {},\n  \"overwritten\": {}}}",
      use_json(names, wrong.reader), json_quoted(tensor_name(names, wrong.reader.tensor)),
      wrong.bytes.lower, wrong.bytes.upper - wrong.bytes.lower, storage.slot,
      json_quoted(storage.device), wrong.place, use_json(names, wrong.written),
      wrong.overwritten ? use_json(names, *wrong.overwritten) : "null");
}

}  // namespace

Result<ReplayedFiles> replay_files(const InputFile& placed_file,
                                   const std::optional<InputFile>& original_file) {
  auto placed = read(placed_file);
  if (!placed) return tl::unexpected(placed.error());
  std::optional<Schedule> original;
  if (original_file) {
    auto found = read(*original_file);
    if (!found) return tl::unexpected(found.error());
    original = *std::move(found);
  }
  auto report = original ? replay(*placed, *original) : replay(*placed);
  if (!report) {
    Error error = report.error();
    error.where = placed_file.path + ": " + error.where;
    return tl::unexpected(std::move(error));
  }
  return ReplayedFiles{*std::move(placed), std::move(original), *std::move(report)};
}

std::string replay_text(const ReplayedFiles& files) {
  return explain(files.report, files.placed, files.named());
}

std::string replay_json(const ReplayedFiles& files) {
  const OpGraph& names = files.named().graph();
  std::string undefined;
  for (const ArgumentUse& use : files.report.undefined) {
    undefined += (undefined.empty() ? "\n  " : ",\n  ") + use_json(names, use);
  }
  return fmt::format(
      "{{\"sound\": {}, \"calls\": {}, \"reads\": {},\n \"undefined\": [{}],\n \"fault\": {}}}\n",
      files.report.sound(), files.report.calls, files.report.reads, undefined,
      files.report.wrong ? wrong_json(*files.report.wrong, files.placed.graph(), names) : "null");
}

}  // namespace berth
