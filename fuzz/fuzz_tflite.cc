#include "berth/formats/tflite.h"
#include "berth/live/program_lives.h"
#include "fuzz/entry.h"

using namespace berth;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = fuzz::text_of(data, size);
  for (const TfliteOptions& options : {TfliteOptions{}, TfliteOptions{true, true}}) {
    const auto program = read_tflite(bytes, "fuzz", options);
    if (program) (void)program_instance(*program, *Alignment::of(16));
  }
  (void)read_tflite_offline_plan(bytes, "fuzz");
  const auto program = read_tflite(bytes, "fuzz");
  if (!program) return 0;
  OfflinePlan plan(program->tensors.size());
  for (std::size_t i = 0; i < plan.size(); i += 2) plan[i] = Offset(16 * i);
  const auto model = write_tflite_offline_plan(bytes, "fuzz", plan);
  if (!model) return 0;
  fuzz::expect(*read_tflite(*model, "fuzz") == *program);
  fuzz::expect(**read_tflite_offline_plan(*model, "fuzz") == plan);
  return 0;
}
