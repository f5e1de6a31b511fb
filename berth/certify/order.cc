#include "berth/certify/order.h"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::size_t kNobody = SIZE_MAX;

// Of one tensor's bytes, or of all that a phase may do besides: the phases seen so far that run
// last under the new order.
struct Latest {
  std::size_t touch = kNobody;
  std::size_t write = kNobody;
};

class OrderCheck {
 public:
  OrderCheck(const Program& program, const PhaseOrder& order)
      : program_(program), order_(order), position_(order.size(), kNobody) {}

  std::optional<std::string> find_fault() {
    const auto count = program_.phases.size();
    if (order_.size() != count) {
      return fmt::format("the order has {} steps, the input {}", order_.size(), count);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (order_[i] >= count || position_[order_[i]] != kNobody) {
        return fmt::format("the order has step {} at {}, twice or past the {} there are", order_[i],
                           i, count);
      }
      position_[order_[i]] = i;
    }
    for (const PhaseLoop& loop : program_.loops) {
      for (auto i = loop.phases.lower; i < loop.phases.upper; ++i) {
        if (order_[i] != i) return fmt::format("the order moves step {}, which is in a loop", i);
      }
    }
    std::vector<Latest> latest(program_.tensors.size());
    Latest world;
    for (std::size_t phase = 0; phase < count; ++phase) {
      if (auto fault = touch(world, phase, program_.phases[phase].stays, "")) return fault;
      for (const TensorAccess& access : program_.phases[phase].accesses) {
        const auto root = root_of(access.tensor.index());
        if (auto fault = touch(latest[root], phase, access.kind == TensorAccess::Kind::Write,
                               program_.tensors[root].name)) {
          return fault;
        }
      }
    }
    return std::nullopt;
  }

 private:
  // Views in a circle end somewhere in it.
  std::size_t root_of(std::size_t tensor) const {
    for (std::size_t hops = 0; hops < program_.tensors.size(); ++hops) {
      const auto& view = program_.tensors[tensor].view_of;
      if (!view) break;
      tensor = view->of.index();
    }
    return tensor;
  }

  // Phases come in the old order: a write must find all earlier touches before it under the new
  // one, a read all earlier writes.
  std::optional<std::string> touch(Latest& latest, std::size_t phase, bool writes,
                                   const std::string& tensor) const {
    const auto before = writes ? latest.touch : latest.write;
    if (before != kNobody && before != phase && position_[before] > position_[phase]) {
      const std::string what = tensor.empty() ? "one of them does more than read and write tensors"
                                              : fmt::format("both touch {}", printable(tensor));
      return fmt::format("the order runs step {} ({}) before step {} ({}), but {}", phase,
                         printable(program_.phases[phase].name), before,
                         printable(program_.phases[before].name), what);
    }
    raise(latest.touch, phase);
    if (writes) raise(latest.write, phase);
    return std::nullopt;
  }

  void raise(std::size_t& latest, std::size_t phase) const {
    if (latest == kNobody || position_[latest] < position_[phase]) latest = phase;
  }

  const Program& program_;
  const PhaseOrder& order_;
  std::vector<std::size_t> position_;  // by phase
};

}  // namespace

std::optional<std::string> find_order_fault(const Program& program, const PhaseOrder& order) {
  return OrderCheck(program, order).find_fault();
}

}  // namespace berth
