// Random models with branches and loops, planned, then run byte by byte as the runtime for small
// cores runs them: operand by operand, copy by copy, with branches and turns by the dice. What is
// read must be what was written, so no life is too short; and a model is refused exactly where some
// copy joins two sizes.
#include <map>
#include <random>

#include "tests/regress/bug_corpus.h"
#include "tests/testing/tflite_model.h"

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests

class RandomModel {
 public:
  explicit RandomModel(std::uint64_t seed) : random_(seed) {}

  TestModel make() {
    model_.graphs.emplace_back();
    std::vector<std::int32_t> sizes;
    for (std::size_t i = 0; i < 1 + below(2); ++i) sizes.push_back(size());
    fill(0, sizes, below(2) + 1, std::nullopt, 2);
    return std::move(model_);
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }
  std::int32_t size() { return static_cast<std::int32_t>(16 * (1 + below(6))); }
  // Seldom another one.
  std::int32_t nearly(std::int32_t bytes) { return below(60) == 0 ? bytes + 16 : bytes; }

  std::int32_t add(std::size_t graph, std::int32_t bytes) {
    auto& tensors = model_.graphs[graph].tensors;
    tensors.push_back(
        sized("g" + std::to_string(graph) + "t" + std::to_string(tensors.size()), bytes));
    return static_cast<std::int32_t>(tensors.size() - 1);
  }
  std::int32_t any(std::size_t graph) {
    return static_cast<std::int32_t>(below(model_.graphs[graph].tensors.size()));
  }
  std::int32_t bytes(std::size_t graph, std::int32_t tensor) {
    return model_.graphs[graph].tensors[static_cast<std::size_t>(tensor)].shape[0];
  }

  // A subgraph that takes these sizes and gives those, or any.
  std::int32_t callee(const std::vector<std::int32_t>& in, const std::vector<std::int32_t>& out,
                      int depth) {
    const std::size_t graph = model_.graphs.size();
    model_.graphs.emplace_back();
    fill(graph, in, out.size(), out, depth);
    return static_cast<std::int32_t>(graph);
  }

  void fill(std::size_t graph, const std::vector<std::int32_t>& in, std::size_t results,
            const std::optional<std::vector<std::int32_t>>& out, int depth) {
    for (const std::int32_t it : in) model_.graphs[graph].inputs.push_back(add(graph, nearly(it)));
    if (in.empty()) step(graph, size());
    for (std::size_t i = 0; i < 1 + below(3); ++i) {
      const std::size_t kind = depth > 0 ? below(4) : 0;
      if (kind < 2) step(graph, size());
      if (kind == 2) branch(graph, depth - 1);
      if (kind == 3) loop(graph, depth - 1);
    }
    for (std::size_t i = 0; i < results; ++i) {
      step(graph, out ? nearly((*out)[i]) : size());
      auto& tensors = model_.graphs[graph].tensors;
      model_.graphs[graph].outputs.push_back(static_cast<std::int32_t>(tensors.size() - 1));
    }
  }

  void step(std::size_t graph, std::int32_t result) {
    TestOp op{kAdd, {}, {}};
    const std::size_t known = model_.graphs[graph].tensors.size();
    for (std::size_t i = 0; known > 0 && i < 1 + below(2); ++i) op.inputs.push_back(any(graph));
    op.outputs.push_back(add(graph, result));
    model_.graphs[graph].ops.push_back(std::move(op));
  }

  void branch(std::size_t graph, int depth) {
    TestOp op{kIf, {any(graph)}, {}};
    std::vector<std::int32_t> in;
    std::vector<std::int32_t> out;
    for (std::size_t i = 0; i < below(3); ++i) {
      op.inputs.push_back(any(graph));
      in.push_back(bytes(graph, op.inputs.back()));
    }
    for (std::size_t i = 0; i < 1 + below(2); ++i) out.push_back(size());
    op.callees = {callee(in, out, depth), callee(in, out, depth)};
    for (const std::int32_t it : out) op.outputs.push_back(add(graph, nearly(it)));
    model_.graphs[graph].ops.push_back(std::move(op));
  }

  void loop(std::size_t graph, int depth) {
    TestOp op{kWhile, {}, {}};
    std::vector<std::int32_t> carried;
    for (std::size_t i = 0; i < 1 + below(2); ++i) {
      op.inputs.push_back(any(graph));
      carried.push_back(bytes(graph, op.inputs.back()));
    }
    op.callees = {callee(carried, {16}, depth), callee(carried, carried, depth)};
    for (const std::int32_t it : carried) op.outputs.push_back(add(graph, nearly(it)));
    model_.graphs[graph].ops.push_back(std::move(op));
  }

  std::mt19937_64 random_;
  TestModel model_;
};

// The runtime, whose memory holds at each byte the number of the write that it is of.
class Execution {
 public:
  Execution(const TestModel& model, const Plan& plan, std::uint64_t seed)
      : model_(model), random_(seed) {
    for (const PlannedBuffer& row : plan.buffers) places_[row.name] = row.offset.value();
    memory_.resize(test::arena_bytes(plan));
  }

  // Whether all that was read was there.
  bool is_good() {
    for (const std::int32_t input : model_.graphs[0].inputs) write(0, input);
    invoke(0);
    for (const std::int32_t output : model_.graphs[0].outputs) read(0, output);
    return good_;
  }

 private:
  const TestTensor& tensor(std::size_t graph, std::int32_t index) const {
    return model_.graphs[graph].tensors[static_cast<std::size_t>(index)];
  }
  void write(std::size_t graph, std::int32_t index) {
    const TestTensor& it = tensor(graph, index);
    written_[it.name] = ++writes_;
    for (std::int32_t i = 0; i < it.shape[0]; ++i) {
      memory_.at(places_.at(it.name) + static_cast<std::size_t>(i)) = writes_;
    }
  }
  void read(std::size_t graph, std::int32_t index) {
    const TestTensor& it = tensor(graph, index);
    for (std::int32_t i = 0; i < it.shape[0]; ++i) {
      const auto at = places_.at(it.name) + static_cast<std::size_t>(i);
      if (memory_.at(at) != written_[it.name]) good_ = false;
    }
  }
  void copy(std::size_t from_graph, const std::vector<std::int32_t>& from, std::size_t to_graph,
            const std::vector<std::int32_t>& to, std::size_t skipped = 0) {
    for (std::size_t i = 0; i < to.size(); ++i) read(from_graph, from[i + skipped]);
    for (const std::int32_t it : to) write(to_graph, it);
  }

  void invoke(std::size_t graph) {
    for (const TestOp& op : model_.graphs[graph].ops) {
      if (op.code == kIf) {
        branch(graph, op);
      } else if (op.code == kWhile) {
        loop(graph, op);
      } else {
        for (const std::int32_t it : op.inputs) read(graph, it);
        for (const std::int32_t it : op.outputs) write(graph, it);
      }
    }
  }

  void branch(std::size_t graph, const TestOp& op) {
    read(graph, op.inputs[0]);
    const auto taken = static_cast<std::size_t>(op.callees[random_() % 2]);
    copy(graph, op.inputs, taken, model_.graphs[taken].inputs, 1);
    invoke(taken);
    copy(taken, model_.graphs[taken].outputs, graph, op.outputs);
  }

  void loop(std::size_t graph, const TestOp& op) {
    const auto condition = static_cast<std::size_t>(op.callees[0]);
    const auto body = static_cast<std::size_t>(op.callees[1]);
    const TestGraph& tests = model_.graphs[condition];
    const TestGraph& turns = model_.graphs[body];
    copy(graph, op.inputs, condition, tests.inputs);
    copy(graph, op.inputs, graph, op.outputs);
    for (std::uint64_t left = random_() % 3;; --left) {
      invoke(condition);
      read(condition, tests.outputs[0]);
      if (left == 0) return;
      copy(graph, op.outputs, body, turns.inputs);
      invoke(body);
      copy(body, turns.outputs, graph, op.outputs);
      copy(graph, op.outputs, condition, tests.inputs);
    }
  }

  const TestModel& model_;
  std::mt19937_64 random_;
  std::map<std::string, std::size_t> places_;
  std::map<std::string, std::uint64_t> written_;
  std::vector<std::uint64_t> memory_;
  std::uint64_t writes_ = 0;
  bool good_ = true;
};

bool copies_unequal(const TestModel& model) {
  const auto differ = [&](std::size_t from_graph, std::int32_t from, std::size_t to_graph,
                          std::int32_t to) {
    return model.graphs[from_graph].tensors[static_cast<std::size_t>(from)].shape !=
           model.graphs[to_graph].tensors[static_cast<std::size_t>(to)].shape;
  };
  for (std::size_t graph = 0; graph < model.graphs.size(); ++graph) {
    for (const TestOp& op : model.graphs[graph].ops) {
      const std::size_t flag = op.code == kIf ? 1 : 0;
      for (const std::int32_t it : op.callees) {
        const auto callee = static_cast<std::size_t>(it);
        const TestGraph& body = model.graphs[callee];
        for (std::size_t i = 0; i < body.inputs.size(); ++i) {
          if (differ(graph, op.inputs[i + flag], callee, body.inputs[i])) return true;
        }
        const bool is_condition = op.code == kWhile && it == op.callees[0];
        for (std::size_t i = 0; !is_condition && i < body.outputs.size(); ++i) {
          if (differ(callee, body.outputs[i], graph, op.outputs[i])) return true;
        }
      }
      for (std::size_t i = 0; op.code == kWhile && i < op.inputs.size(); ++i) {
        if (differ(graph, op.inputs[i], graph, op.outputs[i])) return true;
      }
    }
  }
  return false;
}

TEST(TfliteRuns, WhatIsReadIsWhatWasWrittenWhicheverWayItRuns) {
  int ran = 0;
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    const TestModel model = RandomModel(seed).make();
    PlanOptions options;
    options.pack.packer = seed % 2 == 0 ? "tlsf" : "greedy";
    const auto answer = test::answer(tflite_bytes(model), options);
    if (copies_unequal(model)) {
      ASSERT_FALSE(answer);
      ASSERT_NE(answer.error().message.find("is copied to"), std::string::npos);
      ++refused;
      continue;
    }
    ASSERT_TRUE(answer) << to_string(answer.error());
    const Plan& plan = std::get<PlannedFile>(*answer).plan;
    for (std::uint64_t way = 0; way < 3; ++way) ASSERT_TRUE(Execution(model, plan, way).is_good());
    ++ran;
  }
  EXPECT_GT(ran, 500);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace berth
