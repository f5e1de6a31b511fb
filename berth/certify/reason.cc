#include "berth/certify/reason.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <string_view>
#include <vector>

#include "berth/base/text.h"

// Whether some buffers go into so many bytes, by trying every order of those that meet.
//
// Each buffer begins at the lowest place that nobody denies it, 0 or its fixed one. As long as two
// meet there, one of them must lie over the other: either the first goes up to the end of the
// second, or the second to the end of the first; two that meet again lie as was chosen. Each place
// is the lowest that follows from the choices made, so
//
//   - where nobody meets, the places are a placement;
//   - where a place is past the end, no placement has these choices.
//
//   a [0,6) and b [0,4) meet:   b over a -> b at 6   or   a over b -> a at 4

namespace berth {
namespace {

using Answer = ReasonVerdict::Answer;

class Ways {
 public:
  // Without buffer `left_out`, if any.
  Ways(const Instance& instance, std::optional<std::size_t> left_out, std::uint64_t most_cases)
      : most_cases_(most_cases) {
    const auto usable = instance.devices()[0].usable();
    end_ = usable ? usable->count() : UINT64_MAX;
    for (std::size_t i = 0; i < instance.size(); ++i) {
      if (left_out != i) add(instance, BufferId(i));
    }
  }

  // Whether there is a placement; nothing where that takes too many cases.
  std::optional<bool> has_placement() {
    if (!start_is_possible_) return false;
    if (parts_.size() > kMostParts) return std::nullopt;
    if (alignment_leaves_no_room()) return false;
    orders_.assign(parts_.size() * parts_.size(), Order::Open);
    for (;;) {
      if (++cases_ > most_cases_ || looks_ / kLooksToACase > most_cases_) return std::nullopt;
      const auto meeting = find_meeting();
      if (!meeting) return true;
      const Order order = order_of(*meeting);
      choices_.push_back({*meeting, order == Order::Turned, order != Order::Open, 0});
      if (!take(choices_.back()) && !go_on()) return false;
    }
  }
  std::uint64_t cases() const { return cases_; }

 private:
  static constexpr std::size_t kMostParts = 1000;
  // At two parts for each case. So many are what some thirty buffers have, and bound the time that
  // a file of more can take.
  static constexpr std::uint64_t kLooksToACase = 400;

  struct Part {
    std::size_t block;
    Section section;
  };
  struct Block {
    std::uint64_t place;
    std::uint64_t extent;
    std::uint64_t alignment;
    bool is_fixed;
  };
  struct Meeting {
    std::size_t first;  // indices of parts
    std::size_t second;
  };
  // Of two parts, the second lies over the first, or the other way where it is turned.
  enum class Order : std::uint8_t { Open, Straight, Turned };
  struct Choice {
    Meeting parts;
    bool turned;
    bool is_forced;              // it was chosen before
    std::uint64_t place_before;  // of the block that went up
  };
  Order& order_of(const Meeting& parts) {
    return orders_[parts.first * parts_.size() + parts.second];
  }

  void add(const Instance& instance, BufferId id) {
    const Buffer& buffer = instance[id];
    const std::uint64_t alignment = instance.alignment(id).value();
    const std::uint64_t place = buffer.fixed ? buffer.fixed->value() : 0;
    const std::uint64_t extent = instance.extent(id).count();
    if (extent == 0) return;  // It takes no byte.
    if (place % alignment != 0 || extent > end_ || place > end_ - extent) {
      start_is_possible_ = false;
    }
    for (const Section& section : instance.sections(id))
      parts_.push_back({blocks_.size(), section});
    blocks_.push_back({place, extent, alignment, buffer.fixed.has_value()});
  }

  // Blocks at multiples of some number begin no closer to one another than their extents rounded up
  // to it; the topmost alone need not be rounded. Asked where a part begins, of whole blocks.
  bool alignment_leaves_no_room() const {
    for (const Part& at : parts_) {
      const std::uint64_t multiple = blocks_[at.block].alignment;
      std::uint64_t sum = 0;
      std::uint64_t longest_rest = 0;
      bool overflows = false;
      for (const Part& part : parts_) {
        const Block& block = blocks_[part.block];
        const bool is_whole = part.section.bytes == ByteRange{0, block.extent};
        if (!is_whole || block.alignment < multiple) continue;
        if (!part.section.steps.contains(at.section.steps.lower)) continue;
        const std::uint64_t rest = (multiple - block.extent % multiple) % multiple;
        longest_rest = std::max(longest_rest, rest);
        overflows = overflows || __builtin_add_overflow(sum, block.extent, &sum) ||
                    __builtin_add_overflow(sum, rest, &sum);
      }
      if (!overflows && sum - longest_rest > end_) return true;
    }
    return false;
  }

  std::uint64_t lower(const Part& part) const {
    return blocks_[part.block].place + part.section.bytes.lower;
  }
  std::uint64_t upper(const Part& part) const {
    return blocks_[part.block].place + part.section.bytes.upper;
  }

  bool meet(const Part& a, const Part& b) const {
    return a.block != b.block && a.section.steps.overlaps(b.section.steps) && lower(a) < upper(b) &&
           lower(b) < upper(a);
  }

  // Where part `over` of a block would put it, over part `under`; nothing where it cannot go.
  std::optional<std::uint64_t> place_over(const Part& over, const Part& under) const {
    const Block& block = blocks_[over.block];
    if (block.is_fixed) return std::nullopt;
    const std::uint64_t least = upper(under) - over.section.bytes.lower;
    const std::uint64_t past = least % block.alignment;
    const std::uint64_t up = past == 0 ? 0 : block.alignment - past;
    if (least > end_ - block.extent || up > end_ - block.extent - least) return std::nullopt;
    return least + up;
  }

  // Two parts that meet: preferably such that only one way is left, or none.
  std::optional<Meeting> find_meeting() {
    std::optional<Meeting> found;
    looks_ += parts_.size() * parts_.size() / 2;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      for (std::size_t j = i + 1; j < parts_.size(); ++j) {
        if (!meet(parts_[i], parts_[j])) continue;
        const bool is_open = orders_[i * parts_.size() + j] == Order::Open &&
                             place_over(parts_[i], parts_[j]) && place_over(parts_[j], parts_[i]);
        if (!is_open) return Meeting{i, j};
        if (!found) found = Meeting{i, j};
      }
    }
    return found;
  }

  bool take(Choice& choice) {
    const auto [first, second] = choice.parts;
    const Part& over = parts_[choice.turned ? first : second];
    const Part& under = parts_[choice.turned ? second : first];
    order_of(choice.parts) = choice.turned ? Order::Turned : Order::Straight;
    const auto place = place_over(over, under);
    choice.place_before = blocks_[over.block].place;
    if (place) blocks_[over.block].place = *place;
    return place.has_value();
  }

  void take_back(const Choice& choice) {
    const auto over = choice.turned ? choice.parts.first : choice.parts.second;
    blocks_[parts_[over].block].place = choice.place_before;
    if (!choice.is_forced) order_of(choice.parts) = Order::Open;
  }

  // The next way after a dead end; none is left where it returns false.
  bool go_on() {
    while (!choices_.empty()) {
      Choice& choice = choices_.back();
      take_back(choice);
      if (!choice.turned && !choice.is_forced) {
        choice.turned = true;
        if (take(choice)) return true;
        take_back(choice);
      }
      choices_.pop_back();
    }
    return false;
  }

  std::uint64_t most_cases_;
  std::uint64_t end_ = 0;  // no byte at or past it
  std::vector<Block> blocks_;
  std::vector<Part> parts_;
  bool start_is_possible_ = true;
  std::vector<Order> orders_;  // of each two parts, the earlier one's row
  std::vector<Choice> choices_;
  std::uint64_t cases_ = 0;
  std::uint64_t looks_ = 0;  // at two parts
};

ReasonVerdict refuted(std::string why) {
  return {Answer::Refuted, std::move(why), 0};
}

std::string room_text(const Instance& part) {
  const auto usable = part.devices()[0].usable();
  return usable ? fmt::format("{} bytes", usable->count()) : "an arena of any size";
}

// What each buffer has live at a step. Their sum fits: an instance's extents do.
std::vector<Bytes> bytes_at(const Instance& part, Step step) {
  std::vector<Bytes> live(part.size());
  for (std::size_t i = 0; i < part.size(); ++i) {
    for (const Section& section : part.sections(BufferId(i))) {
      if (!section.steps.contains(step)) continue;
      live[i] += Bytes(section.bytes.upper - section.bytes.lower);
    }
  }
  return live;
}

ReasonVerdict check_load(const Reason& reason) {
  const Instance& part = reason.part;
  const auto usable = part.devices()[0].usable();
  if (!usable) return refuted("it names a step, but no capacity that could be passed there");
  const std::vector<Bytes> live = bytes_at(part, *reason.step);
  Bytes load;
  for (const Bytes bytes : live) load += bytes;
  if (load <= *usable) {
    return refuted(fmt::format("at step {} its buffers have {} bytes live, which go into {}",
                               *reason.step, load.count(), usable->count()));
  }
  for (std::size_t i = 0; reason.minimal && i < part.size(); ++i) {
    if (load - live[i] <= *usable) continue;
    return refuted(fmt::format("it is not minimal: without {} the others still pass {} bytes",
                               printable(part[BufferId(i)].name), usable->count()));
  }
  return {Answer::Confirmed,
          fmt::format("at step {} {} buffers have {} bytes live, of {}", *reason.step, part.size(),
                      load.count(), usable->count()),
          part.size()};
}

ReasonVerdict check_ways(const Reason& reason, std::uint64_t most_cases) {
  const Instance& part = reason.part;
  ReasonVerdict verdict;
  const auto ask = [&](std::optional<std::size_t> left_out) {
    Ways ways(part, left_out, most_cases - std::min(most_cases, verdict.cases));
    const auto answer = ways.has_placement();
    verdict.cases += ways.cases();
    return answer;
  };
  const auto undecided = [&](const std::string& what) {
    verdict.why = fmt::format(
        "{} is open after {} cases: the {} buffers are too many to try "
        "every way",
        what, verdict.cases, part.size());
    return verdict;
  };
  const auto whole = ask(std::nullopt);
  if (!whole) return undecided("whether they fit");
  if (*whole) {
    verdict.answer = Answer::Refuted;
    verdict.why = fmt::format("its {} buffers do go into {}", part.size(), room_text(part));
    return verdict;
  }
  for (std::size_t i = 0; reason.minimal && i < part.size(); ++i) {
    const auto rest = ask(i);
    const std::string name = printable(part[BufferId(i)].name);
    if (!rest) return undecided(fmt::format("whether they fit without {}", name));
    if (*rest) continue;
    verdict.answer = Answer::Refuted;
    verdict.why = fmt::format("it is not minimal: without {} the others still do not fit", name);
    return verdict;
  }
  verdict.answer = Answer::Confirmed;
  const auto how = verdict.cases == 0 ? std::string("for their alignment alone")
                                      : fmt::format("whichever way ({} cases)", verdict.cases);
  verdict.why = fmt::format("{} buffers do not go into {}, {}{}", part.size(), room_text(part), how,
                            reason.minimal ? "; without any one of them they do" : "");
  return verdict;
}

std::string described(const Buffer& buffer) {
  std::string text = fmt::format("{} bytes, live [{}, {}), skew {}, alignment {}",
                                 buffer.size.count(), buffer.life.lower, buffer.life.upper,
                                 buffer.skew.count(), buffer.alignment.value());
  if (buffer.fixed) text += fmt::format(", fixed at {}", buffer.fixed->value());
  for (const Gap& gap : buffer.gaps) {
    text += fmt::format(", gap [{}, {})", gap.steps.lower, gap.steps.upper);
    if (gap.kept) text += fmt::format(" keeping [{}, {})", gap.kept->lower, gap.kept->upper);
  }
  return text;
}

std::optional<DeviceId> device_named(const Instance& question, const std::string& name) {
  for (std::size_t i = 0; i < question.devices().size(); ++i) {
    if (question.devices()[i].name == name) return DeviceId(i);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_reason_mismatch(const Reason& reason, const Instance& question) {
  const Device& device = reason.part.devices()[0];
  const auto known = device_named(question, device.name);
  if (!known) return fmt::format("the input has no device '{}'", printable(device.name));
  const auto room = question[*known].usable();
  if (room && device.usable() && *room > *device.usable()) {
    return fmt::format("device '{}' has {} bytes to use, more than the reason says",
                       printable(device.name), room->count());
  }
  if (question.unit() != reason.part.unit()) {
    return fmt::format("sizes are rounded up to {} in the input, to {} in the reason",
                       question.unit().value(), reason.part.unit().value());
  }
  std::map<std::string_view, BufferId> by_name;
  for (std::size_t i = 0; i < question.size(); ++i) {
    by_name.emplace(question[BufferId(i)].name, BufferId(i));
  }
  for (const Buffer& buffer : reason.part.buffers()) {
    const auto found = by_name.find(buffer.name);
    if (found == by_name.end() || question[found->second].device != *known) {
      return fmt::format("the input has no buffer {} on device '{}'", printable(buffer.name),
                         printable(device.name));
    }
    const auto input = described(question[found->second]);
    if (input == described(buffer)) continue;
    return fmt::format("buffer {} is otherwise in the input: {}; in the reason: {}",
                       printable(buffer.name), input, described(buffer));
  }
  return std::nullopt;
}

ReasonVerdict check_reason(const Reason& reason, std::uint64_t most_cases) {
  assert(reason.part.devices().size() == 1);
  return reason.step ? check_load(reason) : check_ways(reason, most_cases);
}

}  // namespace berth
