#include "cli/header_options.h"

#include <fmt/format.h>

#include "berth/formats/c_header.h"

namespace berth::cli {

void add_prefix_option(CLI::App& command, std::string& prefix) {
  command
      .add_option("--prefix", prefix,
                  "What the names in a C header begin with (default: the name of the file that "
                  "was planned)")
      ->type_name("NAME");
}

std::optional<Error> find_prefix_fault(const std::string& prefix) {
  if (prefix.empty() || is_c_prefix(prefix)) return std::nullopt;
  return Error{Error::Kind::Usage, "--prefix", fmt::format("'{}' begins no name of C", prefix),
               "expected a letter, then letters, digits and underscores, such as speech; at most "
               "24 of them"};
}

}  // namespace berth::cli
