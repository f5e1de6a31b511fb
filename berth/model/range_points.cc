#include "berth/model/range_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace berth {
namespace {

constexpr std::uint64_t kMostWork = 1'000'000;  // nodes times points
constexpr std::size_t kMostTried = 64;          // where not all of them are

using Point = std::vector<std::uint64_t>;  // by symbol

std::optional<std::uint64_t> count_of(const Bindings& bindings) {
  std::uint64_t count = 1;
  for (const auto& [name, range] : bindings.symbols) {
    std::uint64_t values = 0;
    if (__builtin_add_overflow(range.most - range.least, 1, &values) ||
        __builtin_mul_overflow(count, values, &count)) {
      return std::nullopt;
    }
  }
  return count;
}

Bindings bound_to(const Bindings& bindings, const Point& point) {
  Bindings bound = bindings;
  for (std::size_t i = 0; i < point.size(); ++i) bound.symbols[i].second = {point[i], point[i]};
  return bound;
}

Point end_of(const Bindings& bindings, bool is_most) {
  Point end;
  for (const auto& [name, range] : bindings.symbols) {
    end.push_back(is_most ? range.most : range.least);
  }
  return end;
}

std::vector<Point> all_points(const Bindings& bindings) {
  std::vector<Point> points = {end_of(bindings, false)};
  const Point most = end_of(bindings, true);
  while (points.back() != most) {
    Point next = points.back();
    for (std::size_t i = 0; next[i]++ == most[i]; ++i) next[i] = bindings.symbols[i].second.least;
    points.push_back(std::move(next));
  }
  points.pop_back();
  return points;
}

// Both ends of each range with those of the others, and of each range the powers of two and their
// neighbours, where sizes that are rounded change.
std::vector<Point> some_points(const Bindings& bindings) {
  const Point least = end_of(bindings, false);
  const Point most = end_of(bindings, true);
  std::vector<Point> points = {least};
  std::set<Point> seen = {least, most};
  const auto add = [&](Point point) {
    if (points.size() < kMostTried && seen.insert(point).second) points.push_back(std::move(point));
  };
  const std::size_t ends = std::min<std::size_t>(bindings.symbols.size(), 5);
  for (std::size_t mask = 1; mask < std::size_t{1} << ends; ++mask) {
    Point corner = least;
    for (std::size_t i = 0; i < corner.size(); ++i) {
      if (i >= ends || (mask >> i & 1U) != 0) corner[i] = most[i];
    }
    add(std::move(corner));
  }
  for (std::uint64_t power = 1; power != 0; power *= 2) {
    for (const std::uint64_t size : {power, power + 1, power * 3 / 2}) {
      Point point = most;
      for (std::size_t i = 0; i < point.size(); ++i) point[i] = std::clamp(size, least[i], most[i]);
      add(std::move(point));
    }
  }
  return points;
}

}  // namespace

RangePoints points_of_range(const Bindings& bindings, std::size_t nodes) {
  RangePoints range;
  const auto count = count_of(bindings);
  range.count = count ? fmt::format("{}", *count) : "over 10^18";
  range.is_all = count && *count <= kMostWork / std::max<std::size_t>(nodes, 1);
  for (const Point& point : range.is_all ? all_points(bindings) : some_points(bindings)) {
    range.points.push_back(bound_to(bindings, point));
  }
  return range;
}

}  // namespace berth
