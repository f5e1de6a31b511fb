#include "berth/formats/onnx_attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "berth/base/text.h"
#include "onnx_schema.pb.h"

namespace berth::onnx {
namespace {

// Its type, by the numbers of the public schema; old files leave it out.
enum : int { kFloat = 1, kInt, kString, kTensor, kGraph, kFloats, kInts, kStrings, kSparse = 11 };

int type_of(const schema::Attribute& source) {
  if (source.has_type() && source.type() != 0) return source.type();
  if (source.has_f()) return kFloat;
  if (source.has_i()) return kInt;
  if (source.has_s()) return kString;
  if (source.has_t()) return kTensor;
  if (source.floats_size() > 0) return kFloats;
  if (source.ints_size() > 0) return kInts;
  if (source.has_sparse_tensor()) return kSparse;
  return 0;
}

// Nothing for types that decide no shape.
OrReason<std::optional<ModelAttribute>> read_attribute(const schema::Attribute& source) {
  ModelAttribute attribute{printable(source.name()), {}};
  const auto given = [&](ModelAttribute::Payload value) {
    attribute.value = std::move(value);
    return std::optional(std::move(attribute));
  };
  switch (type_of(source)) {
    case kFloat:
      return given(static_cast<double>(source.f()));
    case kInt:
      return given(source.i());
    case kString:
      return given(source.s());
    case kFloats:
      return given(std::vector<double>(source.floats().begin(), source.floats().end()));
    case kInts:
      return given(std::vector<std::int64_t>(source.ints().begin(), source.ints().end()));
    case kTensor:
    case kSparse: {
      auto tensor = type_of(source) == kTensor ? constant_tensor(source.t())
                                               : constant_tensor(source.sparse_tensor());
      if (!tensor) {
        return tl::unexpected(
            fmt::format("attribute '{}': {}", printable(source.name()), tensor.error()));
      }
      return given(*std::move(tensor));
    }
    default:
      return std::nullopt;
  }
}

const ModelAttribute* find(const std::vector<ModelAttribute>& attributes, std::string_view name) {
  const auto at = std::ranges::find(attributes, name, &ModelAttribute::name);
  return at == attributes.end() ? nullptr : &*at;
}

ConstantTensor scalar(const char* dtype, Numbers numbers) {
  return {Dtype::of(dtype), {}, std::move(numbers)};
}

// A list is a constant of one dimension; of text, where the values are neither ints nor reals.
template <typename List>
ConstantTensor listed(const char* dtype, const std::vector<List>& values) {
  ConstantTensor constant{Dtype::of(dtype), {values.size()}, std::nullopt};
  if (values.size() > kMostNumbers) return constant;
  std::vector<std::optional<List>> list(values.begin(), values.end());
  constant.numbers = Numbers{std::move(list)};
  return constant;
}

}  // namespace

OrReason<std::vector<ModelAttribute>> read_attributes(const schema::Node& node,
                                                      const std::vector<ModelAttribute>& given) {
  std::vector<ModelAttribute> attributes;
  for (const auto& source : node.attribute()) {
    if (source.has_from_caller() && !source.from_caller().empty()) {
      const ModelAttribute* theirs = find(given, printable(source.from_caller()));
      if (theirs != nullptr) attributes.push_back({printable(source.name()), theirs->value});
      continue;
    }
    auto attribute = read_attribute(source);
    if (!attribute) return tl::unexpected(attribute.error());
    if (*attribute) attributes.push_back(**std::move(attribute));
  }
  return attributes;
}

std::vector<std::pair<std::string, const schema::Graph*>> bodies_of(const schema::Node& node) {
  std::vector<std::pair<std::string, const schema::Graph*>> bodies;
  for (const auto& source : node.attribute()) {
    const auto name = printable(source.name());
    if (source.has_g()) bodies.emplace_back(name, &source.g());
    for (const auto& graph : source.graphs()) bodies.emplace_back(name, &graph);
  }
  return bodies;
}

std::vector<ModelAttribute> given_to(const schema::Function& function,
                                     std::vector<ModelAttribute> by_caller) {
  for (const auto& source : function.attribute_default()) {
    if (find(by_caller, printable(source.name())) != nullptr) continue;
    const auto attribute = read_attribute(source);
    if (attribute && *attribute) by_caller.push_back(**attribute);
  }
  return by_caller;
}

OrReason<ConstantTensor> constant_of(const ModelNode& node) {
  for (const char* name : {"value", "sparse_value"}) {
    const auto* value = node.attribute(name);
    if (value == nullptr) continue;
    if (const auto* tensor = std::get_if<ConstantTensor>(value)) return *tensor;
  }
  if (const auto* value = node.attribute("value_int")) {
    if (const auto* number = std::get_if<std::int64_t>(value)) {
      return scalar("int64", {Numbers::Ints{*number}});
    }
  }
  if (const auto* value = node.attribute("value_float")) {
    if (const auto* number = std::get_if<double>(value)) {
      return scalar("float32", {Numbers::Reals{*number}});
    }
  }
  if (const auto* value = node.attribute("value_ints")) {
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(value)) {
      return listed("int64", *list);
    }
  }
  if (const auto* value = node.attribute("value_floats")) {
    if (const auto* list = std::get_if<std::vector<double>>(value)) return listed("float32", *list);
  }
  for (const char* name : {"value_string", "value_strings"}) {
    if (node.attribute(name) != nullptr) return ConstantTensor{};
  }
  return tl::unexpected(std::string("holds no value that can be read"));
}

}  // namespace berth::onnx
