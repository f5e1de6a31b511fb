#include "berth/formats/tflite_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tflite_schema_generated.h"

namespace berth::tflite {
namespace {

// A format limit of FlatBuffers: offsets are 31 bits. Larger models keep their weights behind the
// tables.
constexpr std::size_t kMostTableBytes = FLATBUFFERS_MAX_BUFFER_SIZE - 1;
constexpr std::size_t kLeastBytes = 8;  // the root offset and the identifier
constexpr unsigned kMostDepth = 64;
constexpr unsigned kMostTables = 2'000'000;
constexpr unsigned kVersion = 3;

bool is_aligned(std::string_view bytes) {
  return reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(std::uint64_t) == 0;
}

std::vector<std::uint64_t> copy_of(std::string_view bytes) {
  std::vector<std::uint64_t> words(bytes.size() / sizeof(std::uint64_t) + 1);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

bool is_sound(std::string_view tables) {
  flatbuffers::Verifier::Options limits;
  limits.max_depth = kMostDepth;
  limits.max_tables = kMostTables;
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(tables.data()),
                                 tables.size(), limits);
  return schema::VerifyModelBuffer(verifier);
}

}  // namespace

Result<File> File::open(std::string_view bytes, std::string name) {
  const auto tables = bytes.substr(0, kMostTableBytes);
  if (tables.size() < kLeastBytes || tables.substr(4, 4) != schema::ModelIdentifier()) {
    return input_error(std::move(name), "is no TensorFlow Lite model: no TFL3 at byte 4",
                       "give a .tflite file of version 3");
  }
  File file;
  file.name_ = std::move(name);
  file.bytes_ = bytes;
  if (!is_aligned(bytes)) {
    file.aligned_ = copy_of(bytes);
    file.bytes_ = {reinterpret_cast<const char*>(file.aligned_.data()), bytes.size()};
  }
  if (!is_sound(file.bytes_.substr(0, kMostTableBytes))) {
    return input_error(file.name_,
                       fmt::format("is damaged: an offset or a length leads out of its {} bytes, "
                                   "or it has more than {} tables",
                                   bytes.size(), kMostTables),
                       "fetch or convert the model again");
  }
  if (file.model().version() != kVersion) {
    return input_error(file.name_, fmt::format("is version {} of the format; this reads version {}",
                                               file.model().version(), kVersion));
  }
  return file;
}

const schema::Model& File::model() const {
  return *schema::GetModel(bytes_.data());
}

Result<std::string_view> File::buffer(std::size_t index) const {
  const auto* entry = model().buffers()->Get(static_cast<flatbuffers::uoffset_t>(index));
  if (entry->offset() > 1) {
    const auto offset = entry->offset();
    const auto size = entry->size();
    if (offset > bytes_.size() || size > bytes_.size() - offset) {
      return input_error(fmt::format("{}: buffer {}", name_, index),
                         fmt::format("{} bytes at byte {} do not lie inside the file of {} bytes",
                                     size, offset, bytes_.size()));
    }
    return bytes_.substr(offset, size);
  }
  if (entry->data() == nullptr) return std::string_view();
  return std::string_view(reinterpret_cast<const char*>(entry->data()->data()),
                          entry->data()->size());
}

}  // namespace berth::tflite
