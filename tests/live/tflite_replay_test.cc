// One clock for all subgraphs is right if the runtime, which jumps and loops where the clock runs
// straight on, finds every value where it left it. Random models with nested calls run here as the
// micro runtime runs them, copies included, on an arena of tagged bytes.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "berth/formats/tflite.h"
#include "berth/live/program_lives.h"
#include "tests/testing/first_fit.h"
#include "tests/testing/instance_facts.h"
#include "tests/testing/tflite_model.h"

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests

constexpr std::int32_t kSizes[] = {8, 24};  // of the two values that every subgraph takes and gives
constexpr std::int32_t kFlag = 0;           // tensor 0 of each subgraph that is no condition

class Runtime {
 public:
  Runtime(const TestModel& model, const ProgramInstance& planned, std::mt19937& random)
      : model_(model),
        places_(place_first_fit(planned.instance)),
        random_(random),
        arena_(1 << 14) {
    for (const TestGraph& graph : model.graphs) {
      first_.push_back(members_.size());
      members_.resize(members_.size() + graph.tensors.size(), nullptr);
    }
    for (const Member& member : planned.members) members_[member.tensor.index()] = &member;
    versions_.resize(members_.size());
  }

  // The number of reads that did not find what was written.
  std::size_t lost_values() {
    for (const auto input : model_.graphs[0].inputs) write(0, input);
    run(0);
    for (const auto output : model_.graphs[0].outputs) check(0, output);
    return lost_;
  }

 private:
  using Tag = std::pair<std::uint64_t, std::uint64_t>;  // version, byte of it

  const TestGraph& graph_at(std::size_t graph) const { return model_.graphs[graph]; }

  std::uint64_t& version(std::size_t graph, std::int32_t tensor) {
    return versions_[first_[graph] + static_cast<std::size_t>(tensor)];
  }

  template <typename Visit>
  void each_byte(std::size_t graph, std::int32_t tensor, Visit visit) {
    const Member* member = members_[first_[graph] + static_cast<std::size_t>(tensor)];
    if (member == nullptr) return;
    const auto first = places_[member->buffer.index()] + member->offset.count();
    for (std::uint64_t byte = 0; byte < member->bytes.count(); ++byte) {
      visit(arena_.at(first + byte), Tag{version(graph, tensor), byte});
    }
  }

  void write(std::size_t graph, std::int32_t tensor) { write(graph, tensor, ++newest_); }

  void write(std::size_t graph, std::int32_t tensor, std::uint64_t value) {
    version(graph, tensor) = value;
    each_byte(graph, tensor, [](Tag& cell, const Tag& tag) { cell = tag; });
  }

  void check(std::size_t graph, std::int32_t tensor) {
    bool sound = true;
    each_byte(graph, tensor,
              [&](const Tag& cell, const Tag& tag) { sound = sound && cell == tag; });
    lost_ += sound ? 0 : 1;
  }

  void copy(std::size_t from, const std::vector<std::int32_t>& sources, std::size_t to,
            const std::vector<std::int32_t>& targets) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      check(from, sources[i]);
      write(to, targets[i], version(from, sources[i]));
    }
  }

  void run(std::size_t graph) {
    for (const TestOp& op : graph_at(graph).ops) {
      switch (op.code) {
        case kIf:
          run_if(graph, op);
          break;
        case kWhile:
          run_while(graph, op);
          break;
        case kCall:
          run_call(graph, op.inputs, static_cast<std::size_t>(op.callees[0]), op.outputs);
          break;
        default:
          run_plain(graph, op);
      }
    }
  }

  void run_plain(std::size_t graph, const TestOp& op) {
    for (const auto input : op.inputs) check(graph, input);
    for (const auto output : op.outputs) {
      if (op.code == kReshape) write(graph, output, version(graph, op.inputs[0]));
      if (op.code != kReshape) write(graph, output);
    }
    for (const auto output : op.outputs) check(graph, output);
  }

  void run_call(std::size_t graph, const std::vector<std::int32_t>& inputs, std::size_t callee,
                const std::vector<std::int32_t>& outputs) {
    copy(graph, inputs, callee, graph_at(callee).inputs);
    run(callee);
    copy(callee, graph_at(callee).outputs, graph, outputs);
  }

  void run_if(std::size_t graph, const TestOp& op) {
    check(graph, op.inputs[0]);
    const std::vector<std::int32_t> passed(op.inputs.begin() + 1, op.inputs.end());
    run_call(graph, passed, static_cast<std::size_t>(op.callees[random_() % 2]), op.outputs);
  }

  void run_while(std::size_t graph, const TestOp& op) {
    const auto condition = static_cast<std::size_t>(op.callees[0]);
    const auto body = static_cast<std::size_t>(op.callees[1]);
    copy(graph, op.inputs, condition, graph_at(condition).inputs);
    run(condition);
    check(condition, graph_at(condition).outputs[0]);
    copy(graph, op.inputs, body, graph_at(body).inputs);
    copy(graph, op.inputs, graph, op.outputs);
    for (std::size_t turns = random_() % 3; turns != 0; --turns) {
      run_call(graph, op.outputs, body, op.outputs);
      copy(graph, op.outputs, condition, graph_at(condition).inputs);
      run(condition);
      check(condition, graph_at(condition).outputs[0]);
    }
  }

  const TestModel& model_;
  std::vector<std::uint64_t> places_;
  std::mt19937& random_;
  std::vector<std::size_t> first_;      // by subgraph: its first tensor
  std::vector<const Member*> members_;  // by tensor over all subgraphs; null: not planned
  std::vector<std::uint64_t> versions_;
  std::vector<Tag> arena_;
  std::uint64_t newest_ = 0;
  std::size_t lost_ = 0;
};

// Subgraph i calls only later ones; the last two are a condition and a plain body.
class RandomModel {
 public:
  explicit RandomModel(std::mt19937& random) : random_(random) {}

  TestModel make() {
    const std::size_t calling = 1 + below(4);
    TestModel model;
    for (std::size_t i = 0; i < calling; ++i) model.graphs.push_back(graph(i, calling));
    model.graphs.push_back(graph(calling, 0));
    model.graphs.push_back(condition());
    return model;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  static std::int32_t add(TestGraph& graph, std::size_t kind) {
    graph.tensors.push_back(sized("", kSizes[kind]));
    return static_cast<std::int32_t>(graph.tensors.size() - 1);
  }

  TestGraph condition() {
    return {.tensors = {sized("", kSizes[0]), sized("", kSizes[1]), {"", {}, kBool}},
            .inputs = {0, 1},
            .outputs = {2},
            .ops = {{kLess, {static_cast<std::int32_t>(below(2))}, {2}}}};
  }

  // `calling`: how many subgraphs call others; 0: this one calls none.
  TestGraph graph(std::size_t index, std::size_t calling) {
    TestGraph graph;
    graph.tensors.push_back({"", {}, kBool, 1});
    graph.inputs = {add(graph, 0), add(graph, 1)};
    std::vector<std::int32_t> values[2] = {{graph.inputs[0]}, {graph.inputs[1]}};
    for (std::size_t ops = 1 + below(6); ops != 0; --ops) {
      if (calling != 0 && below(2) == 0) {
        add_call(graph, values, index, calling);
      } else {
        add_plain(graph, values);
      }
    }
    graph.outputs = {pick(values[0]), pick(values[1])};
    return graph;
  }

  std::int32_t pick(const std::vector<std::int32_t>& values) {
    return values[values.size() - 1 - below(std::min<std::size_t>(values.size(), 3))];
  }

  void add_plain(TestGraph& graph, std::vector<std::int32_t>* values) {
    const std::size_t kind = below(2);
    const std::int32_t codes[] = {kRelu, kReshape, kAdd};
    TestOp op = {codes[below(3)], {pick(values[kind])}, {}};
    if (op.code == kAdd) op.inputs.push_back(pick(values[kind]));
    op.outputs = {add(graph, kind)};
    values[kind].push_back(op.outputs[0]);
    graph.ops.push_back(op);
  }

  void add_call(TestGraph& graph, std::vector<std::int32_t>* values, std::size_t index,
                std::size_t calling) {
    const auto callee = [&] {
      return static_cast<std::int32_t>(index + 1 + below(calling - index));
    };
    const auto condition = static_cast<std::int32_t>(calling + 1);
    TestOp op = {kCall, {pick(values[0]), pick(values[1])}, {}, {callee()}};
    const std::size_t which = below(3);
    if (which == 1) {
      op = {kIf, {kFlag, op.inputs[0], op.inputs[1]}, {}, {callee(), callee()}};
    } else if (which == 2) {
      op = {kWhile, op.inputs, {}, {condition, callee()}};
    }
    for (const std::size_t kind : {0U, 1U}) {
      op.outputs.push_back(add(graph, kind));
      values[kind].push_back(op.outputs[kind]);
    }
    graph.ops.push_back(op);
  }

  std::mt19937& random_;
};

TEST(TfliteReplay, TheRuntimeFindsEveryValueWhereItLeftIt) {
  std::mt19937 random(11);
  std::size_t calls = 0;
  std::size_t shared = 0;
  for (int round = 0; round < 1200; ++round) {
    const TestModel model = RandomModel(random).make();
    const TfliteOptions options = {.views = round % 2 == 0, .in_place = round % 4 < 2};
    const auto program = read_tflite(tflite_bytes(model), "m.tflite", options);
    ASSERT_TRUE(program) << to_string(program.error());
    if (program->phases.size() > 400) continue;
    const auto planned = program_instance(*program, *Alignment::of(4));
    ASSERT_TRUE(planned) << to_string(planned.error());
    EXPECT_EQ(Runtime(model, *planned, random).lost_values(), 0U) << "round " << round;
    calls += model.graphs.size() > 3 ? 1 : 0;
    shared += planned->members.size() > planned->instance.size() ? 1 : 0;
  }
  EXPECT_GT(calls, 400U);
  EXPECT_GT(shared, 200U);
}

// The same with the reads of loops' copies left out: a runtime that loops must trip over it.
TEST(TfliteReplay, ALoopThatDoesNotHoldItsOperandsIsNoticed) {
  std::mt19937 random(11);
  std::size_t noticed = 0;
  for (int round = 0; round < 300; ++round) {
    const TestModel model = RandomModel(random).make();
    auto program = read_tflite(tflite_bytes(model), "m.tflite");
    ASSERT_TRUE(program);
    if (program->phases.size() > 400) continue;
    for (Phase& phase : program->phases) {
      if (!phase.name.ends_with("WHILE/body/enter")) continue;
      std::erase_if(phase.accesses, [](const TensorAccess& access) {
        return access.kind == TensorAccess::Kind::Read;
      });
    }
    const auto planned = program_instance(*program, Alignment());
    ASSERT_TRUE(planned);
    noticed += Runtime(model, *planned, random).lost_values() != 0 ? 1 : 0;
  }
  EXPECT_GT(noticed, 30U);
}

}  // namespace
}  // namespace berth
