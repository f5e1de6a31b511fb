#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/ir/program.h"
#include "berth/model/bindings.h"
#include "berth/plan/pack.h"

namespace berth {

// What a person may ask of a plan beyond the file itself.
struct PlanOptions {
  PackOptions pack;
  // Told what is done next, in a few words.
  std::function<void(const std::string&)> on_stage{};

  // Sizes and places in units of this; nothing: 16 for .tflite, 64 for .onnx, 256 for
  // a schedule, 1 for a table.
  std::optional<Alignment> alignment;

  // Bytes a device has, by its name; "" stands for every device without an entry of its own.
  std::vector<std::pair<std::string, Bytes>> capacity;
  Bytes reserve;  // of each device's capacity, that nobody may use

  // Bytes that live in the steps of this name (or in the step of this number) alone.
  std::vector<std::pair<std::string, Bytes>> scratch;

  // Where a device's arena begins; the others follow one another from 0x10000000, each on a page of
  // 4096.
  std::vector<std::pair<std::string, Address>> base;

  // Buffers that are not planned, since their contents outlive the run.
  std::vector<std::string> hold;

  // Sizes that an .onnx model leaves open, and its outputs that are the next run's inputs.
  Bindings bindings;
  std::vector<std::pair<std::string, std::string>> states;

  // Look for an order of a model's steps with less live at once; or take this one.
  bool reorder = false;
  std::optional<PhaseOrder> order;

  bool views = false;         // reshape-like operators of a model give views
  bool in_place = false;      // element-wise operators of a model may write over an operand, and
                              // what is joined may be written straight to its place
  bool offline_plan = false;  // a model's own offline plan says where its tensors must be
  bool share = true;          // permissions to share bytes are granted, not only told
  bool extents = false;       // a schedule's launches say which bytes they reach
  bool planner_off = false;   // NO_MEMORY_PLANNER: a schedule stays as it is
};

}  // namespace berth
