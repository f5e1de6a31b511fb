#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "berth/ir/model_graph.h"
#include "berth/model/fact.h"

namespace berth {

// A node, and what is known of its operands: what a shape rule sees.
class Call {
 public:
  Call(const ModelNode& node, std::span<const Fact> inputs) : node_(node), inputs_(inputs) {}

  const ModelNode& node() const { return node_; }
  std::int64_t opset() const { return node_.opset; }
  std::size_t inputs() const { return inputs_.size(); }
  std::size_t outputs() const { return node_.outputs.size(); }

  bool given(std::size_t input) const {
    return input < node_.inputs.size() && node_.inputs[input].has_value();
  }
  // Of one that is not given: nothing is known.
  const Fact& operator[](std::size_t input) const;
  const std::optional<Shape>& shape(std::size_t input) const { return (*this)[input].shape; }

  // The elements of an operand, where all of them are known.
  std::optional<std::vector<std::int64_t>> ints(std::size_t input) const;
  std::optional<std::vector<double>> reals(std::size_t input) const;

  // One number, of either kind; nothing where it is not known, or there are more.
  std::optional<double> number(std::size_t input) const;

  std::int64_t integer(std::string_view attribute, std::int64_t otherwise) const;
  std::optional<double> real(std::string_view attribute) const;
  std::optional<std::vector<std::int64_t>> integers(std::string_view attribute) const;
  std::optional<std::vector<double>> real_list(std::string_view attribute) const;
  std::string text(std::string_view attribute, std::string_view otherwise) const;
  const ConstantTensor* tensor(std::string_view attribute) const;

  // What an attribute said in old versions of an operator, and an operand says in new ones. Nothing
  // where it is given, but not known; `otherwise` where it is not given.
  std::optional<std::vector<std::int64_t>> ints_of(std::string_view attribute, std::size_t input,
                                                   std::vector<std::int64_t> otherwise) const;
  bool is_given(std::string_view attribute, std::size_t input) const;

 private:
  const ModelNode& node_;
  std::span<const Fact> inputs_;
};

// What is known of the results, in order; or why the node cannot be run on such operands. A result
// that is left out is not known.
using Answer = tl::expected<std::vector<Fact>, std::string>;
using ShapeRule = Answer (*)(const Call&);

struct RuleRow {
  std::string_view domain;
  std::string_view op;
  ShapeRule rule;
};

// Null where there is none. What each says holds of every version of the operator.
ShapeRule find_rule(std::string_view domain, std::string_view op);

// Of all families, in no order.
std::vector<RuleRow> all_rules();

// The families, each in a file of its own.
std::span<const RuleRow> elementwise_rules();
std::span<const RuleRow> reduction_rules();
std::span<const RuleRow> window_rules();
std::span<const RuleRow> matrix_rules();
std::span<const RuleRow> layout_rules();
std::span<const RuleRow> part_rules();
std::span<const RuleRow> gather_rules();
std::span<const RuleRow> maker_rules();
std::span<const RuleRow> recurrent_rules();
std::span<const RuleRow> fused_rules();
std::span<const RuleRow> list_rules();
std::span<const RuleRow> attention_rules();
std::span<const RuleRow> signal_rules();
std::span<const RuleRow> image_rules();
std::span<const RuleRow> text_rules();
std::span<const RuleRow> quantized_rules();
std::span<const RuleRow> training_rules();
std::span<const RuleRow> learned_rules();
std::span<const RuleRow> runtime_rules();

// --- What the families share ---

inline tl::unexpected<std::string> refused(std::string why) {
  return tl::unexpected(std::move(why));
}

// An axis as the model counts it, from the end where it is negative; nothing where there is none.
std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank);

// A tensor of this type and shape, nothing known of its elements.
Fact tensor_fact(std::optional<Dtype> element, std::optional<Shape> shape);

// The shape that two shapes are stretched to, aligned at their ends; nothing where a dimension is
// neither equal nor 1.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);

}  // namespace berth
