#include "berth/model/control_flow.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth {
namespace {

// Nothing where it is missing.
std::optional<std::int64_t> said_scan_inputs(const ModelNode& node) {
  const auto* value = node.attribute("num_scan_inputs");
  const auto* number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

// The attribute's value, where it can be a number of operands.
std::size_t scan_inputs(const ModelNode& node) {
  const auto most = static_cast<std::int64_t>(node.inputs.size());
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(said_scan_inputs(node).value_or(0), 0, most));
}

// A list with an entry for each value that is scanned, where it is given.
std::optional<std::string> find_list_fault(const ModelNode& node, const char* attribute,
                                           std::size_t count, const char* what) {
  const auto* value = node.attribute(attribute);
  const auto* list = value == nullptr ? nullptr : std::get_if<std::vector<std::int64_t>>(value);
  if (list == nullptr || list->size() == count) return std::nullopt;
  return fmt::format("its {} has {} numbers for {} {}", attribute, list->size(), count, what);
}

std::optional<std::string> find_scan_fault(const ModelNode& node) {
  const auto said = said_scan_inputs(node);
  if (!said) return "it has no num_scan_inputs";
  if (*said < 1 || static_cast<std::uint64_t>(*said) > node.inputs.size()) {
    return fmt::format("its num_scan_inputs is {}, of {} operands", *said, node.inputs.size());
  }
  const std::size_t scanned = scan_inputs(node);
  const std::size_t carried = node.inputs.size() - scanned;
  if (node.outputs.size() < carried) return std::nullopt;
  const std::size_t stacked = node.outputs.size() - carried;
  for (const char* list : {"scan_input_axes", "scan_input_directions"}) {
    if (auto fault = find_list_fault(node, list, scanned, "operands that it scans")) return fault;
  }
  for (const char* list : {"scan_output_axes", "scan_output_directions"}) {
    if (auto fault = find_list_fault(node, list, stacked, "results that it stacks")) return fault;
  }
  return std::nullopt;
}

}  // namespace

Control control_of(const ModelNode& node) {
  if (!node.domain.empty() || node.bodies.empty()) return Control::Other;
  if (node.op == "If") return Control::If;
  if (node.op == "Loop" && node.bodies.size() == 1) return Control::Loop;
  // Version 8 had a batch axis, and lengths as its first operand.
  if (node.op == "Scan" && node.bodies.size() == 1 && node.opset != 8) return Control::Scan;
  return Control::Other;
}

CarriedValues carried_values(const ModelNode& node) {
  if (control_of(node) == Control::Loop) {
    const std::size_t count = node.inputs.size() < 2 ? 0 : node.inputs.size() - 2;
    return {count, 2, 2, 1, 0};
  }
  const std::size_t scanned = scan_inputs(node);
  return {node.inputs.size() - scanned, 0, 0, 0, scanned};
}

std::optional<std::string> find_passing_fault(const ModelGraph& graph, const ModelNode& node) {
  const Control control = control_of(node);
  if (control == Control::Scan) {
    if (auto fault = find_scan_fault(node)) return fault;
  }
  if (control == Control::If && node.bodies.size() != 2) {
    return fmt::format("it has {} branches; it needs a then_branch and an else_branch",
                       node.bodies.size());
  }
  for (const ModelBody& body : node.bodies) {
    const ModelBlock& block = graph.blocks[body.block];
    const auto refused = [&](const char* what, std::size_t has, std::size_t needs) {
      return fmt::format("its {} has {} {}; the node needs {}", body.name, has, what, needs);
    };
    if (control == Control::If) {
      if (!block.inputs.empty()) return refused("inputs", block.inputs.size(), 0);
      if (block.outputs.size() != node.outputs.size()) {
        return refused("outputs", block.outputs.size(), node.outputs.size());
      }
    }
    if (control != Control::Loop && control != Control::Scan) continue;
    const CarriedValues carried = carried_values(node);
    const std::size_t inputs = carried.body_input + carried.count + carried.scanned;
    if (block.inputs.size() != inputs) return refused("inputs", block.inputs.size(), inputs);
    const std::size_t outputs = carried.body_output + std::max(node.outputs.size(), carried.count);
    if (block.outputs.size() < outputs) return refused("outputs", block.outputs.size(), outputs);
  }
  return std::nullopt;
}

}  // namespace berth
