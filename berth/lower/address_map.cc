#include "berth/lower/address_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "berth/live/schedule_lives.h"

namespace berth {
namespace {

constexpr std::uint64_t kFirstAddress = 0x10000000;
constexpr std::uint64_t kPage = 4096;

Error no_room(const std::string& what) {
  return {Error::Kind::Usage, "--base", fmt::format("{} ends past 2^64", what),
          "let the arenas begin further down"};
}

std::string name_of(const OpGraph& graph, OpId storage) {
  const auto& [slot, dtype, elements, device, skew, name] = graph.storage(storage);
  if (!name.empty()) return name;
  return fmt::format("{} {}", to_string(graph[storage].kind), slot);
}

std::optional<Error> find_shared_addresses(const Instance& instance,
                                           std::span<const AddressRange> arenas) {
  const auto two = find_that_meet(arenas);
  if (!two) return std::nullopt;
  return Error{
      Error::Kind::Usage, "--base",
      fmt::format("the arenas of {} and {} share addresses", instance.devices()[two->first].name,
                  instance.devices()[two->second].name),
      "one table of planes has one space of addresses: give them bases apart"};
}

}  // namespace

std::optional<std::pair<std::size_t, std::size_t>> find_that_meet(
    std::span<const AddressRange> arenas) {
  std::vector<std::size_t> order(arenas.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](std::size_t i) { return arenas[i].empty(); });
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return arenas[i].lower; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (arenas[order[i]].overlaps(arenas[order[i - 1]])) return std::pair(order[i - 1], order[i]);
  }
  return std::nullopt;
}

Result<AddressMap> AddressMap::make(const Schedule& schedule, const Instance& instance,
                                    std::span<const OpId> ops, const Packing& packing,
                                    std::span<const Address> arenas,
                                    std::span<const StandingStorage> standing) {
  AddressMap map;
  std::vector<AddressRange> extents;
  for (std::size_t i = 0; i < arenas.size(); ++i) {
    const Bytes peak = packing.arenas[i].peak;
    extents.push_back(addresses(arenas[i], peak));
    const std::string& device = instance.devices()[i].name;
    if (extents.back().upper > kAddressEnd) {
      return tl::unexpected(no_room(fmt::format("the arena of {}", device)));
    }
    if (peak > Bytes(0)) map.windows_.push_back({arenas[i], peak});
  }
  if (auto fault = find_shared_addresses(instance, extents)) return tl::unexpected(*fault);

  for (std::size_t i = 0; i < instance.size(); ++i) {
    const Buffer& buffer = instance[BufferId(i)];
    const Offset offset = packing.placement.places[i] + buffer.skew;
    const Address first(arenas[buffer.device.index()].value() + offset.value());
    map.planned_.push_back({buffer.name, first, buffer.size});
    if (i < ops.size()) map.buffers_.emplace(ops[i], BufferId(i));
  }
  if (auto fault = map.place_globals(schedule, standing)) return tl::unexpected(*fault);
  return map;
}

std::optional<Error> AddressMap::place_globals(const Schedule& schedule,
                                               std::span<const StandingStorage> standing) {
  const OpGraph& graph = schedule.graph();
  std::unordered_map<OpId, Address> stands;  // looked up, never iterated
  WideAddress free_from = kFirstAddress;
  for (const auto& [address, bytes] : windows_) {
    free_from = std::max(free_from, addresses(address, bytes).upper);
  }
  for (const StandingStorage& it : standing) {
    stands.emplace(it.storage, it.address);
    const Bytes bytes(graph.view(it.storage)->bytes.upper);
    free_from = std::max(free_from, addresses(it.address, bytes).upper);
  }
  for (const StorageLife& life : storage_lives(schedule)) {
    const Bytes bytes(graph.view(life.storage)->bytes.upper);
    if (buffers_.contains(life.storage) || bytes == Bytes(0)) continue;
    const auto stand = stands.find(life.storage);
    const WideAddress page = (free_from + kPage - 1) / kPage * kPage;
    const WideAddress first = stand != stands.end() ? WideAddress(stand->second.value())
                                                    : page + graph.storage(life.storage).skew;
    free_from = std::max(free_from, first + bytes.count());
    if (first + bytes.count() > kAddressEnd) return no_room(name_of(graph, life.storage));
    const Address address(static_cast<std::uint64_t>(first));
    global_of_.emplace(life.storage, globals_.size());
    globals_.push_back({name_of(graph, life.storage), address, bytes});
    windows_.push_back({address, bytes});
  }
  return std::nullopt;
}

std::optional<BufferId> AddressMap::buffer(OpId storage) const {
  const auto found = buffers_.find(storage);
  if (found == buffers_.end()) return std::nullopt;
  return found->second;
}

std::optional<Address> AddressMap::address(const OpGraph& graph, OpId node) const {
  const View& view = *graph.view(node);
  if (view.bytes.empty()) return std::nullopt;
  const auto planned_buffer = buffer(view.base);
  const NamedRange& range =
      planned_buffer ? planned(*planned_buffer) : globals_[global_of_.at(view.base)];
  return Address(range.address.value() + view.bytes.lower);
}

}  // namespace berth
