#include "berth/model/folding.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <variant>

#include "berth/model/numbers.h"

namespace berth {
namespace {

using Int = std::optional<std::int64_t>;
using Real = std::optional<double>;

// The elements that are folded to one, which are not empty for the greatest and the least.
template <typename Element>
using Group = std::vector<Element>;

Int folded_ints(std::string_view op, const Group<std::int64_t>& group) {
  __extension__ __int128 sum = 0;
  std::int64_t product = 1;
  for (const std::int64_t element : group) {
    __extension__ const __int128 wide = element;
    sum += op == "ReduceSumSquare" ? wide * wide
           : op == "ReduceL1"      ? (wide < 0 ? -wide : wide)
                                   : wide;
    const bool is_past = op == "ReduceProd" && __builtin_mul_overflow(product, element, &product);
    if (is_past || sum > INT64_MAX || sum < INT64_MIN) return std::nullopt;
  }
  if (op == "ReduceProd") return product;
  if (op == "ReduceSum" || op == "ReduceSumSquare" || op == "ReduceL1") {
    return static_cast<std::int64_t>(sum);
  }
  if (group.empty()) return std::nullopt;
  if (op == "ReduceMean") {
    return static_cast<std::int64_t>(sum) / static_cast<std::int64_t>(group.size());
  }
  if (op == "ReduceMax") return std::ranges::max(group);
  if (op == "ReduceMin") return std::ranges::min(group);
  return std::nullopt;
}

Real folded_reals(std::string_view op, const Group<double>& group) {
  double sum = 0;
  double product = 1;
  for (const double element : group) {
    sum += op == "ReduceSumSquare" || op == "ReduceL2" ? element * element
           : op == "ReduceL1"                          ? std::fabs(element)
           : op == "ReduceLogSumExp"                   ? std::exp(element)
                                                       : element;
    product *= element;
  }
  if (op == "ReduceProd") return product;
  if (op == "ReduceL2") return std::sqrt(sum);
  if (op == "ReduceLogSum" || op == "ReduceLogSumExp") return std::log(sum);
  if (op == "ReduceSum" || op == "ReduceSumSquare" || op == "ReduceL1") return sum;
  if (group.empty()) return std::nullopt;
  if (op == "ReduceMean") return sum / static_cast<double>(group.size());
  if (op == "ReduceMax") return std::ranges::max(group);
  if (op == "ReduceMin") return std::ranges::min(group);
  return std::nullopt;
}

Int folded(std::string_view op, const Group<std::int64_t>& group) {
  return folded_ints(op, group);
}
Real folded(std::string_view op, const Group<double>& group) {
  return folded_reals(op, group);
}

// For each element of the operand, that of the result that it is folded into.
std::vector<std::size_t> targets_of(const Grid& grid, const Shape& kept,
                                    const std::vector<bool>& folded) {
  const Grid result(kept);
  std::vector<std::size_t> targets;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    auto place = grid.place(i);
    for (std::size_t axis = 0; axis < place.size(); ++axis) {
      if (folded[axis]) place[axis] = 0;
    }
    targets.push_back(result.index(place));
  }
  return targets;
}

// The elements along an axis, one row for each place of the others, as indices.
std::vector<std::vector<std::size_t>> rows_along(const Grid& grid, std::size_t axis) {
  std::map<std::vector<std::size_t>, std::vector<std::size_t>> rows;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    auto place = grid.place(i);
    place[axis] = 0;
    rows[std::move(place)].push_back(i);
  }
  std::vector<std::vector<std::size_t>> list;
  for (auto& [place, row] : rows) list.push_back(std::move(row));
  return list;
}

std::optional<std::int64_t> sum_of(std::int64_t a, std::int64_t b) {
  return __builtin_add_overflow(a, b, &a) ? Int() : a;
}
std::optional<double> sum_of(double a, double b) {
  return a + b;
}

}  // namespace

std::optional<Numbers> reduced(std::string_view op, const Fact& operand,
                               const std::vector<bool>& folded_axes) {
  if (!operand.numbers || !is_followed(operand.shape)) return std::nullopt;
  Shape kept = *operand.shape;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (folded_axes[i]) kept[i] = 1;
  }
  if (!is_followed(kept)) return std::nullopt;
  const auto targets = targets_of(Grid(*operand.shape), kept, folded_axes);
  return std::visit(
      [&](const auto& list) {
        using Element = typename std::decay_t<decltype(list)>::value_type::value_type;
        std::vector<Group<Element>> groups(Grid(kept).size());
        std::vector<bool> is_open(groups.size(), false);
        for (std::size_t i = 0; i < list.size(); ++i) {
          if (list[i]) groups[targets[i]].push_back(*list[i]);
          if (!list[i]) is_open[targets[i]] = true;
        }
        auto results = list;
        results.clear();
        for (std::size_t i = 0; i < groups.size(); ++i) {
          results.emplace_back();
          if (!is_open[i]) results.back() = folded(op, groups[i]);
        }
        return std::optional(Numbers{std::move(results)});
      },
      operand.numbers->list);
}

std::optional<Numbers> running_sums(const Fact& operand, std::size_t axis, RunningSum kind) {
  if (!operand.numbers || !is_followed(operand.shape)) return std::nullopt;
  auto rows = rows_along(Grid(*operand.shape), axis);
  return std::visit(
      [&](const auto& list) {
        using Number = typename std::decay_t<decltype(list)>::value_type;
        auto sums = list;
        for (auto& row : rows) {
          if (kind.reverse) std::ranges::reverse(row);
          Number sum = 0;
          for (const std::size_t i : row) {
            if (kind.exclusive) sums[i] = sum;
            sum = sum && list[i] ? sum_of(*sum, *list[i]) : std::nullopt;
            if (!kind.exclusive) sums[i] = sum;
          }
        }
        return std::optional(Numbers{std::move(sums)});
      },
      operand.numbers->list);
}

std::optional<Ranked> ranked(const Fact& operand, std::size_t axis, std::size_t count,
                             bool greatest) {
  if (!operand.numbers || !is_followed(operand.shape)) return std::nullopt;
  const Grid grid(*operand.shape);
  Shape shape = *operand.shape;
  shape[axis] = count;
  if (!is_followed(shape)) return std::nullopt;
  const Grid result(shape);
  return std::visit(
      [&](const auto& list) -> std::optional<Ranked> {
        if (std::ranges::any_of(list, [](const auto& number) { return !number; })) {
          return std::nullopt;
        }
        auto elements = list;
        elements.assign(result.size(), {});
        Numbers::Ints places(result.size());
        for (auto& row : rows_along(grid, axis)) {
          std::ranges::stable_sort(row, [&](std::size_t a, std::size_t b) {
            return greatest ? *list[a] > *list[b] : *list[a] < *list[b];
          });
          for (std::size_t k = 0; k < std::min(count, row.size()); ++k) {
            auto place = grid.place(row[k]);
            const auto from = static_cast<std::int64_t>(std::exchange(place[axis], k));
            elements[result.index(place)] = list[row[k]];
            places[result.index(place)] = from;
          }
        }
        return Ranked{Numbers{std::move(elements)}, Numbers{std::move(places)}};
      },
      operand.numbers->list);
}

}  // namespace berth
