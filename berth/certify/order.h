#pragma once

#include <optional>
#include <string>

#include "berth/ir/program.h"

namespace berth {

// What is lost when a program's phases run in this order: the first two whose order matters and is
// turned round, in words, or what keeps it from being an order of them at all. Nothing where each
// phase finds what it found before.
std::optional<std::string> find_order_fault(const Program& program, const PhaseOrder& order);

}  // namespace berth
