#include "berth/formats/gaps_json.h"

#include <fmt/format.h>

namespace berth {
namespace {

std::string gap_text(const Gap& gap) {
  std::string text = fmt::format(R"({{"first": {}, "end": {})", gap.steps.lower, gap.steps.upper);
  if (gap.kept) text += fmt::format(R"(, "kept": [{}, {}])", gap.kept->lower, gap.kept->upper);
  return text + "}";
}

ByteRange read_range(JsonFields& fields, const std::vector<JsonValue>& pair) {
  const bool is_pair = pair.size() == 2 && pair[0].kind() == JsonValue::Kind::Integer &&
                       pair[1].kind() == JsonValue::Kind::Integer;
  if (!is_pair) {
    fields.refuse("kept", "expected two integers: the first byte kept and the end");
    return {};
  }
  return {pair[0].integer(), pair[1].integer()};
}

}  // namespace

std::string gaps_field(std::span<const Gap> gaps) {
  if (gaps.empty()) return "";
  std::string text = ", \"gaps\": [";
  for (std::size_t i = 0; i < gaps.size(); ++i) text += (i == 0 ? "" : ", ") + gap_text(gaps[i]);
  return text + "]";
}

std::vector<Gap> read_gaps(JsonFields& parent) {
  std::vector<Gap> gaps;
  const auto items = parent.optional_array("gaps").value_or(std::vector<JsonValue>());
  for (std::size_t i = 0; i < items.size(); ++i) {
    JsonFields fields(items[i], fmt::format("{}[{}]", parent.path_of("gaps"), i));
    Gap gap;
    gap.steps.lower = fields.integer("first");
    gap.steps.upper = fields.integer("end");
    if (const auto kept = fields.optional_array("kept")) gap.kept = read_range(fields, *kept);
    if (auto error = fields.finish_among_others()) parent.refuse(std::move(*error));
    gaps.push_back(gap);
  }
  return gaps;
}

Alignment read_alignment(JsonFields& fields, std::string_view key,
                         std::optional<Alignment> absent) {
  const auto value =
      absent ? fields.optional_integer(key).value_or(absent->value()) : fields.integer(key);
  const auto alignment = Alignment::of(value);
  if (!alignment) fields.refuse(key, fmt::format("found {}, expected a power of two", value));
  return alignment.value_or(Alignment());
}

}  // namespace berth
