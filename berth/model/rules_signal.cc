// Windows, spectra and what is computed of them (https://onnx.ai/onnx/operators/onnx__DFT.html,
// onnx__STFT.html, onnx__HannWindow.html, onnx__MelWeightMatrix.html; Rfft and Irfft are ONNX
// Runtime's).
#include <fmt/format.h>

#include <array>
#include <utility>

#include "berth/ir/element_code.h"
#include "berth/model/dims.h"
#include "berth/model/rule.h"

namespace berth {
namespace {

// The one number that an operand is; nothing where only the run knows it.
std::optional<std::int64_t> number_of(const Call& call, std::size_t input) {
  const auto numbers = call.ints(input);
  return numbers && numbers->size() == 1 ? std::optional(numbers->front()) : std::nullopt;
}

using Length = tl::expected<Dim, std::string>;

Length length_of(const Call& call, std::size_t input, const char* what) {
  const auto number = number_of(call, input);
  if (!number) return Dim();
  if (*number < 0) return refused(fmt::format("its {} is {}", what, *number));
  return size_from(*number);
}

// As many frequencies as are not the mirror of others.
Dim one_sided(const Dim& length) {
  return length ? Dim(*length / 2 + 1) : Dim();
}

std::optional<Dtype> told_element(const Call& call) {
  return element_of_code(call.integer("output_datatype", 1));
}

Answer window(const Call& call) {
  const Length length = length_of(call, 0, "length");
  if (!length) return refused(length.error());
  return std::vector{tensor_fact(told_element(call), Shape{*length})};
}

// A row for each frequency of the spectrum.
Answer mel_weights(const Call& call) {
  const Length bins = length_of(call, 0, "number of bands");
  if (!bins) return refused(bins.error());
  const Length length = length_of(call, 1, "length");
  if (!length) return refused(length.error());
  return std::vector{tensor_fact(told_element(call), Shape{one_sided(*length), *bins})};
}

// Along one axis; the last one is of real and imaginary parts. The axis was an attribute in version
// 17, and an operand is since.
Answer dft(const Call& call) {
  const auto& shape = call.shape(0);
  Fact result = tensor_fact(call[0].element, std::nullopt);
  if (!shape) return std::vector{std::move(result)};
  if (shape->size() < 2) {
    return refused(
        fmt::format("its operand has shape {}; its last axis is of complex parts", text_of(shape)));
  }
  const bool is_half = call.integer("onesided", 0) != 0;
  const bool is_inverse = call.integer("inverse", 0) != 0;
  const bool is_real = is_half && is_inverse;
  Shape spectrum = *shape;
  spectrum.back() = is_real ? 1 : 2;
  const bool is_attribute = call.opset() < 20 && call.opset() > 0;
  const auto said = is_attribute     ? std::optional(call.integer("axis", 1))
                    : !call.given(2) ? std::optional<std::int64_t>(-2)
                                     : number_of(call, 2);
  const bool is_changed = is_half || call.given(1);
  if (!said) {
    // Which axis changes is not known.
    for (std::size_t i = 0; is_changed && i + 1 < spectrum.size(); ++i) spectrum[i].reset();
    result.shape = std::move(spectrum);
    return std::vector{std::move(result)};
  }
  const auto axis = axis_of(*said, shape->size());
  if (!axis || *axis + 1 == shape->size()) {
    return refused(
        fmt::format("its operand of shape {} has no signal along axis {}", text_of(shape), *said));
  }
  Dim length = (*shape)[*axis];
  if (call.given(1)) {
    const Length given = length_of(call, 1, "length");
    if (!given) return refused(given.error());
    length = *given;
  } else if (is_real && length) {
    length = *length > 0 ? times(*length - 1, 2) : Dim(0);
  }
  spectrum[*axis] = is_half && !is_inverse ? one_sided(length) : length;
  result.shape = std::move(spectrum);
  return std::vector{std::move(result)};
}

// [batch, frames, frequencies, 2]: a spectrum each `step` samples, while a whole frame is left.
Answer stft(const Call& call) {
  const auto& signal = call.shape(0);
  if (signal && signal->size() != 2 && signal->size() != 3) {
    return refused(
        fmt::format("its signal has shape {}; it takes [batch, length, 1 or 2]", text_of(signal)));
  }
  Length frame = Dim();
  if (call.given(3)) frame = length_of(call, 3, "frame length");
  if (!frame) return refused(frame.error());
  if (!*frame && call.given(2) && call.shape(2) && call.shape(2)->size() == 1) {
    frame = call.shape(2)->front();
  }
  const auto step = number_of(call, 1);
  if (step && *step < 1) return refused(fmt::format("its frames are {} apart", *step));
  const Dim length = dim_of(signal, 1);
  if (length && *frame && **frame > *length) {
    return refused(fmt::format("its signal of shape {} is shorter than a frame of {}",
                               text_of(signal), **frame));
  }
  Dim frames;
  if (length && *frame && step) {
    frames = (*length - **frame) / static_cast<std::uint64_t>(*step) + 1;
  }
  const bool is_half = call.integer("onesided", 1) != 0;
  return std::vector{tensor_fact(
      call[0].element, Shape{dim_of(signal, 0), frames, is_half ? one_sided(*frame) : *frame, 2})};
}

// Along the last axis, real to complex and back.
Answer real_fft(const Call& call) {
  std::optional<Shape> shape = call.shape(0);
  if (shape && !shape->empty()) {
    shape->back() = one_sided(shape->back());
    shape->emplace_back(2);
  }
  return std::vector{tensor_fact(call[0].element, std::move(shape))};
}

Answer inverse_real_fft(const Call& call) {
  std::optional<Shape> shape = call.shape(0);
  if (shape && shape->size() >= 2) {
    shape->pop_back();
    Dim& length = shape->back();
    length = length && *length > 0 ? times(*length - 1, 2) : length;
  }
  return std::vector{tensor_fact(call[0].element, std::move(shape))};
}

constexpr auto kRows = std::to_array<RuleRow>({
    {"", "BlackmanWindow", window},
    {"", "DFT", dft},
    {"", "HammingWindow", window},
    {"", "HannWindow", window},
    {"", "MelWeightMatrix", mel_weights},
    {"", "STFT", stft},
    {"com.microsoft", "Irfft", inverse_real_fft},
    {"com.microsoft", "Rfft", real_fft},
});

}  // namespace

std::span<const RuleRow> signal_rules() {
  return kRows;
}

}  // namespace berth
