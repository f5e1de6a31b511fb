#include <array>
#include <string>

#include "berth/certify/placement.h"
#include "berth/pipeline/check_file.h"
#include "berth/pipeline/outputs.h"
#include "berth/pipeline/plan_file.h"
#include "fuzz/entry.h"

using namespace berth;

// Whatever the file: no plan of ours is unsound, and what is written checks.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const InputFile file{"fuzz", fuzz::text_of(data, size)};
  (void)check_file(file, {}, {});
  const auto answer = plan_file(file, {});
  if (!answer) {
    fuzz::expect(!answer.error().message.empty());
    return 0;
  }
  fuzz::expect(!std::holds_alternative<BrokenPromise>(*answer));
  const auto* planned = std::get_if<PlannedFile>(&*answer);
  if (planned == nullptr) return 0;
  fuzz::expect(check_placement(planned->plan).sound());
  const auto written =
      output_forms(file, *planned, std::array<std::string, 3>{"p.json", "p.csv", "p.h"});
  fuzz::expect(written.has_value());
  const auto checked = check_file({"p.json", (*written)[0].content}, file, {});
  fuzz::expect(checked.has_value() && checked->sound());
  return 0;
}
