#include "berth/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "berth/live/schedule_lives.h"
#include "berth/lower/address_map.h"
#include "berth/lower/entry_calls.h"

namespace berth {
namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 26;

class Lowering {
 public:
  Lowering(const Schedule& schedule, const Instance& instance, AddressMap map)
      : schedule_(schedule),
        graph_(schedule.graph()),
        instance_(instance),
        map_(std::move(map)),
        is_declared_(instance.size()),
        declared_in_(instance.size()),
        is_met_(instance.size()) {}

  Result<LoweredSchedule> lower() {
    const auto entries = schedule_.entries();
    for (Step step = 0; step < entries.size(); ++step) {
      if (auto fault = add_entry(step, entries[step])) return tl::unexpected(*std::move(fault));
    }
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
  std::optional<Error> add_entry(Step step, OpId entry) {
    const EntryCalls run = entry_calls(graph_, entry);
    const std::vector<OpId> storage = taken(graph_, entry);
    rows_ += storage.size();
    for (const OpId call : run.calls) rows_ += graph_[call].sources.size();
    if (rows_ > kMostRows) {
      return Error{Error::Kind::Limit, "root",
                   fmt::format("with step {}, planes and words are more than {}", step, kMostRows),
                   "loops that share their calls are written out"};
    }
    phases_.push_back({step_text(instance_.step_names(), step), {}});
    if (!run.runs) return std::nullopt;
    undefined_.clear();
    warn_of_undefined(step, run);
    declare(storage);
    add_launches(run, !storage.empty());
    return std::nullopt;
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

  // A buffer whose first call reads it and does not write it holds nobody knows what.
  void warn_of_undefined(Step step, const EntryCalls& run) {
    for (const OpId call : run.calls) {
      const auto& letters = std::get<CallAccess>(graph_[call].attributes).letters;
      const auto its_arguments = arguments(call);
      const auto is_read_alone = [&](std::size_t i) {
        return i < letters.size() && letters[i] == 'r';
      };
      for (std::size_t i = 0; i < its_arguments.size(); ++i) {
        if (!is_read_alone(i)) meet(its_arguments[i]);
      }
      for (std::size_t i = 0; i < its_arguments.size(); ++i) {
        const auto buffer = is_read_alone(i) ? meet(its_arguments[i]) : std::nullopt;
        if (!buffer) continue;
        undefined_.emplace_back(call, i);
        warnings_.push_back(fmt::format("{} reads {} before anything writes it",
                                        step_text(instance_.step_names(), step),
                                        instance_[*buffer].name));
      }
    }
  }

  // The planned buffer that a node names, the first time that it is met.
  std::optional<BufferId> meet(OpId node) {
    const auto buffer = map_.buffer(*graph_.storage_base(node));
    if (!buffer || is_met_[buffer->index()]) return std::nullopt;
    is_met_[buffer->index()] = true;
    return buffer;
  }

  std::span<const OpId> arguments(OpId call) const {
    return std::span(graph_[call].sources).subspan(1);
  }

  // What runs without a call still takes what it takes (a flag): it is a launch without words.
  void add_launches(const EntryCalls& run, bool takes_something) {
    const std::string& phase = phases_.back().phase;
    for (const OpId call : run.calls) {
      std::vector<std::uint64_t> words;
      std::vector<Extent> extents;
      for (std::size_t i = 0; i < arguments(call).size(); ++i) {
        const auto address = map_.address(graph_, arguments(call)[i]);
        if (!address) continue;
        extents.push_back(extent(call, i, words.size()));
        words.push_back(address->value());
      }
      add_launch(phase, words, std::get<BodyName>(graph_[graph_[call].sources[0]].attributes).name);
      for (const auto& [launch, word, reads, writes] : extents) {
        if (reads + writes > 0) builder_.extent(word, reads, writes);
      }
    }
    if (run.calls.empty() && takes_something) add_launch(phase, {}, "");
    if (run.repeat && !run.calls.empty()) {
      builder_.repeat(*run.repeat, static_cast<std::uint32_t>(run.calls.size()));
    }
  }
  // What a call does with an argument; nothing where it reads what nobody wrote.
  Extent extent(OpId call, std::size_t argument, std::size_t word) const {
    Extent extent{.word = static_cast<std::uint32_t>(word)};
    if (std::ranges::find(undefined_, std::pair(call, argument)) != undefined_.end()) return extent;
    const OpId node = arguments(call)[argument];
    const auto& letters = std::get<CallAccess>(graph_[call].attributes).letters;
    const char letter = argument < letters.size() ? letters[argument] : 'b';
    const auto buffer = map_.buffer(*graph_.storage_base(node));
    const bool is_fresh = buffer && declared_in_[buffer->index()] == phases_.size();
    const ByteRange bytes = graph_.view(node)->bytes;
    if (letter == 'r' || (letter == 'b' && !is_fresh)) extent.reads = bytes.upper - bytes.lower;
    if (letter != 'r') extent.writes = bytes.upper - bytes.lower;
    return extent;
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
  std::vector<bool> is_met_;              // by a call
  std::vector<std::pair<OpId, std::size_t>>
      undefined_;  // arguments of this entry's calls that warn
  std::vector<PhasePlanes> phases_;
  std::vector<std::string> warnings_;
  LaunchScheduleBuilder builder_;
  std::uint64_t launches_ = 0;
  std::uint64_t rows_ = 0;
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
