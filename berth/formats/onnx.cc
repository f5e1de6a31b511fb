#include "berth/formats/onnx.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berth/base/seeded_hash.h"
#include "berth/base/text.h"
#include "berth/formats/onnx_attributes.h"
#include "berth/formats/onnx_file.h"
#include "berth/formats/onnx_names.h"
#include "berth/formats/onnx_order.h"
#include "berth/formats/onnx_scopes.h"
#include "berth/formats/onnx_types.h"
#include "onnx_schema.pb.h"

namespace berth {
namespace {

using Fault = std::optional<Error>;
namespace schema = onnx::schema;
using Nodes = google::protobuf::RepeatedPtrField<schema::Node>;

// Functions that call each other repeatedly multiply.
constexpr std::size_t kMostNodes = 10'000'000;

// "ai.onnx" is the long name of the standard operators.
std::string domain_of(const std::string& name) {
  return name == "ai.onnx" ? std::string() : printable(name);
}

std::map<std::string, std::int64_t> opsets_of(
    const google::protobuf::RepeatedPtrField<schema::OperatorSet>& imports) {
  std::map<std::string, std::int64_t> opsets;
  for (const auto& import : imports) {
    auto& version = opsets[domain_of(import.domain())];
    version = std::max(version, import.version());
  }
  return opsets;
}

// One block, or function, that is being read: its next node, and what that node still runs.
struct Frame {
  const Nodes* nodes = nullptr;
  std::vector<std::size_t> order;              // in which they are read
  const schema::Graph* graph = nullptr;        // null for a function
  const schema::Function* function = nullptr;  // null for a block
  std::size_t block = 0;
  std::string path;  // of the node that runs it: "node 5 (If) then_branch: "
  std::map<std::string, std::int64_t> opsets;
  std::unordered_map<std::string, const schema::Type*, SeededHash> declared;
  std::vector<ModelAttribute> given;  // to a function, by its caller
  std::size_t first_value = 0;        // of those that a function makes

  std::size_t next = 0;              // index in the order
  std::optional<ModelNode> current;  // its bodies being read
  std::vector<std::pair<std::string, const schema::Graph*>> bodies;
  std::size_t body = 0;

  int index() const { return static_cast<int>(order[next]); }
  const schema::Node& node() const { return nodes->Get(index()); }
};

class Reader {
 public:
  Reader(const schema::Model& model, std::string file) : model_(model) {
    graph_.file = std::move(file);
    for (const auto& function : model.functions()) {
      functions_.emplace(std::pair(domain_of(function.domain()), function.name()), &function);
    }
  }

  Result<ModelGraph> read() {
    if (Fault fault = enter_block(model_.graph(), "", opsets_of(model_.opset_import()))) {
      return tl::unexpected(std::move(*fault));
    }
    while (!frames_.empty()) {
      if (Fault fault = advance()) return tl::unexpected(std::move(*fault));
    }
    return std::move(graph_);
  }

 private:
  Frame& frame() { return *frames_.back(); }
  ModelBlock& block() { return graph_.blocks[frame().block]; }

  Fault refused(const std::string& where, std::string message, std::string hint = {}) const {
    const std::string path = frames_.empty() ? "" : frames_.back()->path;
    return Error{Error::Kind::Input, graph_.file + ": " + path + where, std::move(message),
                 std::move(hint)};
  }

  static std::string place_of(int index, const schema::Node& node) {
    const std::string name = node.name().empty() ? "" : " '" + printable(node.name()) + "'";
    return fmt::format("node {} ({}{})", index, printable(node.op_type()), name);
  }

  Fault advance() {
    Frame& now = frame();
    if (now.current && now.body < now.bodies.size()) {
      const auto& [name, body] = now.bodies[now.body++];
      now.current->bodies.push_back({name, graph_.blocks.size()});
      const auto path = now.path + place_of(now.index(), now.node()) + " " + name + ": ";
      return enter_block(*body, path, now.opsets);
    }
    if (now.current) return finish_node();
    if (now.next < now.order.size()) return begin_node(now.node());
    return now.function != nullptr ? leave_function() : leave_block();
  }

  // --- Blocks ---

  Fault enter_block(const schema::Graph& source, const std::string& path,
                    const std::map<std::string, std::int64_t>& opsets) {
    auto entered = std::make_unique<Frame>();
    put_in_order(*entered, source.node(), path);
    entered->graph = &source;
    entered->block = graph_.blocks.size();
    entered->path = path;
    entered->opsets = opsets;
    for (const auto* values : {&source.value_info(), &source.output()}) {
      for (const auto& value : *values) entered->declared[value.name()] = &value.type();
    }
    frames_.push_back(std::move(entered));
    graph_.blocks.push_back({printable(source.name()), {}, {}, {}});
    scopes_.open(false);
    if (Fault fault = read_initializers(source)) return fault;
    return read_inputs(source);
  }

  Fault read_initializers(const schema::Graph& source) {
    for (const auto& tensor : source.initializer()) {
      if (Fault fault = add_constant(tensor.name(), onnx::constant_tensor(tensor))) return fault;
    }
    for (const auto& tensor : source.sparse_initializer()) {
      const auto& name = tensor.values().name();
      if (Fault fault = add_constant(name, onnx::constant_tensor(tensor))) return fault;
    }
    return std::nullopt;
  }

  Fault add_constant(const std::string& name, onnx::OrReason<ConstantTensor> constant) {
    const auto where = "initializer '" + printable(name) + "'";
    if (!constant) return refused(where, constant.error());
    const TensorId value = add_value(name);
    ModelValue& added = graph_.values[value.index()];
    added.declared.element = constant->element;
    added.declared.tensor = constant->element.has_value();
    added.constant = *std::move(constant);
    if (!scopes_.define(name, {value, "an initializer"})) return std::nullopt;
    return refused(where, "an earlier initializer has the same name",
                   "give each value a name of its own");
  }

  // An input with an initializer is that constant; of a body, it is what is passed in.
  Fault read_inputs(const schema::Graph& source) {
    for (const auto& input : source.input()) {
      const auto where = "input '" + printable(input.name()) + "'";
      if (input.name().empty()) return refused(where, "has no name");
      const NamedValue* known = scopes_.find_inside(input.name());
      if (known != nullptr && known->by != "an initializer") {
        return refused(where, "an earlier input has the same name",
                       "give each value a name of its own");
      }
      if (known != nullptr && frames_.size() == 1) continue;
      const TensorId value = known != nullptr ? known->value : add_value(input.name());
      graph_.values[value.index()].constant.reset();
      if (Fault fault = declare(value, where, input.type())) return fault;
      block().inputs.push_back(value);
      if (known == nullptr) (void)scopes_.define(input.name(), {value, "an input of its graph"});
    }
    return std::nullopt;
  }

  Fault leave_block() {
    for (const auto& output : frame().graph->output()) {
      const NamedValue* value = scopes_.find(output.name());
      if (value == nullptr) {
        return refused("output '" + printable(output.name()) + "'", "nothing gives it a value",
                       "it must be the name of an input, an initializer or a result");
      }
      block().outputs.push_back(value->value);
    }
    leave();
    return std::nullopt;
  }

  // The format asks for execution order, but runtimes take any.
  void put_in_order(Frame& entered, const Nodes& nodes, const std::string& path) {
    entered.nodes = &nodes;
    entered.order = onnx::execution_order(onnx::names_of(nodes));
    if (std::ranges::is_sorted(entered.order)) return;
    graph_.notes.push_back(fmt::format(
        "{}the nodes are not in execution order; planned is the order of the steps in the plan",
        path));
  }

  void leave() {
    scopes_.close();
    frames_.pop_back();
  }

  // --- Functions ---

  const schema::Function* function_of(const schema::Node& node) const {
    const auto at = functions_.find({domain_of(node.domain()), node.op_type()});
    return at == functions_.end() ? nullptr : at->second;
  }

  // What the function holds stands where it is called.
  Fault enter_function(const schema::Function& function) {
    const ModelNode& call = *frame().current;
    const auto where = place_of(frame().index(), frame().node());
    for (const auto& open : frames_) {
      if (open->function == &function) {
        return refused(where, "is a function that calls itself, directly or by others");
      }
    }
    auto entered = std::make_unique<Frame>();
    put_in_order(*entered, function.node(), frame().path + where + ": ");
    entered->function = &function;
    entered->block = frame().block;
    entered->path = frame().path + where + ": ";
    entered->opsets = opsets_of(function.opset_import());
    entered->given = onnx::given_to(function, call.attributes);
    entered->first_value = graph_.values.size();
    frames_.push_back(std::move(entered));
    scopes_.open(true);
    for (int i = 0; i < function.input_size(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (at >= call.inputs.size() || !call.inputs[at]) continue;
      (void)scopes_.define(function.input(i), {*call.inputs[at], "an input of its function"});
    }
    return std::nullopt;
  }

  Fault leave_function() {
    const schema::Function& function = *frame().function;
    std::vector<std::optional<TensorId>> results;
    for (const auto& output : function.output()) {
      const NamedValue* value = scopes_.find(output);
      results.push_back(value == nullptr ? std::nullopt : std::optional(value->value));
    }
    const std::size_t first_value = frame().first_value;
    leave();
    const schema::Node& call = frame().node();
    std::vector<bool> is_named(graph_.values.size() - first_value, false);
    const auto where = place_of(frame().index(), call);
    for (int i = 0; i < call.output_size(); ++i) {
      if (call.output(i).empty()) continue;
      const auto at = static_cast<std::size_t>(i);
      if (at >= results.size() || !results[at]) {
        return refused(where, fmt::format("its function gives no value to output {}", i));
      }
      TensorId value = *results[at];
      if (value.index() >= first_value && !is_named[value.index() - first_value]) {
        graph_.values[value.index()].name = printable(call.output(i));
        is_named[value.index() - first_value] = true;
      } else if (is_model_output(call.output(i))) {
        value = add_identity(value, call.output(i));
      }
      if (Fault fault = define_result(where, call.output(i), value)) return fault;
    }
    frame().current.reset();
    ++frame().next;
    return std::nullopt;
  }

  // A result is called what its caller calls it. One that has another name already, as the function
  // was given it or gives it twice, is copied where the model names it as its own output.
  bool is_model_output(const std::string& name) {
    if (frame().graph != &model_.graph()) return false;
    return std::ranges::any_of(model_.graph().output(),
                               [&](const auto& output) { return output.name() == name; });
  }

  TensorId add_identity(TensorId value, const std::string& name) {
    ModelNode node;
    node.op = "Identity";
    node.opset = 13;
    node.inputs = {value};
    const TensorId copy = add_value(name);
    node.outputs = {copy};
    block().nodes.push_back(std::move(node));
    return copy;
  }

  // --- Nodes ---

  Fault begin_node(const schema::Node& source) {
    const auto where = place_of(frame().index(), source);
    if (source.op_type().empty()) return refused(where, "does not say which operator it is");
    if (++nodes_ > kMostNodes) {
      return Error{Error::Kind::Limit, graph_.file,
                   fmt::format("has more than {} nodes, its functions unfolded", kMostNodes),
                   "functions that call each other repeatedly multiply"};
    }
    ModelNode node;
    node.name = printable(source.name());
    node.domain = domain_of(source.domain());
    node.op = printable(source.op_type());
    const auto opset = frame().opsets.find(node.domain);
    if (opset != frame().opsets.end()) node.opset = opset->second;
    if (node.domain.empty() && node.opset < 1) {
      return refused(where, "the model does not say which version of the operators it uses",
                     "it needs an opset_import");
    }
    if (Fault fault = read_operands(source, where, node)) return fault;
    auto attributes = onnx::read_attributes(source, frame().given);
    if (!attributes) return refused(where, attributes.error());
    node.attributes = *std::move(attributes);
    frame().current = std::move(node);
    frame().bodies = onnx::bodies_of(source);
    frame().body = 0;
    if (const auto* function = function_of(source)) return enter_function(*function);
    // Before the values of its bodies, so that of equal names the outer one counts as the first.
    for (const auto& name : source.output()) {
      auto& output = frame().current->outputs.emplace_back();
      if (!name.empty()) output = add_value(name);
    }
    return std::nullopt;
  }

  Fault read_operands(const schema::Node& source, const std::string& where, ModelNode& node) {
    for (const auto& name : source.input()) {
      if (name.empty()) {
        node.inputs.emplace_back();  // an optional one that is not given
        continue;
      }
      const NamedValue* value = scopes_.find(name);
      if (value == nullptr && is_absent_in_function(name)) {
        node.inputs.emplace_back();
        continue;
      }
      if (value == nullptr) return refused(where, why_unknown(name));
      node.inputs.emplace_back(value->value);
    }
    return std::nullopt;
  }

  // A formal input that the caller left out.
  bool is_absent_in_function(const std::string& name) {
    const auto* function = frame().function;
    return function != nullptr &&
           std::ranges::find(function->input(), name) != function->input().end();
  }

  std::string why_unknown(const std::string& name) {
    for (std::size_t i = frames_.size(); i-- > 0;) {
      const Frame& around = *frames_[i];
      const auto late =
          onnx::late_writer(onnx::names_of(*around.nodes), around.order[around.next], name);
      if (!late) continue;
      const int index = static_cast<int>(late->node);
      const auto writer = place_of(index, around.nodes->Get(index));
      const auto what = fmt::format("reads '{}', ", printable(name));
      if (late->in_circle) {
        return what + fmt::format("which depends on it in turn, by {}: a circle", writer);
      }
      return what + fmt::format("which {} writes only later", writer);
    }
    return fmt::format("reads '{}', which is no input, initializer or result", printable(name));
  }

  Fault finish_node() {
    Frame& now = frame();
    const schema::Node& source = now.node();
    const auto where = place_of(now.index(), source);
    ModelNode node = *std::move(now.current);
    now.current.reset();
    for (int i = 0; i < source.output_size(); ++i) {
      const auto& value = node.outputs[static_cast<std::size_t>(i)];
      if (!value) continue;
      if (Fault fault = define_result(where, source.output(i), *value)) return fault;
    }
    ++now.next;
    if (node.domain.empty() && node.op == "Constant") return add_constant_node(where, node);
    block().nodes.push_back(std::move(node));
    return std::nullopt;
  }

  Fault define_result(const std::string& where, const std::string& name, TensorId value) {
    const auto other = scopes_.define(name, {value, where});
    if (other) {
      return refused(where,
                     fmt::format("writes '{}', which {} writes too", printable(name), other->by),
                     "give each value a name of its own");
    }
    const auto declared = frame().declared.find(name);
    if (declared == frame().declared.end()) return std::nullopt;
    return declare(value, "value '" + printable(name) + "'", *declared->second);
  }

  Fault add_constant_node(const std::string& where, const ModelNode& node) {
    auto constant = onnx::constant_of(node);
    if (!constant) return refused(where, constant.error());
    if (node.outputs.size() != 1 || !node.outputs[0]) return refused(where, "has no one output");
    graph_.values[node.outputs[0]->index()].constant = *std::move(constant);
    return std::nullopt;
  }

  // --- Values ---

  TensorId add_value(const std::string& name) {
    graph_.values.push_back({printable(name), {}, std::nullopt});
    return TensorId(graph_.values.size() - 1);
  }

  Fault declare(TensorId value, const std::string& where, const schema::Type& type) {
    auto declared = onnx::declared_type(type);
    if (!declared) return refused(where, declared.error());
    graph_.values[value.index()].declared = *std::move(declared);
    return std::nullopt;
  }

  using NamedValue = onnx::NamedValue;

  const schema::Model& model_;
  ModelGraph graph_;
  onnx::Scopes scopes_;
  std::vector<std::unique_ptr<Frame>> frames_;
  std::map<std::pair<std::string, std::string>, const schema::Function*> functions_;
  std::size_t nodes_ = 0;
};

}  // namespace

Result<ModelGraph> read_onnx(std::string_view bytes, std::string_view file_name) {
  const std::string name(file_name);
  const auto model = onnx::open_model(bytes, name);
  if (!model) return tl::unexpected(model.error());
  return Reader(**model, name).read();
}

}  // namespace berth
