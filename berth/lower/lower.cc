#include "berth/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "berth/live/schedule_lives.h"
#include "berth/lower/address_map.h"
#include "berth/lower/defined_bytes.h"
#include "berth/lower/entry_calls.h"
#include "berth/lower/row_count.h"

namespace berth {
namespace {

// A row takes some hundred bytes, in all that is made and judged of it.
constexpr std::uint64_t kMostRows = std::uint64_t{1} << 23;
constexpr std::uint64_t kMostExecuted = std::uint64_t{1} << 62;  // that a table of launches can say

class Lowering {
 public:
  Lowering(const Schedule& schedule, const Instance& instance, AddressMap map)
      : schedule_(schedule),
        graph_(schedule.graph()),
        instance_(instance),
        map_(std::move(map)),
        is_declared_(instance.size()),
        declared_in_(instance.size()),
        defined_(instance.size()),
        is_warned_(instance.size()) {}

  Result<LoweredSchedule> lower() {
    if (auto fault = find_size_fault()) return tl::unexpected(*std::move(fault));
    const auto entries = schedule_.entries();
    for (Step step = 0; step < entries.size(); ++step) add_entry(step, entries[step]);
    add_scratch();
    builder_.submit({0, launches_});
    auto launches = std::move(builder_).build();
    if (!launches) return tl::unexpected(launches.error());
    auto planes =
        PlaneTable::make(alignment(), {map_.windows().begin(), map_.windows().end()},
                         {map_.globals().begin(), map_.globals().end()}, std::move(phases_));
    if (!planes) return tl::unexpected(planes.error());
    return LoweredSchedule{*std::move(planes), *std::move(launches), std::move(warnings_)};
  }

 private:
  // Before anything is made.
  std::optional<Error> find_size_fault() const {
    const RowCount count = count_rows(schedule_, kMostRows);
    if (count.rows > kMostRows || count.walked > kMostRows) {
      return Error{Error::Kind::Limit, "root",
                   fmt::format("its planes, launches and words are more than {}", kMostRows),
                   "entries that share a loop are written out: run the loop from fewer of them"};
    }
    if (count.executed >= kMostExecuted) {
      return Error{Error::Kind::Limit, "root", "its loops run 2^62 launches or more",
                   "count them less often"};
    }
    return std::nullopt;
  }

  void add_entry(Step step, OpId entry) {
    const EntryCalls run = entry_calls(graph_, entry);
    const std::vector<OpId> storage = taken_in_run(graph_, entry);
    phases_.push_back({step_text(instance_.step_names(), step), {}});
    declare(storage);
    add_launches(step, run, !storage.empty());
  }

  void declare(std::span<const OpId> storage) {
    for (const OpId id : storage) {
      const auto buffer = map_.buffer(id);
      if (!buffer) continue;
      auto&& declared = is_declared_[buffer->index()];
      phases_.back().planes.push_back({map_.planned(*buffer), declared});
      if (!declared) declared_in_[buffer->index()] = phases_.size();
      declared = true;
    }
  }

  // What runs without a call still takes what it takes (a flag): it is a launch without words.
  void add_launches(Step step, const EntryCalls& run, bool takes_something) {
    const std::string& phase = phases_.back().phase;
    for (const OpId call : run.calls) {
      std::vector<std::uint64_t> words;
      std::vector<Extent> extents;
      for (const Argument& argument : arguments(call)) {
        const auto address = map_.address(graph_, argument.node);
        if (!address) continue;
        extents.push_back(extent(argument, words.size()));
        words.push_back(address->value());
      }
      add_launch(phase, words, std::get<BodyName>(graph_[graph_[call].sources[0]].attributes).name);
      for (const auto& [launch, word, reads, writes] : extents) {
        if (reads > 0 || writes > 0) builder_.extent(word, reads, writes);
      }
      follow(step, call);
    }
    if (run.calls.empty() && takes_something) add_launch(phase, {}, "");
    if (run.repeat && !run.calls.empty()) {
      builder_.repeat(*run.repeat, static_cast<std::uint32_t>(run.calls.size()));
    }
  }

  struct Argument {
    OpId node;
    ByteRange bytes;
    std::optional<BufferId> buffer;  // that is planned
    char letter = 'b';
  };
  std::vector<Argument> arguments(OpId call) const {
    const auto& letters = std::get<CallAccess>(graph_[call].attributes).letters;
    std::vector<Argument> arguments;
    for (const OpId node : std::span(graph_[call].sources).subspan(1)) {
      const View& view = *graph_.view(node);
      const std::size_t i = arguments.size();
      arguments.push_back(
          {node, view.bytes, map_.buffer(view.base), i < letters.size() ? letters[i] : 'b'});
    }
    return arguments;
  }

  // What a call does with an argument. Of what is fresh, it reads no further than somebody wrote.
  Extent extent(const Argument& argument, std::size_t word) const {
    Extent extent{.word = static_cast<std::uint32_t>(word)};
    const std::uint64_t bytes = argument.bytes.upper - argument.bytes.lower;
    if (argument.letter != 'r') extent.writes = bytes;
    const auto buffer = argument.buffer;
    if (!buffer || declared_in_[buffer->index()] != phases_.size()) {
      if (argument.letter != 'w') extent.reads = bytes;
    } else if (argument.letter == 'r') {
      extent.reads = defined_[buffer->index()].count_from_first(argument.bytes);
    }
    return extent;
  }

  // A call that reads bytes of a buffer, and does not write them, before anything has, finds nobody
  // knows what: told once of a buffer.
  void follow(Step step, OpId call) {
    const auto its_arguments = arguments(call);
    for (const auto& [node, bytes, buffer, letter] : its_arguments) {
      if (buffer && letter != 'r') defined_[buffer->index()].add(bytes);
    }
    for (const auto& [node, bytes, buffer, letter] : its_arguments) {
      if (!buffer || letter != 'r' || defined_[buffer->index()].hold(bytes)) continue;
      if (!is_warned_[buffer->index()]) warn(step, *buffer, bytes);
      is_warned_[buffer->index()] = true;
    }
  }
  void warn(Step step, BufferId buffer, ByteRange bytes) {
    const DefinedBytes& defined = defined_[buffer.index()];
    const std::uint64_t missing = bytes.lower + defined.count_from_first(bytes);
    warnings_.push_back(fmt::format(
        "{} reads {}{} before anything writes it", step_text(instance_.step_names(), step),
        instance_[buffer].name, defined.empty() ? "" : fmt::format(" from byte {} on", missing)));
  }

  void add_launch(const std::string& phase, std::span<const std::uint64_t> words,
                  std::string_view name) {
    builder_.launch(phase, words, name);
    ++launches_;
  }

  // The instance's buffers without a node live in steps of their own.
  void add_scratch() {
    for (std::size_t i = 0; i < instance_.size(); ++i) {
      const Buffer& buffer = instance_[BufferId(i)];
      if (is_declared_[i] || !is_scratch(BufferId(i))) continue;
      for (Step step = buffer.life.lower; step < buffer.life.upper && step < phases_.size();
           ++step) {
        phases_[step].planes.push_back({map_.planned(BufferId(i)), false});
      }
    }
  }
  bool is_scratch(BufferId id) const {
    return id.index() >= map_.node_count() && instance_[id].size > Bytes(0);
  }

  // What the unit of the places still divides: less where a buffer is skewed.
  std::uint64_t alignment() const {
    std::uint64_t bits = instance_.unit().value();
    for (const auto& ranges : {map_.planned(), map_.globals()}) {
      for (const NamedRange& range : ranges) bits |= range.address.value();
    }
    return std::uint64_t{1} << std::countr_zero(bits);
  }

  const Schedule& schedule_;
  const OpGraph& graph_;
  const Instance& instance_;
  AddressMap map_;
  std::vector<bool> is_declared_;         // by BufferId
  std::vector<std::size_t> declared_in_;  // how many phases there were when it was
  std::vector<DefinedBytes> defined_;     // by BufferId
  std::vector<bool> is_warned_;           // the same
  std::vector<PhasePlanes> phases_;
  std::vector<std::string> warnings_;
  LaunchScheduleBuilder builder_;
  std::uint64_t launches_ = 0;
};

}  // namespace

Result<LoweredSchedule> lower(const Schedule& schedule, const Instance& instance,
                              std::span<const OpId> ops, const Packing& packing,
                              std::span<const Address> arenas,
                              std::span<const StandingStorage> standing) {
  auto map = AddressMap::make(schedule, instance, ops, packing, arenas, standing);
  if (!map) return tl::unexpected(map.error());
  return Lowering(schedule, instance, *std::move(map)).lower();
}

}  // namespace berth
