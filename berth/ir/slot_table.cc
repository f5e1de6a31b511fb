#include "berth/ir/slot_table.h"

#include <fmt/format.h>

#include <string>

#include "berth/base/seeded_hash.h"

namespace berth {
namespace {

std::size_t slot_hash(const Op& op, const Storage& storage) {
  HashState hash;
  hash.add(static_cast<std::uint64_t>(op.kind));
  hash.add(storage.slot);
  hash.add(storage.device);
  return hash.value();
}

std::string words_for(const Storage& storage) {
  std::string words = fmt::format("{} of {}", storage.elements, storage.dtype.name());
  if (storage.skew != 0) words += fmt::format(", skew {}", storage.skew);
  return words + (storage.name.empty() ? ", no name" : fmt::format(", '{}'", storage.name));
}

}  // namespace

std::optional<Error> SlotTable::add(const OpGraph& graph, OpId id) {
  const Op& op = graph[id];
  const Storage& storage = graph.storage(id);
  const std::size_t hash = slot_hash(op, storage);
  const auto [first, last] = known_.equal_range(hash);
  for (auto candidate = first; candidate != last; ++candidate) {
    const OpId other = candidate->second;
    if (other == id) return std::nullopt;
    const Storage& taken = graph.storage(other);
    if (graph[other].kind != op.kind || taken.slot != storage.slot ||
        taken.device != storage.device) {
      continue;
    }
    return Error{
        Error::Kind::Input, "slot",
        fmt::format("{} {} of {} stands there already as {}, now as {}", to_string(op.kind),
                    storage.slot, storage.device, words_for(taken), words_for(storage)),
        "a slot of a device is one storage: write it the same way each time, or give the "
        "other a slot of its own"};
  }
  known_.emplace(hash, id);
  return std::nullopt;
}

}  // namespace berth
