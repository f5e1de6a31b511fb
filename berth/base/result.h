#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace berth {

// Why an input was refused. `where` is the place (file:line:column, or file and the path of a
// field), `message` what was found and what was expected, `hint` what its author can do (may be
// empty).
struct Error {
  enum class Kind {
    Usage,  // the command line asks for something that does not exist or does not go together
    Input,  // a file or value is wrong
    Limit,  // a stated limit was reached with no answer
  };

  Kind kind = Kind::Input;
  std::string where;
  std::string message;
  std::string hint;

  friend bool operator==(const Error&, const Error&) = default;
};

template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> input_error(std::string where, std::string message,
                                         std::string hint = {}) {
  return tl::unexpected(
      Error{Error::Kind::Input, std::move(where), std::move(message), std::move(hint)});
}

inline tl::unexpected<Error> usage_error(std::string where, std::string message,
                                         std::string hint = {}) {
  return tl::unexpected(
      Error{Error::Kind::Usage, std::move(where), std::move(message), std::move(hint)});
}

// "where: message (hint)", on one line.
std::string to_string(const Error& error);

}  // namespace berth
