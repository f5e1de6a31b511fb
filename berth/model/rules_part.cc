// Operators that cut along axes, or join.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "berth/model/numbers.h"
#include "berth/model/rule.h"

namespace berth {
namespace {

std::string no_axis(const Call& call, std::int64_t axis) {
  return fmt::format("its operand of shape {} has no axis {}", text_of(call.shape(0)), axis);
}

// A cut along some axes.
struct Cut {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};

// The elements of a tensor of this shape that the cuts (one an axis) leave, in order.
std::vector<std::size_t> cut_indices(const Shape& shape, const std::vector<Cut>& cuts) {
  // Also where other axes are too long to walk.
  if (std::ranges::any_of(cuts, [](const Cut& cut) { return cut.count == 0; })) return {};
  std::vector<std::size_t> indices = {0};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::vector<std::size_t> next;
    for (const std::size_t base : indices) {
      for (std::int64_t k = 0; k < cuts[axis].count; ++k) {
        const auto at = static_cast<std::size_t>(cuts[axis].first + k * cuts[axis].step);
        next.push_back(base * static_cast<std::size_t>(*shape[axis]) + at);
      }
    }
    indices = std::move(next);
  }
  return indices;
}

std::vector<Cut> whole(const Shape& shape) {
  std::vector<Cut> cuts;
  for (const Dim& dim : shape) cuts.push_back({0, 1, static_cast<std::int64_t>(*dim)});
  return cuts;
}

// --- Concat ---

// As shapes are put together. Of a part of which nothing but the shape is known, no element is.
std::optional<Numbers> joined_numbers(const Call& call, const Shape& result, std::size_t axis) {
  if (!is_followed(result)) return std::nullopt;
  std::optional<bool> is_of_ints;
  for (std::size_t i = 0; i < call.inputs(); ++i) {
    if (!is_followed(call.shape(i))) return std::nullopt;
    if (!call[i].numbers) continue;
    if (is_of_ints.value_or(is_int(*call[i].numbers)) != is_int(*call[i].numbers)) {
      return std::nullopt;
    }
    is_of_ints = is_int(*call[i].numbers);
  }
  if (!is_of_ints) return std::nullopt;
  Numbers all;
  std::vector<std::size_t> order(Grid(result).size());
  std::size_t before = 0;  // along the axis
  std::size_t next = 0;
  for (std::size_t i = 0; i < call.inputs(); ++i) {
    const Grid part(*call.shape(i));
    for (std::size_t k = 0; k < part.size(); ++k) {
      auto place = part.place(k);
      place[axis] += before;
      order[Grid(result).index(place)] = next++;
    }
    before += part.dim(axis);
    const Numbers unknown =
        *is_of_ints ? Numbers{Numbers::Ints(part.size())} : Numbers{Numbers::Reals(part.size())};
    const Numbers& more = call[i].numbers ? *call[i].numbers : unknown;
    all = i == 0 ? more : *joined_lists(all, more);
  }
  return picked(all, order);
}

Answer concat(const Call& call) {
  Fact fact = tensor_fact(call[0].element, call.shape(0));
  if (!fact.shape || call.inputs() == 0) return std::vector{std::move(fact)};
  const std::int64_t axis = call.integer("axis", 1);  // by default, before version 4
  const auto at = axis_of(axis, fact.shape->size());
  if (!at) return refused(no_axis(call, axis));
  Shape& result = *fact.shape;
  for (std::size_t i = 1; i < call.inputs(); ++i) {
    const auto& part = call.shape(i);
    if (!part) {
      result[*at].reset();
      continue;
    }
    if (part->size() != result.size()) {
      return refused(
          fmt::format("its operands have shapes {} and {}", text_of(call.shape(0)), text_of(part)));
    }
    for (std::size_t k = 0; k < result.size(); ++k) {
      if (k == *at) continue;
      if (result[k] && (*part)[k] && result[k] != (*part)[k]) {
        return refused(fmt::format("its operands of shape {} and {} differ along axis {}",
                                   text_of(call.shape(0)), text_of(part), k));
      }
      if (!result[k]) result[k] = (*part)[k];
    }
    std::uint64_t sum = 0;
    if (result[*at] && (*part)[*at] && !__builtin_add_overflow(*result[*at], *(*part)[*at], &sum)) {
      result[*at] = sum;
    } else {
      result[*at].reset();
    }
  }
  fact.numbers = joined_numbers(call, result, *at);
  return std::vector{std::move(fact)};
}

// --- Split ---

// How long each part is; empty where that is not known.
tl::expected<std::vector<Dim>, std::string> part_lengths(const Call& call, const Dim& length) {
  const std::size_t parts = call.outputs();
  if (call.opset() >= 18 && call.integer("num_outputs", static_cast<std::int64_t>(parts)) !=
                                static_cast<std::int64_t>(parts)) {
    return refused(fmt::format("it is told {} parts, and has {} results",
                               call.integer("num_outputs", 0), parts));
  }
  if (call.is_given("split", 1)) {
    const auto lengths = call.ints_of("split", 1, {});
    if (!lengths) return std::vector<Dim>(parts);
    std::vector<Dim> result;
    std::uint64_t sum = 0;
    for (const std::int64_t part : *lengths) {
      if (part < 0) return refused(fmt::format("it cuts a part of {}", part));
      result.emplace_back(static_cast<std::uint64_t>(part));
      if (__builtin_add_overflow(sum, *result.back(), &sum)) sum = UINT64_MAX;
    }
    if (result.size() != parts || (length && sum != *length)) {
      return refused(fmt::format("it cuts {} into {} parts that add up to {}, and has {} results",
                                 length ? fmt::format("{}", *length) : "an axis", result.size(),
                                 sum, parts));
    }
    return result;
  }
  if (!length || parts == 0) return std::vector<Dim>(parts);
  // Equal parts; the last one may be shorter since version 18.
  const std::uint64_t each = *length / parts + (*length % parts == 0 ? 0 : 1);
  if (*length % parts != 0 && (call.opset() < 18 || each * (parts - 1) > *length)) {
    return refused(fmt::format("{} cannot be cut into {} equal parts", *length, parts));
  }
  std::vector<Dim> result(parts, each);
  result.back() = *length - each * (parts - 1);
  return result;
}

Answer split(const Call& call) {
  std::vector<Fact> results(call.outputs(), tensor_fact(call[0].element, std::nullopt));
  const auto& shape = call.shape(0);
  if (!shape) return results;
  const auto axis = axis_of(call.integer("axis", 0), shape->size());
  if (!axis) return refused(no_axis(call, call.integer("axis", 0)));
  const auto lengths = part_lengths(call, (*shape)[*axis]);
  if (!lengths) return refused(lengths.error());
  std::int64_t first = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].shape = *shape;
    const Dim length = i < lengths->size() ? (*lengths)[i] : Dim();
    (*results[i].shape)[*axis] = length;
    if (!length || !call[0].numbers || !is_known(*shape)) continue;
    auto cuts = whole(*shape);
    cuts[*axis] = {first, 1, static_cast<std::int64_t>(*length)};
    results[i].numbers = picked(*call[0].numbers, cut_indices(*shape, cuts));
    first += static_cast<std::int64_t>(*length);
  }
  return results;
}

// --- Slice ---

// Where a slice begins and how far it goes, within an axis.
Cut cut_of(std::int64_t length, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (length == 0) return {0, 1, 0};
  const auto bound = [&](std::int64_t at, std::int64_t low, std::int64_t high) {
    if (at < 0) at = std::max(at, -length - 1) + length;
    return std::clamp(at, low, high);
  };
  // Backwards, an end before the first element takes that one too; a start there is that one.
  const bool forward = step > 0;
  const std::int64_t first = bound(start, 0, forward ? length : length - 1);
  const std::int64_t last = forward ? bound(end, 0, length) : bound(end, -1, length - 1);
  const std::int64_t reach = forward ? last - first : first - last;
  if (reach <= 0) return {0, 1, 0};
  // A step of the least integer has no negative.
  const std::int64_t stride = step == INT64_MIN ? INT64_MAX : std::abs(step);
  return {first, forward ? stride : -stride, (reach - 1) / stride + 1};
}

Answer slice(const Call& call) {
  Fact fact = tensor_fact(call[0].element, std::nullopt);
  const auto& shape = call.shape(0);
  if (!shape) return std::vector{std::move(fact)};
  const auto starts = call.ints_of("starts", 1, {});
  const auto ends = call.ints_of("ends", 2, {});
  std::optional<std::size_t> cut_axes;  // how many, where that alone is known
  if (starts) cut_axes = starts->size();
  std::vector<std::int64_t> in_order(cut_axes.value_or(0));
  std::iota(in_order.begin(), in_order.end(), 0);
  const auto axes = call.ints_of("axes", 3, in_order);
  const auto steps =
      call.ints_of("steps", 4, std::vector<std::int64_t>(axes ? axes->size() : 0, 1));
  if (!axes || (!call.given(3) && !cut_axes && !call.integers("axes"))) {
    fact.shape = Shape(shape->size());
    return std::vector{std::move(fact)};
  }
  Shape result = *shape;
  std::vector<Cut> cuts(shape->size());
  for (std::size_t i = 0; i < shape->size(); ++i) {
    if (const Dim& dim = (*shape)[i]; dim) cuts[i].count = static_cast<std::int64_t>(*dim);
  }
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const auto at = axis_of((*axes)[i], shape->size());
    if (!at) return refused(no_axis(call, (*axes)[i]));
    result[*at].reset();
    const Dim& length = (*shape)[*at];
    const bool is_said = starts && ends && steps && i < starts->size() && i < ends->size() &&
                         i < steps->size() && length &&
                         *length <= static_cast<std::uint64_t>(INT64_MAX - 1);
    if (!is_said) continue;
    if ((*steps)[i] == 0) return refused("it cuts in steps of 0");
    cuts[*at] = cut_of(static_cast<std::int64_t>(*length), (*starts)[i], (*ends)[i], (*steps)[i]);
    result[*at] = static_cast<std::uint64_t>(cuts[*at].count);
  }
  fact.shape = std::move(result);
  if (call[0].numbers && is_known(*shape) && is_known(*fact.shape)) {
    fact.numbers = picked(*call[0].numbers, cut_indices(*shape, cuts));
  }
  return std::vector{std::move(fact)};
}

// --- Pad and Tile ---

// Around a list; what is put there is an operand since version 11.
std::optional<Numbers> padded_numbers(const Call& call, const std::vector<std::int64_t>& axes,
                                      const std::vector<std::int64_t>& pads, const Shape& result) {
  const bool is_list = result.size() == 1 && axes.size() == 1 && is_followed(result);
  if (!call[0].numbers || !is_list || call.text("mode", "constant") != "constant") {
    return std::nullopt;
  }
  const bool is_default = !call.given(2);
  if (!is_default && (!call[2].numbers || size_of(*call[2].numbers) != 1)) return std::nullopt;
  if (is_default && call.opset() < 11) return std::nullopt;
  const Numbers zero =
      is_int(*call[0].numbers) ? Numbers{Numbers::Ints{0}} : Numbers{Numbers::Reals{0.0}};
  const auto with_filler = joined_lists(is_default ? zero : *call[2].numbers, *call[0].numbers);
  if (!with_filler) return std::nullopt;
  const auto length = static_cast<std::int64_t>(size_of(*call[0].numbers));
  std::vector<std::size_t> indices;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(*result[0]); ++i) {
    const std::int64_t at = i - pads[0];
    indices.push_back(at >= 0 && at < length ? static_cast<std::size_t>(at) + 1 : 0);
  }
  return picked(*with_filler, indices);
}

Answer pad(const Call& call) {
  Fact fact = tensor_fact(call[0].element, std::nullopt);
  const auto& shape = call.shape(0);
  if (!shape) return std::vector{std::move(fact)};
  const std::size_t rank = shape->size();
  std::vector<std::int64_t> in_order(rank);
  std::iota(in_order.begin(), in_order.end(), 0);
  const auto axes = call.ints_of("axes", 3, in_order);
  auto pads = call.ints_of("pads", 1, {});
  if (!call.given(1) && !call.integers("pads")) pads = call.integers("paddings");  // version 1
  fact.shape = Shape(rank);
  if (!axes || !pads) return std::vector{std::move(fact)};
  if (pads->size() != 2 * axes->size()) {
    return refused(fmt::format("it has {} pads for {} axes", pads->size(), axes->size()));
  }
  fact.shape = *shape;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const auto at = axis_of((*axes)[i], rank);
    if (!at) return refused(no_axis(call, (*axes)[i]));
    Dim& dim = (*fact.shape)[*at];
    if (!dim) continue;
    __extension__ const __int128 length =
        static_cast<__int128>(*dim) + (*pads)[i] + (*pads)[axes->size() + i];
    if (length < 0 || length > std::numeric_limits<std::int64_t>::max()) {
      return refused(fmt::format("its pads {} and {} leave axis {} of shape {} no size", (*pads)[i],
                                 (*pads)[axes->size() + i], (*axes)[i], text_of(shape)));
    }
    dim = static_cast<std::uint64_t>(length);
  }
  fact.numbers = padded_numbers(call, *axes, *pads, *fact.shape);
  return std::vector{std::move(fact)};
}

Answer tile(const Call& call) {
  Fact fact = tensor_fact(call[0].element, std::nullopt);
  const auto& shape = call.shape(0);
  if (!shape) return std::vector{std::move(fact)};
  const auto repeats = call.ints(1);
  fact.shape = Shape(shape->size());
  if (!repeats) return std::vector{std::move(fact)};
  if (repeats->size() != shape->size()) {
    return refused(fmt::format("it has {} repeats for an operand of shape {}", repeats->size(),
                               text_of(shape)));
  }
  for (std::size_t i = 0; i < repeats->size(); ++i) {
    const std::int64_t times = (*repeats)[i];
    if (times < 0) return refused(fmt::format("it repeats axis {} {} times", i, times));
    Dim& dim = (*fact.shape)[i];
    std::uint64_t length = 0;
    if (times == 0) dim = 0;
    if (!(*shape)[i] || times == 0) continue;
    if (__builtin_mul_overflow(*(*shape)[i], static_cast<std::uint64_t>(times), &length)) {
      return refused(fmt::format("it repeats axis {} of shape {} {} times, past 64 bits", i,
                                 text_of(shape), times));
    }
    dim = length;
  }
  if (call[0].numbers && is_followed(fact.shape) && is_followed(shape)) {
    const Grid from(*shape);
    const Grid to(*fact.shape);
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < to.size(); ++i) {
      auto place = to.place(i);
      for (std::size_t axis = 0; axis < place.size(); ++axis) place[axis] %= from.dim(axis);
      indices.push_back(from.index(place));
    }
    fact.numbers = picked(*call[0].numbers, indices);
  }
  return std::vector{std::move(fact)};
}

constexpr auto kRows = std::to_array<RuleRow>({
    {"", "Concat", concat},
    {"", "Pad", pad},
    {"", "Slice", slice},
    {"", "Split", split},
    {"", "Tile", tile},
    {"com.microsoft", "Pad", pad},
});

}  // namespace

std::span<const RuleRow> part_rules() {
  return kRows;
}

}  // namespace berth
