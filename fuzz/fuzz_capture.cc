#include "berth/certify/arena.h"
#include "berth/formats/capture_csv.h"
#include "berth/lower/captured.h"
#include "fuzz/entry.h"

using namespace berth;

// What is read becomes planes and launches that mean something, whatever was seen.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto capture = read_capture(fuzz::text_of(data, size), "fuzz");
  if (!capture) {
    fuzz::expect(capture.error().where.starts_with("fuzz:"));
    return 0;
  }
  for (const CapturedPart part : {CapturedPart::Everything, CapturedPart::Kernels}) {
    const auto lowered = lower_capture(*capture, part);
    fuzz::expect(lowered.has_value());
    const Verdict verdict = certify_arena(lowered->planes, lowered->launches);
    fuzz::expect(verdict.certified() || verdict.code() > 0);
  }
  return 0;
}
