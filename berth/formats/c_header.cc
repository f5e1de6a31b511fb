#include "berth/formats/c_header.h"

#include <fmt/format.h>

#include <cctype>
#include <set>
#include <string_view>

namespace berth {
namespace {

// Upper case, and an underscore for whatever C does not take.
std::string identifier(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte < 0x80 && std::isalnum(byte) != 0;
    result += is_plain ? static_cast<char>(std::toupper(byte)) : '_';
  }
  return result;
}

class Identifiers {
 public:
  std::string of(std::string_view name, std::size_t index) {
    std::string result = identifier(name);
    if (result.empty()) result = std::to_string(index);
    if (!used_.insert(result).second) {
      result += fmt::format("_{}", index);
      while (!used_.insert(result).second) result += '_';
    }
    return result;
  }

 private:
  std::set<std::string> used_;
};

// A comment that no name can end.
std::string comment(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte >= 0x20 && byte < 0x7F && c != '*' && c != '\\' && c != '?' ? c : '_';
  }
  return text;
}

}  // namespace

std::string write_c_header(const Plan& plan) {
  std::string text = fmt::format(
      "/* Written by berth from {}. Keep the order: {}. */\n#ifndef BERTH_PLAN_H\n"
      "#define BERTH_PLAN_H\n\n#define BERTH_ARENA_COUNT {}\n#define BERTH_BUFFER_COUNT {}\n",
      comment(plan.source.file), comment(plan.ordering), plan.arenas.size(), plan.buffers.size());
  Identifiers arenas;
  for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
    const PlannedArena& arena = plan.arenas[i];
    const std::string name = "BERTH_ARENA_" + arenas.of(arena.device, i);
    text += fmt::format(
        "\n/* arena {}: {} */\n#define {}_BYTES {}ULL\n#define {}_ALIGNMENT {}ULL\n"
        "#define {}_ADDRESS {}ULL\n",
        i, comment(arena.device), name, arena.figures.peak.count(), name, arena.alignment.value(),
        name, arena.address.value());
  }
  Identifiers buffers;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlannedBuffer& buffer = plan.buffers[i];
    const std::string name = "BERTH_BUFFER_" + buffers.of(buffer.name, i);
    text += fmt::format(
        "\n/* {}: live in steps [{}, {}) */\n#define {}_ARENA {}\n"
        "#define {}_OFFSET {}ULL\n#define {}_BYTES {}ULL\n",
        comment(buffer.name), buffer.life.lower, buffer.life.upper, name, buffer.arena, name,
        buffer.offset.value(), name, buffer.bytes.count());
  }
  return text + "\n#endif /* BERTH_PLAN_H */\n";
}

}  // namespace berth
