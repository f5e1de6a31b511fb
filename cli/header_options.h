#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "berth/base/result.h"

namespace berth::cli {

// --prefix: what the names in a C header begin with.
void add_prefix_option(CLI::App& command, std::string& prefix);

// Refuses a prefix that begins no name of C.
std::optional<Error> find_prefix_fault(const std::string& prefix);

}  // namespace berth::cli
