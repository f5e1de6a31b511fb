#include "berth/formats/verdict_json.h"

#include <fmt/format.h>

#include "berth/formats/json.h"

namespace berth {
namespace {

std::string text_of(AddressRange bytes) {
  return fmt::format(R"({{"address": {}, "bytes": {}}})", bytes.lower, bytes.upper - bytes.lower);
}

template <typename Value, typename Text>
std::string or_null(const std::optional<Value>& value, const Text& text) {
  return value ? text(*value) : std::string("null");
}

struct FaultText {
  const PlaneTable& planes;
  const LaunchSchedule& schedule;

  std::string of(const RangeId& id) const {
    const NamedRange& range = planes[id];
    return fmt::format(R"({{"kind": "{}", {}"name": {}, "address": {}, "bytes": {}}})",
                       id.phase ? "plane" : "global",
                       id.phase ? "\"phase\": " + json_quoted(planes[*id.phase].phase) + ", " : "",
                       json_quoted(range.name), range.address.value(), range.bytes.count());
  }
  std::string of(const NearRange& near) const {
    return fmt::format(R"({{"range": {}, "distance": {}}})", of(near.range), near.distance);
  }
  std::string of(const Declaration& declaration) const {
    return fmt::format(R"({{"instance": {}, {}, "plane": {}}})", declaration.instance,
                       launch_fields(declaration.launch), of(declaration.plane));
  }
  // Of the launch, in the object that it is part of.
  std::string launch_fields(LaunchId id) const {
    return fmt::format(R"("launch": {}, "name": {}, "phase": {})", id.index(),
                       json_quoted(schedule.name(id)), json_quoted(schedule.phase(id)));
  }

  std::string operator()(const Certified& /*certified*/) const { return ""; }

  std::string operator()(const BadRangeReport& report) const {
    using enum BadRange::Why;
    const char* why = report.bad.why == Empty     ? "empty"
                      : report.bad.why == PastEnd ? "past-end"
                                                  : "misaligned";
    return fmt::format(
        R"("kind": "bad-range", "why": "{}", "range": {}, "alignment": {}, "past_multiple": {})",
        why, of(report.bad.range), planes.alignment(), report.past_multiple);
  }
  std::string operator()(const SharedRangesReport& report) const {
    return fmt::format(R"("kind": "shared-bytes", "first": {}, "second": {}, "shared": {})",
                       of(report.ranges.first), of(report.ranges.second), text_of(report.bytes));
  }
  std::string operator()(const UndeclaredPhase& report) const {
    return R"("kind": "undeclared-phase", )" + launch_fields(report.launch);
  }
  std::string operator()(const StrayWordReport& report) const {
    const auto text = [this](const auto& value) { return of(value); };
    const auto number = [](std::uint64_t value) { return fmt::to_string(value); };
    return fmt::format(
        R"("kind": "stray-word", {}, "word": {}, "value": {}, "iteration": {}, "iterations": {}, )"
        R"("interval": {}, "below": {}, "above": {}, "elsewhere": {})",
        launch_fields(report.stray.launch), report.stray.word, report.value,
        or_null(report.iteration, number), report.iterations, text_of(report.interval),
        or_null(report.below, text), or_null(report.above, text), or_null(report.elsewhere, text));
  }
  std::string operator()(const StrayAccessReport& report) const {
    const auto text = [this](const auto& value) { return of(value); };
    const auto number = [](std::uint64_t value) { return fmt::to_string(value); };
    return fmt::format(
        R"("kind": "stray-access", {}, "word": {}, "reads": {}, "writes": {}, "value": {}, )"
        R"("iteration": {}, "iterations": {}, "interval": {}, "range": {}, "past": {})",
        launch_fields(report.stray.launch), report.stray.word, report.extent.reads,
        report.extent.writes, report.value, or_null(report.iteration, number), report.iterations,
        text_of(report.interval), or_null(report.range, text), report.past);
  }
  std::string operator()(const UnwrittenRead& read) const {
    return fmt::format(
        R"("kind": "unwritten-read", "plane": {}, "used": {}, "reader": {{{}, "word": {}}}, )"
        R"("bytes": {}, "missing": {})",
        of(read.plane), of(Declaration{read.instance, read.launch, read.plane}),
        launch_fields(read.reader), read.word, text_of(read.bytes), text_of(read.missing));
  }
  std::string operator()(const LostValueReport& report) const {
    const auto text = [this](const auto& value) { return of(value); };
    return fmt::format(
        R"("kind": "lost-value", "plane": {}, "used": {}, "declared": {}, "overwritten": {})",
        of(report.lost.plane),
        of(Declaration{report.lost.instance, report.lost.launch, report.lost.plane}),
        or_null(report.declared, text), or_null(report.overwritten, text));
  }
};

}  // namespace

std::string write_verdict(const WrittenVerdict& written) {
  const ArenaCoverage& coverage = written.coverage;
  const FaultText faults{written.planes, written.schedule};
  std::string text = fmt::format(
      R"({{"verdict": {}, "certified": {}, "vacuous": {}, "exact": {}, "launches": {}, )"
      R"("executed": {}, "instances": {}, "words": {}, "words_in_windows": {}, "anonymous": {})",
      written.verdict.code(), written.verdict.certified() && written.refused.empty(),
      coverage.vacuous(), written.exact, coverage.launches, coverage.executed, coverage.instances,
      coverage.words, coverage.words_in_windows, coverage.anonymous);
  text += fmt::format(R"(, "planes": {}, "shared_bytes": {}, "nothing_shared": {})",
                      coverage.planes, coverage.shared_bytes, coverage.shared_bytes == 0);
  text += fmt::format(R"(, "queues": {}, "in_order": {}, "undecided": {})", coverage.queues,
                      coverage.in_order, written.undecided);
  if (!written.schedule.extents().empty()) {
    text += fmt::format(R"(, "words_with_extents": {})", coverage.with_extents);
  }
  text += ",\n \"outside_windows\": [";
  for (const RangeId& id : coverage.outside) {
    text += (&id == coverage.outside.data() ? "" : ", ") + faults.of(id);
  }
  text += "],\n \"not_judged\": [";
  for (const std::string& what : written.schedule.not_judged()) {
    text += (&what == written.schedule.not_judged().data() ? "" : ", ") + json_quoted(what);
  }
  text += "]";
  if (!written.verdict.certified()) {
    text += fmt::format(",\n \"fault\": {{{}}}", std::visit(faults, written.report));
  } else if (!written.refused.empty()) {
    text += fmt::format(",\n \"fault\": {{\"kind\": \"{}\"}}", written.refused);
  }
  return text + "}\n";
}

}  // namespace berth
