// Recurrent networks: a sequence in, a sequence and the last state out.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "berth/model/rule.h"

namespace berth {
namespace {

Dim hidden_size(const Call& call) {
  const std::int64_t said = call.integer("hidden_size", 0);
  if (said > 0) return static_cast<std::uint64_t>(said);
  const auto& recurrence = call.shape(2);  // [directions, gates x hidden, hidden]
  return recurrence && recurrence->size() == 3 ? recurrence->back() : Dim();
}

Answer recurrent(const Call& call) {
  const auto& shape = call.shape(0);  // [steps, batch, features]
  if (shape && shape->size() != 3) {
    return refused(fmt::format("its sequence has shape {}; it takes three axes", text_of(shape)));
  }
  const bool batch_first = call.integer("layout", 0) != 0;
  const Dim steps = shape ? (*shape)[batch_first ? 1 : 0] : Dim();
  const Dim batch = shape ? (*shape)[batch_first ? 0 : 1] : Dim();
  const Dim directions = call.text("direction", "forward") == "bidirectional" ? 2 : 1;
  const Dim hidden = hidden_size(call);
  const Shape all = batch_first ? Shape{batch, steps, directions, hidden}
                                : Shape{steps, directions, batch, hidden};
  const Shape last =
      batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  const auto element = call[0].element;
  return std::vector{tensor_fact(element, all), tensor_fact(element, last),
                     tensor_fact(element, last)};
}

constexpr auto kRows = std::to_array<RuleRow>({
    {"", "GRU", recurrent},
    {"", "LSTM", recurrent},
    {"", "RNN", recurrent},
});

}  // namespace

std::span<const RuleRow> recurrent_rules() {
  return kRows;
}

}  // namespace berth
