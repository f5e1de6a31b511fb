#include "berth/live/program_lives.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "berth/base/seeded_hash.h"
#include "berth/ir/phase_chips.h"
#include "berth/live/load.h"
#include "berth/live/reuse.h"
#include "berth/live/sharing.h"
#include "berth/live/tensor_groups.h"

namespace berth {
namespace {

using Fault = std::optional<Error>;

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// A device for each chip that holds a tensor or scratch.
class ChipDevices {
 public:
  explicit ChipDevices(const Program& program) {
    for (const Tensor& tensor : program.tensors) ids_.emplace(tensor.chip, DeviceId());
    for (const Phase& phase : program.phases) {
      if (phase.scratch == Bytes(0)) continue;
      for (const ChipId chip : phase_chips(program, phase)) ids_.emplace(chip, DeviceId());
    }
    if (ids_.empty()) ids_.emplace(ChipId(0), DeviceId());
    std::size_t next = 0;
    for (auto& [chip, id] : ids_) id = DeviceId(next++);
  }

  DeviceId of(ChipId chip) const { return ids_.at(chip); }
  std::string name_of(ChipId chip) const {
    return ids_.size() == 1 ? "CPU" : fmt::format("chip{}", chip.index());
  }
  std::vector<Device> devices() const {
    std::vector<Device> devices;
    for (const auto& [chip, id] : ids_) devices.push_back({.name = name_of(chip)});
    return devices;
  }

 private:
  std::map<ChipId, DeviceId> ids_;
};

class Builder {
 public:
  Builder(const Program& program, TensorGroups groups, Alignment unit, Sharing sharing)
      : program_(program),
        groups_(std::move(groups)),
        unit_(unit),
        devices_(program),
        sharing_(sharing),
        names_(unique_names(program)),
        buffer_of_(program.tensors.size(), kNone),
        member_of_(program.tensors.size(), kNone) {}

  Result<ProgramInstance> build(std::span<const std::optional<Offset>> fixed) {
    keep_unplanned();
    share(fixed);
    make_buffers();
    make_members();
    if (!fixed.empty()) {
      if (Fault fault = fix_places(fixed)) return tl::unexpected(std::move(*fault));
    }
    add_scratch();
    auto instance = Instance::make(devices_.devices(), std::move(buffers_), unit_, step_names());
    if (!instance) return tl::unexpected(instance.error());
    return ProgramInstance{std::move(*instance), std::move(members_), std::move(kept_),
                           std::move(permissions_)};
  }

 private:
  std::size_t size() const { return program_.tensors.size(); }
  Bytes bytes_of(TensorId tensor) const { return program_.tensors[tensor.index()].bytes; }

  void keep_unplanned() {
    is_kept_.assign(size(), false);
    for (std::size_t i = 0; i < size(); ++i) {
      const auto why = why_kept(program_, groups_, TensorId(i));
      if (!why) continue;
      is_kept_[i] = true;
      kept_.push_back({names_[i], *why, program_.tensors[i].bytes});
      add_memory(TensorId(i), kept_.back());
    }
  }

  // A view takes no bytes of its own, a constant none of the arena's memory.
  void add_memory(TensorId tensor, KeptTensor& kept) const {
    if (groups_[tensor].root != tensor) return;
    const std::string device = devices_.name_of(program_.tensors[tensor.index()].chip);
    if (kept.why == KeptWhy::Variable || kept.why == KeptWhy::Dynamic) kept.device = device;
    if (kept.why != KeptWhy::CallLocal) return;
    kept.device = device;
    kept.life = groups_.of(tensor).life;
  }

  void share(std::span<const std::optional<Offset>> fixed) {
    sharers_ = sharers(fixed);
    auto asked = sharing_of(program_, groups_);
    for (const SharePermission& permission : asked) {
      permissions_.push_back(
          {permission.kind, names_[permission.guest], names_[permission.host], permission.offset});
    }
    std::erase_if(asked, [&](const SharePermission& permission) {
      const bool is_part = permission.kind == SharePermission::Kind::PartOf;
      return sharing_ == Sharing::Declined || (sharing_ == Sharing::NoParts && is_part);
    });
    guests_ = grant(sharers_, asked, unit_);
  }

  // By TensorId.
  std::vector<Sharer> sharers(std::span<const std::optional<Offset>> fixed) const {
    std::vector<Sharer> sharers(size());
    for (std::size_t i = 0; i < size(); ++i) {
      const auto& part = groups_[TensorId(i)];
      Sharer& sharer = sharers[i];
      sharer.root = part.root.index();
      sharer.offset = part.offset;
      sharer.bytes = bytes_of(TensorId(i));
      sharer.life = groups_.of(TensorId(i)).life.value_or(LiveRange());
      sharer.apart = is_kept_[i];
      sharer.given_out = groups_.of(TensorId(i)).given_out;
      if (i < fixed.size()) sharer.fixed = fixed[i];
    }
    return sharers;
  }

  // The first group that stands on the bytes of this tensor.
  TensorId host_of(TensorId tensor) const {
    const TensorId root = groups_[tensor].root;
    const auto& guest = guests_[root.index()];
    return guest ? TensorId(guest->host) : root;
  }

  Bytes offset_of(TensorId tensor) const {
    const auto& part = groups_[tensor];
    const auto& guest = guests_[part.root.index()];
    return guest ? guest->offset + part.offset : part.offset;
  }

  bool is_planned_root(TensorId tensor) const {
    return !is_kept_[tensor.index()] && groups_[tensor].root == tensor;
  }

  void make_buffers() {
    std::vector<std::vector<HeldBytes>> held(size());  // by host
    for (std::size_t i = 0; i < size(); ++i) {
      const TensorId tensor(i);
      if (!is_planned_root(tensor)) continue;
      const Bytes begin = offset_of(tensor);
      held[host_of(tensor).index()].push_back(
          {*groups_.of(tensor).life, {begin.count(), (begin + bytes_of(tensor)).count()}});
    }
    for (std::size_t i = 0; i < size(); ++i) {
      if (held[i].empty()) continue;
      buffer_of_[i] = buffers_.size();
      Buffer buffer;
      buffer.name = names_[i];
      buffer.size = bytes_of(TensorId(i));
      auto [life, gaps] = held_life(held[i], buffer.size);
      buffer.life = life;
      buffer.gaps = std::move(gaps);
      buffer.device = devices_.of(program_.tensors[i].chip);
      buffers_.push_back(std::move(buffer));
    }
  }

  void make_members() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < size(); ++i) {
      if (!is_kept_[i]) order.push_back(i);
    }
    const auto buffer_at = [&](std::size_t i) { return buffer_of_[host_of(TensorId(i)).index()]; };
    std::ranges::stable_sort(order, {}, buffer_at);
    for (const std::size_t i : order) {
      const TensorId tensor(i);
      const auto& part = groups_[tensor];
      member_of_[i] = members_.size();
      Member member;
      member.name = names_[i];
      member.tensor = tensor;
      member.buffer = BufferId(buffer_at(i));
      member.offset = offset_of(tensor);
      member.bytes = bytes_of(tensor);
      if (member.offset == Bytes(0)) member.alignment = unit_;
      // A root that only its views touch lives as they do.
      member.life = part.life ? *part.life : *groups_.of(tensor).life;
      members_.push_back(std::move(member));
    }
    auto gaps = gaps_of_wholes(sharers_, guests_);
    for (Member& member : members_) {
      link(member);
      member.gaps = std::move(gaps[member.tensor.index()]);
    }
  }

  void link(Member& member) const {
    const Tensor& tensor = program_.tensors[member.tensor.index()];
    const auto& guest = guests_[member.tensor.index()];
    if (tensor.view_of && !is_kept_[tensor.view_of->of.index()]) {
      member.view_of = member_of_[tensor.view_of->of.index()];
    }
    if (!guest) return;
    const bool is_part = guest->kind == SharePermission::Kind::PartOf;
    (is_part ? member.view_of : member.reuses) = member_of_[guest->on];
  }

  void add_scratch() {
    std::unordered_set<std::string, SeededHash> taken(names_.begin(), names_.end());
    for (Step step = 0; step < program_.phases.size(); ++step) {
      const Phase& phase = program_.phases[step];
      if (phase.scratch == Bytes(0)) continue;
      for (const ChipId chip : phase_chips(program_, phase)) {
        std::string name = fmt::format("scratch of step {} ({})", step, phase.name);
        while (!taken.insert(name).second) name += fmt::format(" chip {}", chip.index());
        buffers_.push_back({.name = std::move(name),
                            .size = phase.scratch,
                            .life = {step, step + 1},
                            .device = devices_.of(chip)});
      }
    }
  }

  Fault fix_places(std::span<const std::optional<Offset>> fixed) {
    std::vector<std::size_t> first(buffers_.size(), kNone);  // the member that fixed it
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Member& member = members_[i];
      if (member.tensor.index() >= fixed.size() || !fixed[member.tensor.index()]) continue;
      const auto offset = fixed[member.tensor.index()]->value();
      const auto within = member.offset.count();
      Buffer& buffer = buffers_[member.buffer.index()];
      const auto refused = [&](std::string why) {
        return Error{Error::Kind::Input, "tensor " + member.name,
                     fmt::format("its fixed offset {} {}", offset, why), ""};
      };
      if (offset < within) {
        return refused(fmt::format("is too low: it is {} bytes into {}", within, buffer.name));
      }
      const Offset place(offset - within);
      if (buffer.fixed && *buffer.fixed != place) {
        const Member& other = members_[first[member.buffer.index()]];
        return refused(
            fmt::format("does not go with that of {}: both stand on the same bytes", other.name));
      }
      if (!buffer.fixed) first[member.buffer.index()] = i;
      buffer.fixed = place;
    }
    return std::nullopt;
  }

  std::vector<std::string> step_names() const {
    std::vector<std::string> names;
    names.reserve(program_.phases.size());
    for (const Phase& phase : program_.phases) names.push_back(phase.name);
    return names;
  }

  const Program& program_;
  TensorGroups groups_;
  Alignment unit_;
  ChipDevices devices_;
  Sharing sharing_;
  std::vector<std::string> names_;            // by TensorId
  std::vector<std::size_t> buffer_of_;        // by TensorId of the host
  std::vector<std::size_t> member_of_;        // by TensorId
  std::vector<bool> is_kept_;                 // by TensorId
  std::vector<Sharer> sharers_;               // by TensorId
  std::vector<std::optional<Guest>> guests_;  // by TensorId
  std::vector<NamedPermission> permissions_;
  std::vector<Buffer> buffers_;
  std::vector<Member> members_;
  std::vector<KeptTensor> kept_;
};

bool has_parts(std::span<const NamedPermission> permissions) {
  return std::ranges::any_of(permissions, [](const NamedPermission& permission) {
    return permission.kind == SharePermission::Kind::PartOf;
  });
}

}  // namespace

std::vector<std::string> unique_names(const Program& program) {
  std::unordered_set<std::string, SeededHash> taken;
  std::vector<std::string> names(program.tensors.size());
  std::vector<std::size_t> later;
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = program.tensors[i].name;
    if (names[i].empty() || !taken.insert(names[i]).second) later.push_back(i);
  }
  for (const std::size_t i : later) {
    do {
      names[i] += fmt::format("#{}", i);
    } while (!taken.insert(names[i]).second);
  }
  return names;
}

Result<ProgramInstance> program_instance(const Program& program, Alignment unit,
                                         std::span<const std::optional<Offset>> fixed,
                                         Sharing sharing) {
  auto groups = group_tensors(program);
  if (!groups) return tl::unexpected(groups.error());
  auto shared = Builder(program, *groups, unit, sharing).build(fixed);
  if (!shared || sharing != Sharing::Granted || !has_parts(shared->permissions)) return shared;
  auto apart = Builder(program, std::move(*groups), unit, Sharing::NoParts).build(fixed);
  return apart && has_larger_load(shared->instance, apart->instance) ? apart : shared;
}

}  // namespace berth
