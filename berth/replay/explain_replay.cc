#include "berth/replay/explain_replay.h"

#include <fmt/format.h>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::size_t kMostUndefined = 8;

std::string storage_name(const OpGraph& graph, OpId id) {
  const Storage& storage = graph.storage(id);
  if (!storage.name.empty()) return printable(storage.name);
  return fmt::format("{} {}", graph[id].kind == OpKind::Buffer ? "slot" : to_string(graph[id].kind),
                     storage.slot);
}

std::string range_text(const ByteRange& bytes) {
  return fmt::format("[{}, {})", bytes.lower, bytes.upper);
}

std::string body_name(const OpGraph& graph, OpId call) {
  if (graph[call].kind == OpKind::BackEdge) return "flag of a loop";
  return printable(std::get<BodyName>(graph[graph[call].sources[0]].attributes).name);
}

// What was there before the schedule began has no call.
bool is_input(const OpGraph& graph, const ArgumentUse& use) {
  return graph[use.call].kind != OpKind::Call && graph[use.call].kind != OpKind::BackEdge;
}

std::string wrong_text(const WrongRead& wrong, const OpGraph& placed, const OpGraph& original) {
  const auto where = fmt::format(
      "bytes {} of {} on {}",
      range_text({wrong.place, wrong.place + (wrong.bytes.upper - wrong.bytes.lower)}),
      storage_name(placed, wrong.storage), printable(placed.storage(wrong.storage).device));
  std::string text = fmt::format("wrong read: {} reads bytes {} of {} in {}\n  written by {}\n",
                                 use_name(original, wrong.reader), range_text(wrong.bytes),
                                 tensor_name(original, wrong.reader.tensor), where,
                                 use_name(original, wrong.written));
  if (!wrong.overwritten) return text + "  nobody wrote there: it was written to another place\n";
  if (wrong.overwritten->tensor == wrong.reader.tensor) {
    return text + fmt::format("  there stand bytes {} of it, by {}\n", range_text(wrong.taken_by),
                              use_name(original, *wrong.overwritten));
  }
  return text + fmt::format("  overwritten by {}: bytes {} of {}\n",
                            use_name(original, *wrong.overwritten), range_text(wrong.taken_by),
                            tensor_name(original, wrong.overwritten->tensor));
}

}  // namespace

std::string tensor_name(const OpGraph& graph, OpId id) {
  const View& view = *graph.view(id);
  if (view.base == id) return storage_name(graph, id);
  return fmt::format("slice {} of {}", range_text(view.bytes), storage_name(graph, view.base));
}

std::string use_name(const OpGraph& graph, const ArgumentUse& use) {
  if (is_input(graph, use)) return "whoever ran before";
  return fmt::format("step {} ({}), argument {}", use.step, body_name(graph, use.call),
                     use.argument);
}

std::string explain(const ReplayReport& report, const Schedule& placed, const Schedule& original) {
  const OpGraph& names = original.graph();
  std::string text = report.wrong ? wrong_text(*report.wrong, placed.graph(), names)
                                  : std::string("every read finds what was written to it\n");
  for (std::size_t i = 0; i < report.undefined.size() && i < kMostUndefined; ++i) {
    const ArgumentUse& use = report.undefined[i];
    text += fmt::format("note: {} reads {} before anything writes it\n", use_name(names, use),
                        tensor_name(names, use.tensor));
  }
  if (report.undefined.size() > kMostUndefined) {
    text += fmt::format("note: and {} more such reads\n", report.undefined.size() - kMostUndefined);
  }
  return text + fmt::format("{} calls run, {} reads checked\n", report.calls, report.reads);
}

}  // namespace berth
