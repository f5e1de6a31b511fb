#include "berth/certify/held.h"

#include <algorithm>

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

bool covers(const std::vector<Held>& held, const Held& part) {
  auto at = std::partition_point(
      held.begin(), held.end(), [&](const Held& it) { return it.steps.upper <= part.steps.lower; });
  Step reached = part.steps.lower;
  for (; reached < part.steps.upper; ++at) {
    if (at == held.end() || reached < at->steps.lower) return false;
    if (!at->bytes.covers(part.bytes)) return false;
    reached = at->steps.upper;
  }
  return true;
}

}  // namespace berth
