#include "berth/model/rule.h"

#include <algorithm>
#include <map>
#include <utility>

namespace berth {
namespace {

using Table = std::map<std::pair<std::string_view, std::string_view>, ShapeRule>;

Table table_of_rules() {
  Table table;
  for (const RuleRow& row : all_rules()) table.emplace(std::pair(row.domain, row.op), row.rule);
  return table;
}

// The payload of an attribute, where it is of the type that the operator's definition gives it.
template <typename T>
const T* payload(const ModelNode& node, std::string_view attribute) {
  const auto* value = node.attribute(attribute);
  return value == nullptr ? nullptr : std::get_if<T>(value);
}

template <typename T>
std::optional<std::vector<T>> all_known(const std::optional<Numbers>& numbers) {
  if (!numbers) return std::nullopt;
  const auto* list = std::get_if<std::vector<std::optional<T>>>(&numbers->list);
  if (list == nullptr) return std::nullopt;
  std::vector<T> known;
  for (const auto& number : *list) {
    if (!number) return std::nullopt;
    known.push_back(*number);
  }
  return known;
}

}  // namespace

std::vector<RuleRow> all_rules() {
  std::vector<RuleRow> all;
  for (const auto rows :
       {elementwise_rules(), reduction_rules(), window_rules(), matrix_rules(), layout_rules(),
        part_rules(), gather_rules(), maker_rules(), recurrent_rules(), fused_rules(), list_rules(),
        attention_rules(), signal_rules(), image_rules(), text_rules(), quantized_rules(),
        training_rules(), learned_rules(), runtime_rules()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

ShapeRule find_rule(std::string_view domain, std::string_view op) {
  static const Table table = table_of_rules();
  const auto row = table.find({domain, op});
  return row == table.end() ? nullptr : row->second;
}

const Fact& Call::operator[](std::size_t input) const {
  static const Fact unknown;
  return input < inputs_.size() ? inputs_[input] : unknown;
}

std::optional<std::vector<std::int64_t>> Call::ints(std::size_t input) const {
  return all_known<std::int64_t>((*this)[input].numbers);
}

std::optional<std::vector<double>> Call::reals(std::size_t input) const {
  return all_known<double>((*this)[input].numbers);
}

std::optional<double> Call::number(std::size_t input) const {
  if (const auto list = ints(input); list && list->size() == 1) {
    return static_cast<double>(list->front());
  }
  if (const auto list = reals(input); list && list->size() == 1) return list->front();
  return std::nullopt;
}

std::optional<double> Call::real(std::string_view attribute) const {
  const auto* value = payload<double>(node_, attribute);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::int64_t Call::integer(std::string_view attribute, std::int64_t otherwise) const {
  const auto* value = payload<std::int64_t>(node_, attribute);
  return value == nullptr ? otherwise : *value;
}

std::optional<std::vector<std::int64_t>> Call::integers(std::string_view attribute) const {
  const auto* value = payload<std::vector<std::int64_t>>(node_, attribute);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<std::vector<double>> Call::real_list(std::string_view attribute) const {
  const auto* value = payload<std::vector<double>>(node_, attribute);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::string Call::text(std::string_view attribute, std::string_view otherwise) const {
  const auto* value = payload<std::string>(node_, attribute);
  return value == nullptr ? std::string(otherwise) : *value;
}

const ConstantTensor* Call::tensor(std::string_view attribute) const {
  return payload<ConstantTensor>(node_, attribute);
}

std::optional<std::vector<std::int64_t>> Call::ints_of(std::string_view attribute,
                                                       std::size_t input,
                                                       std::vector<std::int64_t> otherwise) const {
  if (given(input)) return ints(input);
  if (auto list = integers(attribute)) return list;
  if (const auto* one = payload<std::int64_t>(node_, attribute)) return std::vector{*one};
  return otherwise;
}

bool Call::is_given(std::string_view attribute, std::size_t input) const {
  return given(input) || node_.attribute(attribute) != nullptr;
}

std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (axis < -size || axis >= size) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

Fact tensor_fact(std::optional<Dtype> element, std::optional<Shape> shape) {
  Fact fact;
  fact.element = element;
  fact.shape = std::move(shape);
  return fact;
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const std::size_t lead = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    Dim& dim = result[lead + i];
    const Dim& other = shorter[i];
    if (dim == other || other == Dim(1)) continue;
    if (dim == Dim(1)) {
      dim = other;
    } else if (!dim || !other) {
      // The one that is known is past 1, so the other is equal to it or 1.
      dim = dim ? dim : other;
    } else {
      return std::nullopt;
    }
  }
  return result;
}

}  // namespace berth
