#include "berth/formats/onnx.h"
#include "berth/live/program_lives.h"
#include "berth/model/program.h"
#include "fuzz/entry.h"

using namespace berth;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto graph = read_onnx(fuzz::text_of(data, size), "fuzz");
  if (!graph) return 0;
  for (const bool is_bound : {false, true}) {
    ModelOptions options{.views = is_bound, .in_place = is_bound};
    if (is_bound) options.bindings.symbols = {{"n", {2, 5}}, {"c", {1, 1}}};
    const auto model = model_program(*graph, options);
    if (model) (void)program_instance(model->program, *Alignment::of(64));
  }
  return 0;
}
