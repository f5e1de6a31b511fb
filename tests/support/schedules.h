#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "berth/ir/schedule.h"

namespace berth::test {

// Builds small schedules. A node that the graph refuses throws, which fails the test.
class Draft {
 public:
  OpId add(Op op) { return graph_.add(std::move(op)).value(); }

  // An int8 buffer in the next slot.
  OpId buffer(std::string name, std::uint64_t bytes, std::string device = "GPU",
              std::uint8_t skew = 0) {
    return add(buffer_op({.slot = slots_++,
                          .elements = bytes,
                          .device = std::move(device),
                          .skew = skew,
                          .name = std::move(name)}));
  }
  OpId view(OpId of, std::uint64_t begin, std::uint64_t end) {
    return add(shrink_op(of, {begin, end}));
  }
  OpId call(std::string body, const std::vector<OpId>& arguments) {
    return add(call_op(add(kernel_op(std::move(body))), arguments));
  }
  // One letter an argument.
  OpId call(std::string body, const std::vector<OpId>& arguments, std::string access) {
    return add(call_op(add(kernel_op(std::move(body))), arguments, std::move(access)));
  }
  OpId loop(std::vector<OpId> entries, std::uint64_t count = 4) {
    return add(end_op(add(linear_op(std::move(entries))), count));
  }

  Schedule schedule(std::vector<OpId> entries, std::vector<OpId> held = {}) const {
    OpGraph graph = graph_;
    const OpId root = graph.add(linear_op(std::move(entries))).value();
    return Schedule::make(std::move(graph), root, std::move(held)).value();
  }
  const OpGraph& graph() const { return graph_; }

 private:
  OpGraph graph_;
  std::uint64_t slots_ = 0;
};

// What argument `n` of a call names.
inline const View& argument(const OpGraph& graph, OpId call, std::size_t n) {
  return graph.view(graph[call].sources[n + 1]).value();
}

// Whether calls say what they read and write; those that do not, read and write all they take.
enum class Letters { None, Some };

// Up to 8 buffers on two GPUs, a CPU and a disk, with views of each kind and of views, calls whose
// bodies may mention buffers, loops and back edges over shared entries, calls and loops, of no turn
// and of many, and held nodes.
Schedule random_schedule(std::mt19937_64& random, Letters letters = Letters::None);

}  // namespace berth::test
