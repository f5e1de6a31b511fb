#include "berth/live/tensor_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace berth {
namespace {

using Fault = std::optional<Error>;

Fault find_view_fault(const Program& program, TensorId id) {
  const Tensor& view = program.tensors[id.index()];
  const Tensor& base = program.tensors[view.view_of->of.index()];
  const auto end = checked_add(view.view_of->offset, view.bytes);
  if (end && *end <= base.bytes) return std::nullopt;
  const auto end_text = end ? fmt::format("{}", end->count()) : "past 64 bits";
  return Error{Error::Kind::Input, "tensor " + view.name,
               fmt::format("it views tensor {} at byte {}, but its end {} > {}", base.name,
                           view.view_of->offset.count(), end_text, base.bytes.count()),
               ""};
}

// Follows each chain of views once: a tensor whose root is known ends the walk.
class RootWalk {
 public:
  explicit RootWalk(const Program& program)
      : program_(program), parts_(program.tensors.size()), known_(program.tensors.size(), false) {}

  Result<std::vector<TensorGroups::Part>> roots() {
    for (std::size_t i = 0; i < program_.tensors.size(); ++i) {
      if (Fault fault = find_root(TensorId(i))) return tl::unexpected(std::move(*fault));
    }
    return std::move(parts_);
  }

 private:
  Fault find_root(TensorId tensor) {
    std::vector<TensorId> chain;
    while (!known_[tensor.index()] && program_.tensors[tensor.index()].view_of) {
      chain.push_back(tensor);
      if (chain.size() > program_.tensors.size()) {
        return Error{Error::Kind::Input, "tensor " + program_.tensors[tensor.index()].name,
                     "views itself: views go round in a circle", ""};
      }
      if (Fault fault = find_view_fault(program_, tensor)) return fault;
      tensor = program_.tensors[tensor.index()].view_of->of;
    }
    if (!known_[tensor.index()]) settle(tensor, tensor, Bytes(0));
    for (; !chain.empty(); chain.pop_back()) {
      const TensorView& view = *program_.tensors[chain.back().index()].view_of;
      const TensorGroups::Part base = parts_[view.of.index()];
      settle(chain.back(), base.root, base.offset + view.offset);  // inside the root's bytes
    }
    return std::nullopt;
  }

  void settle(TensorId tensor, TensorId root, Bytes offset) {
    parts_[tensor.index()] = {root, offset, std::nullopt};
    known_[tensor.index()] = true;
  }

  const Program& program_;
  std::vector<TensorGroups::Part> parts_;
  std::vector<bool> known_;
};

void extend(std::optional<LiveRange>& life, LiveRange more) {
  if (!life) {
    life = more;
    return;
  }
  life->lower = std::min(life->lower, more.lower);
  life->upper = std::max(life->upper, more.upper);
}

// A loop over phases counts as one phase, since the next turn finds what this one left. Bounds
// whose product 64 bits do not hold make no difference here.
std::vector<LiveRange> spans_of(const Program& program) {
  Program bare;
  bare.phases.resize(program.phases.size());
  bare.loops = program.loops;
  for (PhaseLoop& loop : bare.loops) loop.bound = 1;
  const auto found = phase_spans(bare);
  std::vector<LiveRange> spans;
  for (const PhaseSpan& span : *found) spans.push_back(span.span);
  return spans;
}

void add_lives(const Program& program, TensorGroups& groups) {
  const Step steps = std::max<Step>(program.phases.size(), 1);
  const auto spans = spans_of(program);
  const auto part_of = [&](TensorId tensor) -> auto& { return groups.parts[tensor.index()]; };
  const auto group_of = [&](TensorId tensor) -> auto& {
    return groups.groups[part_of(tensor).root.index()];
  };
  for (Step step = 0; step < program.phases.size(); ++step) {
    for (const TensorAccess& access : program.phases[step].accesses) {
      extend(part_of(access.tensor).life, spans[step]);
      if (access.kind == TensorAccess::Kind::Write) group_of(access.tensor).written = true;
    }
  }
  for (const TensorId input : program.inputs) {
    extend(part_of(input).life, {0, 1});
    group_of(input).given_in = group_of(input).written = true;
  }
  for (const TensorId output : program.outputs) {
    extend(part_of(output).life, {steps - 1, steps});
    group_of(output).given_out = true;
  }
  for (const TensorGroups::Part& part : groups.parts) {
    if (part.life) extend(groups.groups[part.root.index()].life, *part.life);
  }
}

}  // namespace

Result<TensorGroups> group_tensors(const Program& program) {
  auto parts = RootWalk(program).roots();
  if (!parts) return tl::unexpected(parts.error());
  TensorGroups groups;
  groups.parts = std::move(*parts);
  groups.groups.resize(program.tensors.size());
  add_lives(program, groups);
  return groups;
}

std::optional<KeptWhy> why_kept(const Program& program, const TensorGroups& groups,
                                TensorId tensor) {
  const Tensor& root = program.tensors[groups[tensor].root.index()];
  const Tensor& own = program.tensors[tensor.index()];
  for (const Tensor* part : {&root, &own}) {
    if (part->kind == TensorKind::Weight) return KeptWhy::Constant;
    if (part->kind == TensorKind::State) return KeptWhy::Variable;
    if (part->dynamic && groups.of(tensor).life) return KeptWhy::Dynamic;
    if (part->bytes == Bytes(0) && !part->dynamic) return KeptWhy::Empty;
  }
  if (!groups.of(tensor).life) return KeptWhy::Unused;
  const bool is_root = groups[tensor].root == tensor;
  if (!groups[tensor].life && !is_root) return KeptWhy::Unused;
  if (!groups.of(tensor).written && !groups.of(tensor).given_out) return KeptWhy::CallLocal;
  return std::nullopt;
}

}  // namespace berth
