#include "berth/pipeline/given_places.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "berth/pipeline/compose_plan.h"
#include "berth/pipeline/question.h"
#include "berth/plan/figures.h"

namespace berth {
namespace {

// What the input says of one name, and where that stands in its buffer.
struct Wanted {
  std::string_view name;
  Bytes bytes;
  LiveRange life;
  std::span<const Gap> gaps;
  Bytes from_place;
};

class Placer {
 public:
  Placer(const std::vector<GivenRow>& rows, const Question& question)
      : rows_(rows), question_(question), members_(question.instance.size()) {
    for (const GivenRow& row : rows) by_name_.emplace(row.name, &row);
    for (const Member& member : members_of(question)) {
      members_[member.buffer.index()].push_back(&member);
    }
  }

  std::optional<std::string> place(Placement& placement) {
    if (by_name_.size() != rows_.size()) return "the answer places a buffer twice";
    for (std::size_t i = 0; i < question_.instance.size(); ++i) {
      std::optional<Offset> place;
      if (auto fault = place_buffer(BufferId(i), place)) return fault;
      placement.places.push_back(place.value_or(Offset(0)));
    }
    return find_left_over();
  }

 private:
  std::optional<std::string> place_buffer(BufferId id, std::optional<Offset>& place) {
    const Buffer& buffer = question_.instance[id];
    const auto& members = members_[id.index()];
    const Wanted whole = {buffer.name, buffer.size, buffer.life, buffer.gaps, buffer.skew};
    const GivenRow* row = row_of(whole.name);
    bool is_told = false;
    if (row != nullptr && row->bytes == whole.bytes &&
        row->life.value_or(whole.life) == whole.life) {
      if (auto fault = put(*row, whole, buffer, place)) return fault;
      is_told = true;
    }
    for (const Member* member : members) {
      if (is_told && member->name == whole.name) continue;
      if (is_told && row_of(member->name) == nullptr) continue;
      const Wanted part = {
          member->name, member->bytes, member->life, {}, buffer.skew + member->offset};
      if (auto fault = put_named(part, buffer, place)) return fault;
    }
    if (is_told || !members.empty()) return std::nullopt;
    return put_named(whole, buffer, place);
  }

  const GivenRow* row_of(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

  std::optional<std::string> put_named(const Wanted& asked, const Buffer& buffer,
                                       std::optional<Offset>& place) {
    const GivenRow* row = row_of(asked.name);
    if (row == nullptr) {
      return fmt::format(
          "the input has buffer {} ({} bytes, live [{}, {})), which the answer does not place",
          asked.name, asked.bytes.count(), asked.life.lower, asked.life.upper);
    }
    if (row->bytes != asked.bytes) {
      return fmt::format("buffer {} has {} bytes in the input, {} in the answer", asked.name,
                         asked.bytes.count(), row->bytes.count());
    }
    if (row->life && *row->life != asked.life) {
      return fmt::format("buffer {} is live [{}, {}) in the input, [{}, {}) in the answer",
                         asked.name, asked.life.lower, asked.life.upper, row->life->lower,
                         row->life->upper);
    }
    return put(*row, asked, buffer, place);
  }

  // Where the buffer then is; all its parts must agree.
  std::optional<std::string> put(const GivenRow& row, const Wanted& asked, const Buffer& buffer,
                                 std::optional<Offset>& place) {
    used_.insert(row.name);
    if (!row.gaps.empty() && !std::ranges::equal(row.gaps, asked.gaps)) {
      return fmt::format("buffer {} has other gaps in the answer than in the input", asked.name);
    }
    const std::string& device = question_.instance[buffer.device].name;
    if (!row.device.empty() && row.device != device) {
      return fmt::format("buffer {} is of device '{}' in the input, of '{}' in the answer",
                         asked.name, device, row.device);
    }
    if (asked.bytes == Bytes(0)) return std::nullopt;
    if (!row.offset) return fmt::format("the answer gives buffer {} no offset", asked.name);
    if (row.offset->value() < asked.from_place.count()) {
      return fmt::format("buffer {} is at {}, before the {} bytes that come before it", asked.name,
                         row.offset->value(), asked.from_place.count());
    }
    const Offset found(row.offset->value() - asked.from_place.count());
    if (place && *place != found) {
      return fmt::format("buffer {} is not where the others are whose bytes it shares", asked.name);
    }
    place = found;
    return std::nullopt;
  }

  // What is kept apart may have a row, but no place.
  std::optional<std::string> find_left_over() const {
    std::set<std::string_view> kept;
    for (const KeptTensor& it : question_.kept) kept.insert(it.name);
    for (const GivenRow& row : rows_) {
      if (used_.contains(row.name) || row.bytes == Bytes(0)) continue;
      if (kept.contains(row.name) && !row.offset) continue;
      return fmt::format("the answer places buffer {}, which the input {}", row.name,
                         kept.contains(row.name) ? "keeps apart" : "does not have");
    }
    return std::nullopt;
  }

  const std::vector<GivenRow>& rows_;
  const Question& question_;
  std::vector<std::vector<const Member*>> members_;  // by buffer
  std::map<std::string_view, const GivenRow*> by_name_;
  std::set<std::string_view> used_;
};

// Sums of places that a file gives: a plan's figures add them up without asking.
std::optional<Error> find_overflow(const Instance& instance, const Placement& placement) {
  std::vector<Buffer> buffers(instance.buffers().begin(), instance.buffers().end());
  for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i].fixed = placement.places[i];
  const auto devices = instance.devices();
  const auto fixed =
      Instance::make({devices.begin(), devices.end()}, std::move(buffers), instance.unit());
  return fixed ? std::nullopt : std::optional(fixed.error());
}

Result<InputAtPlaces> placed(const std::vector<GivenRow>& rows, const InputFile& input,
                             const Question& question, const PlanOptions& options) {
  Packing packing{.packer = "as given"};
  InputAtPlaces at;
  at.mismatch = Placer(rows, question).place(packing.placement);
  if (at.mismatch) return at;
  if (auto error = find_overflow(question.instance, packing.placement)) {
    return tl::unexpected(*std::move(error));
  }
  packing.arenas = arena_figures(question.instance, packing.placement);
  auto plan = compose_plan(input, question, packing, options);
  if (!plan) return tl::unexpected(plan.error());
  at.plan = *std::move(plan);
  return at;
}

}  // namespace

Result<InputAtPlaces> input_at(const std::vector<GivenRow>& rows, const InputFile& input,
                               const PlanOptions& options) {
  const auto question = read_question(input, options);
  if (!question) return tl::unexpected(question.error());
  auto shared = placed(rows, input, *question, options);
  if (!shared || !shared->mismatch || question->permissions.empty()) return shared;
  PlanOptions apart = options;
  apart.share = false;
  const auto each = read_question(input, apart);
  if (!each) return tl::unexpected(each.error());
  auto unshared = placed(rows, input, *each, apart);
  return unshared && !unshared->mismatch ? unshared : shared;
}

}  // namespace berth
