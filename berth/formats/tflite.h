#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/result.h"
#include "berth/ir/program.h"

namespace berth {

struct TfliteOptions {
  // RESHAPE, SQUEEZE and EXPAND_DIMS give a view of their operand instead of a copy.
  bool views = false;
  // Element-wise operators may write over an operand that dies there, and what a concatenation
  // joins may be written straight to its place.
  bool in_place = false;
  // Shapes of the model's inputs, where it leaves dimensions open; and single sizes: "x[1]" is
  // dimension 1 of x, "x" its only open one.
  std::vector<std::pair<std::string, std::vector<std::uint64_t>>> shapes{};
  std::vector<std::pair<std::string, std::uint64_t>> sizes{};
};

// A TensorFlow Lite model as a program: docs/formats/tflite.md says what becomes of it. The tensors
// of all subgraphs stand in one table, those of subgraph 0 first, so a TensorId is also the index
// by which an offline plan knows the tensor. `file_name` stands in messages. Any bytes give a
// program or an error.
Result<Program> read_tflite(std::string_view bytes, std::string_view file_name,
                            const TfliteOptions& options = {});

// An input some of whose dimensions the converter left open; `dims` are placeholders there.
struct OpenShape {
  std::string name;
  std::vector<std::uint64_t> dims;
  std::vector<std::size_t> open;
};

struct TfliteFacts {
  std::vector<OpenShape> open;  // of the model's inputs; a batch of 1 alone says itself
  Bytes micro;                  // an estimate: what TensorFlow Lite Micro keeps beside the tensors
};

// Refuses what is no model, and indices outside its tables.
Result<TfliteFacts> read_tflite_facts(std::string_view bytes, std::string_view file_name,
                                      const TfliteOptions& options = {});

// The plan that a model carries in its OfflineMemoryAllocation metadata: by TensorId, the offset
// in the arena, or nothing where the runtime places the tensor itself. Nothing at all where the
// model carries no plan. Refuses a plan that is cut short or is for another number of tensors.
using OfflinePlan = std::vector<std::optional<Offset>>;
Result<std::optional<OfflinePlan>> read_tflite_offline_plan(std::string_view bytes,
                                                            std::string_view file_name);

// The model with this plan as its OfflineMemoryAllocation metadata, in the place of any that it
// carries; everything else stays byte for byte. By TensorId, -1 for what the runtime places.
// Refuses offsets past 31 bits, and models whose data stands behind their tables.
Result<std::string> write_tflite_offline_plan(std::string_view bytes, std::string_view file_name,
                                              const OfflinePlan& plan);

}  // namespace berth
