#include "berth/formats/tflite_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "berth/formats/tflite_types.h"

namespace berth::tflite {
namespace {

using Fault = std::optional<Error>;

constexpr std::uint64_t kMostSteps = 10'000'000;
constexpr std::uint64_t kMostAccesses = 50'000'000;
constexpr std::uint64_t kMostNameBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kEnough = std::uint64_t{1} << 40;  // past every limit; sums stop there
constexpr std::uint64_t kCopies = 2;                       // a call enters and exits

bool is_while(const Node& node) {
  const auto builtin = static_cast<Builtin>(node.code);
  return builtin == Builtin::While || builtin == Builtin::StablehloWhile;
}

bool is_if(const Node& node) {
  return static_cast<Builtin>(node.code) == Builtin::If;
}

bool is_call_once(const Node& node) {
  return static_cast<Builtin>(node.code) == Builtin::CallOnce;
}

std::string graph_text(const Network& network, std::size_t graph) {
  const auto& name = network.graphs[graph].name;
  return name.empty() ? fmt::format("subgraph {}", graph)
                      : fmt::format("subgraph {} '{}'", graph, name);
}

// --- Does each call pass what its callee takes and gives? ---

struct Passed {
  std::size_t in = 0;
  std::size_t out = 0;
};

Passed passed_by(const Node& node, std::size_t branch) {
  if (is_while(node)) return {node.inputs.size(), branch == 0 ? 1 : node.outputs.size()};
  if (is_call_once(node)) return {0, 0};
  const std::size_t not_passed = is_if(node) ? 1 : 0;  // an IF keeps the flag for itself
  return {node.inputs.size() - std::min(not_passed, node.inputs.size()), node.outputs.size()};
}

Fault find_passing_fault(const Network& network, std::size_t graph, std::size_t index) {
  const Node& node = network.graphs[graph].nodes[index];
  const auto refused = [&](std::string message) {
    return Error{Error::Kind::Input, place_of(network, graph, index), std::move(message), ""};
  };
  if (is_if(node) && node.inputs.empty()) return refused("has no condition to decide by");
  if (is_while(node) && node.inputs.size() != node.outputs.size()) {
    return refused(fmt::format("takes {} values and gives {}: a loop carries as many as it takes",
                               node.inputs.size(), node.outputs.size()));
  }
  for (std::size_t branch = 0; branch < node.callees.size(); ++branch) {
    const Graph& callee = network.graphs[node.callees[branch].graph];
    const Passed passed = passed_by(node, branch);
    if (passed.in == callee.inputs.size() && passed.out == callee.outputs.size()) continue;
    return refused(fmt::format(
        "its '{}' is {}, which takes {} and gives {} values; the call passes {} and expects {}",
        node.callees[branch].name, graph_text(network, node.callees[branch].graph),
        callee.inputs.size(), callee.outputs.size(), passed.in, passed.out));
  }
  return std::nullopt;
}

// Two values between which the runtime copies bytes as a call begins, ends or turns.
struct Copied {
  TensorId from;
  TensorId to;
  const char* what;  // of the call: "operand 0"
  std::size_t index;
};

std::vector<Copied> copies_of(const Node& node, std::size_t branch, const Graph& callee) {
  std::vector<Copied> copies;
  if (is_call_once(node)) return copies;
  const std::size_t not_passed = is_if(node) ? 1 : 0;
  for (std::size_t i = 0; i < callee.inputs.size(); ++i) {
    copies.push_back({node.inputs[i + not_passed], callee.inputs[i], "input", i});
  }
  if (is_while(node) && branch == 0) {  // gives the flag, which nobody copies
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      copies.push_back({node.inputs[i], node.outputs[i], "carried value", i});
    }
    return copies;
  }
  for (std::size_t i = 0; i < callee.outputs.size(); ++i) {
    copies.push_back({callee.outputs[i], node.outputs[i], "output", i});
  }
  return copies;
}

// A copy between values of unequal bytes would write past the one, or leave part of it unwritten.
Fault find_unequal_copy(const Network& network, std::size_t graph, std::size_t index) {
  const Node& node = network.graphs[graph].nodes[index];
  for (std::size_t branch = 0; branch < node.callees.size(); ++branch) {
    const Callee& callee = node.callees[branch];
    for (const Copied& copied : copies_of(node, branch, network.graphs[callee.graph])) {
      const Value& from = network.values[copied.from.index()];
      const Value& to = network.values[copied.to.index()];
      if (from.bytes == to.bytes && from.dynamic == to.dynamic) continue;
      const auto size_of = [](const Value& value) {
        return value.dynamic ? std::string("any number of bytes")
                             : fmt::format("{} bytes", value.bytes.count());
      };
      return Error{
          Error::Kind::Input, place_of(network, graph, index),
          fmt::format(
              "its '{}' is {}, for whose {} {} tensor {} of {} is copied to tensor {} of {}",
              callee.name, graph_text(network, callee.graph), copied.what, copied.index,
              text_of(network, copied.from), size_of(from), text_of(network, copied.to),
              size_of(to)),
          "a size that changes is known only to the run: give both values one shape when "
          "converting"};
    }
  }
  return std::nullopt;
}

Fault find_passing_fault(const Network& network) {
  for (std::size_t graph = 0; graph < network.graphs.size(); ++graph) {
    for (std::size_t node = 0; node < network.graphs[graph].nodes.size(); ++node) {
      if (Fault fault = find_passing_fault(network, graph, node)) return fault;
      if (Fault fault = find_unequal_copy(network, graph, node)) return fault;
    }
  }
  return std::nullopt;
}

// --- How much does each subgraph unfold to? ---

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  return std::min(kEnough, a + b);
}

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kEnough / b ? kEnough : a * b;
}

struct Extent {
  std::uint64_t steps = 0;
  std::uint64_t accesses = 0;
  std::uint64_t name_bytes = 0;
};

std::size_t prefix_length(const Node& node, const Callee& callee) {
  return node.name.size() + std::char_traits<char>::length(callee.name) + 2;
}

// Everything that the copies of a call may touch.
std::uint64_t copy_accesses(const Node& node, const Graph& callee) {
  return 2 * (node.inputs.size() + node.outputs.size()) + callee.inputs.size() +
         callee.outputs.size();
}

// Of a subgraph all of whose callees are known.
Extent extent_of(const Network& network, const Graph& graph, const std::vector<Extent>& known) {
  constexpr std::uint64_t kCopyName = 5;  // "enter"
  Extent sum;
  for (const Node& node : graph.nodes) {
    if (node.callees.empty()) {
      sum.steps = add(sum.steps, 1);
      sum.accesses = add(sum.accesses, node.inputs.size() + node.outputs.size());
      sum.name_bytes = add(sum.name_bytes, node.name.size());
    }
    for (const Callee& callee : node.callees) {
      const Extent& inner = known[callee.graph];
      const std::uint64_t steps = add(inner.steps, kCopies);
      sum.steps = add(sum.steps, steps);
      sum.accesses =
          add(add(sum.accesses, inner.accesses), copy_accesses(node, network.graphs[callee.graph]));
      sum.name_bytes = add(add(sum.name_bytes, inner.name_bytes + kCopies * kCopyName),
                           multiply(steps, prefix_length(node, callee)));
    }
  }
  return sum;
}

// Visits callees before callers, with a stack of its own.
class ExtentWalk {
 public:
  explicit ExtentWalk(const Network& network)
      : network_(network),
        known_(network.graphs.size()),
        state_(network.graphs.size(), State::New) {}

  Result<Extent> main_extent() {
    enter(0);
    while (!stack_.empty()) {
      Visit& visit = stack_.back();
      const Callee* callee = next_callee(visit);
      if (callee == nullptr) {
        leave(visit.graph);
      } else if (state_[callee->graph] == State::Running) {
        return input_error(
            fmt::format("{}: {}", network_.file, graph_text(network_, visit.graph)),
            fmt::format("calls {}, which is still running then: calls go round in a circle",
                        graph_text(network_, callee->graph)),
            "write the repetition as a WHILE");
      } else if (state_[callee->graph] == State::New) {
        enter(callee->graph);
      }
    }
    return known_[0];
  }

 private:
  enum class State : std::uint8_t { New, Running, Done };

  struct Visit {
    std::size_t graph = 0;
    std::size_t node = 0;
    std::size_t branch = 0;
  };

  void enter(std::size_t graph) {
    state_[graph] = State::Running;
    stack_.push_back({graph});
  }

  void leave(std::size_t graph) {
    known_[graph] = extent_of(network_, network_.graphs[graph], known_);
    state_[graph] = State::Done;
    stack_.pop_back();
  }

  const Callee* next_callee(Visit& visit) const {
    const auto& nodes = network_.graphs[visit.graph].nodes;
    for (; visit.node < nodes.size(); ++visit.node, visit.branch = 0) {
      const auto& callees = nodes[visit.node].callees;
      if (visit.branch < callees.size()) return &callees[visit.branch++];
    }
    return nullptr;
  }

  const Network& network_;
  std::vector<Extent> known_;
  std::vector<State> state_;
  std::vector<Visit> stack_;
};

Fault find_extent_fault(const Network& network) {
  const auto extent = ExtentWalk(network).main_extent();
  if (!extent) return extent.error();
  const auto refused = [&](std::uint64_t count, const char* what, std::uint64_t limit) {
    const auto amount =
        count == kEnough ? std::string("more than 10^12") : fmt::format("{}", count);
    return Error{Error::Kind::Limit, network.file,
                 fmt::format("unfolds to {} {}; the limit is {}", amount, what, limit),
                 "subgraphs that call each other repeatedly multiply"};
  };
  if (extent->steps > kMostSteps) return refused(extent->steps, "steps", kMostSteps);
  if (extent->accesses > kMostAccesses) {
    return refused(extent->accesses, "accesses", kMostAccesses);
  }
  if (extent->name_bytes > kMostNameBytes) {
    return refused(extent->name_bytes, "bytes of step names", kMostNameBytes);
  }
  return std::nullopt;
}

// --- Unfolding ---

class Unfolder {
 public:
  explicit Unfolder(const Network& network) : network_(network) {}

  Clock unfold() {
    calls_.push_back({0, "", nullptr});
    while (!calls_.empty()) {
      Call& call = calls_.back();
      const auto& nodes = network_.graphs[call.graph].nodes;
      if (call.next == nodes.size()) {
        leave();
      } else {
        run(nodes[call.next]);
      }
    }
    return std::move(clock_);
  }

 private:
  // A subgraph that is being run.
  struct Call {
    std::size_t graph = 0;
    std::string path;            // "WHILE/body/"
    const Node* node = nullptr;  // that runs it; null for the main one
    std::size_t next = 0;        // the node to run next
    std::size_t branch = 0;      // how many callees of that node have run
  };

  void run(const Node& node) {
    Call& call = calls_.back();
    if (node.callees.empty()) {
      step(call.path + node.name, node.inputs, node.outputs, &node, {call.graph, node.index, ""});
      ++call.next;
    } else if (call.branch == node.callees.size()) {
      ++call.next;
      call.branch = 0;
    } else {
      const Callee& callee = node.callees[call.branch++];
      auto path = fmt::format("{}{}/{}/", call.path, node.name, callee.name);
      enter(node, call.graph, call.branch == 1, path, network_.graphs[callee.graph]);
      calls_.push_back({callee.graph, std::move(path), &node});
    }
  }

  void enter(const Node& node, std::size_t graph, bool first, const std::string& path,
             const Graph& callee) {
    if (is_call_once(node)) return;
    std::vector<TensorId> reads = node.inputs;
    std::vector<TensorId> writes = callee.inputs;
    if (is_while(node) && first) append(writes, node.outputs);
    if (is_while(node) && !first) {
      append(reads, network_.graphs[node.callees[0].graph].outputs);
      append(reads, node.outputs);
    }
    step(path + "enter", reads, writes, nullptr, {graph, node.index, ""});
  }

  void leave() {
    const Call call = std::move(calls_.back());
    calls_.pop_back();
    if (call.node == nullptr || is_call_once(*call.node)) return;
    const bool is_condition = is_while(*call.node) && calls_.back().branch == 1;
    if (is_condition) return;  // the entry to the body reads the flag
    step(call.path + "exit", network_.graphs[call.graph].outputs, call.node->outputs, nullptr,
         {calls_.back().graph, call.node->index, ""});
  }

  void step(std::string name, const std::vector<TensorId>& reads,
            const std::vector<TensorId>& writes, const Node* node, PhaseOrigin origin) {
    Phase phase{std::move(name), {}};
    phase.origin = std::move(origin);
    phase.stays = node == nullptr || calls_.size() > 1 || !is_pure(node->code);
    phase.accesses.reserve(reads.size() + writes.size());
    for (const TensorId tensor : reads) {
      phase.accesses.push_back({tensor, TensorAccess::Kind::Read, std::nullopt});
    }
    for (const TensorId tensor : writes) {
      phase.accesses.push_back({tensor, TensorAccess::Kind::Write, std::nullopt});
    }
    clock_.phases.push_back(std::move(phase));
    clock_.nodes.push_back(node);
  }

  static void append(std::vector<TensorId>& list, const std::vector<TensorId>& more) {
    list.insert(list.end(), more.begin(), more.end());
  }

  const Network& network_;
  std::vector<Call> calls_;
  Clock clock_;
};

}  // namespace

Result<Clock> unfold_calls(const Network& network) {
  if (Fault fault = find_passing_fault(network)) return tl::unexpected(std::move(*fault));
  if (Fault fault = find_extent_fault(network)) return tl::unexpected(std::move(*fault));
  return Unfolder(network).unfold();
}

}  // namespace berth::tflite
