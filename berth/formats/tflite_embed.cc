// A plan inside a model, without writing the model anew: what a reader does not know must not get
// lost. Every offset of a FlatBuffers file is relative and leads forward, so the file stays valid
// behind anything that is put before it, and new tables there can refer to the old ones:
//
//     | root, TFL3 | Model' | buffers' | metadata' | plan |  old file, byte for byte ...
//                     |        |            \________________> Metadata tables
//                     |        \_____________________________> Buffer tables
//                     \______________________________________> operator codes, subgraphs ...
//
// The old Model table and its two vectors stay behind as bytes that nobody reads.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "berth/formats/tflite.h"
#include "berth/formats/tflite_file.h"
#include "tflite_schema_generated.h"

namespace berth {
namespace {

constexpr std::string_view kName = "OfflineMemoryAllocation";
constexpr std::uint32_t kPlanVersion = 1;
// No vector of a model asks for a stricter alignment, so the old file keeps its own.
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kMostBytes = (std::size_t{1} << 31) - 1;
constexpr std::size_t kModelFields = 8;
constexpr std::size_t kBuffers = 4;  // fields of Model
constexpr std::size_t kMetadata = 6;

// Bytes that are written front to back, with offsets that are filled in later.
class Prefix {
 public:
  std::size_t size() const { return bytes_.size(); }
  void align(std::size_t alignment) {
    bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment, '\0');
  }
  // So that `ahead` bytes further on is a multiple of `alignment`.
  void align_ahead(std::size_t alignment, std::size_t ahead) {
    while ((bytes_.size() + ahead) % alignment != 0) bytes_ += '\0';
  }
  void add_u16(std::size_t value) { add(value, 2); }
  void add_u32(std::size_t value) { add(value, 4); }
  void add_text(std::string_view text) { bytes_ += text; }
  // Where the offset stands; it leads to `target` once that is known.
  std::size_t add_offset() {
    add_u32(0);
    return size() - 4;
  }
  void lead(std::size_t offset, std::size_t target) {
    const std::size_t distance = target - offset;
    for (unsigned byte = 0; byte < 4; ++byte) {
      bytes_[offset + byte] = static_cast<char>(distance >> (8 * byte) & 0xFFU);
    }
  }
  std::string take() && { return std::move(bytes_); }

 private:
  void add(std::size_t value, unsigned count) {
    for (unsigned byte = 0; byte < count; ++byte) {
      bytes_ += static_cast<char>(value >> (8 * byte) & 0xFFU);
    }
  }

  std::string bytes_;
};

// The words of an OfflineMemoryAllocation block.
std::vector<std::uint32_t> words_of(const OfflinePlan& plan, const tflite::schema::Model& model) {
  const std::size_t graphs = model.subgraphs() == nullptr ? 0 : model.subgraphs()->size();
  std::vector<std::uint32_t> words = {kPlanVersion, static_cast<std::uint32_t>(graphs),
                                      static_cast<std::uint32_t>(plan.size())};
  for (const auto& offset : plan) {
    words.push_back(offset ? static_cast<std::uint32_t>(offset->value()) : UINT32_MAX);
  }
  return words;
}

// Position of a table or vector in the file.
std::size_t position_of(const void* pointer, std::string_view bytes,
                        const tflite::schema::Model& model) {
  const auto* table = reinterpret_cast<const char*>(&model);
  std::uint32_t root = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    root |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[byte])) << (8 * byte);
  }
  return static_cast<std::size_t>(static_cast<const char*>(pointer) - (table - root));
}

class Embedding {
 public:
  Embedding(std::string_view bytes, const tflite::schema::Model& model)
      : bytes_(bytes), model_(model) {}

  std::string write(const OfflinePlan& plan) && {
    prefix_.add_u32(0);
    prefix_.add_text("TFL3");
    write_model();
    write_buffers();
    write_metadata();
    write_plan(plan);
    prefix_.align(kAlignment);
    for (const auto& [offset, old] : to_old_) prefix_.lead(offset, prefix_.size() + old);
    return std::move(prefix_).take() + std::string(bytes_);
  }

 private:
  // Position of a table or vector in the old file.
  std::size_t position(const void* pointer) const { return position_of(pointer, bytes_, model_); }
  void add_offset_to_old(const void* pointer) {
    to_old_.emplace_back(prefix_.add_offset(), position(pointer));
  }

  void write_model() {
    prefix_.align(4);
    const std::size_t vtable = prefix_.size();
    const auto field_bytes = 4 * (kModelFields + 1);
    const std::vector<const void*> fields = {nullptr,
                                             model_.operator_codes(),
                                             model_.subgraphs(),
                                             model_.description(),
                                             &model_,  // new
                                             model_.metadata_buffer(),
                                             &model_,  // new
                                             model_.signature_defs()};
    prefix_.add_u16(4 + 2 * kModelFields);
    prefix_.add_u16(field_bytes);
    for (std::size_t i = 0; i < kModelFields; ++i) {
      prefix_.add_u16(i == 0 || fields[i] != nullptr ? 4 * (i + 1) : 0);
    }
    prefix_.align(4);
    const std::size_t table = prefix_.size();
    prefix_.lead(0, table);
    prefix_.add_u32(table - vtable);
    prefix_.add_u32(model_.version());
    for (std::size_t i = 1; i < kModelFields; ++i) {
      if (i == kBuffers) {
        to_buffers_ = prefix_.add_offset();
      } else if (i == kMetadata) {
        to_metadata_ = prefix_.add_offset();
      } else if (fields[i] == nullptr) {
        prefix_.add_u32(0);
      } else {
        add_offset_to_old(fields[i]);
      }
    }
  }

  void write_buffers() {
    const std::size_t count = model_.buffers() == nullptr ? 0 : model_.buffers()->size();
    prefix_.lead(to_buffers_, prefix_.size());
    prefix_.add_u32(count + 1);
    if (count > 0) {
      for (const auto* buffer : *model_.buffers()) add_offset_to_old(buffer);
    }
    new_buffer_ = count;
    to_buffer_ = prefix_.add_offset();
  }

  void write_metadata() {
    std::vector<const tflite::schema::Metadata*> others;
    if (model_.metadata() != nullptr) {
      for (const auto* entry : *model_.metadata()) {
        const bool is_plan = entry->name() != nullptr && entry->name()->string_view() == kName;
        if (!is_plan) others.push_back(entry);
      }
    }
    prefix_.lead(to_metadata_, prefix_.size());
    prefix_.add_u32(others.size() + 1);
    for (const auto* entry : others) add_offset_to_old(entry);
    const std::size_t to_entry = prefix_.add_offset();

    const std::size_t vtable = prefix_.size();
    for (const std::size_t word : {8, 12, 4, 8}) prefix_.add_u16(word);
    prefix_.lead(to_entry, prefix_.size());
    prefix_.add_u32(prefix_.size() - vtable);
    const std::size_t to_name = prefix_.add_offset();
    prefix_.add_u32(new_buffer_);
    prefix_.lead(to_name, prefix_.size());
    prefix_.add_u32(kName.size());
    prefix_.add_text(kName);
    prefix_.add_text(std::string(1, '\0'));
    prefix_.align(4);
  }

  void write_plan(const OfflinePlan& plan) {
    const std::size_t vtable = prefix_.size();
    for (const std::size_t word : {6, 8, 4, 0}) prefix_.add_u16(word);
    prefix_.lead(to_buffer_, prefix_.size());
    prefix_.add_u32(prefix_.size() - vtable);
    const std::size_t to_data = prefix_.add_offset();
    prefix_.align_ahead(16, 4);
    prefix_.lead(to_data, prefix_.size());
    const auto words = words_of(plan, model_);
    prefix_.add_u32(4 * words.size());
    for (const std::uint32_t word : words) prefix_.add_u32(word);
  }

  std::string_view bytes_;
  const tflite::schema::Model& model_;
  Prefix prefix_;
  std::vector<std::pair<std::size_t, std::size_t>> to_old_;  // offset here, position there
  std::size_t to_buffers_ = 0;
  std::size_t to_metadata_ = 0;
  std::size_t to_buffer_ = 0;
  std::size_t new_buffer_ = 0;
};

bool has_data_behind(const tflite::schema::Model& model) {
  if (model.buffers() == nullptr) return false;
  return std::any_of(model.buffers()->begin(), model.buffers()->end(),
                     [](const auto* buffer) { return buffer->offset() > 1; });
}

bool has_unknown_fields(const tflite::schema::Model& model) {
  const auto& table = reinterpret_cast<const flatbuffers::Table&>(model);
  const auto vtable_bytes = flatbuffers::ReadScalar<flatbuffers::voffset_t>(table.GetVTable());
  for (auto field = 4 + 2 * kModelFields; field < vtable_bytes; field += 2) {
    if (table.GetOptionalFieldOffset(static_cast<flatbuffers::voffset_t>(field)) != 0) return true;
  }
  return false;
}

// The data of the plan that a model carries, as long as `words` of them are and nobody else's.
const flatbuffers::Vector<std::uint8_t>* own_block(const tflite::schema::Model& model,
                                                   std::size_t words) {
  std::optional<std::uint32_t> buffer;
  std::multiset<std::uint32_t> users;
  if (model.metadata() == nullptr || model.buffers() == nullptr) return nullptr;
  for (const auto* entry : *model.metadata()) {
    users.insert(entry->buffer());
    if (entry->name() != nullptr && entry->name()->string_view() == kName) buffer = entry->buffer();
  }
  for (std::size_t i = 0; model.subgraphs() != nullptr && i < model.subgraphs()->size(); ++i) {
    const auto* graph = model.subgraphs()->Get(static_cast<flatbuffers::uoffset_t>(i));
    if (graph->tensors() == nullptr) continue;
    for (const auto* tensor : *graph->tensors()) users.insert(tensor->buffer());
  }
  if (!buffer || *buffer >= model.buffers()->size() || users.count(*buffer) != 1) return nullptr;
  const auto* data = model.buffers()->Get(*buffer)->data();
  if (data == nullptr || data->size() != 4 * words) return nullptr;
  std::size_t holders = 0;
  for (const auto* other : *model.buffers()) {
    if (other->data() == nullptr || other->data()->size() == 0) continue;
    const bool meets = other->data()->data() < data->data() + data->size() &&
                       data->data() < other->data()->data() + other->data()->size();
    holders += meets ? 1 : 0;
  }
  return holders == 1 ? data : nullptr;
}

// The model with the plan in the bytes of the one that it carries, so that it does not grow each
// time. Nothing where it carries none as long, or where something else would change with it.
std::optional<std::string> written_over(std::string_view bytes, std::string_view file_name,
                                        const tflite::schema::Model& model,
                                        const OfflinePlan& plan) {
  const auto words = words_of(plan, model);
  const auto* block = own_block(model, words.size());
  if (block == nullptr) return std::nullopt;
  std::string written(bytes);
  constexpr std::size_t kHead = 2;  // a version and a count that no reader needs stay as they are
  std::size_t at = position_of(block->data(), bytes, model) + 4 * kHead;
  for (const std::uint32_t word : std::span(words).subspan(kHead)) {
    for (unsigned byte = 0; byte < 4; ++byte) {
      written[at++] = static_cast<char>(word >> (8 * byte) & 0xFFU);
    }
  }
  const auto before = read_tflite(bytes, file_name);
  const auto after = read_tflite(written, file_name);
  const auto carried = read_tflite_offline_plan(written, file_name);
  if (!before || !after || *before != *after || !carried || *carried != plan) return std::nullopt;
  return written;
}

}  // namespace

Result<std::string> write_tflite_offline_plan(std::string_view bytes, std::string_view file_name,
                                              const OfflinePlan& plan) {
  const auto file = tflite::File::open(bytes, std::string(file_name));
  if (!file) return tl::unexpected(file.error());
  const std::string where = fmt::format("{}: metadata {}", file_name, kName);
  const std::string hint = "write the plan as .json, .csv or .h";
  for (std::size_t tensor = 0; tensor < plan.size(); ++tensor) {
    if (!plan[tensor] || plan[tensor]->value() <= INT32_MAX) continue;
    return input_error(where,
                       fmt::format("offset {} of tensor {} is past the {} that it can hold",
                                   plan[tensor]->value(), tensor, INT32_MAX),
                       hint);
  }
  if (auto written = written_over(bytes, file_name, file->model(), plan)) {
    return *std::move(written);
  }
  if (has_data_behind(file->model())) {
    return input_error(where, "the model keeps data behind its tables, which must not move", hint);
  }
  if (has_unknown_fields(file->model())) {
    return input_error(where, "the model has fields of a newer version, which would get lost",
                       hint);
  }
  std::string model = Embedding(bytes, file->model()).write(plan);
  if (model.size() > kMostBytes) {
    return input_error(where,
                       fmt::format("with it the model would have {} bytes, past the {} "
                                   "that offsets reach",
                                   model.size(), kMostBytes),
                       hint);
  }
  return model;
}

}  // namespace berth
