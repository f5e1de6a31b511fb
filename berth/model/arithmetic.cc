#include "berth/model/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <functional>
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

// By squaring; nothing past 64 bits, nor of a negative exponent, which leaves a fraction.
Int powered(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return std::nullopt;
  std::int64_t power = 1;
  while (exponent > 0) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(power, base, &power)) return std::nullopt;
    exponent >>= 1;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) return std::nullopt;
  }
  return power;
}

Int shifted_left(std::int64_t a, std::int64_t b) {
  if (a < 0 || b < 0 || b > 62 || a > INT64_MAX >> b) return std::nullopt;
  return a << b;
}
Int shifted_right(std::int64_t a, std::int64_t b) {
  if (a < 0 || b < 0) return std::nullopt;
  return b > 62 ? 0 : a >> b;
}

template <typename Comparison>
constexpr Pairwise comparing(Comparison) {
  return {[](std::int64_t a, std::int64_t b) -> Int { return Comparison()(a, b) ? 1 : 0; }, nullptr,
          [](double a, double b) -> Int { return Comparison()(a, b) ? 1 : 0; }};
}

template <double (*Function)(double)>
constexpr Pairwise real() {
  return {nullptr, [](double a, double) -> Real { return Function(a); }};
}

// What operators of one name do depends on their attributes.
std::optional<Pairwise> by_attributes(const Call& call) {
  const std::string& op = call.node().op;
  if (op == "Mod" && call.integer("fmod", 0) != 0) {
    // With the sign of the operand.
    return Pairwise{[](std::int64_t a, std::int64_t b) -> Int {
                      return b == 0 ? Int() : b == -1 ? 0 : a % b;
                    },
                    [](double a, double b) -> Real { return std::fmod(a, b); }};
  }
  if (op == "BitShift") {
    return Pairwise{call.text("direction", "") == "LEFT" ? shifted_left : shifted_right};
  }
  return std::nullopt;
}

const std::map<std::string_view, Pairwise>& table() {
  static const std::map<std::string_view, Pairwise> rows = {
      {"Add", {added, [](double a, double b) -> Real { return a + b; }}},
      {"Sum", {added, [](double a, double b) -> Real { return a + b; }}},
      {"Sub", {subtracted, [](double a, double b) -> Real { return a - b; }}},
      {"Mul", {multiplied, [](double a, double b) -> Real { return a * b; }}},
      {"Div", {divided, [](double a, double b) -> Real { return a / b; }}},
      {"Mod", {modulo, nullptr}},
      {"Pow", {powered, [](double a, double b) -> Real { return std::pow(a, b); }}},
      {"BitwiseAnd", {[](std::int64_t a, std::int64_t b) -> Int { return a & b; }}},
      {"BitwiseOr", {[](std::int64_t a, std::int64_t b) -> Int { return a | b; }}},
      {"BitwiseXor", {[](std::int64_t a, std::int64_t b) -> Int { return a ^ b; }}},
      {"PRelu",
       {[](std::int64_t a, std::int64_t b) { return a < 0 ? multiplied(a, b) : Int(a); },
        [](double a, double b) -> Real { return a < 0 ? a * b : a; }}},
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
      {"Sign",
       {[](std::int64_t a, std::int64_t) -> Int { return a > 0   ? 1
                                                         : a < 0 ? -1
                                                                 : 0; },
        [](double a, double) -> Real { return a > 0   ? 1.0
                                              : a < 0 ? -1.0
                                                      : a; }}},
      {"Relu",
       {[](std::int64_t a, std::int64_t) -> Int { return std::max<std::int64_t>(a, 0); },
        [](double a, double) -> Real { return a > 0 ? a : 0; }}},
      {"IsNaN", {nullptr, nullptr, [](double a, double) -> Int { return std::isnan(a); }}},
      {"Acos", real<std::acos>()},
      {"Acosh", real<std::acosh>()},
      {"Asin", real<std::asin>()},
      {"Asinh", real<std::asinh>()},
      {"Atan", real<std::atan>()},
      {"Atanh", real<std::atanh>()},
      {"Cos", real<std::cos>()},
      {"Cosh", real<std::cosh>()},
      {"Erf", real<std::erf>()},
      {"Exp", real<std::exp>()},
      {"Log", real<std::log>()},
      {"Sin", real<std::sin>()},
      {"Sinh", real<std::sinh>()},
      {"Tan", real<std::tan>()},
      {"Tanh", real<std::tanh>()},
      {"Sigmoid", {nullptr, [](double a, double) -> Real { return 1 / (1 + std::exp(-a)); }}},
      {"Softplus", {nullptr, [](double a, double) -> Real { return std::log1p(std::exp(a)); }}},
      {"Softsign", {nullptr, [](double a, double) -> Real { return a / (1 + std::fabs(a)); }}},
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

// The limits are attributes in old versions, and operands in new ones.
std::optional<Numbers> clipped(const Call& call, const Fact& result) {
  auto numbers = call[0].numbers;
  for (const bool is_low : {true, false}) {
    const std::size_t at = is_low ? 1 : 2;
    std::optional<Numbers> limit;
    if (call.given(at)) {
      limit = stretched(call[at], *result.shape);
      if (!limit) return std::nullopt;
    } else if (const auto value = call.real(is_low ? "min" : "max")) {
      limit = Numbers{Numbers::Reals(numbers ? size_of(*numbers) : 0, *value)};
    }
    if (!limit || !numbers) continue;
    numbers = combined(table().find(is_low ? "Max" : "Min")->second, *numbers, *limit);
  }
  return numbers;
}

// The exponent may be of another type; the result has the type of the base.
std::optional<Numbers> power(const Call& call, const Fact& result) {
  const auto base = stretched(call[0], *result.shape);
  const auto exponent = stretched(call[1], *result.shape);
  if (!base || !exponent) return std::nullopt;
  const Pairwise& row = table().find("Pow")->second;
  if (is_int(*base) == is_int(*exponent)) return combined(row, *base, *exponent);
  const auto numbers = combined(row, converted(*base, false), converted(*exponent, false));
  return numbers ? std::optional(converted(*numbers, is_int(*base))) : std::nullopt;
}

std::optional<Numbers> folded_pairwise(const Call& call, const Pairwise& row, const Fact& result) {
  auto numbers = stretched(call[0], *result.shape);
  if (numbers && call.inputs() == 1 && call.node().op != "Sum" && call.node().op != "Min" &&
      call.node().op != "Max") {
    return combined(row, *numbers, *numbers);
  }
  for (std::size_t i = 1; numbers && i < call.inputs(); ++i) {
    const auto other = stretched(call[i], *result.shape);
    numbers = other ? combined(row, *numbers, *other) : std::nullopt;
    // Each step is rounded, where the last one is not.
    if (numbers && i + 1 < call.inputs()) numbers = fitted(*std::move(numbers), result.element);
  }
  return numbers;
}

std::optional<Numbers> mean(const Call& call, const Fact& result) {
  const auto sum = folded_pairwise(call, table().find("Sum")->second, result);
  if (!sum || is_int(*sum)) return std::nullopt;
  Numbers::Reals means = std::get<Numbers::Reals>(sum->list);
  for (Real& number : means) {
    if (number) *number /= static_cast<double>(call.inputs());
  }
  return Numbers{std::move(means)};
}

std::optional<Numbers> computed_unrounded(const Call& call, const Fact& result) {
  const std::string& op = call.node().op;
  if (op == "Where") return chosen(call, *result.shape);
  if (op == "Clip") return clipped(call, result);
  if (op == "Pow") return power(call, result);
  if (op == "Mean") return mean(call, result);
  if (const auto row = by_attributes(call)) return folded_pairwise(call, *row, result);
  const auto row = table().find(op);
  return row == table().end() ? std::nullopt : folded_pairwise(call, row->second, result);
}

}  // namespace

std::optional<Numbers> computed(const Call& call, const Fact& result) {
  if (!is_followed(result.shape) || call.inputs() == 0) return std::nullopt;
  auto numbers = computed_unrounded(call, result);
  return numbers ? fitted(*std::move(numbers), result.element) : std::nullopt;
}

}  // namespace berth
