// Operators that take or put elements by indices.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "berth/model/folding.h"
#include "berth/model/numbers.h"
#include "berth/model/rule.h"

namespace berth {
namespace {

std::string no_axis(const Call& call, std::int64_t axis) {
  return fmt::format("its operand of shape {} has no axis {}", text_of(call.shape(0)), axis);
}

// The indices of the elements that a tensor of ints names along an axis; nothing where they are not
// known, or point past it.
std::optional<std::vector<std::size_t>> indices_along(const Call& call, std::size_t length) {
  const auto said = call.ints(1);
  if (!said) return std::nullopt;
  std::vector<std::size_t> indices;
  for (const std::int64_t index : *said) {
    const auto at = axis_of(index, length);
    if (!at) return std::nullopt;
    indices.push_back(*at);
  }
  return indices;
}

// As a dimension is taken from a shape.
std::optional<Numbers> taken(const Call& call, std::size_t axis, const Shape& result) {
  if (!call[0].numbers || !is_followed(result) || !is_followed(call.shape(1))) return std::nullopt;
  const Grid from(*call.shape(0));
  const auto indices = indices_along(call, from.dim(axis));
  if (!indices) return std::nullopt;
  const Grid to(result);
  const Grid picks(*call.shape(1));
  const std::size_t rank = call.shape(1)->size();
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < to.size(); ++i) {
    auto place = to.place(i);
    const auto first = place.begin() + static_cast<std::ptrdiff_t>(axis);
    const auto last = first + static_cast<std::ptrdiff_t>(rank);
    const std::size_t index = (*indices)[picks.index(std::vector<std::size_t>(first, last))];
    place.insert(place.erase(first, last), index);
    chosen.push_back(from.index(place));
  }
  return picked(*call[0].numbers, chosen);
}

Answer gather(const Call& call) {
  Fact fact = tensor_fact(call[0].element, std::nullopt);
  const auto& shape = call.shape(0);
  const auto& indices = call.shape(1);
  if (!shape || !indices) return std::vector{std::move(fact)};
  const auto axis = axis_of(call.integer("axis", 0), shape->size());
  if (!axis) return refused(no_axis(call, call.integer("axis", 0)));
  const auto at = static_cast<std::ptrdiff_t>(*axis);
  Shape result(shape->begin(), shape->begin() + at);
  result.insert(result.end(), indices->begin(), indices->end());
  result.insert(result.end(), shape->begin() + at + 1, shape->end());
  fact.numbers = taken(call, *axis, result);
  fact.shape = std::move(result);
  return std::vector{std::move(fact)};
}

Answer gather_elements(const Call& call) {
  Fact fact = tensor_fact(call[0].element, call.shape(1));
  const auto& shape = call.shape(0);
  if (!shape || !fact.shape) return std::vector{std::move(fact)};
  const auto axis = axis_of(call.integer("axis", 0), shape->size());
  if (!axis) return refused(no_axis(call, call.integer("axis", 0)));
  if (shape->size() != fact.shape->size()) {
    return refused(fmt::format("its operand of shape {} cannot be indexed by indices of shape {}",
                               text_of(shape), text_of(fact.shape)));
  }
  if (!call[0].numbers || !is_followed(fact.shape)) return std::vector{std::move(fact)};
  const Grid from(*shape);
  const Grid to(*fact.shape);
  const auto indices = indices_along(call, from.dim(*axis));
  if (!indices) return std::vector{std::move(fact)};
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < to.size(); ++i) {
    auto place = to.place(i);
    place[*axis] = (*indices)[i];
    chosen.push_back(from.index(place));
  }
  if (std::ranges::all_of(chosen, [&](std::size_t at) { return at < from.size(); })) {
    fact.numbers = picked(*call[0].numbers, chosen);
  }
  return std::vector{std::move(fact)};
}

// Each row of the indices is the first part of a place, behind the axes that both have.
std::optional<Numbers> taken_by_places(const Call& call, std::size_t batch, const Shape& result) {
  const auto rows = call.ints(1);
  if (!call[0].numbers || !rows || !is_followed(result) || !is_followed(call.shape(1))) {
    return std::nullopt;
  }
  const Grid from(*call.shape(0));
  const Grid to(result);
  const Grid picks(*call.shape(1));
  const std::size_t outer = call.shape(1)->size() - 1;
  const auto depth = static_cast<std::size_t>(*call.shape(1)->back());
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto place = to.place(i);
    std::vector<std::size_t> pick(place.begin(),
                                  place.begin() + static_cast<std::ptrdiff_t>(outer));
    std::vector<std::size_t> at(place.begin(), place.begin() + static_cast<std::ptrdiff_t>(batch));
    pick.push_back(0);
    for (std::size_t k = 0; k < depth; ++k) {
      pick.back() = k;
      const auto along = axis_of((*rows)[picks.index(pick)], from.dim(batch + k));
      if (!along) return std::nullopt;
      at.push_back(*along);
    }
    at.insert(at.end(), place.begin() + static_cast<std::ptrdiff_t>(outer), place.end());
    chosen.push_back(from.index(at));
  }
  return picked(*call[0].numbers, chosen);
}

Answer gather_nd(const Call& call) {
  Fact fact = tensor_fact(call[0].element, std::nullopt);
  const auto& shape = call.shape(0);
  const auto& indices = call.shape(1);
  if (!shape || !indices || indices->empty() || !indices->back()) {
    return std::vector{std::move(fact)};
  }
  const auto batch = call.integer("batch_dims", 0);
  const std::uint64_t depth = *indices->back();
  const bool is_inside = batch >= 0 && static_cast<std::uint64_t>(batch) < indices->size() &&
                         depth <= shape->size() &&
                         static_cast<std::uint64_t>(batch) + depth <= shape->size();
  if (!is_inside) {
    return refused(fmt::format("its operand of shape {} cannot be indexed by indices of shape {}",
                               text_of(shape), text_of(indices)));
  }
  Shape result(indices->begin(), indices->end() - 1);
  const auto rest = static_cast<std::ptrdiff_t>(static_cast<std::uint64_t>(batch) + depth);
  result.insert(result.end(), shape->begin() + rest, shape->end());
  fact.numbers = taken_by_places(call, static_cast<std::size_t>(batch), result);
  fact.shape = std::move(result);
  return std::vector{std::move(fact)};
}

// --- Elements replaced ---

// Where each update goes, as an index of the operand; nothing where that is not known.
std::optional<std::vector<std::size_t>> targets_of(const Call& call) {
  const auto said = call.ints(1);
  if (!said || !is_followed(call.shape(0)) || !is_followed(call.shape(1)) ||
      !is_followed(call.shape(2))) {
    return std::nullopt;
  }
  const Grid operand(*call.shape(0));
  const Grid picks(*call.shape(1));
  const Grid updates(*call.shape(2));
  const bool is_nd = call.node().op == "ScatterND";
  const std::size_t rank = call.shape(0)->size();
  const std::size_t outer = is_nd ? call.shape(1)->size() - 1 : 0;
  const auto along = is_nd ? 0 : axis_of(call.integer("axis", 0), rank);
  if (!along || (!is_nd && call.shape(1) != call.shape(2))) return std::nullopt;
  std::vector<std::size_t> targets;
  for (std::size_t i = 0; i < updates.size(); ++i) {
    auto place = updates.place(i);
    if (is_nd) {
      std::vector<std::size_t> pick(place.begin(),
                                    place.begin() + static_cast<std::ptrdiff_t>(outer));
      std::vector<std::size_t> at;
      pick.push_back(0);
      for (; pick.back() < picks.dim(outer); ++pick.back()) {
        const auto index = axis_of((*said)[picks.index(pick)], operand.dim(at.size()));
        if (!index) return std::nullopt;
        at.push_back(*index);
      }
      at.insert(at.end(), place.begin() + static_cast<std::ptrdiff_t>(outer), place.end());
      place = std::move(at);
    } else {
      const auto index = axis_of((*said)[i], operand.dim(*along));
      if (!index) return std::nullopt;
      place[*along] = *index;
    }
    const std::size_t target = operand.index(place);
    if (place.size() != rank || target >= operand.size()) return std::nullopt;
    targets.push_back(target);
  }
  return targets;
}

std::optional<Numbers> replaced(const Call& call) {
  if (!call[0].numbers || !call[2].numbers || call.text("reduction", "none") != "none" ||
      is_int(*call[0].numbers) != is_int(*call[2].numbers)) {
    return std::nullopt;
  }
  const auto targets = targets_of(call);
  if (!targets || targets->size() != size_of(*call[2].numbers)) return std::nullopt;
  return std::visit(
      [&](auto list) {
        const auto& updates = std::get<decltype(list)>(call[2].numbers->list);
        for (std::size_t i = 0; i < targets->size(); ++i) list[(*targets)[i]] = updates[i];
        return std::optional(Numbers{std::move(list)});
      },
      call[0].numbers->list);
}

// What is put has the places of the indices, and behind them what the operand has behind each.
bool is_put_whole(const Call& call) {
  const auto& shape = call.shape(0);
  const auto& indices = call.shape(1);
  const auto& updates = call.shape(2);
  if (!shape || !indices || !updates) return true;
  if (call.node().op != "ScatterND") {
    return shape->size() == indices->size() && indices->size() == updates->size();
  }
  if (indices->empty()) return false;
  const Dim& depth = indices->back();
  return !depth || (*depth <= shape->size() &&
                    updates->size() == indices->size() - 1 + shape->size() - *depth);
}

// The operand with some elements replaced.
Answer scatter(const Call& call) {
  if (!is_put_whole(call)) {
    return refused(
        fmt::format("updates of shape {} do not go to indices of shape {} of its operand "
                    "of shape {}",
                    text_of(call.shape(2)), text_of(call.shape(1)), text_of(call.shape(0))));
  }
  Fact fact = tensor_fact(call[0].element, call.shape(0));
  fact.numbers = replaced(call);
  return std::vector{std::move(fact)};
}

// Into a cache, at places that only the run knows.
Answer scatter_cache(const Call& call) {
  return std::vector{tensor_fact(call[0].element, call.shape(0))};
}

// --- As many as there are ---

// Which of the flags are set; nothing where one is not known.
std::optional<std::vector<std::size_t>> set_places(const std::optional<Numbers>& numbers) {
  if (!numbers) return std::nullopt;
  return std::visit(
      [](const auto& list) -> std::optional<std::vector<std::size_t>> {
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < list.size(); ++i) {
          if (!list[i]) return std::nullopt;
          if (*list[i] != 0) places.push_back(i);
        }
        return places;
      },
      numbers->list);
}

// How many elements pass is decided by their values.
Answer compress(const Call& call) {
  const auto& shape = call.shape(0);
  const bool is_flat = call.node().attribute("axis") == nullptr;
  Fact fact = tensor_fact(call[0].element, is_flat ? Shape(1) : shape);
  if (!shape) return std::vector{std::move(fact)};
  const auto axis = is_flat ? 0 : axis_of(call.integer("axis", 0), shape->size());
  if (!axis) return refused(no_axis(call, call.integer("axis", 0)));
  (*fact.shape)[*axis].reset();
  const Dim length = is_flat ? count_of(*shape) : (*shape)[*axis];
  if (const auto set = set_places(call[1].numbers); set && length) {
    const auto past = std::ranges::lower_bound(*set, static_cast<std::size_t>(*length));
    (*fact.shape)[*axis] = static_cast<std::uint64_t>(past - set->begin());
    if (call[0].numbers && (is_flat || shape->size() == 1)) {
      fact.numbers = picked(*call[0].numbers, {set->begin(), past});
    }
  }
  return std::vector{std::move(fact)};
}

Answer top_k(const Call& call) {
  std::optional<Shape> shape = call.shape(0);
  const Dtype places = *Dtype::of("int64");
  if (!shape) {
    return std::vector{tensor_fact(call[0].element, shape), tensor_fact(places, shape)};
  }
  const auto axis = axis_of(call.integer("axis", -1), shape->size());
  if (!axis) return refused(no_axis(call, call.integer("axis", -1)));
  const auto said = call.ints_of("k", 1, {});
  const Dim length = std::exchange((*shape)[*axis], std::nullopt);
  Fact elements = tensor_fact(call[0].element, shape);
  Fact indices = tensor_fact(places, shape);
  if (!said || said->size() != 1) return std::vector{elements, indices};
  const std::int64_t k = said->front();
  if (k < 0 || (length && static_cast<std::uint64_t>(k) > *length)) {
    return refused(
        fmt::format("it takes {} of axis {} of shape {}", k, *axis, text_of(call.shape(0))));
  }
  (*elements.shape)[*axis] = (*indices.shape)[*axis] = static_cast<std::uint64_t>(k);
  // Unsorted, their order is any.
  if (call.integer("sorted", 1) != 0) {
    const bool greatest = call.integer("largest", 1) != 0;
    if (auto found = ranked(call[0], *axis, static_cast<std::size_t>(k), greatest)) {
      elements.numbers = std::move(found->elements);
      indices.numbers = std::move(found->places);
    }
  }
  return std::vector{elements, indices};
}

Answer non_zero(const Call& call) {
  Fact fact = tensor_fact(Dtype::of("int64"), Shape(2));
  if (!call.shape(0)) return std::vector{std::move(fact)};
  const std::size_t rank = call.shape(0)->size();
  (*fact.shape)[0] = rank;
  const auto set = set_places(call[0].numbers);
  if (!set) return std::vector{std::move(fact)};
  (*fact.shape)[1] = set->size();
  if (!is_followed(fact.shape)) return std::vector{std::move(fact)};
  const Grid grid(*call.shape(0));
  Numbers::Ints places;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    for (const std::size_t at : *set) {
      places.emplace_back(static_cast<std::int64_t>(grid.place(at)[axis]));
    }
  }
  fact.numbers = Numbers{std::move(places)};
  return std::vector{std::move(fact)};
}

Answer non_max_suppression(const Call&) {
  return std::vector{tensor_fact(Dtype::of("int64"), Shape{Dim(), Dim(3)})};
}

// In ascending order; nothing where one is not known.
std::optional<Numbers> distinct(const std::optional<Numbers>& numbers) {
  if (!numbers) return std::nullopt;
  return std::visit(
      [](auto list) -> std::optional<Numbers> {
        const auto is_odd = [](const auto& number) { return !number || *number != *number; };
        if (std::ranges::any_of(list, is_odd)) return std::nullopt;
        std::ranges::sort(list);
        list.erase(std::unique(list.begin(), list.end()), list.end());
        return Numbers{std::move(list)};
      },
      numbers->list);
}

Answer unique(const Call& call) {
  std::optional<Shape> values = Shape(1);
  if (call.node().attribute("axis") != nullptr) {
    values = call.shape(0);
    const auto axis = values ? axis_of(call.integer("axis", 0), values->size()) : std::nullopt;
    if (values && !axis) return refused(no_axis(call, call.integer("axis", 0)));
    if (values) (*values)[*axis].reset();
  }
  Fact list = tensor_fact(Dtype::of("int64"), Shape(1));
  const auto each =
      call.node().attribute("axis") == nullptr ? distinct(call[0].numbers) : std::nullopt;
  if (!each) return std::vector{tensor_fact(call[0].element, values), list, list, list};
  Fact found = tensor_fact(call[0].element, Shape{size_of(*each)});
  if (call.integer("sorted", 1) != 0) found.numbers = *each;
  Fact inverse = list;
  list.shape = found.shape;
  inverse.shape = Shape{size_of(*call[0].numbers)};
  return std::vector{found, list, inverse, list};
}

constexpr auto kRows = std::to_array<RuleRow>({
    {"", "Compress", compress},
    {"", "Gather", gather},
    {"", "GatherElements", gather_elements},
    {"", "GatherND", gather_nd},
    {"", "NonMaxSuppression", non_max_suppression},
    {"", "NonZero", non_zero},
    {"", "Scatter", scatter},
    {"", "ScatterElements", scatter},
    {"", "ScatterND", scatter},
    {"", "TensorScatter", scatter_cache},
    {"", "TopK", top_k},
    {"", "Unique", unique},
    {"com.microsoft", "GatherND", gather_nd},
});

}  // namespace

std::span<const RuleRow> gather_rules() {
  return kRows;
}

}  // namespace berth
