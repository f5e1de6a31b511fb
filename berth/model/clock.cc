#include "berth/model/clock.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "berth/model/constants.h"
#include "berth/model/control_flow.h"

namespace berth {
namespace {

using Tensors = std::vector<TensorId>;

// Of an operand they read no more than what they give, in alphabetical order.
constexpr std::array<std::string_view, 5> kSelecting = {"Compress", "Gather", "GatherElements",
                                                        "GatherND", "Slice"};
static_assert(std::ranges::is_sorted(kSelecting));

void append(Tensors& list, const std::vector<std::optional<TensorId>>& more) {
  for (const auto& tensor : more) {
    if (tensor) list.push_back(*tensor);
  }
}

void append(Tensors& list, const Tensors& more) {
  list.insert(list.end(), more.begin(), more.end());
}

// The block in which each value comes to be.
std::vector<std::size_t> homes_of(const ModelGraph& graph) {
  std::vector<std::size_t> homes(graph.values.size(), 0);
  for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
    for (const TensorId input : graph.blocks[block].inputs) homes[input.index()] = block;
    for (const ModelNode& node : graph.blocks[block].nodes) {
      for (const auto& output : node.outputs) {
        if (output) homes[output->index()] = block;
      }
    }
  }
  return homes;
}

class Unfolder {
 public:
  Unfolder(const ModelGraph& graph, const ModelFacts& facts, const std::vector<bool>& constants,
           std::span<const Tensor> tensors)
      : graph_(graph),
        facts_(facts),
        constants_(constants),
        tensors_(tensors),
        homes_(homes_of(graph)) {}

  ModelClock unfold() {
    runs_.push_back({0, "", nullptr});
    while (!runs_.empty()) {
      Run& run = runs_.back();
      const auto& nodes = graph_.blocks[run.block].nodes;
      if (run.next == nodes.size()) {
        leave();
      } else {
        advance(nodes[run.next]);
      }
    }
    return std::move(clock_);
  }

 private:
  // A block that is being run.
  struct Run {
    std::size_t block = 0;
    std::string path;                  // "Loop/body/"
    const ModelNode* owner = nullptr;  // that runs it; null for the main one
    std::size_t next = 0;              // the node to run next
    std::size_t body = 0;              // how many bodies of that node were looked at
    bool has_run = false;              // one of them
    Tensors captured;                  // read from around the block, where it is a loop's body
  };

  void advance(const ModelNode& node) {
    Run& run = runs_.back();
    if (node.bodies.empty()) {
      if (!is_folded(node, constants_))
        step(run.path + node.op, reads_of(node), writes_of(node), &node);
      ++run.next;
      return;
    }
    if (run.body == node.bodies.size()) {
      // A node none of whose bodies runs still computes its results.
      if (!run.has_run) step(run.path + node.op, reads_of(node), writes_of(node), &node);
      ++run.next;
      run.body = 0;
      run.has_run = false;
      return;
    }
    const bool is_first = !run.has_run;
    const ModelBody& body = node.bodies[run.body++];
    if (!facts_.block_runs[body.block]) return;
    run.has_run = true;
    std::string path = run.path + node.op + "/";
    const bool is_loop = control_of(node) != Control::If;
    if (is_loop && is_first) step(path + "enter", reads_of(node), writes_of(node), nullptr);
    path += body.name + "/";
    enter(node, is_loop, is_first, path, graph_.blocks[body.block]);
    runs_.push_back({body.block, std::move(path), &node});
  }

  static Tensors reads_of(const ModelNode& node) {
    Tensors reads;
    append(reads, node.inputs);
    return reads;
  }

  static Tensors writes_of(const ModelNode& node) {
    Tensors writes;
    append(writes, node.outputs);
    return writes;
  }

  // What each turn takes from outside: slices, the limit of turns, and what an operator that we
  // know nothing of may look at whenever it likes.
  static Tensors held_operands(const ModelNode& node) {
    Tensors held;
    const Control control = control_of(node);
    if (control == Control::Other) append(held, node.inputs);
    if (control == Control::Loop && !node.inputs.empty() && node.inputs[0]) {
      held.push_back(*node.inputs[0]);
    }
    if (control == Control::Scan) {
      for (std::size_t i = carried_values(node).count; i < node.inputs.size(); ++i) {
        if (node.inputs[i]) held.push_back(*node.inputs[i]);
      }
    }
    return held;
  }

  // Inputs of a body that hold what is carried, as the node has no result for it.
  static Tensors carried_by_input(const ModelNode& node, const ModelBlock& body) {
    Tensors inputs;
    const Control control = control_of(node);
    if (control != Control::Loop && control != Control::Scan) return inputs;
    if (control == Control::Loop) inputs.push_back(body.inputs[1]);  // the condition
    const CarriedValues carried = carried_values(node);
    for (std::size_t i = 0; i < carried.count; ++i) {
      if (i < node.outputs.size() && node.outputs[i]) continue;
      inputs.push_back(body.inputs[carried.body_input + i]);
    }
    return inputs;
  }

  void enter(const ModelNode& node, bool is_loop, bool is_first, const std::string& path,
             const ModelBlock& body) {
    if (!is_loop) {
      step(path + "enter", is_first ? reads_of(node) : Tensors(), {}, nullptr);
      return;
    }
    Tensors reads = held_operands(node);
    append(reads, node.outputs);
    // What has no result to be carried in comes from the operand itself.
    const CarriedValues carried = carried_values(node);
    const bool is_known = is_known_control(node);
    for (std::size_t i = 0; is_known && i < carried.count; ++i) {
      const auto& operand = node.inputs[carried.operand + i];
      if (i < node.outputs.size() && node.outputs[i]) continue;
      if (operand) reads.push_back(*operand);
    }
    if (control_of(node) == Control::Loop && node.inputs.size() > 1 && node.inputs[1]) {
      reads.push_back(*node.inputs[1]);
    }
    step(path + "enter", reads, body.inputs, nullptr);
  }

  void leave() {
    const Run run = std::move(runs_.back());
    runs_.pop_back();
    if (run.owner == nullptr) return;
    const ModelBlock& body = graph_.blocks[run.block];
    Tensors reads = body.outputs;
    Tensors writes = writes_of(*run.owner);
    Tensors held;
    if (control_of(*run.owner) != Control::If) {
      append(held, held_operands(*run.owner));
      append(held, writes);
      append(held, run.captured);
      append(held, carried_by_input(*run.owner, body));
      append(writes, carried_by_input(*run.owner, body));
    }
    step(run.path + "exit", reads, writes, nullptr, held);
  }

  // A value is read once by a step, however often the step names it.
  static Tensors once(const Tensors& tensors) {
    Tensors once;
    for (const TensorId tensor : tensors) {
      if (std::ranges::find(once, tensor) == once.end()) once.push_back(tensor);
    }
    return once;
  }

  // `held`: read so that they live, not moved.
  void step(std::string name, Tensors reads, Tensors writes, const ModelNode* node,
            const Tensors& held = {}) {
    std::erase_if(writes, [&](TensorId tensor) { return constants_[tensor.index()]; });
    writes = once(writes);
    reads = once(reads);
    const std::size_t moved = reads.size();
    append(reads, held);
    reads = once(reads);

    Phase phase{std::move(name), {}};
    phase.stays = node == nullptr || runs_.size() > 1;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      const Bytes bytes = i < moved ? read_by(node, reads[i], writes) : Bytes(0);
      phase.accesses.push_back({reads[i], TensorAccess::Kind::Read, std::nullopt, bytes});
      if (!constants_[reads[i].index()]) note_capture(reads[i]);
    }
    for (const TensorId tensor : writes) {
      phase.accesses.push_back({tensor, TensorAccess::Kind::Write, std::nullopt, bytes_of(tensor)});
    }
    clock_.phases.push_back(std::move(phase));
    clock_.nodes.push_back(node);
  }

  Bytes bytes_of(TensorId tensor) const { return tensors_[tensor.index()].bytes; }

  Bytes read_by(const ModelNode* node, TensorId operand, const Tensors& results) const {
    if (node == nullptr || !node->domain.empty()) return bytes_of(operand);
    if (node->op == "Shape" || node->op == "Size") return Bytes(0);
    if (!std::ranges::binary_search(kSelecting, node->op)) return bytes_of(operand);
    Bytes given;
    for (const TensorId result : results) given = std::max(given, bytes_of(result));
    return std::min(bytes_of(operand), given);
  }

  // Blocks are numbered from the outside in, so what a block reads from around it comes to be in a
  // block of a lower number.
  void note_capture(TensorId tensor) {
    for (Run& run : runs_) {
      if (run.owner == nullptr || control_of(*run.owner) == Control::If) continue;
      if (homes_[tensor.index()] < run.block) run.captured.push_back(tensor);
    }
  }

  const ModelGraph& graph_;
  const ModelFacts& facts_;
  const std::vector<bool>& constants_;
  std::span<const Tensor> tensors_;
  std::vector<std::size_t> homes_;
  std::vector<Run> runs_;
  ModelClock clock_;
};

}  // namespace

ModelClock unfold(const ModelGraph& graph, const ModelFacts& facts,
                  const std::vector<bool>& constants, std::span<const Tensor> tensors) {
  return Unfolder(graph, facts, constants, tensors).unfold();
}

}  // namespace berth
