#include "berth/certify/explain_arena.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "berth/base/text.h"
#include "berth/certify/arena_extents.h"

namespace berth {
namespace {

std::string text_of(WideAddress address) {
  if (address == kAddressEnd) return "2^64";
  return fmt::format("{:#x}", address);
}

std::string quoted(std::string_view name) {
  return "'" + printable(name) + "'";
}

struct Explainer {
  const PlaneTable& planes;
  const LaunchSchedule& schedule;

  std::string name(const RangeId& id) const { return name_of(id, planes); }

  // "launch 3 ('matmul', phase 'layer')"
  std::string name(LaunchId id) const {
    const std::string_view own = schedule.name(id);
    return fmt::format("launch {} ({}phase {})", id.index(), own.empty() ? "" : quoted(own) + ", ",
                       quoted(schedule.phase(id)));
  }

  std::string name(const Declaration& declaration) const {
    return fmt::format("instance {}, from {} on", declaration.instance, name(declaration.launch));
  }

  std::string operator()(const Certified& /*certified*/) const { return "certified\n"; }

  std::string operator()(const BadRangeReport& report) const {
    using enum BadRange::Why;
    const std::string range = name(report.bad.range);
    switch (report.bad.why) {
      case Empty:
        return fmt::format("not certified: {} is empty\ngive it a byte, or leave it out\n", range);
      case PastEnd:
        return fmt::format("not certified: {} ends past 2^64\nmove it down\n", range);
      case Misaligned:
        return fmt::format(
            "not certified: {} begins {} bytes past a multiple of the alignment, {}\nmove it to a "
            "multiple\n",
            range, report.past_multiple, planes.alignment());
    }
    __builtin_unreachable();
  }

  std::string operator()(const SharedRangesReport& report) const {
    return fmt::format(
        "not certified: {} and {} share bytes {}, {} of them\nboth are live in one phase: move one "
        "of them\n",
        name(report.ranges.first), name(report.ranges.second), text_of(report.bytes),
        report.bytes.upper - report.bytes.lower);
  }

  std::string operator()(const UndeclaredPhase& report) const {
    return fmt::format(
        "not certified: {} is of a phase that the planes do not declare\ndeclare the phase, with "
        "no planes if it has none\n",
        name(report.launch));
  }

  std::string near(const char* side, const std::optional<NearRange>& range,
                   const char* edge) const {
    if (!range) return fmt::format("  nearest {}: none that the phase names\n", side);
    return fmt::format("  nearest {}: {}, whose {} byte is {} away\n", side, name(range->range),
                       edge, range->distance);
  }

  std::string operator()(const StrayWordReport& report) const {
    const auto& [launch, word] = report.stray;
    if (!report.iteration) {
      return fmt::format(
          "not certified: {}: word {} takes values in {} over {} iterations, which meets a window "
          "and lies in no one range that its phase names\n  each single value is named, or in no "
          "window: --exact, which looks at them one by one, accepts this word\n",
          name(launch), word, text_of(report.interval), report.iterations);
    }
    std::string text = fmt::format("not certified: {}: word {} is {}", name(launch), word,
                                   text_of(WideAddress(report.value)));
    if (report.iterations > 1) {
      text += fmt::format(" in iteration {} of {}", *report.iteration, report.iterations);
    }
    text += ", in a window, yet in no range that its phase names\n";
    text += near("below", report.below, "last");
    text += near("above", report.above, "first");
    if (!report.elsewhere) return text;
    return text + fmt::format("  it lies in {}: has the launch the wrong phase?\n",
                              name(*report.elsewhere));
  }

  std::string operator()(const StrayAccessReport& report) const {
    const auto& [launch, word] = report.stray;
    const std::string touches =
        fmt::format("{}: from word {} on it reads {} bytes and writes {}", name(launch), word,
                    report.extent.reads, report.extent.writes);
    if (!report.iteration) {
      return fmt::format(
          "not certified: {}, over {} iterations in {}, which lies in no one range that its phase "
          "names\n  the bytes of each single value do: --exact, which looks at them one by one, "
          "accepts this word\n",
          touches, report.iterations, text_of(report.interval));
    }
    std::string text =
        fmt::format("not certified: {}; at {}", touches, text_of(WideAddress(report.value)));
    if (report.iterations > 1) {
      text += fmt::format(" in iteration {} of {}", *report.iteration, report.iterations);
    }
    if (!report.range) {
      return text +
             ", these lie in no one range that its phase names\n  name what it reaches there; a "
             "word that is no address has no extent\n";
    }
    return text + fmt::format(", these go {} bytes past the end of {}\n", report.past,
                              name(*report.range));
  }

  std::string operator()(const UnwrittenRead& read) const {
    const Repeat* repeat = schedule.repeat_of(read.reader);
    const bool is_estimate = repeat != nullptr && repeat->iterations > kFollowedIterations;
    return fmt::format(
        "not certified: instance {}, from {} on, has {} fresh, and {} reads {} of it by word {}, "
        "of "
        "which no launch of the instance has written {} before\n  if it holds what an earlier "
        "phase "
        "left, carry it; else write it first\n{}",
        read.instance, name(read.launch), name(read.plane), name(read.reader), text_of(read.bytes),
        read.word, text_of(read.missing),
        is_estimate
            ? "  past 64 iterations this is an estimate: what moves counts as read from its "
              "least to its largest byte, and as written where it keeps step with the read\n"
            : "");
  }

  std::string operator()(const LostValueReport& report) const {
    const auto& [instance, launch, plane] = report.lost;
    std::string text = fmt::format("not certified: instance {}, from {} on, carries {}, ", instance,
                                   name(launch), name(plane));
    if (!report.declared) {
      return text +
             "which no instance before it declares\n  declare it in the phase that writes it, with "
             "the same name, address and bytes, or make it fresh\n";
    }
    const AddressRange own = planes[plane].extent();
    const AddressRange other = planes[report.overwritten->plane].extent();
    const AddressRange both = {std::max(own.lower, other.lower), std::min(own.upper, other.upper)};
    text += "which has been declared over\n";
    text += fmt::format("  declared by {}\n", name(*report.declared));
    text += fmt::format("  overwritten by {}: there {} takes its bytes {}, {} of them\n",
                        name(*report.overwritten), name(report.overwritten->plane), text_of(both),
                        both.upper - both.lower);
    return text + "  move one of the two, or write the value again before it is used\n";
  }
};

}  // namespace

std::string text_of(const AddressRange& range) {
  return fmt::format("[{}, {})", text_of(range.lower), text_of(range.upper));
}

std::string name_of(const RangeId& id, const PlaneTable& planes) {
  const NamedRange& range = planes[id];
  std::string own = fmt::format("{} {} {}", id.phase ? "plane" : "global",
                                range.name.empty() ? "(no name)" : printable(range.name),
                                text_of(range.extent()));
  if (!id.phase) return own;
  return fmt::format("{} of phase {}", own, quoted(planes[*id.phase].phase));
}

std::string explain(const ArenaReport& report, const PlaneTable& planes,
                    const LaunchSchedule& schedule) {
  return std::visit(Explainer{planes, schedule}, report);
}

std::string explain(const ArenaCoverage& coverage, const PlaneTable& planes, bool is_certified) {
  constexpr std::size_t kMost = 8;
  std::string text = fmt::format(
      "{} launches written, {} run in {} instances; {} words, {} of them in windows; {} planes and "
      "{} shared bytes judged",
      coverage.launches, coverage.executed, coverage.instances, coverage.words,
      coverage.words_in_windows, coverage.planes, coverage.shared_bytes);
  if (is_certified && coverage.shared_bytes == 0) {
    text += coverage.planes == 0 ? " (nothing shared: nothing judged inside)" : " (nothing shared)";
  }
  text += "\n";
  if (coverage.with_extents > 0) {
    text += fmt::format(
        "{} of those say how many bytes they reach; of the others, an address is "
        "all that is known\n",
        coverage.with_extents);
  }
  if (coverage.anonymous > 0) {
    text += fmt::format("{} ranges have no name: they are told apart by place alone\n",
                        coverage.anonymous);
  }
  const std::size_t shown = std::min(kMost, coverage.outside.size());
  for (std::size_t i = 0; i < shown; ++i) {
    text += fmt::format(
        "{} is not covered by windows: no word without an extent is held against it there\n",
        name_of(coverage.outside[i], planes));
  }
  if (shown < coverage.outside.size()) {
    text += fmt::format("and {} ranges more\n", coverage.outside.size() - shown);
  }
  return text;
}

}  // namespace berth
