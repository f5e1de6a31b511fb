#include "berth/pipeline/launches_file.h"

#include "berth/formats/launches_binary.h"
#include "berth/formats/launches_json.h"

namespace berth {

Result<LaunchSchedule> read_launches_bytes(const FileBytes& content, const std::string& path) {
  const std::string_view text(reinterpret_cast<const char*>(content.bytes.data()),
                              content.bytes.size());
  if (is_launches_binary(text)) return read_launches_binary(content.bytes, content.owner, path);
  const auto document = JsonDocument::parse(std::string(text), path);
  if (!document) return tl::unexpected(document.error());
  return read_launches(*document);
}

Result<LaunchSchedule> open_launches(const std::string& path) {
  const auto content = read_bytes(path);
  if (!content) return tl::unexpected(content.error());
  return read_launches_bytes(*content, path);
}

}  // namespace berth
