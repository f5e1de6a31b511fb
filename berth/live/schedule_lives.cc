#include "berth/live/schedule_lives.h"

#include <fmt/format.h>

#include <cassert>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "berth/base/seeded_hash.h"

namespace berth {
namespace {

enum class Loops { All, ThatRun };

// Walks entries and reports each storage the first time that any of them takes it. Entries may
// share calls and whole loops, so a node once walked is never walked again.
class Takes {
 public:
  explicit Takes(const OpGraph& graph, Loops loops = Loops::All) : graph_(graph), loops_(loops) {}

  template <typename Report>
  void walk(OpId entry, const Report& report) {
    open(entry);
    while (!open_.empty()) {
      auto& [id, next] = open_.back();
      const Op& op = graph_[id];
      if (next == op.sources.size()) {
        open_.pop_back();
        continue;
      }
      const OpId source = op.sources[next++];
      if (const auto base = graph_.storage_base(source)) {
        if (taken_.insert(*base).second) report(*base);
      } else {
        open(source);
      }
    }
  }

 private:
  // A call's arguments begin after its body, which is its own business.
  void open(OpId id) {
    if (!seen_.insert(id).second) return;
    if (loops_ == Loops::ThatRun && runs_no_time(graph_, id)) return;
    open_.emplace_back(id, graph_[id].kind == OpKind::Call ? 1 : 0);
  }

  const OpGraph& graph_;
  Loops loops_;
  std::unordered_set<OpId> seen_;
  std::unordered_set<OpId> taken_;
  std::vector<std::pair<OpId, std::size_t>> open_;
};

std::vector<OpId> taken_by(const OpGraph& graph, OpId entry, Loops loops) {
  std::vector<OpId> storage;
  Takes(graph, loops).walk(entry, [&](OpId id) { storage.push_back(id); });
  return storage;
}

}  // namespace

bool runs_no_time(const OpGraph& graph, OpId entry) {
  const auto* loop = std::get_if<LoopCount>(&graph[entry].attributes);
  return loop != nullptr && loop->count == 0U;
}

std::vector<OpId> taken(const OpGraph& graph, OpId entry) {
  return taken_by(graph, entry, Loops::All);
}

std::vector<OpId> taken_in_run(const OpGraph& graph, OpId entry) {
  return taken_by(graph, entry, Loops::ThatRun);
}

std::vector<StorageLife> storage_lives(const Schedule& schedule) {
  const auto entries = schedule.entries();
  std::vector<StorageLife> lives;
  std::unordered_map<OpId, std::size_t> position;

  Takes forward(schedule.graph());
  for (Step step = 0; step < entries.size(); ++step) {
    forward.walk(entries[step], [&](OpId storage) {
      position.emplace(storage, lives.size());
      lives.push_back({storage, {step, step + 1}});
    });
  }
  // The last entry that takes a storage is the first that does, seen from the end.
  Takes backward(schedule.graph());
  for (Step step = entries.size(); step-- > 0;) {
    backward.walk(entries[step],
                  [&](OpId storage) { lives[position.at(storage)].life.upper = step + 1; });
  }
  return lives;
}

namespace {

// A name may be long, and many entries one call.
constexpr std::uint64_t kMostNamedBytes = std::uint64_t{1} << 26;

std::string entry_name(const OpGraph& graph, OpId entry) {
  const Op& op = graph[entry];
  if (op.kind != OpKind::Call) return "loop";
  return std::get<BodyName>(graph[op.sources[0]].attributes).name;
}

std::optional<KeptWhy> why_kept(const OpGraph& graph, OpId id, bool is_held) {
  const OpKind kind = graph[id].kind;
  if (kind == OpKind::Param) return KeptWhy::Param;
  if (kind == OpKind::Alloc) return KeptWhy::CallLocal;
  if (is_held) return KeptWhy::Held;
  if (is_disk(graph.storage(id).device)) return KeptWhy::Disk;
  if (storage_extent(graph, id) == Bytes(0)) return KeptWhy::Empty;
  return std::nullopt;
}

// Gives each storage a name that no other one has.
class Names {
 public:
  std::string name(const OpGraph& graph, OpId id) {
    const Storage& storage = graph.storage(id);
    std::string name = storage.name.empty() ? fmt::format("slot {}", storage.slot) : storage.name;
    while (!used_.insert(name).second) name += fmt::format(" #{}", id.index());
    return name;
  }

 private:
  std::unordered_set<std::string, SeededHash> used_;
};

class DeviceTable {
 public:
  DeviceId id(const std::string& name) {
    const auto [found, is_new] = ids_.emplace(name, DeviceId(devices_.size()));
    if (is_new) devices_.push_back({.name = name});
    return found->second;
  }
  std::vector<Device> devices() const { return devices_; }

 private:
  std::vector<Device> devices_;
  std::map<std::string, DeviceId> ids_;
};

std::unordered_set<OpId> held_storage(const Schedule& schedule, std::span<const OpId> more) {
  std::unordered_set<OpId> held;
  for (const auto list : {schedule.held(), more}) {
    for (const OpId id : list) held.insert(schedule.graph().storage_base(id).value());
  }
  return held;
}

}  // namespace

Result<ScheduleInstance> schedule_instance(const Schedule& schedule, std::span<const OpId> held,
                                           Alignment unit) {
  const OpGraph& graph = schedule.graph();
  const auto is_held = held_storage(schedule, held);
  const auto lives = storage_lives(schedule);

  std::vector<OpId> ops;
  std::vector<KeptStorage> kept;
  std::vector<std::string> kept_names;
  std::vector<Buffer> buffers;
  DeviceTable devices;
  Names names;
  std::vector<bool> is_taken(graph.size());
  for (const auto& [id, life] : lives) {
    is_taken[id.index()] = true;
    if (const auto why = why_kept(graph, id, is_held.contains(id))) {
      kept.push_back({id, *why});
      kept_names.push_back(names.name(graph, id));
      continue;
    }
    const Storage& storage = graph.storage(id);
    buffers.push_back({.name = names.name(graph, id),
                       .size = Bytes(graph.view(id)->bytes.upper),
                       .life = life,
                       .skew = Bytes(storage.skew),
                       .device = devices.id(storage.device)});
    ops.push_back(id);
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const OpId id(i);
    if (is_taken[i] || graph[id].kind != OpKind::Buffer) continue;
    kept.push_back({id, is_held.contains(id) ? KeptWhy::Held : KeptWhy::Unused});
    kept_names.push_back(names.name(graph, id));
  }

  std::vector<std::string> step_names;
  std::uint64_t named_bytes = 0;
  for (const OpId entry : schedule.entries()) {
    step_names.push_back(entry_name(graph, entry));
    named_bytes += step_names.back().size();
    if (named_bytes > kMostNamedBytes) {
      return tl::unexpected(Error{Error::Kind::Limit, "root",
                                  fmt::format("its steps' names, written out, are more than {} "
                                              "bytes",
                                              kMostNamedBytes),
                                  "entries may share a call: give its body a shorter name"});
    }
  }
  auto instance =
      Instance::make(devices.devices(), std::move(buffers), unit, std::move(step_names));
  if (!instance) return tl::unexpected(instance.error());
  return ScheduleInstance{*std::move(instance), std::move(ops), std::move(kept),
                          std::move(kept_names)};
}

std::vector<std::optional<DeviceId>> step_devices(const Schedule& schedule,
                                                  const Instance& instance) {
  const OpGraph& graph = schedule.graph();
  std::map<std::string, DeviceId> ids;
  for (std::size_t i = 0; i < instance.devices().size(); ++i) {
    ids.emplace(instance.devices()[i].name, DeviceId(i));
  }
  std::vector<std::optional<DeviceId>> of(graph.size());  // sources stand before what uses them
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Op& op = graph[OpId(i)];
    if (const auto base = graph.storage_base(OpId(i))) {
      const auto found = ids.find(graph.storage(*base).device);
      if (found != ids.end()) of[i] = found->second;
      continue;
    }
    for (std::size_t at = op.kind == OpKind::Call ? 1 : 0; at < op.sources.size() && !of[i]; ++at) {
      of[i] = of[op.sources[at].index()];
    }
  }
  std::vector<std::optional<DeviceId>> devices;
  for (const OpId entry : schedule.entries()) devices.push_back(of[entry.index()]);
  return devices;
}

}  // namespace berth
