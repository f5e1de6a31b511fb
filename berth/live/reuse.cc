#include "berth/live/reuse.h"

#include <optional>
#include <utility>

#include "berth/ir/phase_loops.h"

namespace berth {
namespace {

using Kind = SharePermission::Kind;

class Reader {
 public:
  Reader(const Program& program, const TensorGroups& groups)
      : program_(program),
        groups_(groups),
        touches_(program.tensors.size()),
        in_loop_(in_loops(program)) {
    for (Step step = 0; step < program.phases.size(); ++step) {
      for (const TensorAccess& access : program.phases[step].accesses) {
        if (access.kind == TensorAccess::Kind::Write) last_write(access.tensor) = step;
      }
    }
  }

  std::vector<SharePermission> read_all() {
    for (Step step = 0; step < program_.phases.size(); ++step) {
      const Phase& phase = program_.phases[step];
      for (std::size_t i = 0; i < phase.accesses.size(); ++i) note(phase.accesses[i], step, i);
      if (in_loop_[step]) continue;
      for (std::size_t i = 0; i < phase.accesses.size(); ++i) {
        const TensorAccess& access = phase.accesses[i];
        if (access.reuses && !access.loop && touch_of(*access.reuses).last_read < i &&
            is_good(access.tensor, *access.reuses, step)) {
          permissions_.push_back(
              {Kind::TakesOver, access.tensor.index(), access.reuses->index(), Bytes(0)});
        }
        if (access.part_of && !phase.stays && is_good(access, step)) {
          permissions_.push_back({Kind::PartOf, access.tensor.index(), access.part_of->of.index(),
                                  access.part_of->offset});
        }
      }
    }
    return std::move(permissions_);
  }

 private:
  // How the latest phase that touches a group does so.
  struct Touch {
    std::optional<Step> step;
    TensorId by;
    bool read = false;
    bool written = false;
    bool by_others = false;
    std::size_t last_read = 0;       // of its accesses
    std::optional<Step> last_write;  // of all phases
  };

  Touch& touch_of(TensorId tensor) { return touches_[groups_[tensor].root.index()]; }
  const Touch& touch_of(TensorId tensor) const { return touches_[groups_[tensor].root.index()]; }
  std::optional<Step>& last_write(TensorId tensor) { return touch_of(tensor).last_write; }

  void note(const TensorAccess& access, Step step, std::size_t position) {
    Touch& touch = touch_of(access.tensor);
    if (touch.step != step) {
      touch = {.step = step, .by = access.tensor, .last_write = touch.last_write};
    }
    touch.by_others = touch.by_others || touch.by != access.tensor;
    if (access.kind == TensorAccess::Kind::Read) touch.last_read = position;
    (access.kind == TensorAccess::Kind::Read ? touch.read : touch.written) = true;
  }

  bool share_a_chip(TensorId a, TensorId b) const {
    return program_.tensors[a.index()].chip == program_.tensors[b.index()].chip;
  }

  bool is_root(TensorId tensor) const { return groups_[tensor].root == tensor; }

  bool begins_at(TensorId tensor, Step step) const {
    const auto& group = groups_.of(tensor);
    const Touch& touch = touch_of(tensor);
    return is_root(tensor) && group.life->lower == step && !group.given_in && touch.written &&
           !touch.read && !touch.by_others;
  }

  bool is_good(TensorId result, TensorId operand, Step step) const {
    const Touch& touch = touch_of(operand);
    const bool only_read = touch.step == step && touch.by == operand && touch.read &&
                           !touch.written && !touch.by_others;
    return only_read && !groups_.of(operand).given_out && begins_at(result, step) &&
           share_a_chip(result, operand);
  }

  bool is_good(const TensorAccess& part, Step step) const {
    const TensorId whole = part.part_of->of;
    const auto& group = groups_.of(part.tensor);
    const auto& written = touch_of(part.tensor).last_write;
    return is_root(part.tensor) && (group.given_in || written) && (!written || *written < step) &&
           begins_at(whole, step) && touch_of(whole).last_write == step &&
           share_a_chip(part.tensor, whole) && !(group.given_in && groups_.of(whole).given_out);
  }

  const Program& program_;
  const TensorGroups& groups_;
  std::vector<Touch> touches_;  // by root
  std::vector<bool> in_loop_;   // by phase
  std::vector<SharePermission> permissions_;
};

}  // namespace

std::vector<SharePermission> sharing_of(const Program& program, const TensorGroups& groups) {
  return Reader(program, groups).read_all();
}

}  // namespace berth
