#include "berth/live/reuse.h"

namespace berth {
namespace {

class Granting {
 public:
  Granting(const Program& program, const TensorGroups& groups, const std::vector<bool>& kept,
           Alignment unit)
      : program_(program),
        groups_(groups),
        kept_(kept),
        unit_(unit),
        touches_(program.tensors.size()),
        taken_(program.tensors.size(), false),
        granted_(program.tensors.size()) {}

  std::vector<std::optional<TakeOver>> grant_all() {
    for (Step step = 0; step < program_.phases.size(); ++step) {
      const auto& accesses = program_.phases[step].accesses;
      for (const TensorAccess& access : accesses) note(access, step);
      for (const TensorAccess& access : accesses) {
        if (access.reuses && may_take_over(access.tensor, *access.reuses, step)) {
          grant(access.tensor, *access.reuses);
        }
      }
    }
    return std::move(granted_);
  }

 private:
  // How the latest phase that touches a group does so.
  struct Touch {
    std::optional<Step> step;
    TensorId by;
    bool read = false;
    bool written = false;
    bool by_others = false;
  };

  void note(const TensorAccess& access, Step step) {
    Touch& touch = touches_[groups_[access.tensor].root.index()];
    if (touch.step != step) touch = {step, access.tensor, false, false, false};
    touch.by_others = touch.by_others || touch.by != access.tensor;
    (access.kind == TensorAccess::Kind::Read ? touch.read : touch.written) = true;
  }

  bool may_take_over(TensorId result, TensorId operand, Step step) const {
    if (kept_[result.index()] || kept_[operand.index()]) return false;
    return dies_at(operand, step) && begins_at(result, step) && fits(result, operand);
  }

  // Its whole group does; the phase reads it under no second name, and no other result took it.
  bool dies_at(TensorId operand, Step step) const {
    const auto& group = groups_.of(operand);
    const TensorId root = groups_[operand].root;
    const Touch& touch = touches_[root.index()];
    const bool only_read = touch.step == step && touch.by == operand && touch.read &&
                           !touch.written && !touch.by_others;
    return only_read && group.life->upper == step + 1 && group.life->lower < step &&
           !group.given_out && !taken_[root.index()];
  }

  bool begins_at(TensorId result, Step step) const {
    const auto& group = groups_.of(result);
    const Touch& touch = touches_[result.index()];
    return groups_[result].root == result && group.life->lower == step && !group.given_in &&
           !touch.read && !touch.by_others && !granted_[result.index()];
  }

  bool fits(TensorId result, TensorId operand) const {
    return program_.tensors[result.index()].bytes <= program_.tensors[operand.index()].bytes &&
           offset_in_host(operand).count() % unit_.value() == 0;
  }

  Bytes offset_in_host(TensorId tensor) const {
    const auto& part = groups_[tensor];
    const auto& below = granted_[part.root.index()];
    return below ? below->offset + part.offset : part.offset;
  }

  void grant(TensorId result, TensorId operand) {
    const TensorId root = groups_[operand].root;
    const auto& below = granted_[root.index()];
    granted_[result.index()] =
        TakeOver{operand, below ? below->host : root, offset_in_host(operand)};
    taken_[root.index()] = true;
  }

  const Program& program_;
  const TensorGroups& groups_;
  const std::vector<bool>& kept_;
  Alignment unit_;
  std::vector<Touch> touches_;  // by root
  std::vector<bool> taken_;     // by root: another group stands on its bytes already
  std::vector<std::optional<TakeOver>> granted_;
};

}  // namespace

std::vector<std::optional<TakeOver>> granted_reuses(const Program& program,
                                                    const TensorGroups& groups,
                                                    const std::vector<bool>& kept, Alignment unit) {
  return Granting(program, groups, kept, unit).grant_all();
}

}  // namespace berth
