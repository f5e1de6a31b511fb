// Sequences, optionals and text: values of no fixed size, and what is taken out of them.
#include <array>
#include <utility>

#include "berth/model/rule.h"

namespace berth {
namespace {

Answer list(const Call&) {
  return std::vector{unsized_fact()};
}

// A tensor whose shape only the run decides.
Answer taken_out(const Call&) {
  return std::vector{Fact()};
}

Answer length(const Call&) {
  return std::vector{tensor_fact(Dtype::of("int64"), Shape())};
}

Answer flag(const Call&) {
  return std::vector{tensor_fact(Dtype::of("bool"), Shape())};
}

// Of a tensor it is the tensor, with its shape.
Answer unwrapped(const Call& call) {
  return std::vector{call[0].tensor ? call[0] : Fact()};
}

constexpr auto kRows = std::to_array<RuleRow>({
    {"", "ConcatFromSequence", taken_out},
    {"", "Optional", list},
    {"", "OptionalGetElement", unwrapped},
    {"", "OptionalHasElement", flag},
    {"", "SequenceAt", taken_out},
    {"", "SequenceConstruct", list},
    {"", "SequenceEmpty", list},
    {"", "SequenceErase", list},
    {"", "SequenceInsert", list},
    {"", "SequenceLength", length},
    {"", "SplitToSequence", list},
});

}  // namespace

std::span<const RuleRow> list_rules() {
  return kRows;
}

}  // namespace berth
