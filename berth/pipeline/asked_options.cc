#include "berth/pipeline/asked_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "berth/base/text.h"

namespace berth {
namespace {

bool is_in(const SizeRange& told, const AskedSize& asked) {
  return asked.least <= told.least && told.most <= asked.most;
}

const AskedSize* size_named(const Asked& asked, std::string_view name) {
  const auto found = std::ranges::find(asked.sizes, name, &AskedSize::name);
  return found == asked.sizes.end() ? nullptr : &*found;
}

template <typename Value>
bool names(const std::vector<std::pair<std::string, Value>>& pairs, const std::string& name) {
  return std::ranges::any_of(pairs, [&](const auto& pair) { return pair.first == name; });
}

// The pairs of the plan whose name is not told.
template <typename Value>
void add_untold(std::vector<std::pair<std::string, Value>>& told,
                const std::vector<std::pair<std::string, Value>>& asked) {
  const std::size_t before = told.size();
  for (const auto& pair : asked) {
    const bool is_told =
        std::any_of(told.begin(), told.begin() + static_cast<std::ptrdiff_t>(before),
                    [&](const auto& it) { return it.first == pair.first; });
    if (!is_told) told.push_back(pair);
  }
}

std::string range_text(std::uint64_t least, std::uint64_t most) {
  return least == most ? std::to_string(least) : fmt::format("{}..{}", least, most);
}

std::string shape_text(const AskedShape& shape) {
  return fmt::format("--shape {}={}{}", printable(shape.name), fmt::join(shape.dims, "x"),
                     shape.element ? fmt::format(":{}", shape.element->name()) : "");
}

// All that was asked, each as it is typed.
std::vector<std::string> words_of(const Asked& asked) {
  std::vector<std::string> words;
  if (asked.alignment) words.push_back(fmt::format("--alignment {}", asked.alignment->value()));
  for (const auto& [device, bytes] : asked.capacity) {
    words.push_back(fmt::format("--capacity {}{}{}", printable(device), device.empty() ? "" : "=",
                                bytes.count()));
  }
  if (asked.reserve > Bytes(0)) words.push_back(fmt::format("--reserve {}", asked.reserve.count()));
  for (const auto& [step, bytes] : asked.scratch) {
    words.push_back(fmt::format("--scratch {}={}", printable(step), bytes.count()));
  }
  for (const std::string& name : asked.hold) words.push_back("--hold " + printable(name));
  for (const AskedSize& size : asked.sizes) {
    words.push_back(
        fmt::format("--bind {}={}", printable(size.name), range_text(size.least, size.most)));
  }
  for (const AskedShape& shape : asked.shapes) words.push_back(shape_text(shape));
  for (const auto& [input, output] : asked.states) {
    words.push_back(fmt::format("--state {}={}", printable(input), printable(output)));
  }
  for (const auto& [flag, word] :
       {std::pair(asked.views, "--views"), std::pair(asked.in_place, "--in-place"),
        std::pair(asked.offline_plan, "--offline-plan"), std::pair(asked.reorder, "--reorder"),
        std::pair(asked.planner_off, "NO_MEMORY_PLANNER=1")}) {
    if (flag) words.emplace_back(word);
  }
  return words;
}

std::vector<std::string> less(const std::vector<std::string>& words, const Asked& other) {
  const auto list = words_of(other);
  const std::set<std::string> others(list.begin(), list.end());
  std::vector<std::string> left;
  for (const std::string& word : words) {
    if (!others.contains(word)) left.push_back(word);
  }
  return left;
}

}  // namespace

Asked asked_of(const PlanOptions& options) {
  Asked asked{.alignment = options.alignment,
              .capacity = options.capacity,
              .reserve = options.reserve,
              .scratch = options.scratch,
              .hold = options.hold,
              .states = options.states,
              .views = options.views,
              .in_place = options.in_place,
              .offline_plan = options.offline_plan,
              .reorder = options.reorder,
              .planner_off = options.planner_off};
  for (const auto& [name, range] : options.bindings.symbols) {
    asked.sizes.push_back({name, range.least, range.most});
  }
  for (const auto& [name, shape] : options.bindings.shapes) {
    asked.shapes.push_back({name, shape.dims, shape.element});
  }
  return asked;
}

PlanOptions with_asked_sizes(PlanOptions told, const Asked& asked) {
  const Bindings given = told.bindings;
  add_untold(told.states, asked.states);
  for (const AskedSize& size : asked.sizes) {
    if (given.symbol(size.name) != nullptr) continue;
    told.bindings.symbols.emplace_back(size.name, SizeRange{size.least, size.most});
  }
  for (const AskedShape& shape : asked.shapes) {
    if (given.shape(shape.name) != nullptr) continue;
    told.bindings.shapes.emplace_back(shape.name, GivenShape{shape.dims, shape.element});
  }
  return told;
}

PlanOptions with_asked(PlanOptions told, const Asked& asked) {
  if (!told.alignment) told.alignment = asked.alignment;
  // One capacity for all devices that is told leaves none of the plan's.
  if (!names(told.capacity, "")) add_untold(told.capacity, asked.capacity);
  if (told.reserve == Bytes(0)) told.reserve = asked.reserve;
  add_untold(told.scratch, asked.scratch);
  const std::set<std::string> held(told.hold.begin(), told.hold.end());
  for (const std::string& name : asked.hold) {
    if (!held.contains(name)) told.hold.push_back(name);
  }
  for (auto& [name, range] : told.bindings.symbols) {
    const AskedSize* size = size_named(asked, name);
    if (size != nullptr && is_in(range, *size)) range = {size->least, size->most};
  }
  told = with_asked_sizes(std::move(told), asked);
  told.views |= asked.views;
  told.in_place |= asked.in_place;
  told.offline_plan |= asked.offline_plan;
  told.planner_off |= asked.planner_off;
  return told;
}

std::vector<std::string> told_by_plan_alone(const Asked& asked, const PlanOptions& told) {
  Asked untold = asked;
  const Asked of_told = asked_of(told);
  // What is told of a name stands in the place of what the plan tells of it.
  if (told.alignment) untold.alignment.reset();
  if (told.reserve > Bytes(0)) untold.reserve = Bytes(0);
  std::erase_if(untold.capacity, [&](const auto& it) {
    return names(of_told.capacity, it.first) || names(of_told.capacity, "");
  });
  std::erase_if(untold.scratch, [&](const auto& it) { return names(of_told.scratch, it.first); });
  std::erase_if(untold.states, [&](const auto& it) { return names(of_told.states, it.first); });
  std::erase_if(untold.sizes,
                [&](const AskedSize& it) { return told.bindings.symbol(it.name) != nullptr; });
  std::erase_if(untold.shapes,
                [&](const AskedShape& it) { return told.bindings.shape(it.name) != nullptr; });
  untold.reorder = false;  // an order is held against the input whoever asked for it
  return less(words_of(untold), of_told);
}

std::vector<std::string> other_than_asked(const Asked& asked, const PlanOptions& told) {
  std::vector<std::string> others;
  if (asked == Asked{}) return others;  // such a plan may just not tell
  for (const auto& [name, range] : told.bindings.symbols) {
    const AskedSize* size = size_named(asked, name);
    if (size == nullptr || is_in(range, *size)) continue;
    others.push_back(fmt::format("the plan was made with --bind {}={}, which {} is not in",
                                 printable(name), range_text(size->least, size->most),
                                 range_text(range.least, range.most)));
  }
  return others;
}

std::vector<std::string> asked_otherwise(const Asked& before, const Asked& after) {
  std::vector<std::string> differences;
  for (const std::string& word : less(words_of(before), after)) {
    differences.push_back(word + " before, not now");
  }
  for (const std::string& word : less(words_of(after), before)) {
    differences.push_back(word + " now, not before");
  }
  return differences;
}

}  // namespace berth
