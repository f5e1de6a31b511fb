#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/ir/plan.h"

namespace berth {

enum class Colour { Off, On };  // On: ANSI escapes, for a terminal

// What a table says beside what the plan does.
struct TableNotes {
  std::string_view cut_by = "a time limit";  // what stopped the search, where something did
  std::vector<std::string> by_kind{};        // by arena, what its max load is made of
};

// A plan for people, as plain text: what it makes of its target, where it has one; for each arena
// how large it is next to the load that no placement can go below, where and with whom that load is
// reached, what is left of the capacity; then what was kept apart and why, and the order that the
// executor must keep. Ends in a newline.
std::string plan_table(const Plan& plan, Colour colour = Colour::Off, const TableNotes& notes = {});

}  // namespace berth
