#include "berth/live/shared_rows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "berth/live/load.h"
#include "berth/live/sharing.h"

namespace berth {
namespace {

using Kind = SharePermission::Kind;
using Guests = std::vector<std::optional<Guest>>;

std::vector<Sharer> sharers_of(const Instance& table) {
  std::vector<Sharer> sharers;
  sharers.reserve(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Buffer& row = table[BufferId(i)];
    sharers.push_back({.root = i,
                       .offset = Bytes(0),
                       .bytes = row.size,
                       .life = row.life,
                       .alignment = row.alignment,
                       .fixed = row.fixed,
                       .apart = !row.gaps.empty() || row.skew != Bytes(0)});
  }
  return sharers;
}

// One buffer from the rows that stand on its bytes.
Buffer host_buffer(const Instance& table, std::size_t host, std::span<const std::size_t> rows,
                   const Guests& guests) {
  Buffer buffer = table[BufferId(host)];
  if (rows.size() == 1) return buffer;
  std::vector<HeldBytes> held;
  for (const std::size_t i : rows) {
    const Buffer& row = table[BufferId(i)];
    const Bytes begin = guests[i] ? guests[i]->offset : Bytes(0);
    held.push_back({row.life, {begin.count(), (begin + row.size).count()}});
    buffer.alignment = std::max(buffer.alignment, row.alignment);
  }
  auto [life, gaps] = held_life(held, buffer.size);
  buffer.life = life;
  buffer.gaps = std::move(gaps);
  return buffer;
}

Result<SharedRows> shared(const Instance& table, std::span<const Sharer> sharers,
                          std::span<const SharePermission> permissions) {
  const Guests guests = grant(sharers, permissions, table.unit());
  std::vector<std::vector<std::size_t>> rows_of(table.size());  // by host
  const auto host_of = [&](std::size_t row) { return guests[row] ? guests[row]->host : row; };
  for (std::size_t row = 0; row < table.size(); ++row) rows_of[host_of(row)].push_back(row);

  std::vector<Buffer> buffers;
  std::vector<BufferId> buffer_of(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (rows_of[i].empty()) continue;
    buffer_of[i] = BufferId(buffers.size());
    buffers.push_back(host_buffer(table, i, rows_of[i], guests));
  }
  auto gaps = gaps_of_wholes(sharers, guests);
  std::vector<Member> members(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Buffer& row = table[BufferId(i)];
    Member& member = members[i];
    member.name = row.name;
    member.tensor = TensorId(i);
    member.buffer = buffer_of[host_of(i)];
    member.offset = guests[i] ? guests[i]->offset : Bytes(0);
    member.bytes = row.size;
    member.life = row.life;
    member.gaps = gaps[i].empty() ? row.gaps : std::move(gaps[i]);
    member.alignment = table.alignment(BufferId(i));
    if (!guests[i]) continue;
    (guests[i]->kind == Kind::PartOf ? member.view_of : member.reuses) = guests[i]->on;
  }
  auto instance =
      Instance::make({table.devices().begin(), table.devices().end()}, std::move(buffers),
                     table.unit(), {table.step_names().begin(), table.step_names().end()});
  if (!instance) return tl::unexpected(instance.error());
  return SharedRows{*std::move(instance), std::move(members)};
}

}  // namespace

Result<SharedRows> share_rows(const Instance& table, std::span<const SharePermission> permissions) {
  const auto sharers = sharers_of(table);
  std::vector<SharePermission> near(permissions.begin(), permissions.end());
  std::erase_if(near, [&](const SharePermission& permission) {
    return table[BufferId(permission.guest)].device != table[BufferId(permission.host)].device;
  });
  auto all = shared(table, sharers, near);
  const auto has_part = std::erase_if(
      near, [](const SharePermission& permission) { return permission.kind == Kind::PartOf; });
  if (!all || has_part == 0) return all;
  auto apart = shared(table, sharers, near);
  return apart && has_larger_load(all->instance, apart->instance) ? apart : all;
}

namespace {

// Whether grant would give the permission if everything else were as it likes.
bool may_share(const Buffer& guest, const Buffer& host, const NamedPermission& permission) {
  if (!guest.gaps.empty() || !host.gaps.empty()) return false;
  const auto end = checked_add(permission.offset, guest.size);
  if (!end || *end > host.size) return false;
  if (guest.fixed.has_value() != host.fixed.has_value()) return false;
  if (guest.fixed && *guest.fixed != *host.fixed + permission.offset) return false;
  if (permission.kind == Kind::TakesOver) return host.life.upper - 1 == guest.life.lower;
  return guest.life.lower < host.life.lower && host.life.lower < guest.life.upper;
}

}  // namespace

Result<Instance> least_shared(const Instance& apart, std::span<const NamedPermission> permissions) {
  std::map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < apart.size(); ++i) by_name.emplace(apart[BufferId(i)].name, i);
  std::vector<Buffer> buffers(apart.buffers().begin(), apart.buffers().end());
  for (const NamedPermission& permission : permissions) {
    const auto guest = by_name.find(permission.guest);
    const auto host = by_name.find(permission.host);
    if (guest == by_name.end() || host == by_name.end()) continue;  // one of them is not placed
    const Buffer& its_host = apart[BufferId(host->second)];
    if (!may_share(apart[BufferId(guest->second)], its_host, permission)) continue;
    LiveRange& life = buffers[guest->second].life;
    if (permission.kind == Kind::TakesOver) {
      life.lower = std::max(life.lower, apart[BufferId(guest->second)].life.lower + 1);
    } else {
      life.upper = std::min(life.upper, its_host.life.lower);
    }
  }
  std::erase_if(buffers, [](const Buffer& buffer) { return buffer.life.empty(); });
  return Instance::make({apart.devices().begin(), apart.devices().end()}, std::move(buffers),
                        apart.unit());
}

}  // namespace berth
