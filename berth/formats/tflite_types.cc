#include "berth/formats/tflite_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace berth::tflite {
namespace {

constexpr std::array kElementTypes = {
    ElementType{"FLOAT32", 32},      ElementType{"FLOAT16", 16},   ElementType{"INT32", 32},
    ElementType{"UINT8", 8},         ElementType{"INT64", 64},     ElementType{"STRING", 0},
    ElementType{"BOOL", 8},          ElementType{"INT16", 16},     ElementType{"COMPLEX64", 64},
    ElementType{"INT8", 8},          ElementType{"FLOAT64", 64},   ElementType{"COMPLEX128", 128},
    ElementType{"UINT64", 64},       ElementType{"RESOURCE", 0},   ElementType{"VARIANT", 0},
    ElementType{"UINT32", 32},       ElementType{"UINT16", 16},    ElementType{"INT4", 4},
    ElementType{"BFLOAT16", 16},     ElementType{"INT2", 2},       ElementType{"UINT4", 4},
    ElementType{"FLOAT8_E4M3FN", 8}, ElementType{"FLOAT8_E5M2", 8}};

// The words of a text, which must be N.
template <std::size_t N>
consteval std::array<std::string_view, N> split(std::string_view text) {
  std::array<std::string_view, N> words;
  for (std::string_view& word : words) {
    word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return words;
}

// By number.
constexpr auto kOperators = split<208>(
    "ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE "
    "EMBEDDING_LOOKUP FLOOR FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D "
    "LOCAL_RESPONSE_NORMALIZATION LOGISTIC LSH_PROJECTION LSTM MAX_POOL_2D MUL RELU "
    "RELU_N1_TO_1 RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX SPACE_TO_DEPTH SVDF TANH "
    "CONCAT_EMBEDDINGS SKIP_GRAM CALL CUSTOM EMBEDDING_LOOKUP_SPARSE PAD "
    "UNIDIRECTIONAL_SEQUENCE_RNN GATHER BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND TRANSPOSE MEAN "
    "SUB DIV SQUEEZE UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE BIDIRECTIONAL_SEQUENCE_RNN "
    "EXP TOPK_V2 SPLIT LOG_SOFTMAX DELEGATE BIDIRECTIONAL_SEQUENCE_LSTM CAST PRELU MAXIMUM "
    "ARG_MAX MINIMUM LESS NEG PADV2 GREATER GREATER_EQUAL LESS_EQUAL SELECT SLICE SIN "
    "TRANSPOSE_CONV SPARSE_TO_DENSE TILE EXPAND_DIMS EQUAL NOT_EQUAL LOG SUM SQRT RSQRT SHAPE "
    "POW ARG_MIN FAKE_QUANT REDUCE_PROD REDUCE_MAX PACK LOGICAL_OR ONE_HOT LOGICAL_AND "
    "LOGICAL_NOT UNPACK REDUCE_MIN FLOOR_DIV REDUCE_ANY SQUARE ZEROS_LIKE FILL FLOOR_MOD "
    "RANGE RESIZE_NEAREST_NEIGHBOR LEAKY_RELU SQUARED_DIFFERENCE MIRROR_PAD ABS SPLIT_V "
    "UNIQUE CEIL REVERSE_V2 ADD_N GATHER_ND COS WHERE RANK ELU REVERSE_SEQUENCE MATRIX_DIAG "
    "QUANTIZE MATRIX_SET_DIAG ROUND HARD_SWISH IF WHILE NON_MAX_SUPPRESSION_V4 "
    "NON_MAX_SUPPRESSION_V5 SCATTER_ND SELECT_V2 DENSIFY SEGMENT_SUM BATCH_MATMUL "
    "PLACEHOLDER_FOR_GREATER_OP_CODES CUMSUM CALL_ONCE BROADCAST_TO RFFT2D CONV_3D IMAG REAL "
    "COMPLEX_ABS HASHTABLE HASHTABLE_FIND HASHTABLE_IMPORT HASHTABLE_SIZE REDUCE_ALL "
    "CONV_3D_TRANSPOSE VAR_HANDLE READ_VARIABLE ASSIGN_VARIABLE BROADCAST_ARGS "
    "RANDOM_STANDARD_NORMAL BUCKETIZE RANDOM_UNIFORM MULTINOMIAL GELU DYNAMIC_UPDATE_SLICE "
    "RELU_0_TO_1 UNSORTED_SEGMENT_PROD UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_SUM ATAN2 "
    "UNSORTED_SEGMENT_MIN SIGN BITCAST BITWISE_XOR RIGHT_SHIFT STABLEHLO_LOGISTIC "
    "STABLEHLO_ADD STABLEHLO_DIVIDE STABLEHLO_MULTIPLY STABLEHLO_MAXIMUM STABLEHLO_RESHAPE "
    "STABLEHLO_CLAMP STABLEHLO_CONCATENATE STABLEHLO_BROADCAST_IN_DIM STABLEHLO_CONVOLUTION "
    "STABLEHLO_SLICE STABLEHLO_CUSTOM_CALL STABLEHLO_REDUCE STABLEHLO_ABS STABLEHLO_AND "
    "STABLEHLO_COSINE STABLEHLO_EXPONENTIAL STABLEHLO_FLOOR STABLEHLO_LOG STABLEHLO_MINIMUM "
    "STABLEHLO_NEGATE STABLEHLO_OR STABLEHLO_POWER STABLEHLO_REMAINDER STABLEHLO_RSQRT "
    "STABLEHLO_SELECT STABLEHLO_SUBTRACT STABLEHLO_TANH STABLEHLO_SCATTER STABLEHLO_COMPARE "
    "STABLEHLO_CONVERT STABLEHLO_DYNAMIC_SLICE STABLEHLO_DYNAMIC_UPDATE_SLICE STABLEHLO_PAD "
    "STABLEHLO_IOTA STABLEHLO_DOT_GENERAL STABLEHLO_REDUCE_WINDOW STABLEHLO_SORT "
    "STABLEHLO_WHILE STABLEHLO_GATHER STABLEHLO_TRANSPOSE DILATE STABLEHLO_RNG_BIT_GENERATOR "
    "REDUCE_WINDOW STABLEHLO_COMPOSITE COMPLEX");

constexpr auto kImpure = split<20>(
    "CALL CUSTOM DELEGATE IF WHILE CALL_ONCE HASHTABLE HASHTABLE_FIND HASHTABLE_IMPORT "
    "HASHTABLE_SIZE VAR_HANDLE READ_VARIABLE ASSIGN_VARIABLE RANDOM_STANDARD_NORMAL "
    "RANDOM_UNIFORM MULTINOMIAL STABLEHLO_CUSTOM_CALL STABLEHLO_WHILE STABLEHLO_COMPOSITE "
    "STABLEHLO_RNG_BIT_GENERATOR");

constexpr auto kElementwise = split<40>(
    "ABS CEIL COS ELU EXP FLOOR GELU HARD_SWISH LEAKY_RELU LOG LOGICAL_NOT LOGISTIC NEG RELU "
    "RELU6 RELU_0_TO_1 RELU_N1_TO_1 ROUND RSQRT SIGN SIN SQRT SQUARE TANH ADD SUB MUL DIV "
    "MAXIMUM MINIMUM SQUARED_DIFFERENCE FLOOR_DIV FLOOR_MOD POW LOGICAL_AND LOGICAL_OR ATAN2 "
    "BITWISE_XOR RIGHT_SHIFT PRELU");

bool is_known(std::int32_t code) {
  return code >= 0 && static_cast<std::size_t>(code) < kOperators.size();
}

template <std::size_t N>
bool is_among(std::int32_t code, const std::array<std::string_view, N>& names) {
  return is_known(code) &&
         std::ranges::find(names, kOperators[static_cast<std::size_t>(code)]) != names.end();
}

}  // namespace

std::optional<ElementType> element_type(std::int8_t number) {
  const auto index = static_cast<std::uint8_t>(number);  // a negative one is past the table
  return index < kElementTypes.size() ? std::optional(kElementTypes[index]) : std::nullopt;
}

bool is_half(std::int8_t number) {
  constexpr std::int8_t kFloat16 = 1;
  return number == kFloat16;
}

std::string operator_name(std::int32_t code) {
  if (!is_known(code)) return fmt::format("operator {}", code);
  return std::string(kOperators[static_cast<std::size_t>(code)]);
}

bool is_pure(std::int32_t code) {
  return is_known(code) && !is_among(code, kImpure);
}

bool has_channels(std::int32_t code) {
  constexpr auto kFiltering = split<4>("CONV_2D DEPTHWISE_CONV_2D TRANSPOSE_CONV FULLY_CONNECTED");
  return is_among(code, kFiltering);
}

bool keeps_bytes(std::int32_t code) {
  const auto builtin = static_cast<Builtin>(code);
  return builtin == Builtin::Reshape || builtin == Builtin::Squeeze ||
         builtin == Builtin::ExpandDims;
}

bool is_elementwise(std::int32_t code) {
  return is_among(code, kElementwise);
}

bool selects(std::int32_t code) {
  switch (static_cast<Builtin>(code)) {
    case Builtin::EmbeddingLookup:
    case Builtin::Gather:
    case Builtin::GatherNd:
    case Builtin::Slice:
    case Builtin::StridedSlice:
      return true;
    default:
      return reads_sizes_alone(code);
  }
}

bool reads_sizes_alone(std::int32_t code) {
  const auto builtin = static_cast<Builtin>(code);
  return builtin == Builtin::Shape || builtin == Builtin::Rank;
}

}  // namespace berth::tflite
