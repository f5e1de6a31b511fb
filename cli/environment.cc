#include "cli/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace berth::cli {
namespace {

enum class Setting { Negative, No, Yes };

bool is_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

std::optional<Setting> number_of(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  if (text.find_first_not_of('0') == std::string_view::npos) return Setting::No;
  return is_negative ? Setting::Negative : Setting::Yes;
}

std::optional<Setting> setting_of(std::string_view value) {
  static constexpr std::array<std::string_view, 3> yes = {"true", "yes", "on"};
  static constexpr std::array<std::string_view, 4> no = {"", "false", "no", "off"};
  std::string text;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isspace(byte) == 0) text += static_cast<char>(std::tolower(byte));
  }
  if (is_one_of(text, yes)) return Setting::Yes;
  if (is_one_of(text, no)) return Setting::No;
  return number_of(text);
}

std::string_view value_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<bool> planner_is_off() {
  const std::string_view value = value_of("NO_MEMORY_PLANNER");
  const auto setting = setting_of(value);
  if (!setting) {
    return usage_error("NO_MEMORY_PLANNER",
                       fmt::format("found '{}' in the environment, expected a number", value),
                       "1 leaves a schedule as it is, 0 plans it");
  }
  return *setting != Setting::No;
}

bool debug_is_on() {
  return setting_of(value_of("DEBUG")) == Setting::Yes;
}

}  // namespace berth::cli
