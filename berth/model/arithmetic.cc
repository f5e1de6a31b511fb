#include "berth/model/arithmetic.h"

#include <cmath>
#include <map>
#include <utility>

#include "berth/model/numbers.h"

namespace berth {
namespace {

using Int = std::optional<std::int64_t>;
using Real = std::optional<double>;

// What one pair of elements makes; a unary operator has its operand twice. Null where it is not
// followed for such elements.
struct Pairwise {
  Int (*ints)(std::int64_t, std::int64_t) = nullptr;
  Real (*reals)(double, double) = nullptr;
  Int (*compares)(double, double) = nullptr;  // reals to a flag
};

Int added(std::int64_t a, std::int64_t b) {
  return __builtin_add_overflow(a, b, &a) ? Int() : a;
}
Int subtracted(std::int64_t a, std::int64_t b) {
  return __builtin_sub_overflow(a, b, &a) ? Int() : a;
}
Int multiplied(std::int64_t a, std::int64_t b) {
  return __builtin_mul_overflow(a, b, &a) ? Int() : a;
}
Int divided(std::int64_t a, std::int64_t b) {
  if (b == 0 || (b == -1 && a == INT64_MIN)) return std::nullopt;
  return a / b;
}
// With the sign of the divisor.
Int modulo(std::int64_t a, std::int64_t b) {
  if (b == 0 || b == -1) return b == 0 ? Int() : Int(0);
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

template <typename Comparison>
constexpr Pairwise comparing(Comparison) {
  return {[](std::int64_t a, std::int64_t b) -> Int { return Comparison()(a, b) ? 1 : 0; }, nullptr,
          [](double a, double b) -> Int { return Comparison()(a, b) ? 1 : 0; }};
}

const std::map<std::string_view, Pairwise>& table() {
  static const std::map<std::string_view, Pairwise> rows = {
      {"Add", {added, [](double a, double b) -> Real { return a + b; }}},
      {"Sum", {added, [](double a, double b) -> Real { return a + b; }}},
      {"Sub", {subtracted, [](double a, double b) -> Real { return a - b; }}},
      {"Mul", {multiplied, [](double a, double b) -> Real { return a * b; }}},
      {"Div", {divided, [](double a, double b) -> Real { return a / b; }}},
      {"Mod", {modulo, nullptr}},
      {"Min",
       {[](std::int64_t a, std::int64_t b) -> Int { return std::min(a, b); },
        [](double a, double b) -> Real { return std::fmin(a, b); }}},
      {"Max",
       {[](std::int64_t a, std::int64_t b) -> Int { return std::max(a, b); },
        [](double a, double b) -> Real { return std::fmax(a, b); }}},
      {"Equal", comparing(std::equal_to())},
      {"Greater", comparing(std::greater())},
      {"GreaterOrEqual", comparing(std::greater_equal())},
      {"Less", comparing(std::less())},
      {"LessOrEqual", comparing(std::less_equal())},
      {"And", {[](std::int64_t a, std::int64_t b) -> Int { return a != 0 && b != 0; }}},
      {"Or", {[](std::int64_t a, std::int64_t b) -> Int { return a != 0 || b != 0; }}},
      {"Xor", {[](std::int64_t a, std::int64_t b) -> Int { return (a != 0) != (b != 0); }}},
      {"Not", {[](std::int64_t a, std::int64_t) -> Int { return a == 0; }}},
      {"Neg",
       {[](std::int64_t a, std::int64_t) { return subtracted(0, a); },
        [](double a, double) -> Real { return -a; }}},
      {"Abs",
       {[](std::int64_t a, std::int64_t) { return a < 0 ? subtracted(0, a) : Int(a); },
        [](double a, double) -> Real { return std::fabs(a); }}},
      {"Floor", {nullptr, [](double a, double) -> Real { return std::floor(a); }}},
      {"Ceil", {nullptr, [](double a, double) -> Real { return std::ceil(a); }}},
      {"Round", {nullptr, [](double a, double) -> Real { return std::nearbyint(a); }}},
      {"Sqrt", {nullptr, [](double a, double) -> Real { return std::sqrt(a); }}},
      {"Reciprocal", {nullptr, [](double a, double) -> Real { return 1 / a; }}},
  };
  return rows;
}

// One element of an operand at each place of the result; empty where it is not known.
std::optional<Numbers> stretched(const Fact& operand, const Shape& to) {
  if (!operand.numbers || !operand.shape || !is_known(*operand.shape)) return std::nullopt;
  return picked(*operand.numbers, stretched_indices(*operand.shape, to));
}

template <typename Result, typename Element>
std::vector<Result> each(const std::vector<std::optional<Element>>& a,
                         const std::vector<std::optional<Element>>& b,
                         Result (*function)(Element, Element)) {
  std::vector<Result> results;
  for (std::size_t i = 0; i < a.size(); ++i) {
    results.push_back(a[i] && b[i] ? function(*a[i], *b[i]) : Result());
  }
  return results;
}

std::optional<Numbers> combined(const Pairwise& pairwise, const Numbers& a, const Numbers& b) {
  if (is_int(a) != is_int(b)) return std::nullopt;
  if (is_int(a)) {
    if (pairwise.ints == nullptr) return std::nullopt;
    return Numbers{
        each(std::get<Numbers::Ints>(a.list), std::get<Numbers::Ints>(b.list), pairwise.ints)};
  }
  const auto& x = std::get<Numbers::Reals>(a.list);
  const auto& y = std::get<Numbers::Reals>(b.list);
  if (pairwise.compares != nullptr) return Numbers{each(x, y, pairwise.compares)};
  if (pairwise.reals == nullptr) return std::nullopt;
  return Numbers{each(x, y, pairwise.reals)};
}

std::optional<Numbers> chosen(const Call& call, const Shape& shape) {
  const auto flags = stretched(call[0], shape);
  const auto yes = stretched(call[1], shape);
  const auto no = stretched(call[2], shape);
  if (!flags || !yes || !no || !is_int(*flags) || is_int(*yes) != is_int(*no)) return std::nullopt;
  const auto& choice = std::get<Numbers::Ints>(flags->list);
  return std::visit(
      [&](auto list) {
        const auto& other = std::get<decltype(list)>(no->list);
        for (std::size_t i = 0; i < list.size(); ++i) {
          if (!choice[i]) {
            list[i].reset();
          } else if (*choice[i] == 0) {
            list[i] = other[i];
          }
        }
        return std::optional(Numbers{std::move(list)});
      },
      yes->list);
}

}  // namespace

std::optional<Numbers> computed(const Call& call, const Fact& result) {
  if (!result.shape || call.inputs() == 0) return std::nullopt;
  const auto count = count_of(*result.shape);
  if (!count || *count > kMostNumbers || !is_known(*result.shape)) return std::nullopt;
  std::optional<Numbers> numbers;
  if (call.node().op == "Where") {
    numbers = chosen(call, *result.shape);
  } else {
    const auto row = table().find(call.node().op);
    if (row == table().end()) return std::nullopt;
    numbers = stretched(call[0], *result.shape);
    if (numbers && call.inputs() == 1) numbers = combined(row->second, *numbers, *numbers);
    for (std::size_t i = 1; numbers && i < call.inputs(); ++i) {
      const auto other = stretched(call[i], *result.shape);
      numbers = other ? combined(row->second, *numbers, *other) : std::nullopt;
    }
  }
  return numbers ? fitted(*std::move(numbers), result.element) : std::nullopt;
}

}  // namespace berth
