// Sequences, optionals and text: values of no fixed size, and what is taken out of them.
#include <array>
#include <utility>

#include "berth/model/rule.h"

namespace berth {
namespace {

Answer list(const Call&) {
  return std::vector{unsized_fact()};
}

// As many lists as results; the body's results are their elements.
Answer lists(const Call& call) {
  return std::vector<Fact>(call.outputs(), unsized_fact());
}

// Of version 8, which is no known loop: its results follow from its body.
Answer scan(const Call&) {
  return std::vector<Fact>();
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
    {"", "Scan", scan},
    {"", "SequenceAt", taken_out},
    {"", "SequenceConstruct", list},
    {"", "SequenceEmpty", list},
    {"", "SequenceErase", list},
    {"", "SequenceInsert", list},
    {"", "SequenceLength", length},
    {"", "SequenceMap", lists},
    {"", "SplitToSequence", list},
});

}  // namespace

std::span<const RuleRow> list_rules() {
  return kRows;
}

}  // namespace berth
