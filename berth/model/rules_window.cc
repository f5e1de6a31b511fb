// Operators that move a window over the axes behind batch and channel.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "berth/model/dims.h"
#include "berth/model/rule.h"
#include "berth/model/window.h"

namespace berth {
namespace {

__extension__ using Wide = __int128;

// Along one axis.
struct Window {
  Wide kernel = 1;
  Wide stride = 1;
  Wide dilation = 1;
  Wide before = 0;
  Wide after = 0;

  Wide reach() const { return (kernel - 1) * dilation + 1; }
};

using Windows = tl::expected<std::vector<Window>, std::string>;
constexpr std::int64_t kMost = std::int64_t{1} << 40;  // past any attribute that means something

// `kernel`: by axis, from the attribute or from the weights.
Windows windows_of(const Call& call, const std::vector<std::int64_t>& kernel) {
  const std::size_t axes = kernel.size();
  const auto ones = std::vector<std::int64_t>(axes, 1);
  const auto strides = call.integers("strides").value_or(ones);
  const auto dilations = call.integers("dilations").value_or(ones);
  const auto pads = call.integers("pads").value_or(std::vector<std::int64_t>(2 * axes, 0));
  if (strides.size() != axes || dilations.size() != axes || pads.size() != 2 * axes) {
    return refused(
        fmt::format("its kernel has {} axes, its strides {}, its dilations {}, its pads "
                    "{} (two an axis)",
                    axes, strides.size(), dilations.size(), pads.size()));
  }
  std::vector<Window> windows;
  for (std::size_t i = 0; i < axes; ++i) {
    const auto is_size = [](std::int64_t number) { return number >= 1 && number <= kMost; };
    const auto is_pad = [](std::int64_t number) { return number >= -kMost && number <= kMost; };
    if (!is_size(kernel[i]) || !is_size(strides[i]) || !is_size(dilations[i]) || !is_pad(pads[i]) ||
        !is_pad(pads[axes + i])) {
      return refused(fmt::format("along axis {} its kernel is {}, its stride {}, its dilation {}",
                                 i + 2, kernel[i], strides[i], dilations[i]));
    }
    windows.push_back({kernel[i], strides[i], dilations[i], pads[i], pads[axes + i]});
  }
  return windows;
}

bool pads_to_same(const std::string& auto_pad) {
  return auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
}

// How many places the window has; nothing where it is larger than the padded operand.
std::optional<std::uint64_t> places(const Call& call, const Window& window, std::uint64_t size) {
  const std::string auto_pad = call.text("auto_pad", "NOTSET");
  const Wide length = size;
  if (pads_to_same(auto_pad)) {
    return static_cast<std::uint64_t>((length + window.stride - 1) / window.stride);
  }
  const Wide pads = auto_pad == "VALID" ? 0 : window.before + window.after;
  const Wide room = length + pads - window.reach();
  const bool up = call.integer("ceil_mode", 0) != 0;
  // Rounded up, a window that lacks less than a stride is one.
  if (size > std::uint64_t{1} << 62) return std::nullopt;
  if (room < 0 && !(up && -room < window.stride)) return std::nullopt;
  Wide count = (up ? room + window.stride - 1 : room) / window.stride + 1;
  // The last window must begin before the padding at the end does.
  const Wide before = auto_pad == "VALID" ? 0 : window.before;
  if (up && (count - 1) * window.stride >= length + before) --count;
  return static_cast<std::uint64_t>(count);
}

}  // namespace

tl::expected<std::optional<Shape>, std::string> moved_over(const Call& call, const Shape& input,
                                                           const std::vector<std::int64_t>& kernel,
                                                           Dim channels) {
  if (input.size() != kernel.size() + 2) {
    return refused(fmt::format("its kernel has {} axes, its operand of shape {} {}", kernel.size(),
                               text_of(input), input.size()));
  }
  const auto windows = windows_of(call, kernel);
  if (!windows) return refused(windows.error());
  Shape result = {input[0], channels};
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const Dim& size = input[i + 2];
    if (!size) {
      result.emplace_back();
      continue;
    }
    const auto count = places(call, (*windows)[i], *size);
    if (!count) {
      return refused(fmt::format("its window is larger than its operand of shape {} along axis {}",
                                 text_of(input), i + 2));
    }
    result.emplace_back(*count);
  }
  return result;
}

std::optional<std::vector<std::int64_t>> kernel_of(const Call& call, std::size_t weights) {
  if (auto kernel = call.integers("kernel_shape")) return kernel;
  if (!call.shape(weights) || call.shape(weights)->size() < 2) return std::nullopt;
  std::vector<std::int64_t> kernel;
  for (std::size_t i = 2; i < call.shape(weights)->size(); ++i) {
    const Dim& dim = (*call.shape(weights))[i];
    if (!dim || *dim > static_cast<std::uint64_t>(kMost)) return std::nullopt;
    kernel.push_back(static_cast<std::int64_t>(*dim));
  }
  return kernel;
}

std::optional<std::string> find_channel_fault(const Call& call, const Dim& channels,
                                              const std::optional<Shape>& filter) {
  const Dim taken = dim_of(filter, 1);
  if (!taken || !channels) return std::nullopt;
  const auto groups = call.integer("group", 1);
  if (groups >= 1 && times(taken, size_from(groups)) == channels) return std::nullopt;
  return fmt::format("its weights of shape {} in {} groups do not go with {} channels",
                     text_of(filter), groups, *channels);
}

namespace {

Answer convolve(const Call& call, std::size_t weights, std::optional<Dtype> element) {
  const auto kernel = kernel_of(call, weights);
  const auto& shape = call.shape(0);
  if (!kernel || !shape) return std::vector{tensor_fact(element, std::nullopt)};
  const auto& filter = call.shape(weights);
  if (filter && filter->size() != kernel->size() + 2) {
    return refused(fmt::format("its weights have shape {}, its kernel {} axes", text_of(filter),
                               kernel->size()));
  }
  if (auto why = find_channel_fault(call, dim_of(shape, 1), filter)) return refused(*why);
  auto result = moved_over(call, *shape, *kernel, filter ? (*filter)[0] : Dim());
  if (!result) return refused(result.error());
  return std::vector{tensor_fact(element, *std::move(result))};
}

Answer conv(const Call& call) {
  return convolve(call, 1, call[0].element);
}

Answer conv_integer(const Call& call) {
  return convolve(call, 1, Dtype::of("int32"));
}

Answer qlinear_conv(const Call& call) {
  return convolve(call, 3, call[7].element);
}

Answer pool(const Call& call) {
  const auto kernel = call.integers("kernel_shape");
  const auto& shape = call.shape(0);
  if (!kernel) return refused("it has no kernel_shape");
  if (!shape || shape->size() < 2) return std::vector{tensor_fact(call[0].element, std::nullopt)};
  auto result = moved_over(call, *shape, *kernel, (*shape)[1]);
  if (!result) return refused(result.error());
  // The second result of MaxPool says where each maximum was.
  return std::vector{tensor_fact(call[0].element, *result),
                     tensor_fact(Dtype::of("int64"), *result)};
}

Answer global_pool(const Call& call) {
  std::optional<Shape> result = call.shape(0);
  for (std::size_t i = 2; result && i < result->size(); ++i) (*result)[i] = 1;
  return std::vector{tensor_fact(call[0].element, std::move(result))};
}

// The convolution's arithmetic backwards.
Answer conv_transpose(const Call& call) {
  const Fact unknown = tensor_fact(call[0].element, std::nullopt);
  const auto kernel = kernel_of(call, 1);
  const auto& shape = call.shape(0);
  const auto& filter = call.shape(1);
  if (!kernel || !shape || !filter) return std::vector{unknown};
  if (filter->size() != kernel->size() + 2 || shape->size() != filter->size()) {
    return refused(fmt::format("its operand has shape {}, its weights {}, its kernel {} axes",
                               text_of(shape), text_of(filter), kernel->size()));
  }
  const auto windows = windows_of(call, *kernel);
  if (!windows) return refused(windows.error());
  const auto groups = call.integer("group", 1);
  std::uint64_t channels = 0;
  if (groups < 1 ||
      ((*filter)[1] &&
       __builtin_mul_overflow(*(*filter)[1], static_cast<std::uint64_t>(groups), &channels))) {
    return refused(fmt::format("it has {} groups", groups));
  }
  Shape result = {(*shape)[0], (*filter)[1] ? Dim(channels) : Dim()};
  for (const char* list : {"output_shape", "output_padding"}) {
    const auto said = call.integers(list);
    if (!said || said->size() == kernel->size()) continue;
    return refused(fmt::format("its {} has {} numbers for {} axes (without batch and channels)",
                               list, said->size(), kernel->size()));
  }
  if ((*filter)[0] && (*shape)[1] && (*filter)[0] != (*shape)[1]) {
    return refused(fmt::format("its weights of shape {} do not go with {} channels",
                               text_of(filter), *(*shape)[1]));
  }
  const auto asked = call.integers("output_shape");
  const auto extra = call.integers("output_padding").value_or(std::vector<std::int64_t>());
  for (std::size_t i = 0; i < kernel->size(); ++i) {
    const Window& window = (*windows)[i];
    const Dim& size = (*shape)[i + 2];
    if (asked && i < asked->size() && (*asked)[i] >= 0) {
      result.emplace_back(static_cast<std::uint64_t>((*asked)[i]));
      continue;
    }
    if (!size) {
      result.emplace_back();
      continue;
    }
    const std::int64_t added = i < extra.size() ? std::clamp(extra[i], -kMost, kMost) : 0;
    const std::string auto_pad = call.text("auto_pad", "NOTSET");
    const Wide pads = auto_pad == "NOTSET" ? window.before + window.after : 0;
    Wide length = window.stride * (Wide(*size) - 1) + added + window.reach() - pads;
    if (pads_to_same(auto_pad)) length = window.stride * Wide(*size);
    if (length < 0 || length > Wide(1) << 62) {
      return refused(fmt::format("along axis {} its result has no size", i + 2));
    }
    result.emplace_back(static_cast<std::uint64_t>(length));
  }
  return std::vector{tensor_fact(call[0].element, std::move(result))};
}

// A fixed number of places for each region of interest.
Answer regions(const Call& call) {
  const auto& shape = call.shape(0);
  const bool is_align = call.node().op == "RoiAlign";
  auto pooled = call.integers("pooled_shape").value_or(std::vector<std::int64_t>());
  if (is_align) pooled = {call.integer("output_height", 1), call.integer("output_width", 1)};
  if (!shape || shape->size() != 4 || !call.shape(1) || call.shape(1)->empty()) {
    return std::vector{tensor_fact(call[0].element, std::nullopt)};
  }
  if (pooled.size() != 2 || pooled[0] < 1 || pooled[1] < 1) {
    return refused("the size of its regions is not positive");
  }
  return std::vector{tensor_fact(call[0].element, Shape{(*call.shape(1))[0], (*shape)[1],
                                                        static_cast<std::uint64_t>(pooled[0]),
                                                        static_cast<std::uint64_t>(pooled[1])})};
}

constexpr auto kRows = std::to_array<RuleRow>({
    {"", "AveragePool", pool},
    {"", "Conv", conv},
    {"", "ConvInteger", conv_integer},
    {"", "ConvTranspose", conv_transpose},
    {"", "DeformConv", conv},
    {"", "GlobalAveragePool", global_pool},
    {"", "GlobalLpPool", global_pool},
    {"", "GlobalMaxPool", global_pool},
    {"", "LpPool", pool},
    {"", "MaxPool", pool},
    {"", "MaxRoiPool", regions},
    {"", "QLinearConv", qlinear_conv},
    {"", "RoiAlign", regions},
    {"com.microsoft", "FusedConv", conv},
    {"com.microsoft", "MaxpoolWithMask", pool},
});

}  // namespace

std::span<const RuleRow> window_rules() {
  return kRows;
}

}  // namespace berth
