#include "berth/certify/held.h"

namespace berth {

std::vector<Held> held_by(const PlannedBuffer& buffer) {
  const std::uint64_t begin = buffer.offset.value();
  const ByteRange all = {begin, begin + buffer.bytes.count()};
  std::vector<Held> held;
  if (all.empty()) return held;

  Step from = buffer.life.lower;
  for (const Gap& gap : buffer.gaps) {
    if (from < gap.steps.lower) held.push_back({{from, gap.steps.lower}, all});
    if (gap.kept) {
      held.push_back({gap.steps, {begin + gap.kept->lower, begin + gap.kept->upper}, false});
    }
    from = gap.steps.upper;
  }
  if (from < buffer.life.upper) held.push_back({{from, buffer.life.upper}, all});
  return held;
}

}  // namespace berth
