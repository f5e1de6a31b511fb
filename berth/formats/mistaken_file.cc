#include "berth/formats/mistaken_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::string_view kLfs = "version https://git-lfs.github.com/spec/";
constexpr std::string_view kOlderLfs = "version https://hawser.github.com/spec/";
constexpr std::string_view kAnnex = "/annex/objects/";

struct Packed {
  std::string_view magic;
  std::string_view what;
  std::string_view hint;
};

constexpr std::string_view kUnpack = "unpack it, and give the file inside";

constexpr std::array<Packed, 6> kPacked = {{
    {"PK\x03\x04", "a zip archive",
     "unpack it; a model of PyTorch is one too: export it as .onnx first"},
    {"\x1F\x8B\x08", "compressed with gzip", kUnpack},
    {"\xFD"
     "7zXZ",
     "compressed with xz", kUnpack},
    {"\x28\xB5\x2F\xFD", "compressed with zstd", kUnpack},
    {"BZh", "compressed with bzip2", kUnpack},
    {"\x89HDF\r\n\x1A\n", "an HDF5 file",
     "a model of Keras is one: convert it to .tflite or .onnx first"},
}};

std::string_view without_mark_and_space(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const auto first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

bool begins_like(std::string_view text, std::string_view lower_case) {
  return text.size() >= lower_case.size() &&
         std::equal(lower_case.begin(), lower_case.end(), text.begin(), [](char lower, char found) {
           return lower == static_cast<char>(std::tolower(static_cast<unsigned char>(found)));
         });
}

// The value of a line "key value" of a pointer.
std::string value_of(std::string_view pointer, std::string_view key) {
  const std::string line = fmt::format("\n{} ", key);
  const auto at = pointer.find(line);
  if (at == std::string_view::npos) return "";
  const auto value = pointer.substr(at + line.size());
  return printable(std::string(value.substr(0, std::min<std::size_t>(value.find('\n'), 80))));
}

}  // namespace

std::optional<Error> find_mistaken_file(const std::string& path, std::string_view content) {
  const auto is = [&](std::string what, std::string_view hint) {
    return Error{Error::Kind::Input, path, "is " + std::move(what), std::string(hint)};
  };
  const std::string_view text = without_mark_and_space(content.substr(0, 1024));
  if (text.starts_with(kLfs) || text.starts_with(kOlderLfs)) {
    const std::string size = value_of(text, "size");
    return is("a Git LFS pointer, not the file itself" +
                  (size.empty() ? "" : fmt::format(", which has {} bytes", size)),
              "fetch what it stands for: git lfs pull");
  }
  if (text.starts_with(kAnnex)) {
    return is("a git-annex pointer, not the file itself",
              "fetch what it stands for: git annex get");
  }
  if (begins_like(text, "<!doctype html") || begins_like(text, "<html")) {
    return is("a page of the web (HTML), not the file itself",
              "fetch the file that the page shows; of a map, give the plan that it was drawn from");
  }
  if (begins_like(text, "<?xml") || begins_like(text, "<svg")) {
    return is("XML, which holds no input of berth",
              "of a map, give the plan that it was drawn from");
  }
  for (const Packed& packed : kPacked) {
    if (content.starts_with(packed.magic)) return is(std::string(packed.what), packed.hint);
  }
  return std::nullopt;
}

}  // namespace berth
