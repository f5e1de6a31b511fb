#include "berth/certify/residency.h"
#include "berth/formats/deployment_json.h"
#include "berth/formats/residency_json.h"
#include "berth/formats/target_toml.h"
#include "berth/reside/deployment.h"
#include "fuzz/entry.h"

// A residency, a program in a deployment, or a target: whatever the bytes begin as.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  const std::string text = fuzz::text_of(data, size);
  static const Target chip = {
      .name = "chip", .any_site_reaches_any = true, .chips = {{.sites = {{2, Bytes(5000)}}}}};
  if (const auto target = read_target(text, "fuzz")) {
    fuzz::expect(!target->chips.empty());
    return 0;
  }
  const auto document = JsonDocument::parse(text, "fuzz");
  if (!document) return 0;
  if (const auto claim = read_residency(*document)) {
    const auto verdict = check_residency(*claim);
    fuzz::expect(!verdict.sound() || verdict.bound <= claim->best);
  }
  const auto load = [](const std::string& path) -> Result<std::string> {
    return input_error(path, "there are no files here");
  };
  const auto deployment = read_deployment(*document, load);
  if (!deployment) return 0;
  const auto plan = plan_deployment(*deployment, chip);
  if (!plan) return 0;
  for (const ChipResidency& it : plan->chips) fuzz::expect(it.states <= it.room());
  return 0;
}
