#include "berth/model/mapped_bodies.h"

#include <algorithm>
#include <utility>

#include "berth/ir/element_code.h"
#include "berth/model/dims.h"
#include "berth/model/rule.h"

namespace berth {
namespace {

// The operands of a Scan of version 8: lengths, values that are carried, then those of which each
// turn takes a slice, [batch, turns, ...].
struct BatchedScan {
  std::size_t carried = 0;
  std::size_t scanned = 0;
  Dim batch;
  Dim turns;
};

BatchedScan batched_scan(const ModelNode& node, std::span<const Fact> operands) {
  const std::size_t rest = operands.empty() ? 0 : operands.size() - 1;
  const Call call(node, operands);
  const auto scanned = static_cast<std::size_t>(std::clamp<std::int64_t>(
      call.integer("num_scan_inputs", 0), 0, static_cast<std::int64_t>(rest)));
  BatchedScan scan{rest - scanned, scanned, std::nullopt, std::nullopt};
  for (std::size_t i = 1; i < operands.size(); ++i) {
    scan.batch = either(scan.batch, dim_of(operands[i].shape, 0));
    if (i > scan.carried) scan.turns = either(scan.turns, dim_of(operands[i].shape, 1));
  }
  return scan;
}

Fact without_axes(const Fact& whole, std::ptrdiff_t count) {
  Fact slice = tensor_fact(whole.element, whole.shape);
  if (!slice.shape || std::ssize(*slice.shape) < count) return tensor_fact(whole.element, {});
  slice.shape->erase(slice.shape->begin(), slice.shape->begin() + count);
  return slice;
}

Fact with_axes(const Fact& slice, const Shape& axes) {
  Fact whole = tensor_fact(slice.element, slice.shape);
  if (whole.shape) whole.shape->insert(whole.shape->begin(), axes.begin(), axes.end());
  return whole;
}

// Scores and probabilities: [batch, heads, queries, keys].
Fact score(std::span<const Fact> operands, const ModelNode& node) {
  const Call call(node, operands);
  const bool is_wide = call[0].element == Dtype::of("float64");
  const auto element = element_of_code(call.integer("softmax_precision", is_wide ? 11 : 1));
  return tensor_fact(element, Shape{dim_of(call.shape(0), 0), dim_of(call.shape(0), 1),
                                    dim_of(call.shape(0), 2), dim_of(call.shape(1), 2)});
}

}  // namespace

bool is_batched_scan(const ModelNode& node) {
  return node.domain.empty() && node.op == "Scan" && node.opset == 8 && node.bodies.size() == 1;
}

bool is_mapped(const ModelNode& node) {
  const bool is_standard = node.domain.empty() && node.op == "SequenceMap";
  const bool is_preview = node.domain == "ai.onnx.preview" && node.op == "FlexAttention";
  return is_standard || is_preview || is_batched_scan(node);
}

std::vector<Fact> facts_passed(const ModelNode& node, std::span<const Fact> operands,
                               std::vector<Fact> stated) {
  if (!is_mapped(node)) return stated;
  std::vector<Fact> passed(stated.size());
  const BatchedScan scan = is_batched_scan(node) ? batched_scan(node, operands) : BatchedScan();
  for (std::size_t i = 0; i < passed.size(); ++i) {
    if (is_batched_scan(node)) {
      const std::size_t from = i + 1;
      if (from < operands.size())
        passed[i] = without_axes(operands[from], i < scan.carried ? 1 : 2);
    } else if (node.op == "FlexAttention") {
      passed[i] = score(operands, node);
    } else if (i < operands.size() && operands[i].tensor) {
      // A tensor beside the lists goes in whole; of what a list holds, the model may say the shape.
      passed[i] = tensor_fact(operands[i].element, operands[i].shape);
    }
    if (passed[i] == Fact()) passed[i] = std::move(stated[i]);
  }
  return passed;
}

std::vector<Fact> facts_scanned(const ModelNode& node, std::span<const Fact> operands,
                                std::span<const Fact> given) {
  const BatchedScan scan = batched_scan(node, operands);
  std::vector<Fact> results;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (i >= scan.carried) {
      results.push_back(with_axes(given[i], {scan.batch, scan.turns}));
      continue;
    }
    // Where no turn runs, it is what came in.
    const Fact came = tensor_fact(operands[i + 1].element, operands[i + 1].shape);
    results.push_back(joined(came, with_axes(given[i], {scan.batch})));
  }
  return results;
}

}  // namespace berth
