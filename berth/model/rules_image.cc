// Images, grids and fields that operators are told the size of, and determinants
// (https://onnx.ai/onnx/operators/: onnx__AffineGrid, onnx__CenterCropPad, onnx__Col2Im, onnx__Det,
// onnx__ImageDecoder, onnx__MaxUnpool; CropAndResize is ONNX Runtime's).
#include <fmt/format.h>

#include <array>
#include <utility>

#include "berth/model/dims.h"
#include "berth/model/rule.h"

namespace berth {
namespace {

// The sizes that an operand of ints says; of how many where that alone is known; else nothing.
tl::expected<std::optional<Shape>, std::string> told_sizes(const Call& call, std::size_t input) {
  const Fact& fact = call[input];
  if (fact.numbers && std::holds_alternative<Numbers::Ints>(fact.numbers->list)) {
    Shape sizes;
    for (const auto& size : std::get<Numbers::Ints>(fact.numbers->list)) {
      if (size && *size < 0) return refused(fmt::format("it asks for a dimension of {}", *size));
      sizes.push_back(size ? size_from(*size) : Dim());
    }
    return sizes;
  }
  const Dim count = fact.shape && fact.shape->size() == 1 ? fact.shape->front() : Dim();
  if (!count || *count > kMostNumbers) return std::nullopt;
  return Shape(static_cast<std::size_t>(*count));
}

// A place on the grid for each place of an image of the size that is told: [N, C, places...].
Answer affine_grid(const Call& call) {
  const auto sizes = told_sizes(call, 1);
  if (!sizes) return refused(sizes.error());
  Fact result = tensor_fact(call[0].element, std::nullopt);
  if (!*sizes) return std::vector{std::move(result)};
  if ((*sizes)->size() != 4 && (*sizes)->size() != 5) {
    return refused(
        fmt::format("it is told a size of {} axes; it takes four or five", (*sizes)->size()));
  }
  result.shape = Shape{either((**sizes)[0], dim_of(call.shape(0), 0))};
  result.shape->insert(result.shape->end(), (*sizes)->begin() + 2, (*sizes)->end());
  result.shape->emplace_back((*sizes)->size() - 2);
  return std::vector{std::move(result)};
}

Answer center_crop_pad(const Call& call) {
  Fact result = tensor_fact(call[0].element, call.shape(0));
  if (!result.shape) return std::vector{std::move(result)};
  const auto sizes = told_sizes(call, 1);
  if (!sizes) return refused(sizes.error());
  const auto axes = call.integers("axes");
  const std::size_t count = axes ? axes->size() : result.shape->size();
  if (*sizes && (*sizes)->size() != count) {
    return refused(fmt::format("it is told {} sizes for {} axes", (*sizes)->size(), count));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = axes ? axis_of((*axes)[i], result.shape->size()) : std::optional(i);
    if (!at) {
      return refused(fmt::format("its operand of shape {} has no axis {}", text_of(call.shape(0)),
                                 (*axes)[i]));
    }
    (*result.shape)[*at] = *sizes ? (**sizes)[i] : Dim();
  }
  return std::vector{std::move(result)};
}

// Blocks of [N, channels x places of a block, blocks] put back into images.
Answer blocks_to_image(const Call& call) {
  const auto image = told_sizes(call, 1);
  if (!image) return refused(image.error());
  const auto block = told_sizes(call, 2);
  if (!block) return refused(block.error());
  const auto& shape = call.shape(0);
  if (shape && shape->size() != 3) {
    return refused(fmt::format("its operand has shape {}; it takes three axes", text_of(shape)));
  }
  Fact result = tensor_fact(call[0].element, std::nullopt);
  const auto& axes = *image ? *image : *block;
  if (!axes) return std::vector{std::move(result)};
  const std::uint64_t places = (*block ? count_of(**block) : std::nullopt).value_or(0);
  const std::uint64_t rows = dim_of(shape, 1).value_or(0);
  if (places != 0 && rows % places != 0) {
    return refused(fmt::format("its operand of shape {} has no whole blocks of {} places",
                               text_of(shape), places));
  }
  const bool is_known = places != 0 && dim_of(shape, 1).has_value();
  const Dim channels = is_known ? Dim(rows / places) : Dim();
  result.shape = Shape{dim_of(shape, 0), channels};
  const Shape sizes = *image ? **image : Shape(axes->size());
  result.shape->insert(result.shape->end(), sizes.begin(), sizes.end());
  return std::vector{std::move(result)};
}

// As large as what was pooled, where every window took a whole stride; or as told.
Answer max_unpool(const Call& call) {
  Fact result = tensor_fact(call[0].element, call.shape(0));
  if (call.given(2)) {
    const auto sizes = told_sizes(call, 2);
    if (!sizes) return refused(sizes.error());
    result.shape = *sizes ? *sizes : call.shape(0) ? Shape(call.shape(0)->size()) : *sizes;
    return std::vector{std::move(result)};
  }
  const auto kernel = call.integers("kernel_shape");
  if (!kernel) return refused("it has no kernel_shape");
  if (!result.shape) return std::vector{std::move(result)};
  const std::size_t axes = kernel->size();
  const auto strides = call.integers("strides").value_or(std::vector<std::int64_t>(axes, 1));
  const auto pads = call.integers("pads").value_or(std::vector<std::int64_t>(2 * axes, 0));
  if (result.shape->size() != axes + 2 || strides.size() != axes || pads.size() != 2 * axes) {
    return refused(fmt::format(
        "its kernel has {} axes, its operand of shape {} {}, its strides "
        "{}, its pads {} (two an axis)",
        axes, text_of(result.shape), result.shape->size(), strides.size(), pads.size()));
  }
  for (std::size_t i = 0; i < axes; ++i) {
    Dim& dim = (*result.shape)[i + 2];
    if (!dim) continue;
    __extension__ using Wide = __int128;
    if (*dim > std::uint64_t{1} << 40 || strides[i] < 1 || strides[i] > std::int64_t{1} << 40) {
      return refused(fmt::format("along axis {} its stride is {}", i + 2, strides[i]));
    }
    const Wide length = (Wide(*dim) - 1) * strides[i] + (*kernel)[i] - pads[i] - pads[axes + i];
    if (length < 0 || length > Wide(1) << 62) {
      return refused(fmt::format("along axis {} its result has no size", i + 2));
    }
    dim = static_cast<std::uint64_t>(length);
  }
  return std::vector{std::move(result)};
}

// How large an image is, its bytes say.
Answer image_decoder(const Call& call) {
  const bool is_gray = call.text("pixel_format", "RGB") == "Grayscale";
  return std::vector{tensor_fact(Dtype::of("uint8"), Shape{Dim(), Dim(), is_gray ? 1 : 3})};
}

Answer determinant(const Call& call) {
  std::optional<Shape> shape = call.shape(0);
  if (shape && shape->size() < 2) {
    return refused(fmt::format("its operand has shape {}; it takes matrices", text_of(shape)));
  }
  if (shape) shape->resize(shape->size() - 2);
  return std::vector{tensor_fact(call[0].element, std::move(shape))};
}

// A piece of the image for each region, of the size that is told.
Answer crop_and_resize(const Call& call) {
  const auto sizes = told_sizes(call, 3);
  if (!sizes) return refused(sizes.error());
  return std::vector{
      tensor_fact(call[0].element, Shape{dim_of(call.shape(1), 0), dim_of(call.shape(0), 1),
                                         dim_of(*sizes, 0), dim_of(*sizes, 1)})};
}

constexpr auto kRows = std::to_array<RuleRow>({
    {"", "AffineGrid", affine_grid},
    {"", "CenterCropPad", center_crop_pad},
    {"", "Col2Im", blocks_to_image},
    {"", "Det", determinant},
    {"", "ImageDecoder", image_decoder},
    {"", "MaxUnpool", max_unpool},
    {"com.microsoft", "CropAndResize", crop_and_resize},
});

}  // namespace

std::span<const RuleRow> image_rules() {
  return kRows;
}

}  // namespace berth
