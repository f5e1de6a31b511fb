#include "berth/live/sharing.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace berth {
namespace {

using Kind = SharePermission::Kind;

constexpr std::size_t kDeepest = 64;

class Granting {
 public:
  Granting(std::span<const Sharer> sharers, Alignment unit)
      : sharers_(sharers),
        unit_(unit),
        guests_(sharers.size()),
        lives_(sharers.size()),
        parts_(sharers.size()),
        taken_(sharers.size(), false),
        whole_(sharers.size()),
        depth_(sharers.size(), 0) {
    for (std::size_t i = 0; i < sharers.size(); ++i) {
      whole_[i] = i;
      lives_[i] = sharers[i].life;
      // What is given out is never dead.
      if (sharers[i].given_out) lives_[i].upper = std::numeric_limits<Step>::max();
    }
  }

  std::vector<std::optional<Guest>> grant_all(std::span<const SharePermission> permissions) {
    for (const SharePermission* permission : parts_by_death_of_whole(permissions)) {
      if (may_be_part(*permission)) make_part(*permission);
    }
    for (const SharePermission* permission : takers_by_birth(permissions)) {
      if (may_take_over(*permission)) take_over(*permission);
    }
    return std::move(guests_);
  }

 private:
  using Permissions = std::vector<const SharePermission*>;

  static Permissions those_of_kind(std::span<const SharePermission> permissions, Kind kind) {
    Permissions chosen;
    for (const SharePermission& permission : permissions) {
      if (permission.kind == kind) chosen.push_back(&permission);
    }
    return chosen;
  }

  // A part is born before its whole, so a whole that is itself a part has its place by then.
  Permissions parts_by_death_of_whole(std::span<const SharePermission> permissions) const {
    Permissions chosen = those_of_kind(permissions, Kind::PartOf);
    std::ranges::sort(chosen, {}, [&](const SharePermission* p) {
      return std::tuple(~sharers_[p->host].life.lower, p->host, p->offset.count(), p->guest);
    });
    return chosen;
  }

  Permissions takers_by_birth(std::span<const SharePermission> permissions) const {
    Permissions chosen = those_of_kind(permissions, Kind::TakesOver);
    std::ranges::sort(chosen, {}, [&](const SharePermission* p) {
      return std::tuple(sharers_[p->guest].life.lower, p->guest, p->host);
    });
    return chosen;
  }

  bool is_root(std::size_t i) const { return sharers_[i].root == i; }
  bool is_guest(std::size_t i) const { return guests_[i].has_value(); }

  std::size_t host_of(std::size_t root) const {
    return is_guest(root) ? guests_[root]->host : root;
  }
  Bytes offset_in_host(std::size_t sharer) const {
    const std::size_t root = sharers_[sharer].root;
    const Bytes within = sharers_[sharer].offset;
    return is_guest(root) ? guests_[root]->offset + within : within;
  }

  bool may_share(const SharePermission& permission) const {
    const auto& [kind, guest, host, offset] = permission;
    return guest != host && !sharers_[guest].apart && !sharers_[host].apart && is_root(guest) &&
           !is_guest(guest) && sharers_[guest].bytes > Bytes(0);
  }

  bool stands_well(std::size_t guest, Bytes offset_on_host, std::size_t host) const {
    const Alignment needed = std::max(unit_, sharers_[guest].alignment);
    if (offset_on_host.count() % needed.value() != 0) return false;
    const auto& fixed = sharers_[guest].fixed;
    const auto& host_fixed = sharers_[host].fixed;
    if (!fixed && !host_fixed) return true;
    return fixed && host_fixed && *fixed == *host_fixed + offset_on_host;
  }

  bool may_be_part(const SharePermission& permission) const {
    const auto& [kind, guest, whole, offset] = permission;
    if (!may_share(permission) || !is_root(whole)) return false;
    const LiveRange& part = sharers_[guest].life;
    const Step joined = sharers_[whole].life.lower;
    const auto end = checked_add(offset, sharers_[guest].bytes);
    if (!end || *end > sharers_[whole].bytes || depth_[whole] == kDeepest) return false;
    return part.lower < joined && joined < part.upper &&
           stands_well(guest, offset_in_host(whole) + offset, host_of(whole)) &&
           is_free(parts_[whole], {offset.count(), end->count()});
  }

  static bool is_free(const std::map<std::uint64_t, std::uint64_t>& parts, ByteRange bytes) {
    const auto after = parts.lower_bound(bytes.lower);
    if (after != parts.end() && after->first < bytes.upper) return false;
    return after == parts.begin() || std::prev(after)->second <= bytes.lower;
  }

  void make_part(const SharePermission& permission) {
    const auto& [kind, guest, whole, offset] = permission;
    parts_[whole].emplace(offset.count(), (offset + sharers_[guest].bytes).count());
    become_guest(guest, whole, offset_in_host(whole) + offset, kind);
    whole_[guest] = whole_[whole];
    depth_[guest] = depth_[whole] + 1;
    const std::size_t storage = whole_[guest];
    lives_[storage].lower = std::min(lives_[storage].lower, lives_[guest].lower);
    lives_[storage].upper = std::max(lives_[storage].upper, lives_[guest].upper);
  }

  void become_guest(std::size_t guest, std::size_t on, Bytes offset, Kind kind) {
    const std::size_t host = host_of(sharers_[on].root);
    guests_[guest] = Guest{kind, on, host, offset};
  }

  bool may_take_over(const SharePermission& permission) const {
    const auto& [kind, guest, operand, offset] = permission;
    // What was taken already is taken in the step in which it begins: it would be handed on at
    // once.
    if (!may_share(permission) || !parts_[guest].empty() || taken_[guest]) return false;
    const std::size_t root = sharers_[operand].root;
    return root != guest && dies_with(operand, sharers_[guest].life.lower) &&
           sharers_[guest].bytes <= sharers_[operand].bytes &&
           stands_well(guest, offset_in_host(operand), host_of(root));
  }

  // In that step, whole, and with all that stands on the same bytes.
  bool dies_with(std::size_t operand, Step step) const {
    const std::size_t root = sharers_[operand].root;
    const std::size_t whole = whole_[root];
    const auto dies = [&](const LiveRange& life) { return life.upper - 1 == step; };
    if (taken_[whole] || !dies(lives_[whole]) || !dies(sharers_[whole].life)) return false;
    // Two results of one step would stand in the same bytes, of which the first took over there
    // itself or was joined there.
    const bool took_over = is_guest(whole) && guests_[whole]->kind == Kind::TakesOver;
    const bool is_result = took_over || !parts_[whole].empty();
    return dies(sharers_[root].life) && !(is_result && sharers_[whole].life.lower == step);
  }

  void take_over(const SharePermission& permission) {
    taken_[whole_[sharers_[permission.host].root]] = true;
    become_guest(permission.guest, permission.host, offset_in_host(permission.host),
                 permission.kind);
  }

  std::span<const Sharer> sharers_;
  Alignment unit_;
  std::vector<std::optional<Guest>> guests_;
  std::vector<LiveRange> lives_;                               // by root: with its parts
  std::vector<std::map<std::uint64_t, std::uint64_t>> parts_;  // by root: first byte to end
  std::vector<bool> taken_;         // by root: another value took its bytes over
  std::vector<std::size_t> whole_;  // by root: what it is a part of, or a part of a part; or itself
  std::vector<std::size_t> depth_;  // by root: how many wholes it is a part of
};

}  // namespace

std::vector<std::optional<Guest>> grant(std::span<const Sharer> sharers,
                                        std::span<const SharePermission> permissions,
                                        Alignment unit) {
  return Granting(sharers, unit).grant_all(permissions);
}

namespace {

struct Change {
  Step step = 0;
  bool begins = false;
  ByteRange bytes;
};

std::vector<Change> changes_of(std::span<const HeldBytes> held) {
  std::vector<Change> changes;
  for (const HeldBytes& part : held) {
    changes.push_back({part.steps.lower, true, part.bytes});
    changes.push_back({part.steps.upper, false, part.bytes});
  }
  std::ranges::sort(changes, {}, &Change::step);
  return changes;
}

// What is held at a time, as the ends of its ranges.
struct Hull {
  std::multiset<std::uint64_t> lowers;
  std::multiset<std::uint64_t> uppers;

  void apply(const Change& change) {
    if (change.begins) {
      lowers.insert(change.bytes.lower);
      uppers.insert(change.bytes.upper);
    } else {
      lowers.erase(lowers.find(change.bytes.lower));
      uppers.erase(uppers.find(change.bytes.upper));
    }
  }
  std::optional<ByteRange> bytes() const {
    if (lowers.empty()) return std::nullopt;
    return ByteRange{*lowers.begin(), *uppers.rbegin()};
  }
};

void add_gap(std::vector<Gap>& gaps, LiveRange steps, const std::optional<ByteRange>& kept) {
  if (!gaps.empty() && gaps.back().steps.upper == steps.lower && gaps.back().kept == kept) {
    gaps.back().steps.upper = steps.upper;
  } else {
    gaps.push_back({steps, kept});
  }
}

}  // namespace

HeldLife held_life(std::span<const HeldBytes> held, Bytes size) {
  const auto changes = changes_of(held);
  HeldLife result{{changes.front().step, changes.back().step}, {}};
  Hull hull;
  // What begins and ends in one step is held in none: all of a step's changes are made at once,
  // what begins first.
  for (std::size_t i = 0; i < changes.size();) {
    const Step step = changes[i].step;
    const std::size_t first = i;
    for (; i < changes.size() && changes[i].step == step; ++i) {
      if (changes[i].begins) hull.apply(changes[i]);
    }
    for (std::size_t k = first; k < i; ++k) {
      if (!changes[k].begins) hull.apply(changes[k]);
    }
    const auto kept = hull.bytes();
    if (i == changes.size() || kept == ByteRange{0, size.count()}) continue;
    add_gap(result.gaps, {step, changes[i].step}, kept);
  }
  return result;
}

std::vector<std::vector<Gap>> gaps_of_wholes(std::span<const Sharer> sharers,
                                             std::span<const std::optional<Guest>> guests) {
  std::vector<std::vector<HeldBytes>> parts(sharers.size());
  const auto is_part = [&](std::size_t i) { return guests[i] && guests[i]->kind == Kind::PartOf; };
  for (std::size_t i = 0; i < sharers.size(); ++i) {
    for (std::size_t at = i; is_part(at); at = guests[at]->on) {
      const std::size_t whole = guests[at]->on;
      const Bytes whole_offset = guests[whole] ? guests[whole]->offset : Bytes(0);
      const Bytes begin = guests[i]->offset - whole_offset;
      parts[whole].push_back(
          {sharers[i].life, {begin.count(), (begin + sharers[i].bytes).count()}});
    }
  }
  std::vector<std::vector<Gap>> gaps(sharers.size());
  for (std::size_t i = 0; i < sharers.size(); ++i) {
    if (parts[i].empty()) continue;
    parts[i].push_back({sharers[i].life, {0, sharers[i].bytes.count()}});
    gaps[i] = held_life(parts[i], sharers[i].bytes).gaps;
  }
  return gaps;
}

}  // namespace berth
