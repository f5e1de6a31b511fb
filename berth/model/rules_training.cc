// Losses, and steps of training (https://onnx.ai/onnx/operators/:
// onnx__NegativeLogLikelihoodLoss, onnx__SoftmaxCrossEntropyLoss,
// onnx_aionnxpreviewtraining_Adam and its kin; the masks of bits are ONNX Runtime's).
#include <fmt/format.h>

#include <array>
#include <utility>

#include "berth/model/dims.h"
#include "berth/model/rule.h"

namespace berth {
namespace {

// Scores [batch, classes, places...], and a class for each place.
Answer loss(const Call& call) {
  const auto& scores = call.shape(0);
  if (scores && scores->size() < 2) {
    return refused(
        fmt::format("its operand has shape {}; it takes [batch, classes, ...]", text_of(scores)));
  }
  std::optional<Shape> result = Shape();
  if (call.text("reduction", "mean") == "none") {
    result = call.shape(1);
    if (scores) {
      Shape places = *scores;
      places.erase(places.begin() + 1);
      if (!result) result = places;
      for (std::size_t i = 0; i < result->size() && i < places.size(); ++i) {
        (*result)[i] = either((*result)[i], places[i]);
      }
    }
  }
  // The second result is a loss's alone: the logarithm of each probability.
  return std::vector{tensor_fact(call[0].element, std::move(result)),
                     tensor_fact(call[0].element, scores)};
}

// After a rate and a count, as many tensors as are trained, their gradients, and as many again for
// each state: new tensors and states come out.
Answer trained(const Call& call, std::size_t kinds) {
  const std::size_t count = call.outputs() / kinds;
  std::vector<Fact> results;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t from = 2 + (kind == 0 ? 0 : kind + 1) * count + i;
      results.push_back(tensor_fact(call[from].element, call.shape(from)));
    }
  }
  return results;
}

Answer with_one_state(const Call& call) {
  return trained(call, 2);
}

Answer with_two_states(const Call& call) {
  return trained(call, 3);
}

// Of each value that it is taken for.
Answer gradient(const Call& call) {
  std::vector<Fact> results;
  for (std::size_t i = 0; i < call.outputs(); ++i) {
    results.push_back(tensor_fact(call[i].element, call.shape(i)));
  }
  return results;
}

// --- Dropped elements ---

Answer dropout(const Call& call) {
  return std::vector{tensor_fact(call[0].element, call.shape(0)),
                     tensor_fact(Dtype::of("bool"), call.shape(0))};
}

// A bit for each element, in words of 32.
Answer bitmask_dropout(const Call& call) {
  const auto count = call.shape(0) ? count_of(*call.shape(0)) : std::nullopt;
  const Dim words = count ? Dim(*count / 32 + (*count % 32 == 0 ? 0 : 1)) : Dim();
  return std::vector{tensor_fact(call[0].element, call.shape(0)),
                     tensor_fact(Dtype::of("uint32"), Shape{words})};
}

constexpr const char* kTraining = "ai.onnx.preview.training";
constexpr const char* kDomain = "com.microsoft";

constexpr auto kRows = std::to_array<RuleRow>({
    {"", "NegativeLogLikelihoodLoss", loss},
    {"", "SoftmaxCrossEntropyLoss", loss},
    {kTraining, "Adagrad", with_one_state},
    {kTraining, "Adam", with_two_states},
    {kTraining, "Gradient", gradient},
    {kTraining, "Momentum", with_one_state},
    {kDomain, "BiasDropout", dropout},
    {kDomain, "BitmaskBiasDropout", bitmask_dropout},
    {kDomain, "BitmaskDropout", bitmask_dropout},
});

}  // namespace

std::span<const RuleRow> training_rules() {
  return kRows;
}

}  // namespace berth
