#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::decoders {

// Decode steps of published models (one token, batch 1), with their public shapes and without their
// weights: those are named and sized, and their data is said to be in another file.
//
//   llama3_8b     32 layers of grouped-query attention with a key and value cache
//   mamba2_2.7b   64 layers of a selective state space: a state and a window of a convolution each
//   qwen3_next    48 layers, every fourth attention, the others a gated delta net. Of its 512
//                 experts those that one token takes (10, and the shared one) stand for all, as one
//                 block of their width
//
// The caches hold `context` tokens.

std::vector<std::string_view> model_names();

// The whole model as ONNX. Empty where no model has this name. States are the pairs past... and
// present... .
std::string onnx_model(std::string_view model, std::int64_t context);

struct LayerModel {
  std::string name;  // of the program: "attention", "gdn", "mamba", "embed", "head"
  std::uint64_t layers = 1;
  std::string onnx;  // one such layer, on a token's activations
  // Bytes that a step writes of a state of which it writes a part alone: by name of its present
  // end.
  std::vector<std::pair<std::string, std::uint64_t>> written;
};

// The same model, layer kind by layer kind, in the order in which they first run.
std::vector<LayerModel> layer_models(std::string_view model, std::int64_t context);

}  // namespace berth::decoders
