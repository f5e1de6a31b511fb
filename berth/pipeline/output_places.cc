#include "berth/pipeline/output_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "berth/formats/write_files.h"

namespace berth {
namespace {

std::string expected_endings(const KnownForms& forms) {
  std::string text = "expected ";
  for (std::size_t i = 0; i < forms.endings.size(); ++i) {
    const bool is_last = i + 1 == forms.endings.size();
    if (i > 0) text += is_last ? " or " : ", ";
    text += forms.endings[i];
  }
  return text;
}

std::optional<std::string> ending_of(const std::string& path, const KnownForms& forms) {
  for (const std::string_view ending : forms.endings) {
    if (path.ends_with(ending)) return std::string(ending);
  }
  return std::nullopt;
}

// "csv" or ".csv".
Result<std::string> asked_ending(const std::string& asked, const KnownForms& forms) {
  const std::string ending = asked.starts_with('.') ? asked : "." + asked;
  if (std::ranges::find(forms.endings, ending) != forms.endings.end()) return ending;
  return usage_error("--form", fmt::format("'{}' is no form of {}", asked, forms.what),
                     expected_endings(forms));
}

}  // namespace

Result<std::vector<OutputPlace>> output_places(std::span<const std::string> paths,
                                               const std::string& asked, const KnownForms& forms) {
  std::string unnamed(forms.of_streams);
  if (!asked.empty()) {
    auto ending = asked_ending(asked, forms);
    if (!ending) return tl::unexpected(ending.error());
    unnamed = *std::move(ending);
  }
  std::vector<OutputPlace> places;
  bool is_needed = false;
  for (const std::string& path : paths) {
    auto ending = ending_of(path, forms);
    if (!ending && asked.empty() && !is_stream(path)) {
      return usage_error("-o " + path, fmt::format("no form of {} has this ending", forms.what),
                         expected_endings(forms) + "; --form says it for any other name");
    }
    is_needed = is_needed || !ending;
    places.push_back({path, ending ? *std::move(ending) : unnamed});
  }
  if (!asked.empty() && !is_needed) {
    return usage_error("--form", "is for outputs whose names do not say their form",
                       paths.empty() ? "give one: -o - is standard output" : "leave it out");
  }
  if (auto fault = find_file_named_twice(paths)) return tl::unexpected(*std::move(fault));
  return places;
}

}  // namespace berth
