#include "berth/formats/c_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace berth {
namespace {

constexpr std::size_t kLongestString = 1000;  // C99 promises 4095

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x80 && std::isalnum(byte) != 0;
}

// The last `most` characters, from the beginning of a word where there is one.
std::string end_of(const std::string& name, std::size_t most) {
  if (name.size() <= most) return name;
  const std::string end = name.substr(name.size() - most);
  const auto word = end.find('_');
  const bool leaves_enough = word != std::string::npos && word < end.size() / 2;
  return leaves_enough ? end.substr(word + 1) : end;
}

}  // namespace

std::string c_identifier(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (is_plain(c)) {
      result += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    } else if (!result.empty() && result.back() != '_') {
      result += '_';
    }
  }
  while (result.ends_with('_')) result.pop_back();
  return result;
}

std::string c_prefix_of(std::string_view file) {
  std::string prefix = c_identifier(file.substr(0, file.find_last_of('.')));
  if (prefix.empty()) prefix = "PLAN";
  if (std::isdigit(static_cast<unsigned char>(prefix.front())) != 0) prefix = "PLAN_" + prefix;
  prefix.resize(std::min(prefix.size(), kLongestCPrefix));
  while (prefix.ends_with('_')) prefix.pop_back();
  return prefix;
}

CNames::CNames(std::string prefix)
    : prefix_(std::move(prefix)), longest_(kLongestCName - prefix_.size() - 1 - kLongestCSuffix) {}

std::string CNames::of(std::string_view name, std::size_t index) {
  const std::string all = c_identifier(name);
  std::string number = std::to_string(index);
  if (!all.empty() && all.size() <= longest_ && used_.insert(all).second) {
    return prefix_ + "_" + all;
  }
  for (;; number += 'X') {  // another name may look like one that was made
    const std::string stem = end_of(all, longest_ - 1 - number.size());
    const std::string made = stem.empty() ? number : stem + "_" + number;
    if (used_.insert(made).second) return prefix_ + "_" + made;
  }
}

std::string c_string(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text.substr(0, kLongestString)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool stands_as_it_is = byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\' && c != '?';
    literal += stands_as_it_is ? std::string(1, c) : fmt::format("\\{:03o}", byte);
  }
  return literal + "\"";
}

std::string c_comment(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte >= 0x20 && byte < 0x7F && c != '*' && c != '\\' && c != '?' ? c : '_';
  }
  return result;
}

}  // namespace berth
