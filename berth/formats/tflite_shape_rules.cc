// Shapes of TensorFlow Lite operators. A layout is [batch, height, width, channels] throughout.
#include "berth/formats/tflite_shape_rules.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "berth/formats/tflite_shape_parts.h"

namespace berth::tflite {
namespace {

constexpr std::size_t kMostNumbers = 4096;

// --- element by element ---

std::optional<Dims> broadcast(const Dims& a, const Dims& b) {
  const Dims& longer = a.size() >= b.size() ? a : b;
  const Dims& shorter = a.size() >= b.size() ? b : a;
  Dims dims = longer;
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& dim = dims[dims.size() - 1 - i];
    const std::int64_t other = shorter[shorter.size() - 1 - i];
    if (dim == 1) dim = other;
    if (other != dim && other != 1) return std::nullopt;
  }
  return dims;
}

std::optional<std::int64_t> computed(std::string_view name, std::int64_t a, std::int64_t b) {
  if (std::max(std::abs(a), std::abs(b)) > kMostDim) return std::nullopt;
  if (name == "ADD") return a + b;
  if (name == "SUB") return a - b;
  if (name == "MUL") return a * b;
  if (name == "MAXIMUM") return std::max(a, b);
  if (name == "MINIMUM") return std::min(a, b);
  if (b == 0) return std::nullopt;
  if (name == "DIV") return a / b;
  const std::int64_t down = a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  if (name == "FLOOR_DIV") return down;
  if (name == "FLOOR_MOD") return a - down * b;
  return std::nullopt;
}

std::optional<Numbers> computed(std::string_view name, const Shaped& a, const Shaped& b) {
  if (!a.numbers || !b.numbers) return std::nullopt;
  const std::size_t count = std::max(a.numbers->size(), b.numbers->size());
  const bool agree =
      std::min(a.numbers->size(), b.numbers->size()) == 1 || a.numbers->size() == b.numbers->size();
  if (!agree || a.numbers->empty() || b.numbers->empty()) return std::nullopt;
  Numbers result;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = [&](const Numbers& list) { return list[list.size() == 1 ? 0 : i]; };
    const auto value = computed(name, at(*a.numbers), at(*b.numbers));
    if (!value) return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

Maybe elementwise(std::string_view name, Operands operands) {
  if (operands.empty()) return std::nullopt;
  Shaped result{operands[0].dims, std::nullopt};
  for (const Shaped& operand : operands.subspan(1)) {
    const auto dims = broadcast(result.dims, operand.dims);
    if (!dims) return std::nullopt;
    result.dims = *dims;
  }
  if (operands.size() == 2) result.numbers = computed(name, operands[0], operands[1]);
  return {{std::move(result)}};
}

// --- windows ---

struct Window {
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
};

std::optional<std::int64_t> windows(std::int64_t dim, const Window& window, bool only_whole) {
  if (window.size <= 0 || window.stride <= 0 || window.dilation <= 0 || dim < 0) {
    return std::nullopt;
  }
  if (std::max(window.size, window.dilation) > kMostDim) return std::nullopt;
  if (!only_whole) return (dim + window.stride - 1) / window.stride;
  const std::int64_t reach = (window.size - 1) * window.dilation + 1;
  return dim < reach ? std::nullopt : std::optional((dim - reach) / window.stride + 1);
}

Maybe windowed(const Dims& dims, std::int8_t padding, const Window& height, const Window& width,
               std::int64_t channels) {
  constexpr std::int8_t kValid = 1;
  if (dims.size() != 4) return std::nullopt;
  const auto rows = windows(dims[1], height, padding == kValid);
  const auto columns = windows(dims[2], width, padding == kValid);
  if (!rows || !columns) return std::nullopt;
  return one(Dims{dims[0], *rows, *columns, channels});
}

Maybe convolution(const schema::Operator& options, Operands operands) {
  if (operands.size() < 2 || operands[1].dims.size() != 4) return std::nullopt;
  const Dims& filter = operands[1].dims;
  if (const auto* it = options.builtin_options_as_Conv2DOptions()) {
    return windowed(operands[0].dims, it->padding(),
                    {filter[1], it->stride_h(), it->dilation_h_factor()},
                    {filter[2], it->stride_w(), it->dilation_w_factor()}, filter[0]);
  }
  if (const auto* it = options.builtin_options_as_DepthwiseConv2DOptions()) {
    return windowed(operands[0].dims, it->padding(),
                    {filter[1], it->stride_h(), it->dilation_h_factor()},
                    {filter[2], it->stride_w(), it->dilation_w_factor()}, filter[3]);
  }
  return std::nullopt;
}

Maybe pooling(const schema::Operator& options, Operands operands) {
  const auto* it = options.builtin_options_as_Pool2DOptions();
  if (it == nullptr || operands.empty() || operands[0].dims.size() != 4) return std::nullopt;
  return windowed(operands[0].dims, it->padding(), {it->filter_height(), it->stride_h()},
                  {it->filter_width(), it->stride_w()}, operands[0].dims[3]);
}

// --- products ---

Maybe fully_connected(const schema::Operator& options, Operands operands) {
  const auto* it = options.builtin_options_as_FullyConnectedOptions();
  if (it == nullptr || operands.size() < 2 || operands[1].dims.size() != 2) return std::nullopt;
  const Dims& filter = operands[1].dims;
  Dims dims = operands[0].dims;
  if (it->keep_num_dims()) {
    if (dims.empty() || dims.back() != filter[1]) return std::nullopt;
    dims.back() = filter[0];
    return one(std::move(dims));
  }
  const auto all = product(dims);
  if (!all || filter[1] <= 0 || *all % filter[1] != 0) return std::nullopt;
  return one(Dims{*all / filter[1], filter[0]});
}

Maybe batch_matmul(const schema::Operator& options, Operands operands) {
  const auto* it = options.builtin_options_as_BatchMatMulOptions();
  if (operands.size() != 2) return std::nullopt;
  Dims a = operands[0].dims;
  Dims b = operands[1].dims;
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  if (it != nullptr && it->adj_x()) std::swap(a[a.size() - 1], a[a.size() - 2]);
  if (it != nullptr && it->adj_y()) std::swap(b[b.size() - 1], b[b.size() - 2]);
  if (a.back() != b[b.size() - 2]) return std::nullopt;
  auto dims = broadcast({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
  if (!dims) return std::nullopt;
  dims->push_back(a[a.size() - 2]);
  dims->push_back(b.back());
  return one(std::move(*dims));
}

template <std::size_t N>
bool is_among(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

constexpr std::array<std::string_view, 36> kKeepsShape = {"ABS",
                                                          "CEIL",
                                                          "COS",
                                                          "ELU",
                                                          "EXP",
                                                          "FLOOR",
                                                          "GELU",
                                                          "HARD_SWISH",
                                                          "LEAKY_RELU",
                                                          "LOG",
                                                          "LOGICAL_NOT",
                                                          "LOGISTIC",
                                                          "NEG",
                                                          "RELU",
                                                          "RELU6",
                                                          "RELU_0_TO_1",
                                                          "RELU_N1_TO_1",
                                                          "ROUND",
                                                          "RSQRT",
                                                          "SIGN",
                                                          "SIN",
                                                          "SQRT",
                                                          "SQUARE",
                                                          "TANH",
                                                          "CAST",
                                                          "QUANTIZE",
                                                          "DEQUANTIZE",
                                                          "SOFTMAX",
                                                          "LOG_SOFTMAX",
                                                          "FAKE_QUANT",
                                                          "ZEROS_LIKE",
                                                          "REVERSE_V2",
                                                          "CUMSUM",
                                                          "L2_NORMALIZATION",
                                                          "REVERSE_SEQUENCE",
                                                          "LOCAL_RESPONSE_NORMALIZATION"};

constexpr std::array<std::string_view, 25> kBroadcasts = {"ADD",           "SUB",
                                                          "MUL",           "DIV",
                                                          "MAXIMUM",       "MINIMUM",
                                                          "FLOOR_DIV",     "FLOOR_MOD",
                                                          "POW",           "LOGICAL_AND",
                                                          "LOGICAL_OR",    "ATAN2",
                                                          "BITWISE_XOR",   "RIGHT_SHIFT",
                                                          "PRELU",         "LESS",
                                                          "LESS_EQUAL",    "GREATER",
                                                          "GREATER_EQUAL", "EQUAL",
                                                          "NOT_EQUAL",     "SQUARED_DIFFERENCE",
                                                          "SELECT",        "SELECT_V2",
                                                          "ADD_N"};

constexpr std::array<std::string_view, 7> kReduces = {
    "MEAN", "SUM", "REDUCE_PROD", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_ANY", "REDUCE_ALL"};

Maybe by_name(std::string_view name, const schema::Operator& options, Operands operands,
              std::size_t results) {
  if (operands.empty()) return std::nullopt;
  if (is_among(name, kKeepsShape)) {
    const bool keeps_numbers = name == "CAST";
    return {{Shaped{operands[0].dims, keeps_numbers ? operands[0].numbers : std::nullopt}}};
  }
  if (is_among(name, kBroadcasts)) return elementwise(name, operands);
  if (is_among(name, kReduces)) return reduced(name, options, operands);
  if (name == "CONV_2D" || name == "DEPTHWISE_CONV_2D") return convolution(options, operands);
  if (name.ends_with("_POOL_2D")) return pooling(options, operands);
  if (name == "FULLY_CONNECTED") return fully_connected(options, operands);
  if (name == "BATCH_MATMUL") return batch_matmul(options, operands);
  if (name == "TRANSPOSE_CONV" || name == "FILL") return given(operands, 0);
  if (name == "BROADCAST_TO") return given(operands, 1);
  if (name == "RESHAPE") return reshape(options, operands);
  if (name == "SQUEEZE") return squeeze(options, operands);
  if (name == "EXPAND_DIMS") return expand_dims(operands);
  if (name == "TRANSPOSE") return transpose(operands);
  if (name == "SPACE_TO_DEPTH") {
    return blocks(operands, options.builtin_options_as_SpaceToDepthOptions(), true);
  }
  if (name == "DEPTH_TO_SPACE") {
    return blocks(operands, options.builtin_options_as_DepthToSpaceOptions(), false);
  }
  if (name == "CONCATENATION") return concatenation(options, operands);
  if (name == "PACK") return pack(options, operands);
  if (name == "UNPACK") return unpack(options, operands, results);
  if (name == "SPLIT") return split(operands, results);
  if (name == "SPLIT_V") return split_by_sizes(operands, results);
  if (name == "SLICE") return slice(operands);
  if (name == "STRIDED_SLICE") return strided_slice(options, operands);
  if (name == "GATHER") return gather(options, operands);
  if (name == "GATHER_ND") return gather_nd(operands);
  if (name == "PAD" || name == "PADV2" || name == "MIRROR_PAD") return padded(operands);
  if (name == "TILE") return tiled(operands);
  if (name == "ARG_MAX" || name == "ARG_MIN") return arg_reduced(operands);
  if (name == "RESIZE_BILINEAR" || name == "RESIZE_NEAREST_NEIGHBOR") return resized(operands);
  if (name == "RANGE") return range(operands);
  if (name == "SHAPE") return shape_of(operands);
  if (name == "RANK") {
    return {{Shaped{{}, Numbers{static_cast<std::int64_t>(operands[0].dims.size())}}}};
  }
  return std::nullopt;
}

// Dimensions that a tensor can have; too many numbers are none to follow.
bool is_sound(const Shaped& shaped) {
  return std::ranges::all_of(shaped.dims,
                             [](std::int64_t dim) { return dim >= 0 && dim < kMostDim; });
}

}  // namespace

std::optional<std::vector<Shaped>> shapes_by_rule(std::string_view name,
                                                  const schema::Operator& options,
                                                  std::span<const Shaped> operands,
                                                  std::size_t results) {
  auto found = by_name(name, options, operands, results);
  if (!found || found->size() != results) return std::nullopt;
  if (!std::ranges::all_of(*found, is_sound)) return std::nullopt;
  for (Shaped& shaped : *found) {
    if (shaped.numbers && shaped.numbers->size() > kMostNumbers) shaped.numbers.reset();
  }
  return found;
}

}  // namespace berth::tflite
