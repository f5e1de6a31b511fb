#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace berth::tflite {

// How the elements of a tensor are stored. Elements of text, resources and variants have no fixed
// size: bits is 0.
struct ElementType {
  const char* name = "";
  unsigned bits = 0;

  bool dynamic() const { return bits == 0; }
};

// Nothing where the public schema knows no such number.
std::optional<ElementType> element_type(std::int8_t number);

// A real number of 16 bits.
bool is_half(std::int8_t number);

// The operators that the importer treats apart, by the numbers of the public schema.
enum class Builtin : std::int32_t {
  Concatenation = 2,
  Dequantize = 6,
  EmbeddingLookup = 7,
  Reshape = 22,
  Call = 31,
  Custom = 32,
  Gather = 36,
  Squeeze = 43,
  StridedSlice = 45,
  Slice = 65,
  ExpandDims = 70,
  Shape = 77,
  GatherNd = 107,
  Rank = 110,
  If = 118,
  While = 119,
  Densify = 124,
  CallOnce = 129,
  StablehloWhile = 200,
  StablehloComposite = 206,
};

// "CONV_2D"; "operator 999" where the public schema knows no such number.
std::string operator_name(std::int32_t code);

// What it computes is a function of its operands alone, and it changes nothing else: with constant
// operands it can be computed ahead. Operators that call subgraphs, that touch variables, tables
// or random state, and those whose effects are not known (custom ones) are not.
bool is_pure(std::int32_t code);

// Its result has the bytes of its first operand, in the same order.
bool keeps_bytes(std::int32_t code);

// Each element of its result depends on the elements of its operands at the same position alone,
// so that it may be written over an operand of the same shape and type.
bool is_elementwise(std::int32_t code);

// Its second operand is a filter, which may be quantized channel by channel.
bool has_channels(std::int32_t code);

// Of its operands it reads no more than what it gives: some rows, a slice. Of those whose sizes
// alone it looks at, nothing.
bool selects(std::int32_t code);
bool reads_sizes_alone(std::int32_t code);

}  // namespace berth::tflite
