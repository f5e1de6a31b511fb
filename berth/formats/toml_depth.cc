#include "berth/formats/toml_depth.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace berth {
namespace {

// toml++ descends into what it has parsed by recursion: a table for each part of a dotted key, in a
// table or list for each bracket. `a.a.a. ... = 1` of some thousand parts therefore ends the
// process with its stack. So a text is looked through before it is parsed. Both limits hold at
// once, so what is parsed stands at most about 16 * 17 deep.
//
//   [a.b]            # header: dots between its brackets
//   c . "d.e" = [    # two parts: a dot in quotes is none
//     { f.g = 1.5 }  # a dot in a number counts too, and no number has two
//   ]
//
// Where a text is no TOML, this need agree with the parser only up to the first fault: the parser
// stops there.
constexpr std::size_t kMostParts = 16;
constexpr std::size_t kMostNested = 16;

class DepthScan {
 public:
  DepthScan(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::optional<Error> find_fault() {
    while (at_ < text_.size() && !fault_) step();
    return std::move(fault_);
  }

 private:
  void step() {
    switch (const char c = text_[at_]) {
      case '#':
        at_ = std::min(text_.find('\n', at_), text_.size());
        return;
      case '"':
      case '\'':
        return skip_string(c);
      case '.':
        if (++dots_ == kMostParts) {
          refuse(fmt::format("a key of more than {} parts, expected {} at most", kMostParts,
                             kMostParts));
        }
        break;
      case '[':
      case '{':
        dots_ = 0;
        if (++nested_ > kMostNested) {
          refuse(fmt::format("more than {} lists and tables inside each other, expected {} at most",
                             kMostNested, kMostNested));
        }
        break;
      case ']':
      case '}':
        if (nested_ > 0) --nested_;
        [[fallthrough]];
      case '=':
      case ',':
      case '\n':
        dots_ = 0;
        break;
      default:
        break;
    }
    ++at_;
  }

  // Past a string's last quote; one of a single line ends with its line at the latest.
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool has_lines = text_.substr(at_).starts_with(three);
    at_ += has_lines ? 3 : 1;
    for (; at_ < text_.size(); ++at_) {
      if (quote == '"' && text_[at_] == '\\') {
        ++at_;
      } else if (!has_lines && (text_[at_] == quote || text_[at_] == '\n')) {
        ++at_;
        return;
      } else if (has_lines && text_.substr(at_).starts_with(three)) {
        at_ += 3;
        // The last two characters before the closing quotes may be quotes themselves.
        for (int i = 0; i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
        return;
      }
    }
  }

  void refuse(std::string message) {
    std::size_t line = 1;
    std::size_t column = 1;
    for (const char c : text_.substr(0, at_)) {
      if (c == '\n') {
        ++line;
        column = 1;
      } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
        ++column;  // a character, however many bytes it has
      }
    }
    fault_ =
        Error{Error::Kind::Input, fmt::format("{}:{}:{}", file_, line, column), std::move(message),
              "a target needs two at most, as in [[chip.sites]]: take out the rest"};
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t dots_ = 0;    // since the key began
  std::size_t nested_ = 0;  // brackets that are open
  std::optional<Error> fault_;
};

}  // namespace

std::optional<Error> find_toml_depth_fault(std::string_view text, const std::string& file) {
  return DepthScan(text, file).find_fault();
}

}  // namespace berth
