#include "berth/model/sharing.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <variant>

#include "berth/ir/last_touches.h"

namespace berth {
namespace {

// The result has the operand's bytes, in the same order.
constexpr std::array<std::string_view, 5> kKeepBytes = {"Flatten", "Identity", "Reshape", "Squeeze",
                                                        "Unsqueeze"};

// Each element of the result depends on the elements of the operands at the same place alone, in
// alphabetical order.
constexpr std::array<std::string_view, 78> kElementwise = {"Abs",
                                                           "Acos",
                                                           "Acosh",
                                                           "Add",
                                                           "And",
                                                           "Asin",
                                                           "Asinh",
                                                           "Atan",
                                                           "Atanh",
                                                           "BatchNormalization",
                                                           "BiasAdd",
                                                           "BiasGelu",
                                                           "BitShift",
                                                           "BitwiseAnd",
                                                           "BitwiseNot",
                                                           "BitwiseOr",
                                                           "BitwiseXor",
                                                           "Cast",
                                                           "Ceil",
                                                           "Celu",
                                                           "Clip",
                                                           "Cos",
                                                           "Cosh",
                                                           "Div",
                                                           "Elu",
                                                           "Equal",
                                                           "Erf",
                                                           "Exp",
                                                           "FastGelu",
                                                           "Floor",
                                                           "GatedAdd",
                                                           "Gelu",
                                                           "Greater",
                                                           "GreaterOrEqual",
                                                           "HardSigmoid",
                                                           "HardSwish",
                                                           "LeakyRelu",
                                                           "Less",
                                                           "LessOrEqual",
                                                           "Log",
                                                           "Max",
                                                           "Mean",
                                                           "Min",
                                                           "Mish",
                                                           "Mod",
                                                           "Mul",
                                                           "Neg",
                                                           "Not",
                                                           "Or",
                                                           "PRelu",
                                                           "Pow",
                                                           "QLinearAdd",
                                                           "QLinearLeakyRelu",
                                                           "QLinearMul",
                                                           "QLinearSigmoid",
                                                           "QLinearWhere",
                                                           "QuickGelu",
                                                           "Reciprocal",
                                                           "Relu",
                                                           "Round",
                                                           "Selu",
                                                           "Shrink",
                                                           "Sigmoid",
                                                           "Sign",
                                                           "Sin",
                                                           "Sinh",
                                                           "Softplus",
                                                           "Softsign",
                                                           "Sqrt",
                                                           "Sub",
                                                           "Sum",
                                                           "SwiGLU",
                                                           "Swish",
                                                           "Tan",
                                                           "Tanh",
                                                           "ThresholdedRelu",
                                                           "Where",
                                                           "Xor"};
static_assert(std::ranges::is_sorted(kElementwise));

bool is_standard(const ModelNode& node) {
  return node.domain.empty() || node.domain == "com.microsoft";
}

bool is_planned(const Tensor& tensor) {
  return tensor.kind != TensorKind::Weight && tensor.kind != TensorKind::State && !tensor.dynamic &&
         tensor.bytes != Bytes(0);
}

// The operand that this node's result may be a view of.
std::optional<TensorId> viewed_by(const ModelNode& node, const std::vector<Tensor>& tensors) {
  const bool keeps =
      node.domain.empty() && std::ranges::find(kKeepBytes, node.op) != kKeepBytes.end();
  if (!keeps || node.inputs.empty() || !node.inputs[0]) return std::nullopt;
  if (node.outputs.size() != 1 || !node.outputs[0]) return std::nullopt;
  const Tensor& operand = tensors[node.inputs[0]->index()];
  const Tensor& result = tensors[node.outputs[0]->index()];
  const bool agree = is_planned(operand) && is_planned(result) && operand.bytes == result.bytes;
  return agree ? node.inputs[0] : std::nullopt;
}

bool is_elementwise(const ModelNode& node) {
  return is_standard(node) && std::ranges::binary_search(kElementwise, std::string_view(node.op)) &&
         node.outputs.size() == 1 && node.outputs[0];
}

// Of values that nothing is known of, as no step touches them, too.
bool are_alike(const ModelFacts& facts, TensorId operand, TensorId result) {
  const Fact& a = facts.facts[operand.index()];
  const Fact& b = facts.facts[result.index()];
  return (is_sized(a) || a == Fact()) && a.element == b.element && a.shape == b.shape;
}

// Does the operand, stretched to its own shape at most, leave the result that of `whole`?
bool never_stretches(const Shape& whole, const Shape& other) {
  if (other.size() > whole.size()) return false;
  const std::size_t lead = whole.size() - other.size();
  for (std::size_t i = 0; i < other.size(); ++i) {
    if (other[i] != Dim(1) && !(other[i] && other[i] == whole[lead + i])) return false;
  }
  return true;
}

// Those of one operand, and those that take statistics or limits beside it.
bool keeps_first_shape(const ModelNode& node) {
  constexpr std::array<std::string_view, 3> kLikeFirst = {"BatchNormalization", "Clip", "PRelu"};
  return node.inputs.size() == 1 || std::ranges::find(kLikeFirst, node.op) != kLikeFirst.end();
}

bool is_surely_alike(const ModelNode& node, const ModelFacts& open, TensorId operand) {
  if (keeps_first_shape(node)) return node.inputs[0] == operand;
  const auto& whole = open.facts[operand.index()].shape;
  return std::ranges::all_of(node.inputs, [&](const auto& other) {
    if (!other || other == operand) return true;
    const auto& shape = open.facts[other->index()].shape;
    return whole && shape && never_stretches(*whole, *shape);
  });
}

template <typename Visit>
void visit_elementwise(const ModelGraph& graph, const ModelFacts& facts, Visit visit) {
  for (std::size_t i = 0; i < graph.blocks.size(); ++i) {
    if (!facts.block_runs[i]) continue;
    for (const ModelNode& node : graph.blocks[i].nodes) {
      if (!is_elementwise(node)) continue;
      for (const auto& operand : node.inputs) {
        if (operand) visit(node, *operand);
      }
    }
  }
}

}  // namespace

TakeOvers take_overs(const ModelGraph& graph, const ModelFacts& facts) {
  TakeOvers pairs;
  visit_elementwise(graph, facts, [&](const ModelNode& node, TensorId operand) {
    if (are_alike(facts, operand, *node.outputs[0])) pairs.emplace_back(operand, *node.outputs[0]);
  });
  std::ranges::sort(pairs);
  return pairs;
}

void keep_take_overs(const ModelFacts& facts, TakeOvers& pairs) {
  std::erase_if(pairs,
                [&](const auto& pair) { return !are_alike(facts, pair.first, pair.second); });
}

void keep_sure_take_overs(const ModelGraph& graph, const ModelFacts& open, TakeOvers& pairs) {
  TakeOvers sure;
  visit_elementwise(graph, open, [&](const ModelNode& node, TensorId operand) {
    if (is_surely_alike(node, open, operand)) sure.emplace_back(operand, *node.outputs[0]);
  });
  std::ranges::sort(sure);
  std::erase_if(pairs, [&](const auto& pair) { return !std::ranges::binary_search(sure, pair); });
}

void add_views(const ModelGraph& graph, const ModelFacts& facts, std::vector<Tensor>& tensors) {
  std::vector<bool> given_in(tensors.size(), false);  // or a view of such a tensor
  std::vector<bool> given_out(tensors.size(), false);
  for (const ModelBlock& block : graph.blocks) {
    for (const TensorId input : block.inputs) given_in[input.index()] = true;
    for (const TensorId output : block.outputs) given_out[output.index()] = true;
  }
  for (std::size_t i = 0; i < graph.blocks.size(); ++i) {
    if (!facts.block_runs[i]) continue;
    for (const ModelNode& node : graph.blocks[i].nodes) {
      const auto operand = viewed_by(node, tensors);
      if (!operand) continue;
      const TensorId result = *node.outputs[0];
      if (given_in[operand->index()] && given_out[result.index()]) continue;
      tensors[result.index()].view_of = TensorView{*operand, Bytes(0)};
      given_in[result.index()] = given_in[operand->index()];
    }
  }
}

void permit_reuse(const TakeOvers& pairs, const std::vector<const ModelNode*>& nodes,
                  Program& program) {
  const auto last = last_touches(program);
  const auto is_permitted = [&](TensorId operand, TensorId result) {
    return is_planned(program.tensors[operand.index()]) &&
           is_planned(program.tensors[result.index()]) &&
           std::ranges::binary_search(pairs, std::pair(operand, result));
  };
  for (std::size_t step = 0; step < program.phases.size(); ++step) {
    const ModelNode* node = nodes[step];
    if (node == nullptr || !is_elementwise(*node)) continue;
    std::optional<TensorId> chosen;
    for (const auto& operand : node->inputs) {
      if (!operand || !is_permitted(*operand, *node->outputs[0])) continue;
      if (!chosen) chosen = operand;
      if (last[operand->index()] != step) continue;
      chosen = operand;
      break;
    }
    for (TensorAccess& access : program.phases[step].accesses) {
      if (access.kind == TensorAccess::Kind::Write) access.reuses = chosen;
    }
  }
}

namespace {

// Whether the parts follow one another in the result, byte by byte.
bool is_joined_whole(const ModelNode& node, const ModelFacts& facts, const Program& program) {
  if (!node.domain.empty() || node.op != "Concat") return false;
  if (node.outputs.size() != 1 || !node.outputs[0]) return false;
  const Fact& result = facts.facts[node.outputs[0]->index()];
  const auto* given = node.attribute("axis");
  const auto* axis = given == nullptr ? nullptr : std::get_if<std::int64_t>(given);
  if (!result.shape || (given != nullptr && axis == nullptr)) return false;
  const auto rank = static_cast<std::int64_t>(result.shape->size());
  std::int64_t at = axis == nullptr ? 1 : *axis;
  if (at < 0) at += rank;
  if (at < 0 || at >= rank) return false;
  const auto before = result.shape->begin() + static_cast<std::ptrdiff_t>(at);
  if (!std::all_of(result.shape->begin(), before, [](const Dim& dim) { return dim == 1u; })) {
    return false;
  }
  Bytes sum;
  for (const auto& part : node.inputs) {
    if (!part || facts.facts[part->index()].element != result.element) return false;
    const auto more = checked_add(sum, program.tensors[part->index()].bytes);
    if (!more) return false;
    sum = *more;
  }
  return sum == program.tensors[node.outputs[0]->index()].bytes;
}

}  // namespace

void permit_parts(const ModelFacts& facts, const std::vector<const ModelNode*>& nodes,
                  Program& program) {
  for (std::size_t step = 0; step < program.phases.size(); ++step) {
    const ModelNode* node = nodes[step];
    if (node == nullptr || !is_joined_whole(*node, facts, program)) continue;
    std::map<std::size_t, Bytes> offsets;  // by part, its first place
    Bytes offset;
    for (const auto& part : node->inputs) {
      offsets.emplace(part->index(), offset);
      offset += program.tensors[part->index()].bytes;
    }
    for (TensorAccess& access : program.phases[step].accesses) {
      const auto found = offsets.find(access.tensor.index());
      if (access.kind != TensorAccess::Kind::Read || found == offsets.end()) continue;
      access.part_of = TensorView{*node->outputs[0], found->second};
    }
  }
}

}  // namespace berth
