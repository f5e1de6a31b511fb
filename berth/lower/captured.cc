#include "berth/lower/captured.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "berth/lower/captured_ranges.h"

namespace berth {
namespace {

constexpr std::uint64_t kMostLooks = std::uint64_t{1} << 30;

class CaptureLowering {
 public:
  explicit CaptureLowering(const Capture& capture) : capture_(capture), ranges_(capture) {}

  Result<LoweredSchedule> lower(CapturedPart part) {
    find_queues(part);
    for (const CapturedCommand& command : capture_.commands) {
      if (part == CapturedPart::Kernels && !command.is_kernel) continue;
      add_command(command);
      if (ranges_.looks() > kMostLooks) {
        return tl::unexpected(Error{Error::Kind::Limit, phases_.back().phase,
                                    "the parts of one allocation are too many to tell apart",
                                    "take the kernels alone, or a shorter run"});
      }
    }
    add_notes();
    for (const std::string& note : warnings_) builder_.not_judged(note);
    if (auto note = note_of_queues()) warnings_.push_back(*std::move(note));
    builder_.submit({0, phases_.size()});
    auto launches = std::move(builder_).build();
    if (!launches) return tl::unexpected(launches.error());
    auto planes = planes_of_regions();
    if (!planes) return tl::unexpected(planes.error());
    return LoweredSchedule{*std::move(planes), *std::move(launches), std::move(warnings_)};
  }

 private:
  // One queue that is in order needs no name, and what the host does itself is done before what it
  // asks for next. Otherwise the launches say what they were put on.
  void find_queues(CapturedPart part) {
    std::set<std::uint64_t> used;
    for (const CapturedCommand& command : capture_.commands) {
      if (part == CapturedPart::Everything || command.is_kernel) used.insert(command.queue);
    }
    const bool has_host = used.erase(0) > 0;
    const bool all_in_order = std::ranges::all_of(
        used, [&](std::uint64_t queue) { return capture_.in_order[queue - 1]; });
    if (used.size() <= 1 && all_in_order) return;
    for (const std::uint64_t queue : used) {
      queues_.emplace(queue, static_cast<std::uint32_t>(queues_.size()));
      builder_.queue(fmt::format("queue {}", queue), capture_.in_order[queue - 1]);
    }
    if (has_host) {
      queues_.emplace(0, static_cast<std::uint32_t>(queues_.size()));
      builder_.queue("host", true);
    }
  }

  std::optional<std::string> note_of_queues() const {
    if (queues_.empty()) return std::nullopt;
    std::size_t count = 0;
    std::size_t in_order = 0;
    for (const auto& [queue, index] : queues_) {
      if (queue == 0) continue;
      ++count;
      in_order += capture_.in_order[queue - 1] ? 1 : 0;
    }
    return fmt::format(
        "commands ran on {} queues, {} of them in order: launches are judged in the order in which "
        "they were asked for, which is the order in "
        "which they run only where the program waits; certify says undecided, unless it is told "
        "--host-order",
        count, in_order);
  }

  void add_command(const CapturedCommand& command) {
    now_ = phases_.size();
    phases_.push_back({fmt::format("step {} ({})", now_, command.name), {}});
    words_.clear();
    for (const CapturedWord& word : command.words) {
      if (ranges_.looks() > kMostLooks) return;  // refused by the caller
      take(command, word);
    }
    builder_.launch(phases_.back().phase, words_, command.name);
    if (!queues_.empty()) builder_.put_on(queues_.at(command.queue));
  }

  void take(const CapturedCommand& command, const CapturedWord& word) {
    CapturedRegion* region = ranges_.region_of(word.value);
    const bool is_judged = region != nullptr && region->is_shared;
    if (region != nullptr && !is_judged && !word.memory) region->pointers.insert(word.value);
    const auto tensor = is_judged ? tensor_of(command, word, *region) : std::nullopt;
    if (tensor) declare(*tensor, word);
    // What is moved may reach over many tensors, or what is left of them: it is none of them. A
    // kernel's pointer must be in one.
    if (is_judged && !tensor && !command.is_kernel) {
      ++region->unjudged;
      return;
    }
    words_.push_back(word.value);
  }

  std::optional<std::size_t> tensor_of(const CapturedCommand& command, const CapturedWord& word,
                                       const CapturedRegion& region) {
    if (word.memory && (command.is_kernel || capture_[*word.memory].whole)) {
      return ranges_.tensor_of(*word.memory, word.access);
    }
    const Bytes reached = std::max(word.bytes, Bytes(1));
    return ranges_.holder_of(region, addresses(Address(word.value), reached));
  }

  void declare(std::size_t id, const CapturedWord& word) {
    CapturedTensor& tensor = ranges_[id];
    const bool is_new = !tensor.first_taken || *tensor.first_taken == now_;
    const bool is_written = word.access == Access::Write && word.bytes == tensor.range.bytes;
    if (!tensor.first_taken && word.access == Access::Read) {
      warnings_.push_back(fmt::format("{} reads {} before anything writes it", phases_.back().phase,
                                      tensor.range.name));
    }
    std::vector<Plane>& planes = phases_.back().planes;
    if (!tensor.first_taken || tensor.last_taken != now_) {
      tensor.plane = planes.size();
      planes.push_back({tensor.range, false});
    }
    if (!is_new && !is_written) planes[tensor.plane].carried = true;
    if (!tensor.first_taken) tensor.first_taken = now_;
    tensor.last_taken = now_;
  }

  void add_notes() {
    for (const CapturedRegion& region : ranges_.regions()) add_notes(region);
    if (capture_.unseen_pointers > 0) {
      warnings_.push_back(
          fmt::format("{} arguments have more than 8 bytes, and the record does not say which: "
                      "pointers inside them are not seen",
                      capture_.unseen_pointers));
    }
    if (!capture_.ended) {
      warnings_.push_back("the record does not say that the program ended: it may be cut short");
    }
  }

  void add_notes(const CapturedRegion& region) {
    if (region.unjudged > 0) {
      warnings_.push_back(
          fmt::format("{} moves of bytes of {} that are no one tensor are not judged",
                      region.unjudged, region.name));
    }
    if (region.pointers.size() > 1) {
      warnings_.push_back(fmt::format(
          "{} pointers into {} do not say how far they reach: what shares bytes in it is not "
          "judged, unless a plan's own planes say what is where",
          region.pointers.size(), region.name));
    }
  }

  Result<PlaneTable> planes_of_regions() {
    std::vector<Window> windows;
    std::vector<NamedRange> globals;
    std::uint64_t bits = 0;
    for (const CapturedRegion& region : ranges_.regions()) {
      if (region.extent.upper - region.extent.lower == kAddressEnd) {
        return tl::unexpected(Error{Error::Kind::Limit, region.name,
                                    "allocations that overlap cover every address there is",
                                    "no machine gives them: look for the record that is wrong"});
      }
      const Address address(static_cast<std::uint64_t>(region.extent.lower));
      const Bytes bytes(static_cast<std::uint64_t>(region.extent.upper - region.extent.lower));
      windows.push_back({address, bytes});
      if (!region.is_shared) globals.push_back({region.name, address, bytes});
      bits |= address.value();
      for (const std::size_t tensor : region.tensors) bits |= ranges_[tensor].range.address.value();
    }
    const std::uint64_t alignment = bits == 0 ? 1 : std::uint64_t{1} << std::countr_zero(bits);
    return PlaneTable::make(alignment, std::move(windows), std::move(globals), std::move(phases_));
  }

  const Capture& capture_;
  CapturedRanges ranges_;
  std::uint64_t now_ = 0;  // the command
  std::vector<PhasePlanes> phases_;
  std::vector<std::uint64_t> words_;
  std::vector<std::string> warnings_;
  std::map<std::uint64_t, std::uint32_t> queues_;  // by number, as the launches name them
  LaunchScheduleBuilder builder_;
};

}  // namespace

Result<LoweredSchedule> lower_capture(const Capture& capture, CapturedPart part) {
  return CaptureLowering(capture).lower(part);
}

}  // namespace berth
