#include "berth/certify/input_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "berth/certify/input_lives.h"
#include "berth/certify/relations.h"

namespace berth {
namespace {

using Names = std::map<std::string_view, std::size_t>;  // by name, an index

std::string_view word_of(KeptWhy why) {
  static constexpr std::string_view kWords[] = {
      "constant", "a variable",      "held",  "on a disk", "dynamic",
      "a param",  "local to a call", "empty", "unused",    "not planned at all"};
  return kWords[static_cast<std::size_t>(why)];
}

std::string kept_text(const KeptTensor& kept) {
  return fmt::format("{} ({} bytes)", word_of(kept.why), kept.bytes.count());
}

std::string limit_text(const PlannedArena& arena) {
  if (!arena.capacity) return "no capacity";
  const std::string reserve =
      arena.reserve > Bytes(0) ? fmt::format(", {} of them in reserve", arena.reserve.count()) : "";
  return fmt::format("a capacity of {} bytes{}", arena.capacity->count(), reserve);
}

class Comparison {
 public:
  Comparison(const Plan& plan, const Plan& rows) : plan_(plan), rows_(rows) {}

  std::optional<std::string> find() {
    if (auto fault = index_names()) return fault;
    if (auto fault = find_other_buffer()) return fault;
    if (auto fault = find_other_life(plan_, rows_, row_of_, storage_of(plan_))) return fault;
    if (auto fault = find_other_kept()) return fault;
    if (auto fault = find_other_arena()) return fault;
    if (plan_.order != rows_.order) return "the plan gives its steps another order than the input";
    if (plan_.ordering == rows_.ordering) return std::nullopt;
    return fmt::format("the input asks its executor to keep '{}', the plan '{}'", rows_.ordering,
                       plan_.ordering);
  }

 private:
  bool on_target() const { return plan_.target.has_value(); }

  std::optional<std::string> index_names() {
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      if (placed_.emplace(plan_.buffers[i].name, i).second) continue;
      return fmt::format("the plan places buffer {} twice", plan_.buffers[i].name);
    }
    for (const KeptTensor& tensor : plan_.kept) {
      if (placed_.contains(tensor.name)) {
        return fmt::format("the plan both places buffer {} and keeps it apart", tensor.name);
      }
      kept_.emplace(tensor.name, &tensor);
    }
    return std::nullopt;
  }

  std::string not_placed(const PlannedBuffer& row) const {
    const auto kept = kept_.find(row.name);
    const std::string but = kept == kept_.end()
                                ? ""
                                : fmt::format(
                                      ": it keeps it apart, {}, which the input does not and "
                                      "nobody has told",
                                      kept_text(*kept->second));
    return fmt::format(
        "the input has buffer {} ({} bytes, live [{}, {})), which the plan does not "
        "place{}",
        row.name, row.bytes.count(), row.life.lower, row.life.upper, but);
  }

  std::optional<std::string> find_other_buffer() {
    row_of_.assign(plan_.buffers.size(), rows_.buffers.size());
    for (std::size_t row = 0; row < rows_.buffers.size(); ++row) {
      const auto found = placed_.find(rows_.buffers[row].name);
      if (found == placed_.end()) return not_placed(rows_.buffers[row]);
      row_of_[found->second] = row;
      const PlannedBuffer& buffer = plan_.buffers[found->second];
      if (auto fault = find_otherwise(buffer, rows_.buffers[row])) return fault;
    }
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      if (row_of_[i] < rows_.buffers.size()) continue;
      return fmt::format("the plan places buffer {}, which the input does not have",
                         plan_.buffers[i].name);
    }
    return std::nullopt;
  }

  // The device, or the chip, whose arena it is.
  std::string_view owner_of(const PlannedArena& arena) const {
    const std::string_view device = arena.device;
    return on_target() ? device.substr(0, device.rfind('.')) : device;
  }

  // The plan is sound: an offset is no less than its skew.
  static std::uint64_t place_of(const PlannedBuffer& buffer) {
    return buffer.bytes == Bytes(0) ? 0 : buffer.offset.value() - buffer.skew.count();
  }

  // A part moves with the buffer that is joined from it, whose alignment is told.
  static std::optional<std::string> find_misplaced(const PlannedBuffer& buffer,
                                                   const PlannedBuffer& row) {
    if (place_of(buffer) % row.alignment.value() != 0) {
      return fmt::format(
          "buffer {} is at {}, which is not {} bytes past a multiple of its alignment {}", row.name,
          buffer.offset.value(), row.skew.count(), row.alignment.value());
    }
    const bool is_part = buffer.view_of && !row.view_of;
    if (is_part || buffer.alignment >= row.alignment) return std::nullopt;
    return fmt::format("buffer {} has an alignment of {} in the input, of {} in the plan", row.name,
                       row.alignment.value(), buffer.alignment.value());
  }

  std::optional<std::string> find_otherwise(const PlannedBuffer& buffer,
                                            const PlannedBuffer& row) const {
    if (buffer.bytes != row.bytes) {
      return fmt::format("buffer {} has {} bytes in the input, {} in the plan", row.name,
                         row.bytes.count(), buffer.bytes.count());
    }
    const std::string& device = plan_.arenas[buffer.arena].device;
    const std::string& asked = rows_.arenas[row.arena].device;
    if (owner_of(plan_.arenas[buffer.arena]) != asked) {
      return fmt::format("buffer {} is {} '{}' in the input, {} '{}' in the plan", row.name,
                         on_target() ? "on" : "of device", asked, on_target() ? "on" : "of",
                         device);
    }
    if (buffer.skew != row.skew) {
      return fmt::format("buffer {} begins {} bytes past its place in the input, {} in the plan",
                         row.name, row.skew.count(), buffer.skew.count());
    }
    if (auto fault = find_misplaced(buffer, row)) return fault;
    // A plan need not say that a place was demanded, but must keep it.
    const std::uint64_t place = place_of(buffer);
    if (row.fixed && row.bytes > Bytes(0) && place != row.fixed->value()) {
      return fmt::format("buffer {} is fixed at {} in the input, and at {} in the plan", row.name,
                         row.fixed->value(), place);
    }
    if (buffer.fixed && buffer.fixed != row.fixed) {
      return fmt::format("buffer {} is fixed at {} in the plan, in the input it is {}", row.name,
                         buffer.fixed->value(),
                         row.fixed ? fmt::format("at {}", row.fixed->value()) : "not");
    }
    if (buffer.held != row.held) {
      return fmt::format("the contents of buffer {} outlive the run {}, not {}", row.name,
                         row.held ? "in the input" : "in the plan",
                         row.held ? "in the plan" : "in the input");
    }
    return std::nullopt;
  }

  // A name may be kept for two reasons; each is told as often as it holds.
  std::optional<std::string> find_other_kept() const {
    using Key = std::tuple<std::string_view, KeptWhy, Bytes>;
    const auto sorted = [](const std::vector<KeptTensor>& kept) {
      std::vector<Key> keys;
      for (const KeptTensor& it : kept) keys.emplace_back(it.name, it.why, it.bytes);
      std::sort(keys.begin(), keys.end());
      return keys;
    };
    const auto told = sorted(plan_.kept);
    const auto asked = sorted(rows_.kept);
    const auto [told_at, asked_at] =
        std::mismatch(told.begin(), told.end(), asked.begin(), asked.end());
    const auto text = [](const Key& key) {
      return kept_text({{}, std::get<KeptWhy>(key), std::get<Bytes>(key)});
    };
    const bool tells_more =
        told_at != told.end() && (asked_at == asked.end() || *told_at < *asked_at);
    if (tells_more) {
      return fmt::format("the plan keeps {} apart as {}, which the input does not",
                         std::get<0>(*told_at), text(*told_at));
    }
    if (asked_at == asked.end()) return std::nullopt;
    return fmt::format("the input keeps {} apart as {}, which the plan does not tell",
                       std::get<0>(*asked_at), text(*asked_at));
  }

  std::optional<std::string> find_other_arena() const {
    std::vector<Alignment> strictest;
    for (const PlannedArena& arena : plan_.arenas) strictest.push_back(arena.unit);
    for (const PlannedBuffer& buffer : plan_.buffers) {
      strictest[buffer.arena] = std::max(strictest[buffer.arena], buffer.alignment);
    }
    Names devices_asked;
    for (std::size_t i = 0; i < rows_.arenas.size(); ++i) {
      devices_asked.emplace(rows_.arenas[i].device, i);
    }
    std::set<std::string_view> devices;
    for (std::size_t i = 0; i < plan_.arenas.size(); ++i) {
      const PlannedArena& arena = plan_.arenas[i];
      if (!devices.insert(arena.device).second) {
        return fmt::format("the plan has two arenas in '{}'", arena.device);
      }
      if (arena.alignment < strictest[i]) {
        return fmt::format(
            "arena '{}' is said to begin at a multiple of {}, its buffers need one of {}",
            arena.device, arena.alignment.value(), strictest[i].value());
      }
      const auto asked = devices_asked.find(owner_of(arena));
      if (asked == devices_asked.end()) {
        return fmt::format("the plan has an arena '{}', of which the input has nothing",
                           arena.device);
      }
      if (auto fault = find_otherwise(arena, rows_.arenas[asked->second])) return fault;
    }
    return std::nullopt;
  }

  std::optional<std::string> find_otherwise(const PlannedArena& arena,
                                            const PlannedArena& asked) const {
    if (arena.unit < asked.unit) {
      return fmt::format(
          "sizes and places of arena '{}' are in units of {} for the input, of {} in the plan",
          arena.device, asked.unit.value(), arena.unit.value());
    }
    if (on_target()) return std::nullopt;  // the target says what its memories are
    if (arena.tier != asked.tier) {
      return fmt::format("arena '{}' is in '{}' in the plan, the input says '{}'", arena.device,
                         arena.tier, asked.tier);
    }
    if (arena.capacity == asked.capacity && arena.reserve == asked.reserve) return std::nullopt;
    return fmt::format("arena '{}' has {} in the plan; what was asked is {}", arena.device,
                       limit_text(arena), limit_text(asked));
  }

  const Plan& plan_;
  const Plan& rows_;
  Names placed_;
  std::map<std::string_view, const KeptTensor*> kept_;
  std::vector<std::size_t> row_of_;  // by buffer of the plan
};

}  // namespace

std::optional<std::string> find_mismatch(const Plan& plan, const Plan& rows) {
  return Comparison(plan, rows).find();
}

}  // namespace berth
