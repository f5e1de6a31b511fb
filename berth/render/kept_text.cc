#include "berth/render/kept_text.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, 10> kReasons = {
    "constant",  "variable",   "held",  "disk",   "dynamic",
    "parameter", "call-local", "empty", "unused", "planner off"};

}  // namespace

std::string_view reason_text(KeptWhy why) {
  return kReasons[static_cast<std::size_t>(why)];
}

std::string beside_text(const Plan& plan, const PlannedArena& arena) {
  std::map<KeptWhy, std::size_t> count;
  for (const KeptTensor& kept : plan.kept) {
    if (kept.device == arena.device && kept.bytes > Bytes(0)) ++count[kept.why];
  }
  std::string text = "not planned";
  for (const auto& [why, tensors] : count) {
    text += fmt::format("{} {} {}", text == "not planned" ? ":" : ",", tensors, reason_text(why));
  }
  return text;
}

std::string not_counted_text(const Plan& plan) {
  std::string text;
  for (const std::string& part : plan.not_counted) {
    text += (text.empty() ? "; not counted: " : "; ") + printable(part);
  }
  return text;
}

}  // namespace berth
