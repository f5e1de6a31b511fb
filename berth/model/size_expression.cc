#include "berth/model/size_expression.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace berth {
namespace {

__extension__ using Wide = __int128;

// Names come from files, and so may be long.
constexpr std::size_t kLongest = 1000;
constexpr int kDeepest = 50;
constexpr Wide kMost = Wide(1) << 62;

Wide gcd(Wide a, Wide b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a < 0 ? -a : a;
}

// A fraction in lowest terms, its divisor positive, both within 62 bits: products of two fit.
struct Fraction {
  Wide top = 0;
  Wide bottom = 1;
};
using Value = std::optional<Fraction>;  // nothing: a part of it has no size

Value fraction(Wide top, Wide bottom) {
  if (bottom == 0) return std::nullopt;
  const Wide common = gcd(top, bottom);
  top /= bottom < 0 ? -common : common;
  bottom /= bottom < 0 ? -common : common;
  if (top > kMost || top < -kMost || bottom > kMost) return std::nullopt;
  return Fraction{top, bottom};
}

Wide floor_of(const Fraction& value) {
  const Wide whole = value.top / value.bottom;
  return value.top % value.bottom < 0 ? whole - 1 : whole;
}

Value sum(const Value& a, const Value& b, int sign) {
  if (!a || !b) return std::nullopt;
  return fraction(a->top * b->bottom + sign * b->top * a->bottom, a->bottom * b->bottom);
}

Value product(const Value& a, const Value& b) {
  return a && b ? fraction(a->top * b->top, a->bottom * b->bottom) : std::nullopt;
}

Value quotient(const Value& a, const Value& b) {
  return a && b ? fraction(a->top * b->bottom, a->bottom * b->top) : std::nullopt;
}

Value floored(const Value& a) {
  return a ? fraction(floor_of(*a), 1) : std::nullopt;
}

Value negated(const Value& a) {
  return a ? fraction(-a->top, a->bottom) : std::nullopt;
}

Value remainder(const Value& a, const Value& b) {
  return sum(a, product(b, floored(quotient(a, b))), -1);
}

Value power(const Value& base, const Value& exponent) {
  if (!exponent || exponent->bottom != 1 || exponent->top < 0 || exponent->top > 62) {
    return std::nullopt;
  }
  Value result = Fraction{1, 1};
  for (Wide i = 0; i < exponent->top; ++i) result = product(result, base);
  return result;
}

bool is_less(const Fraction& a, const Fraction& b) {
  return a.top * b.bottom < b.top * a.bottom;
}

// What exporters write.
Value called(const std::string& name, const std::vector<Value>& given, bool& is_known) {
  const bool is_one = given.size() == 1;
  const bool is_two = given.size() == 2;
  if (is_one && name == "floor") return floored(given[0]);
  if (is_one && (name == "ceil" || name == "ceiling")) return negated(floored(negated(given[0])));
  if (is_one && (name == "abs" || name == "Abs")) {
    return given[0] && given[0]->top < 0 ? negated(given[0]) : given[0];
  }
  if (is_two && (name == "Mod" || name == "mod")) return remainder(given[0], given[1]);
  if (is_two && name == "FloorDiv") return floored(quotient(given[0], given[1]));
  const bool is_most = name == "Max" || name == "max";
  is_known = is_known && !given.empty() && (is_most || name == "Min" || name == "min");
  if (!is_known) return std::nullopt;
  Value best = given[0];
  for (const Value& next : given) {
    if (!next || !best) return std::nullopt;
    if (is_most ? is_less(*best, *next) : is_less(*next, *best)) best = next;
  }
  return best;
}

class Reader {
 public:
  using SizeOf = std::function<std::optional<std::uint64_t>(const std::string&)>;
  Reader(std::string_view text, const SizeOf& size_of) : text_(text), size_of_(size_of) {}

  Value read() {
    if (text_.size() > kLongest) is_sound_ = false;
    Value value = is_sound_ ? added() : std::nullopt;
    skip_spaces();
    if (at_ != text_.size()) is_sound_ = false;
    return value;
  }

  // After reading: whether the text is arithmetic on at least one name.
  bool is_sound() const { return is_sound_ && has_operator_ && !names_.empty(); }
  const std::vector<std::string>& names() const { return names_; }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool takes(std::string_view token) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  bool takes_operator(std::string_view token) {
    const bool is_there = takes(token);
    has_operator_ = has_operator_ || is_there;
    return is_there;
  }

  Value added() {
    if (++depth_ > kDeepest) is_sound_ = false;
    Value value = is_sound_ ? multiplied() : std::nullopt;
    while (is_sound_) {
      if (takes_operator("+")) {
        value = sum(value, multiplied(), 1);
      } else if (takes_operator("-")) {
        value = sum(value, multiplied(), -1);
      } else {
        break;
      }
    }
    --depth_;
    return value;
  }

  Value multiplied() {
    Value value = raised();
    while (is_sound_) {
      if (takes_operator("//")) {
        value = floored(quotient(value, raised()));
      } else if (takes_operator("*")) {
        value = product(value, raised());
      } else if (takes_operator("/")) {
        value = quotient(value, raised());
      } else if (takes_operator("%")) {
        value = remainder(value, raised());
      } else {
        break;
      }
    }
    return value;
  }

  Value raised() {
    bool is_negative = false;
    while (takes_operator("-")) is_negative = !is_negative;
    Value value = single();
    if (takes_operator("**")) value = power(value, single());
    return is_negative ? negated(value) : value;
  }

  Value single() {
    if (takes("(")) {
      const Value value = added();
      if (!takes(")")) is_sound_ = false;
      return value;
    }
    if (at_ < text_.size() && is_digit(text_[at_])) return number();
    const std::string name = taken_name();
    if (name.empty()) is_sound_ = false;
    if (!is_sound_) return std::nullopt;
    return takes_operator("(") ? call(name) : size_named(name);
  }

  Value call(const std::string& name) {
    std::vector<Value> given = {added()};
    while (is_sound_ && takes(",")) given.push_back(added());
    if (!takes(")")) is_sound_ = false;
    return is_sound_ ? called(name, given, is_sound_) : std::nullopt;
  }

  Value size_named(const std::string& name) {
    if (std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
    const auto size = size_of_(name);
    return size ? fraction(Wide(*size), 1) : std::nullopt;
  }

  // Also "1.5".
  Value number() {
    Wide top = 0;
    Wide bottom = 1;
    bool is_behind_point = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '.' && !is_behind_point) {
        is_behind_point = true;
      } else if (is_digit(c)) {
        top = std::min(top * 10 + (c - '0'), kMost * 2);
        if (is_behind_point) bottom = std::min(bottom * 10, kMost * 2);
      } else {
        break;
      }
    }
    if (top > kMost || bottom > kMost) return std::nullopt;
    return fraction(top, bottom);
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
  }

  std::string taken_name() {
    const std::size_t from = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool is_inner = at_ > from && (is_digit(c) || c == '.' || c == ':');
      const bool is_hyphen =
          at_ > from && c == '-' && at_ + 1 < text_.size() && is_letter(text_[at_ + 1]);
      if (!is_letter(c) && !is_inner && !is_hyphen) break;
      ++at_;
    }
    return std::string(text_.substr(from, at_ - from));
  }

  std::string_view text_;
  const SizeOf& size_of_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool is_sound_ = true;
  bool has_operator_ = false;
  std::vector<std::string> names_;
};

}  // namespace

std::vector<std::string> parts_of(const std::string& text) {
  const Reader::SizeOf none = [](const std::string&) { return std::nullopt; };
  Reader reader(text, none);
  reader.read();
  return reader.is_sound() ? reader.names() : std::vector<std::string>();
}

std::optional<std::uint64_t> computed_size(
    const std::string& text,
    const std::function<std::optional<std::uint64_t>(const std::string&)>& size_of) {
  Reader reader(text, size_of);
  const Value value = reader.read();
  if (!reader.is_sound() || !value || value->bottom != 1 || value->top < 0) return std::nullopt;
  return static_cast<std::uint64_t>(value->top);
}

}  // namespace berth
