#include "berth/formats/c_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "berth/base/sha256.h"
#include "berth/formats/c_names.h"

// Two headers that are included together must not shadow one another. Each has its own names, and
// its guard a value that is taken from what it says:
//
//   #if !defined(NET_PLAN)          the first: everything is defined
//   #elif NET_PLAN != 0x12345678    the same name, another plan: an error
//   #endif                          the same header again: nothing

namespace berth {
namespace {

std::string upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

struct HeaderNames {
  std::string prefix;
  std::vector<std::string> arenas;  // with the prefix
  std::vector<std::string> buffers;
};

HeaderNames names_of(const Plan& plan, const std::string& asked) {
  HeaderNames names;
  names.prefix = asked.empty() ? c_prefix_of(plan.source.file) : upper_case(asked);
  CNames used(names.prefix);  // by both: an arena NET_ARENA_X is no buffer of that name
  for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
    const std::string& device = plan.arenas[i].device;
    const std::string name = "ARENA " + (device.empty() ? std::to_string(i) : device);
    names.arenas.push_back(used.of(name, i));
  }
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    names.buffers.push_back(used.of(plan.buffers[i].name, i));
  }
  return names;
}

std::string assertion_text(const std::string& prefix) {
  return fmt::format(
      "\n/* Holds when this is compiled, in any C or C++. */\n"
      "#if defined(__cplusplus) && __cplusplus >= 201103L\n"
      "#define {0}_ASSERT(name, holds) static_assert(holds, #name)\n"
      "#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L\n"
      "#define {0}_ASSERT(name, holds) _Static_assert(holds, #name)\n"
      "#else\n"
      "#define {0}_ASSERT(name, holds) typedef char {1}_##name[(holds) ? 1 : -1]\n"
      "#endif\n",
      prefix, lower_case(prefix));
}

std::string arena_text(const Plan& plan, std::size_t index, const HeaderNames& names) {
  const PlannedArena& arena = plan.arenas[index];
  const std::string& name = names.arenas[index];
  return fmt::format(
      "\n/* arena {}: {} */\n#define {}_BYTES {}ULL\n#define {}_ALIGNMENT {}ULL\n"
      "#define {}_ADDRESS {}ULL\n{}_ASSERT(arena_{}_is_no_larger_than_memory,\n"
      "{:>{}}(size_t){}_BYTES == {}_BYTES);\n",
      index, c_comment(arena.device), name, arena.figures.peak.count(), name,
      arena.alignment.value(), name, arena.address.value(), names.prefix, index, "",
      names.prefix.size() + 8, name, name);
}

std::string buffer_text(const Plan& plan, std::size_t index, const HeaderNames& names) {
  const PlannedBuffer& buffer = plan.buffers[index];
  const std::string& name = names.buffers[index];
  std::string text = fmt::format(
      "\n/* {}: live in steps [{}, {}) */\n#define {}_ARENA {}\n#define {}_OFFSET {}ULL\n"
      "#define {}_BYTES {}ULL\n",
      c_comment(buffer.name), buffer.life.lower, buffer.life.upper, name, buffer.arena, name,
      buffer.offset.value(), name, buffer.bytes.count());
  // Compilers warn of a comparison that is always true, as one of 0 bytes is.
  const bool has_end = buffer.offset.value() > 0 || buffer.bytes > Bytes(0);
  if (buffer.arena >= names.arenas.size() || !has_end) return text;
  return text + fmt::format(
                    "{}_ASSERT(buffer_{}_ends_in_its_arena,\n{:>{}}{}_OFFSET + {}_BYTES <= "
                    "{}_BYTES);\n",
                    names.prefix, index, "", names.prefix.size() + 8, name, name,
                    names.arenas[buffer.arena]);
}

std::string table_text(const Plan& plan, const HeaderNames& names) {
  if (plan.buffers.empty()) return "";
  const std::string lower = lower_case(names.prefix);
  std::string text = fmt::format(
      "\n/* The table by tensor, where {0}_TABLE is defined before this header. */\n"
      "#if defined({0}_TABLE) && !defined({0}_HAS_TABLE)\n#define {0}_HAS_TABLE\n"
      "static const struct {1}_place {{\n  const char *name;\n"
      "  unsigned arena;\n  unsigned long long offset;\n  unsigned long long bytes;\n"
      "}} {1}_table[{0}_BUFFER_COUNT] = {{\n",
      names.prefix, lower);
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlannedBuffer& buffer = plan.buffers[i];
    const std::string& name = names.buffers[i];
    text += fmt::format("  {{{}, {}_ARENA, {}_OFFSET, {}_BYTES}}{}\n", c_string(buffer.name), name,
                        name, name, i + 1 < plan.buffers.size() ? "," : "");
  }
  return text + fmt::format("}};\n#endif /* {}_TABLE */\n", names.prefix);
}

}  // namespace

std::string write_c_header(const Plan& plan, const std::string& prefix) {
  const HeaderNames names = names_of(plan, prefix);
  std::string body = fmt::format(
      "\n#include <stddef.h>\n\n#define {0}_ARENA_COUNT {1}\n#define {0}_BUFFER_COUNT {2}\n",
      names.prefix, plan.arenas.size(), plan.buffers.size());
  body += assertion_text(names.prefix);
  for (std::size_t i = 0; i < plan.arenas.size(); ++i) body += arena_text(plan, i, names);
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) body += buffer_text(plan, i, names);
  const std::string table = table_text(plan, names);

  const std::string content = "0x" + sha256(body + table).substr(0, 8) + "UL";
  return fmt::format(
      "/* Written by berth from {0}. Keep the order: {1}. */\n#if !defined({2}_PLAN)\n"
      "#define {2}_PLAN {3}\n{4}\n#elif {2}_PLAN != {3}\n"
      "#error \"two plans have the prefix {2}: write one of them with another --prefix\"\n"
      "#endif /* {2}_PLAN */\n{5}",
      c_comment(plan.source.file), c_comment(plan.ordering), names.prefix, content, body, table);
}

bool is_c_prefix(std::string_view prefix) {
  const auto is_plain = [](char c) {
    return c == '_' || ((c & 0x80) == 0 && std::isalnum(static_cast<unsigned char>(c)) != 0);
  };
  return !prefix.empty() && prefix.size() <= kLongestCPrefix &&
         std::ranges::all_of(prefix, is_plain) && prefix.front() != '_' &&
         std::isdigit(static_cast<unsigned char>(prefix.front())) == 0 &&
         prefix.find("__") == std::string_view::npos;
}

}  // namespace berth
