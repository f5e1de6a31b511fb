#include "berth/formats/instance_csv.h"
#include "berth/plan/pack.h"
#include "fuzz/entry.h"

using namespace berth;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = read_instance_csv(fuzz::text_of(data, size), "fuzz");
  if (!read) {
    fuzz::expect(read.error().where.starts_with("fuzz:"));
    return 0;
  }
  const auto answer = pack(read->instance, {});
  fuzz::expect(answer.has_value());
  const auto* packing = std::get_if<Packing>(&*answer);
  if (packing == nullptr) return 0;
  const auto again = read_instance_csv(write_instance_csv(read->table, packing->placement), "fuzz");
  if (!again) {
    // Fixed places count beside the sizes, so a table past half of 64 bits may not read back.
    fuzz::expect(again.error().message.find("64 bits") != std::string::npos);
    return 0;
  }
  fuzz::expect(again->instance.size() == read->instance.size());
  for (std::size_t i = 0; i < again->instance.size(); ++i) {
    fuzz::expect(again->instance[BufferId(i)].fixed == packing->placement.places[i]);
  }
  return 0;
}
