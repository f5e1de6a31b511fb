// Models that are no networks: tables, trees and lines (https://onnx.ai/onnx/operators/, domain
// ai.onnx.ml).
#include <fmt/format.h>

#include <array>
#include <utility>

#include "berth/model/dims.h"
#include "berth/model/rule.h"

namespace berth {
namespace {

std::optional<Dtype> real() {
  return Dtype::of("float32");
}

Fact text_fact(std::optional<Shape> shape) {
  Fact fact = unsized_fact();
  fact.shape = std::move(shape);
  return fact;
}

Answer like_first(const Call& call) {
  return std::vector{tensor_fact(call[0].element, call.shape(0))};
}

Answer real_like_first(const Call& call) {
  return std::vector{tensor_fact(real(), call.shape(0))};
}

Answer list(const Call&) {
  return std::vector{unsized_fact()};
}

// --- Tables ---

// By what the table's values are; text is not followed, so where no numbers are, it is text.
Answer label_encoder(const Call& call) {
  if (const auto* table = call.tensor("values_tensor")) {
    return std::vector{table->element ? tensor_fact(table->element, call.shape(0))
                                      : text_fact(call.shape(0))};
  }
  const auto ints = call.integers("values_int64s");
  if (ints && !ints->empty()) {
    return std::vector{tensor_fact(Dtype::of("int64"), call.shape(0))};
  }
  const auto reals = call.real_list("values_floats");
  if (reals && !reals->empty()) return std::vector{tensor_fact(real(), call.shape(0))};
  // Before version 2 it led from text to numbers, and back.
  const bool is_text = call[0].tensor;
  return std::vector{call.opset() == 1 && !is_text ? tensor_fact(Dtype::of("int64"), call.shape(0))
                                                   : text_fact(call.shape(0))};
}

Answer category_mapper(const Call& call) {
  return std::vector{call[0].tensor ? text_fact(call.shape(0))
                                    : tensor_fact(Dtype::of("int64"), call.shape(0))};
}

// A place for each category that it knows; how many words it knows is not followed.
Answer one_hot_encoder(const Call& call) {
  std::optional<Shape> shape = call.shape(0);
  const auto ints = call.integers("cats_int64s");
  if (shape) shape->push_back(ints && !ints->empty() ? Dim(ints->size()) : Dim());
  return std::vector{tensor_fact(real(), std::move(shape))};
}

// --- Columns ---

Answer array_feature_extractor(const Call& call) {
  std::optional<Shape> shape = call.shape(0);
  const auto count = call.shape(1) ? count_of(*call.shape(1)) : std::nullopt;
  if (shape && shape->size() == 1) shape->insert(shape->begin(), 1);
  if (shape && !shape->empty()) shape->back() = count;
  return std::vector{tensor_fact(call[0].element, std::move(shape))};
}

// Columns behind one another, of one row each where there is one axis.
Answer feature_vectorizer(const Call& call) {
  Dim rows;
  Dim columns = 0;
  for (std::size_t i = 0; i < call.inputs(); ++i) {
    const auto& shape = call.shape(i);
    const bool is_row = shape && shape->size() == 1;
    rows = either(rows, is_row ? Dim(1) : dim_of(shape, 0));
    columns = sum(columns, dim_of(shape, is_row ? 0 : 1));
  }
  return std::vector{tensor_fact(real(), Shape{rows, columns})};
}

// --- What is learned ---

Dim rows_of(const Call& call) {
  const auto& shape = call.shape(0);
  return shape && shape->size() == 1 ? Dim(1) : dim_of(shape, 0);
}

Dim classes_of(const Call& call, const char* attribute) {
  const auto labels = call.integers(attribute);
  return labels && !labels->empty() ? Dim(labels->size()) : Dim();
}

// A label for each row, text or number, and a score for each class.
Answer classified(const Call& call, const Dim& classes, const char* labels) {
  const Dim rows = rows_of(call);
  return std::vector{classes_of(call, labels) ? tensor_fact(Dtype::of("int64"), Shape{rows})
                                              : text_fact(Shape{rows}),
                     tensor_fact(real(), Shape{rows, classes})};
}

// The one line between two classes scores both of them.
Answer linear_classifier(const Call& call) {
  const auto intercepts = call.real_list("intercepts");
  Dim classes = classes_of(call, "classlabels_ints");
  if (!classes && intercepts && intercepts->size() > 1) classes = intercepts->size();
  return classified(call, classes, "classlabels_ints");
}

Answer tree_classifier(const Call& call) {
  return classified(call, classes_of(call, "classlabels_int64s"), "classlabels_int64s");
}

// How many scores there are follows from pairs of classes, or from probabilities.
Answer svm_classifier(const Call& call) {
  return classified(call, Dim(), "classlabels_ints");
}

Answer regressed(const Call& call, const char* targets) {
  return std::vector{
      tensor_fact(real(), Shape{rows_of(call), size_from(call.integer(targets, 1))})};
}

Answer linear_regressor(const Call& call) {
  return regressed(call, "targets");
}

Answer tree_regressor(const Call& call) {
  return regressed(call, "n_targets");
}

Answer svm_regressor(const Call& call) {
  return std::vector{tensor_fact(real(), Shape{rows_of(call), 1})};
}

Answer tree_ensemble(const Call& call) {
  return std::vector{
      tensor_fact(call[0].element, Shape{rows_of(call), size_from(call.integer("n_targets", -1))})};
}

// Of a map, of which nothing is known.
Answer from_map(const Call&) {
  return std::vector{Fact()};
}

constexpr const char* kDomain = "ai.onnx.ml";

constexpr auto kRows = std::to_array<RuleRow>({
    {kDomain, "ArrayFeatureExtractor", array_feature_extractor},
    {kDomain, "Binarizer", like_first},
    {kDomain, "CastMap", from_map},
    {kDomain, "CategoryMapper", category_mapper},
    {kDomain, "DictVectorizer", from_map},
    {kDomain, "FeatureVectorizer", feature_vectorizer},
    {kDomain, "Imputer", like_first},
    {kDomain, "LabelEncoder", label_encoder},
    {kDomain, "LinearClassifier", linear_classifier},
    {kDomain, "LinearRegressor", linear_regressor},
    {kDomain, "Normalizer", real_like_first},
    {kDomain, "OneHotEncoder", one_hot_encoder},
    {kDomain, "SVMClassifier", svm_classifier},
    {kDomain, "SVMRegressor", svm_regressor},
    {kDomain, "Scaler", real_like_first},
    {kDomain, "TreeEnsemble", tree_ensemble},
    {kDomain, "TreeEnsembleClassifier", tree_classifier},
    {kDomain, "TreeEnsembleRegressor", tree_regressor},
    {kDomain, "ZipMap", list},
});

}  // namespace

std::span<const RuleRow> learned_rules() {
  return kRows;
}

}  // namespace berth
