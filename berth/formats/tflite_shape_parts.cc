#include "berth/formats/tflite_shape_parts.h"

#include <algorithm>
#include <cstdlib>

namespace berth::tflite {
namespace {

// The elements of one dimension that a strided slice takes.
Numbers taken(std::int64_t dim, std::optional<std::int64_t> begin, std::optional<std::int64_t> end,
              std::int64_t stride) {
  const auto clamped = [&](std::int64_t at) {
    if (at < 0) at += dim;
    return stride > 0 ? std::clamp<std::int64_t>(at, 0, dim)
                      : std::clamp<std::int64_t>(at, -1, dim - 1);
  };
  std::int64_t at = begin ? clamped(*begin) : (stride > 0 ? 0 : dim - 1);
  const std::int64_t stop = end ? clamped(*end) : (stride > 0 ? dim : -1);
  const std::int64_t distance = stride > 0 ? stop - at : at - stop;
  const std::int64_t step = std::abs(stride);
  return {at, std::max<std::int64_t>(0, (distance + step - 1) / step)};
}

}  // namespace

std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank) {
  if (axis < 0) axis += static_cast<std::int64_t>(rank);
  if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) return std::nullopt;
  return static_cast<std::size_t>(axis);
}

// Nothing past 2^62.
std::optional<std::int64_t> product(std::span<const std::int64_t> dims) {
  std::int64_t all = 1;
  for (const std::int64_t dim : dims) {
    if (dim < 0 || (dim != 0 && all > (std::int64_t{1} << 62) / dim)) return std::nullopt;
    all *= dim;
  }
  return all;
}

const Numbers* numbers_of(Operands operands, std::size_t index) {
  if (index >= operands.size() || !operands[index].numbers) return nullptr;
  return &*operands[index].numbers;
}

// --- the same elements otherwise ---

Maybe reshape(const schema::Operator& options, Operands operands) {
  if (operands.empty()) return std::nullopt;
  Dims dims;
  if (const Numbers* given = numbers_of(operands, 1)) {
    dims = *given;
  } else if (operands.size() == 1) {
    const auto* it = options.builtin_options_as_ReshapeOptions();
    if (it == nullptr || it->new_shape() == nullptr) return std::nullopt;
    dims.assign(it->new_shape()->begin(), it->new_shape()->end());
  } else {
    return std::nullopt;
  }
  const auto all = product(operands[0].dims);
  const auto open = std::ranges::find(dims, -1);
  if (open != dims.end()) {
    *open = 1;
    const auto rest = product(dims);
    if (!all || !rest || *rest == 0 || *all % *rest != 0) return std::nullopt;
    *open = *all / *rest;
  }
  if (!all || product(dims) != all) return std::nullopt;
  return {{Shaped{std::move(dims), operands[0].numbers}}};
}

Maybe squeeze(const schema::Operator& options, Operands operands) {
  const auto* it = options.builtin_options_as_SqueezeOptions();
  if (operands.empty()) return std::nullopt;
  const Dims& dims = operands[0].dims;
  std::vector<bool> dropped(dims.size(), false);
  const bool is_told =
      it != nullptr && it->squeeze_dims() != nullptr && it->squeeze_dims()->size() > 0;
  for (std::size_t i = 0; !is_told && i < dims.size(); ++i) dropped[i] = dims[i] == 1;
  for (std::size_t i = 0; is_told && i < it->squeeze_dims()->size(); ++i) {
    const auto axis = axis_of(it->squeeze_dims()->Get(static_cast<unsigned>(i)), dims.size());
    if (!axis || dims[*axis] != 1) return std::nullopt;
    dropped[*axis] = true;
  }
  Dims left;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (!dropped[i]) left.push_back(dims[i]);
  }
  return {{Shaped{std::move(left), operands[0].numbers}}};
}

Maybe expand_dims(Operands operands) {
  const Numbers* axis = numbers_of(operands, 1);
  if (axis == nullptr || axis->size() != 1) return std::nullopt;
  Dims dims = operands[0].dims;
  const auto at = axis_of((*axis)[0], dims.size() + 1);
  if (!at) return std::nullopt;
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(*at), 1);
  return {{Shaped{std::move(dims), operands[0].numbers}}};
}

Maybe transpose(Operands operands) {
  const Numbers* order = numbers_of(operands, 1);
  if (order == nullptr || order->size() != operands[0].dims.size()) return std::nullopt;
  Dims dims;
  for (const std::int64_t axis : *order) {
    const auto at = axis_of(axis, order->size());
    if (!at) return std::nullopt;
    dims.push_back(operands[0].dims[*at]);
  }
  return one(std::move(dims));
}

// Blocks of the plane become channels, or channels a plane.
Maybe blocks(Operands operands, const schema::BlockOptions* options, bool to_depth) {
  if (options == nullptr || operands.empty() || operands[0].dims.size() != 4) return std::nullopt;
  const std::int64_t block = options->block_size();
  if (block <= 0 || block > (1 << 15)) return std::nullopt;
  Dims dims = operands[0].dims;
  if (to_depth) {
    if (dims[1] % block != 0 || dims[2] % block != 0) return std::nullopt;
    return one(Dims{dims[0], dims[1] / block, dims[2] / block, dims[3] * block * block});
  }
  if (dims[3] % (block * block) != 0) return std::nullopt;
  return one(Dims{dims[0], dims[1] * block, dims[2] * block, dims[3] / (block * block)});
}

// --- parts ---

Maybe concatenation(const schema::Operator& options, Operands operands) {
  const auto* it = options.builtin_options_as_ConcatenationOptions();
  if (it == nullptr || operands.empty()) return std::nullopt;
  Shaped result{operands[0].dims, Numbers()};
  const auto axis = axis_of(it->axis(), result.dims.size());
  if (!axis) return std::nullopt;
  result.dims[*axis] = 0;
  for (const Shaped& part : operands) {
    if (part.dims.size() != result.dims.size()) return std::nullopt;
    for (std::size_t i = 0; i < part.dims.size(); ++i) {
      if (i != *axis && part.dims[i] != result.dims[i]) return std::nullopt;
    }
    result.dims[*axis] += part.dims[*axis];
    if (result.dims[*axis] > kMostDim) return std::nullopt;
    if (!part.numbers || result.dims.size() != 1) result.numbers.reset();
    if (result.numbers) {
      result.numbers->insert(result.numbers->end(), part.numbers->begin(), part.numbers->end());
    }
  }
  return {{std::move(result)}};
}

Maybe pack(const schema::Operator& options, Operands operands) {
  const auto* it = options.builtin_options_as_PackOptions();
  if (it == nullptr || operands.empty()) return std::nullopt;
  Shaped result{operands[0].dims, Numbers()};
  const auto axis = axis_of(it->axis(), result.dims.size() + 1);
  if (!axis) return std::nullopt;
  for (const Shaped& part : operands) {
    if (part.dims != operands[0].dims) return std::nullopt;
    const bool is_number = part.dims.empty() && part.numbers && part.numbers->size() == 1;
    if (!is_number) result.numbers.reset();
    if (result.numbers) result.numbers->push_back((*part.numbers)[0]);
  }
  result.dims.insert(result.dims.begin() + static_cast<std::ptrdiff_t>(*axis),
                     static_cast<std::int64_t>(operands.size()));
  return {{std::move(result)}};
}

Maybe unpack(const schema::Operator& options, Operands operands, std::size_t results) {
  const auto* it = options.builtin_options_as_UnpackOptions();
  if (it == nullptr || operands.empty()) return std::nullopt;
  Dims dims = operands[0].dims;
  const auto axis = axis_of(it->axis(), dims.size());
  if (!axis || dims[*axis] != static_cast<std::int64_t>(results)) return std::nullopt;
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(*axis));
  std::vector<Shaped> parts(results, Shaped{dims, std::nullopt});
  for (std::size_t i = 0; operands[0].numbers && dims.empty() && i < results; ++i) {
    parts[i].numbers = Numbers{(*operands[0].numbers)[i]};
  }
  return parts;
}

Maybe split(Operands operands, std::size_t results) {
  const Numbers* axis = numbers_of(operands, 0);
  if (axis == nullptr || axis->size() != 1 || operands.size() != 2) return std::nullopt;
  Dims dims = operands[1].dims;
  const auto at = axis_of((*axis)[0], dims.size());
  const auto parts = static_cast<std::int64_t>(results);
  if (!at || parts == 0 || dims[*at] % parts != 0) return std::nullopt;
  dims[*at] /= parts;
  return std::vector<Shaped>(results, Shaped{dims, std::nullopt});
}

Maybe split_by_sizes(Operands operands, std::size_t results) {
  const Numbers* sizes = numbers_of(operands, 1);
  const Numbers* axis = numbers_of(operands, 2);
  if (sizes == nullptr || axis == nullptr || axis->size() != 1) return std::nullopt;
  const Dims& dims = operands[0].dims;
  const auto at = axis_of((*axis)[0], dims.size());
  if (!at || sizes->size() != results) return std::nullopt;
  std::int64_t rest = dims[*at];
  for (const std::int64_t size : *sizes) rest -= std::max<std::int64_t>(size, 0);
  std::vector<Shaped> parts;
  for (const std::int64_t size : *sizes) {
    parts.push_back({dims, std::nullopt});
    parts.back().dims[*at] = size < 0 ? rest : size;
    if (parts.back().dims[*at] < 0) return std::nullopt;
  }
  return parts;
}

Maybe slice(Operands operands) {
  const Numbers* begin = numbers_of(operands, 1);
  const Numbers* size = numbers_of(operands, 2);
  if (begin == nullptr || size == nullptr) return std::nullopt;
  Shaped result{operands[0].dims, std::nullopt};
  if (begin->size() != result.dims.size() || size->size() != result.dims.size()) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < result.dims.size(); ++i) {
    const std::int64_t left = result.dims[i] - (*begin)[i];
    const std::int64_t taken = (*size)[i] == -1 ? left : (*size)[i];
    if ((*begin)[i] < 0 || taken < 0 || taken > left) return std::nullopt;
    result.dims[i] = taken;
  }
  if (operands[0].numbers && result.dims.size() == 1) {
    const auto first = operands[0].numbers->begin() + (*begin)[0];
    result.numbers = Numbers(first, first + result.dims[0]);
  }
  return {{std::move(result)}};
}

Maybe strided_slice(const schema::Operator& options, Operands operands) {
  const auto* it = options.builtin_options_as_StridedSliceOptions();
  const Numbers* begin = numbers_of(operands, 1);
  const Numbers* end = numbers_of(operands, 2);
  const Numbers* stride = numbers_of(operands, 3);
  if (it == nullptr || begin == nullptr || end == nullptr || stride == nullptr) return std::nullopt;
  const Dims& dims = operands[0].dims;
  const bool is_plain = it->ellipsis_mask() == 0 && it->new_axis_mask() == 0 && !it->offset();
  const bool agree = begin->size() == end->size() && begin->size() == stride->size() &&
                     begin->size() <= dims.size() && begin->size() < 31;
  if (!is_plain || !agree) return std::nullopt;
  Shaped result;
  std::optional<Numbers> first;  // of a vector: where it begins, and how many it takes
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i >= begin->size()) {
      result.dims.push_back(dims[i]);
      continue;
    }
    const auto has = [&](std::int32_t mask) { return (mask >> i & 1) != 0; };
    if ((*stride)[i] == 0 || std::abs((*stride)[i]) > kMostDim) return std::nullopt;
    if (has(it->shrink_axis_mask())) {
      const std::int64_t at = (*begin)[i] < 0 ? (*begin)[i] + dims[i] : (*begin)[i];
      if (at < 0 || at >= dims[i]) return std::nullopt;
      first = Numbers{at, 1};
      continue;
    }
    first = taken(dims[i], has(it->begin_mask()) ? std::nullopt : std::optional((*begin)[i]),
                  has(it->end_mask()) ? std::nullopt : std::optional((*end)[i]), (*stride)[i]);
    result.dims.push_back((*first)[1]);
  }
  if (operands[0].numbers && dims.size() == 1 && first) {
    result.numbers.emplace();
    for (std::int64_t i = 0; i < (*first)[1]; ++i) {
      const auto at = static_cast<std::size_t>((*first)[0] + i * (*stride)[0]);
      result.numbers->push_back((*operands[0].numbers)[at]);
    }
  }
  return {{std::move(result)}};
}

Maybe gather(const schema::Operator& options, Operands operands) {
  const auto* it = options.builtin_options_as_GatherOptions();
  if (operands.size() < 2 || (it != nullptr && it->batch_dims() != 0)) return std::nullopt;
  const Dims& table = operands[0].dims;
  const auto axis = axis_of(it == nullptr ? 0 : it->axis(), table.size());
  if (!axis) return std::nullopt;
  Shaped result;
  result.dims.assign(table.begin(), table.begin() + static_cast<std::ptrdiff_t>(*axis));
  result.dims.insert(result.dims.end(), operands[1].dims.begin(), operands[1].dims.end());
  result.dims.insert(result.dims.end(), table.begin() + static_cast<std::ptrdiff_t>(*axis) + 1,
                     table.end());
  const Numbers* picked = numbers_of(operands, 1);
  if (operands[0].numbers && picked != nullptr && table.size() == 1) {
    result.numbers.emplace();
    for (const std::int64_t at : *picked) {
      if (at < 0 || at >= table[0]) return std::nullopt;
      result.numbers->push_back((*operands[0].numbers)[static_cast<std::size_t>(at)]);
    }
  }
  return {{std::move(result)}};
}

Maybe gather_nd(Operands operands) {
  if (operands.size() != 2 || operands[1].dims.empty()) return std::nullopt;
  const Dims& table = operands[0].dims;
  const Dims& picked = operands[1].dims;
  if (picked.back() < 0 || picked.back() > static_cast<std::int64_t>(table.size())) {
    return std::nullopt;
  }
  Dims dims(picked.begin(), picked.end() - 1);
  dims.insert(dims.end(), table.begin() + picked.back(), table.end());
  return one(std::move(dims));
}

// --- more or fewer elements ---

Maybe padded(Operands operands) {
  const Numbers* by = numbers_of(operands, 1);
  if (by == nullptr) return std::nullopt;
  Dims dims = operands[0].dims;
  if (by->size() != 2 * dims.size()) return std::nullopt;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if ((*by)[2 * i] < 0 || (*by)[2 * i + 1] < 0) return std::nullopt;
    if (std::max((*by)[2 * i], (*by)[2 * i + 1]) > kMostDim) return std::nullopt;
    dims[i] += (*by)[2 * i] + (*by)[2 * i + 1];
  }
  return one(std::move(dims));
}

Maybe tiled(Operands operands) {
  const Numbers* times = numbers_of(operands, 1);
  if (times == nullptr || times->size() != operands[0].dims.size()) return std::nullopt;
  Dims dims = operands[0].dims;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if ((*times)[i] < 0 || std::max((*times)[i], dims[i]) > kMostDim) return std::nullopt;
    dims[i] *= (*times)[i];
  }
  return one(std::move(dims));
}

Maybe reduced(std::string_view name, const schema::Operator& options, Operands operands) {
  const auto* it = options.builtin_options_as_ReducerOptions();
  const Numbers* axes = numbers_of(operands, 1);
  if (axes == nullptr) return std::nullopt;
  const Dims& dims = operands[0].dims;
  std::vector<bool> gone(dims.size(), false);
  for (const std::int64_t axis : *axes) {
    const auto at = axis_of(axis, dims.size());
    if (!at) return std::nullopt;
    gone[*at] = true;
  }
  Shaped result;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (!gone[i]) result.dims.push_back(dims[i]);
    if (gone[i] && it != nullptr && it->keep_dims()) result.dims.push_back(1);
  }
  const bool is_product = name == "REDUCE_PROD" && dims.size() == 1 && gone[0];
  if (is_product && operands[0].numbers) {
    if (const auto all = product(*operands[0].numbers)) result.numbers = Numbers{*all};
  }
  return {{std::move(result)}};
}

Maybe arg_reduced(Operands operands) {
  const Numbers* axis = numbers_of(operands, 1);
  if (axis == nullptr || axis->size() != 1) return std::nullopt;
  Dims dims = operands[0].dims;
  const auto at = axis_of((*axis)[0], dims.size());
  if (!at) return std::nullopt;
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(*at));
  return one(std::move(dims));
}

Maybe resized(Operands operands) {
  const Numbers* size = numbers_of(operands, 1);
  if (size == nullptr || size->size() != 2 || operands[0].dims.size() != 4) return std::nullopt;
  const Dims& dims = operands[0].dims;
  return one(Dims{dims[0], (*size)[0], (*size)[1], dims[3]});
}

Maybe given(Operands operands, std::size_t index) {
  const Numbers* dims = numbers_of(operands, index);
  return dims == nullptr ? std::nullopt : one(*dims);
}

Maybe range(Operands operands) {
  const Numbers* start = numbers_of(operands, 0);
  const Numbers* limit = numbers_of(operands, 1);
  const Numbers* step = numbers_of(operands, 2);
  for (const Numbers* it : {start, limit, step}) {
    if (it == nullptr || it->size() != 1 || std::abs((*it)[0]) > kMostDim) return std::nullopt;
  }
  const std::int64_t by = (*step)[0];
  if (by == 0) return std::nullopt;
  const std::int64_t distance = by > 0 ? (*limit)[0] - (*start)[0] : (*start)[0] - (*limit)[0];
  return one(Dims{distance <= 0 ? 0 : (distance + std::abs(by) - 1) / std::abs(by)});
}

Maybe shape_of(Operands operands) {
  if (operands.empty()) return std::nullopt;
  const Dims& dims = operands[0].dims;
  return {{Shaped{{static_cast<std::int64_t>(dims.size())}, dims}}};
}

}  // namespace berth::tflite
