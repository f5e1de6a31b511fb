#include "berth/live/program_lives.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "berth/live/reuse.h"
#include "berth/live/tensor_groups.h"

namespace berth {
namespace {

using Fault = std::optional<Error>;

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// The name itself for its first bearer; with the index behind it where it is empty or taken.
std::vector<std::string> unique_names(const Program& program) {
  std::unordered_set<std::string> taken;  // asked, never walked
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

class Builder {
 public:
  Builder(const Program& program, TensorGroups groups, Alignment unit)
      : program_(program),
        groups_(std::move(groups)),
        unit_(unit),
        names_(unique_names(program)),
        buffer_of_(program.tensors.size(), kNone),
        member_of_(program.tensors.size(), kNone) {}

  Result<ProgramInstance> build(std::span<const std::optional<Offset>> fixed) {
    keep_unplanned();
    reuses_ = granted_reuses(program_, groups_, is_kept_, unit_);
    make_buffers();
    make_members();
    free_what_no_member_needs();
    if (!fixed.empty()) {
      if (Fault fault = fix_places(fixed)) return tl::unexpected(std::move(*fault));
    }
    auto instance = Instance::make({Device{"CPU", std::nullopt, Bytes(0)}}, std::move(buffers_),
                                   unit_, step_names());
    if (!instance) return tl::unexpected(instance.error());
    return ProgramInstance{std::move(*instance), std::move(members_), std::move(kept_)};
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
    }
  }

  // The first group that stands on the bytes of this tensor.
  TensorId host_of(TensorId tensor) const {
    const TensorId root = groups_[tensor].root;
    return reuses_[root.index()] ? reuses_[root.index()]->host : root;
  }

  Bytes offset_of(TensorId tensor) const {
    const auto& part = groups_[tensor];
    const auto& below = reuses_[part.root.index()];
    return below ? below->offset + part.offset : part.offset;
  }

  void make_buffers() {
    for (std::size_t i = 0; i < size(); ++i) {
      const TensorId tensor(i);
      if (is_kept_[i] || host_of(tensor) != tensor) continue;
      buffer_of_[i] = buffers_.size();
      Buffer buffer;
      buffer.name = names_[i];
      buffer.size = bytes_of(tensor);
      buffer.life = *groups_.of(tensor).life;
      buffers_.push_back(std::move(buffer));
    }
    for (std::size_t i = 0; i < size(); ++i) {
      if (!reuses_[i]) continue;
      LiveRange& life = buffers_[buffer_of_[reuses_[i]->host.index()]].life;
      life.upper = std::max(life.upper, groups_.of(TensorId(i)).life->upper);
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
      // A root that only its views touch lives as they do.
      members_.push_back({names_[i], tensor, BufferId(buffer_at(i)), offset_of(tensor),
                          bytes_of(tensor), part.life ? *part.life : *groups_.of(tensor).life,
                          std::nullopt, std::nullopt});
    }
    for (Member& member : members_) link(member);
  }

  void link(Member& member) const {
    const Tensor& tensor = program_.tensors[member.tensor.index()];
    const auto& reuse = reuses_[member.tensor.index()];
    if (tensor.view_of && !is_kept_[tensor.view_of->of.index()]) {
      member.view_of = member_of_[tensor.view_of->of.index()];
    }
    if (reuse) member.reuses = member_of_[reuse->operand.index()];
  }

  // Once a group has taken over, its own bytes are all that the buffer still holds.
  void free_what_no_member_needs() {
    std::vector<TensorId> successors;
    for (std::size_t i = 0; i < size(); ++i) {
      if (reuses_[i]) successors.emplace_back(i);
    }
    std::ranges::sort(successors, {}, [&](TensorId tensor) {
      return std::pair(groups_.of(tensor).life->lower, tensor.index());
    });
    for (const TensorId tensor : successors) {
      Buffer& buffer = buffers_[buffer_of_[host_of(tensor).index()]];
      const Bytes begin = offset_of(tensor);
      const ByteRange needed = {begin.count(), (begin + bytes_of(tensor)).count()};
      const LiveRange& life = groups_.of(tensor).life.value();
      // It begins while its operand still lives whole, for that one step.
      const LiveRange alone = {life.lower + 1, life.upper};
      if (alone.empty() || needed == ByteRange{0, buffer.size.count()}) continue;
      buffer.gaps.push_back({alone, needed});
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
  std::vector<std::string> names_;      // by TensorId
  std::vector<std::size_t> buffer_of_;  // by TensorId of the host
  std::vector<std::size_t> member_of_;  // by TensorId
  std::vector<bool> is_kept_;           // by TensorId
  std::vector<std::optional<TakeOver>> reuses_;
  std::vector<Buffer> buffers_;
  std::vector<Member> members_;
  std::vector<KeptTensor> kept_;
};

}  // namespace

Result<ProgramInstance> program_instance(const Program& program, Alignment unit,
                                         std::span<const std::optional<Offset>> fixed) {
  auto groups = group_tensors(program);
  if (!groups) return tl::unexpected(groups.error());
  return Builder(program, std::move(*groups), unit).build(fixed);
}

}  // namespace berth
