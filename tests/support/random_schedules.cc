#include <array>

#include "tests/support/schedules.h"

namespace berth::test {
namespace {

class RandomSchedule {
 public:
  RandomSchedule(std::mt19937_64& random, Letters letters) : random_(random), letters_(letters) {}

  Schedule make() {
    for (std::uint64_t slot = 0, count = 1 + below(8); slot < count; ++slot) add_storage(slot);
    for (auto count = below(12); count > 0; --count) add_view();
    for (auto count = 1 + below(8); count > 0; --count) add_call();
    for (auto count = below(6); count > 0; --count) add_loop();
    std::vector<OpId> held;
    while (one_in(3)) held.push_back(any_of(storage_));
    const OpId root = graph_.add(linear_op(some_entries(below(10)))).value();
    return Schedule::make(std::move(graph_), root, std::move(held)).value();
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  OpId any_of(const std::vector<OpId>& nodes) { return nodes[below(nodes.size())]; }

  Dtype dtype() {
    static constexpr std::array names = {"int8",    "float32", "uint4", "bool",
                                         "float16", "int1",    "int2",  "float4_e2m1"};
    return *Dtype::of(names[below(names.size())]);
  }

  void add_storage(std::uint64_t slot) {
    static constexpr std::array devices = {"GPU", "GPU", "GPU",        "GPU",
                                           "GPU", "CPU", "DISK:/data", "GPU:1"};
    const Storage storage{.slot = slot,
                          .dtype = dtype(),
                          .elements = one_in(8) ? 0 : below(3000),
                          .device = devices[below(devices.size())],
                          .skew = static_cast<std::uint8_t>(one_in(3) ? below(256) : 0),
                          .name = one_in(2) ? "" : "b" + std::to_string(slot)};
    const auto kind = below(8);
    const Op op = kind == 0   ? param_op(storage)
                  : kind == 1 ? alloc_op(storage)
                              : buffer_op(storage);
    storage_.push_back(graph_.add(op).value());
  }

  // A view that the graph refuses (half an element) is none.
  void add_view() {
    const OpId of = any_of(storage_);
    const std::uint64_t elements = graph_.view(of)->elements;
    const std::uint64_t begin = below(elements + 1);
    const Op op = one_in(3)   ? bitcast_op(of, dtype())
                  : one_in(3) ? after_op(of, std::array{any_of(storage_)})
                  : one_in(4) ? after_body(of)
                              : shrink_op(of, {begin, begin + below(elements - begin + 1)});
    if (const auto view = graph_.add(op)) storage_.push_back(*view);
  }

  // After something that only a body mentions.
  Op after_body(OpId of) {
    const OpId body = graph_.add(kernel_op("b", {any_of(storage_)})).value();
    return after_op(of, std::array{body});
  }

  void add_call() {
    std::vector<OpId> mentioned;
    if (one_in(3)) mentioned.push_back(any_of(storage_));
    const std::string name = "k" + std::to_string(below(4));
    const OpId body =
        graph_.add(one_in(4) ? store_op(name, mentioned) : kernel_op(name, mentioned)).value();
    std::vector<OpId> arguments;
    for (auto count = below(4); count > 0; --count) arguments.push_back(any_of(storage_));
    std::string access;
    while (letters_ == Letters::Some && access.size() < arguments.size()) access += "rwb"[below(3)];
    entries_.push_back(graph_.add(call_op(body, arguments, std::move(access))).value());
    if (one_in(3)) {
      const auto ordered = std::array{entries_.back()};
      storage_.push_back(graph_.add(after_op(any_of(storage_), ordered)).value());
    }
  }

  // Mostly of a few turns; of none, and of many.
  std::uint64_t count() {
    static constexpr std::array<std::uint64_t, 4> rare = {0, 1, 2, std::uint64_t{1} << 40};
    return one_in(2) ? rare[below(rare.size())] : below(5);
  }

  // Of a linear, or of a call or a loop alone.
  void add_loop() {
    const OpId repeated =
        one_in(3) ? any_of(entries_) : graph_.add(linear_op(some_entries(1 + below(3)))).value();
    const auto bound = one_in(2) ? std::optional(count()) : std::nullopt;
    entries_.push_back(graph_
                           .add(one_in(2) ? end_op(repeated, count())
                                          : back_edge_op(repeated, any_of(storage_), bound))
                           .value());
  }

  std::vector<OpId> some_entries(std::uint64_t count) {
    std::vector<OpId> entries;
    while (entries.size() < count) entries.push_back(any_of(entries_));
    return entries;
  }

  std::mt19937_64& random_;
  Letters letters_;
  OpGraph graph_;
  std::vector<OpId> storage_;  // and views
  std::vector<OpId> entries_;
};

}  // namespace

Schedule random_schedule(std::mt19937_64& random, Letters letters) {
  return RandomSchedule(random, letters).make();
}

}  // namespace berth::test
