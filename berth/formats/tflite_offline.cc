// The OfflineMemoryAllocation block: little-endian words of 32 bits. Three of head (the block's
// version, a word about subgraphs that writers fill in differently and no runtime reads, the number
// of offsets), then an offset a tensor, over the tensors of all subgraphs; -1: the runtime's
// choice.
#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "berth/formats/tflite.h"
#include "berth/formats/tflite_file.h"
#include "tflite_schema_generated.h"

namespace berth {
namespace {

constexpr std::string_view kMetadataName = "OfflineMemoryAllocation";
constexpr std::size_t kWord = 4;
constexpr std::size_t kHeadBytes = 3 * kWord;
constexpr std::int32_t kNewestVersion = 1;  // 0 and 1 have the same layout
constexpr std::int32_t kAnywhere = -1;

std::int32_t word_at(std::string_view block, std::size_t index) {
  std::uint32_t word = 0;
  for (std::size_t byte = 0; byte < kWord; ++byte) {
    const auto value = static_cast<std::uint8_t>(block[index * kWord + byte]);
    word |= static_cast<std::uint32_t>(value) << (8 * byte);
  }
  return std::bit_cast<std::int32_t>(word);
}

std::size_t count_tensors(const tflite::schema::Model& model) {
  std::size_t count = 0;
  if (model.subgraphs() == nullptr) return count;
  for (const auto* graph : *model.subgraphs()) {
    if (graph->tensors() != nullptr) count += graph->tensors()->size();
  }
  return count;
}

// Nothing where the model carries no plan.
Result<std::optional<std::string_view>> find_block(const tflite::File& file,
                                                   const std::string& where) {
  const auto& model = file.model();
  std::optional<std::uint32_t> buffer;
  if (model.metadata() == nullptr) return std::nullopt;
  for (const auto* entry : *model.metadata()) {
    if (entry->name() == nullptr || entry->name()->string_view() != kMetadataName) continue;
    if (buffer) return input_error(where, "stands in the model twice", "keep one plan");
    buffer = entry->buffer();
  }
  if (!buffer) return std::nullopt;
  const std::size_t buffers = model.buffers() == nullptr ? 0 : model.buffers()->size();
  if (*buffer >= buffers) {
    return input_error(where,
                       fmt::format("is in buffer {}; the table has {} buffers", *buffer, buffers));
  }
  return file.buffer(*buffer);
}

Result<OfflinePlan> read_block(std::string_view block, std::size_t tensors,
                               const std::string& where) {
  const auto found = fmt::format("the block has {} bytes", block.size());
  if (block.size() < kHeadBytes) {
    return input_error(where, fmt::format("{}; it needs {} bytes of head", found, kHeadBytes));
  }
  const std::int32_t version = word_at(block, 0);
  if (version < 0 || version > kNewestVersion) {
    return input_error(
        where, fmt::format("is version {}; this reads up to version {}", version, kNewestVersion));
  }
  const std::int32_t count = word_at(block, 2);
  if (count < 0 || static_cast<std::size_t>(count) != tensors) {
    return input_error(where,
                       fmt::format("gives {} offsets; the model has {} tensors", count, tensors));
  }
  const std::size_t needed = kHeadBytes + kWord * tensors;
  if (block.size() != needed) {
    return input_error(where, fmt::format("{}; {} of head and {} offsets need {}", found,
                                          kHeadBytes, count, needed));
  }
  OfflinePlan plan(tensors);
  for (std::size_t tensor = 0; tensor < tensors; ++tensor) {
    const std::int32_t offset = word_at(block, 3 + tensor);
    if (offset == kAnywhere) continue;
    if (offset < 0) {
      return input_error(
          where, fmt::format("offset {} of tensor {} is negative, and not -1", offset, tensor));
    }
    plan[tensor] = Offset(static_cast<std::uint64_t>(offset));
  }
  return plan;
}

}  // namespace

Result<std::optional<OfflinePlan>> read_tflite_offline_plan(std::string_view bytes,
                                                            std::string_view file_name) {
  const auto file = tflite::File::open(bytes, std::string(file_name));
  if (!file) return tl::unexpected(file.error());
  const auto where = fmt::format("{}: metadata {}", file_name, kMetadataName);
  const auto block = find_block(*file, where);
  if (!block) return tl::unexpected(block.error());
  if (!*block) return std::nullopt;
  auto plan = read_block(**block, count_tensors(file->model()), where);
  if (!plan) return tl::unexpected(plan.error());
  return std::optional(std::move(*plan));
}

}  // namespace berth
