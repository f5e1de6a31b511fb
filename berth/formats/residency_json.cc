#include "berth/formats/residency_json.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "berth/formats/json.h"

namespace berth {
namespace {

constexpr std::string_view kFormat = "berth.residency/1";

template <typename Items, typename Text>
std::string list(const Items& items, const Text& text, std::string_view separator = ", ") {
  std::string all = "[";
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) all += separator;
    all += text(items[i]);
  }
  return all + "]";
}

std::string bytes_list(const std::vector<Bytes>& bytes) {
  return list(bytes, [](Bytes it) { return std::to_string(it.count()); });
}

std::string chips_text(const std::vector<ChipResidency>& chips) {
  std::string text;
  for (std::size_t i = 0; i < chips.size(); ++i) {
    const ChipResidency& chip = chips[i];
    text += fmt::format(
        R"({}{{"chip": {}, "sram": {}, "reserve": {}, "states": {}, "hbm": {}, "dram": {}}})",
        i == 0 ? "" : ",\n  ", i, chip.sram.count(), chip.reserve.count(), chip.states.count(),
        chip.hbm.count(), chip.dram.count());
  }
  return text;
}

std::string spill_text(const Spill& spill, const Program& program) {
  const Tensor& tensor = program.tensors[spill.tensor.index()];
  std::string text = fmt::format(R"({{"tensor": {})", json_quoted(tensor.name));
  if (spill.phase) {
    text += fmt::format(R"(, "phase": {}, "short_by": {})", *spill.phase, spill.short_by.count());
  }
  return text + fmt::format(R"(, "bytes": {}}})", tensor.bytes.count());
}

std::string program_text(const ProgramResidency& it, const Program& program) {
  std::vector<std::string> tables;
  for (const TableResidency& table : it.tables) {
    if (table.on_chip) tables.push_back(table.table.tensor);
  }
  return fmt::format(
      R"({{"name": {}, "layers": {}, "buffer_footprint": {}, "sram_footprint": {}, )"
      R"("tables": {}, "spilled": {}, "traffic": {}, "unplaced": {}}})",
      json_quoted(it.name), it.layers, bytes_list(it.buffer_footprint),
      bytes_list(it.sram_footprint), list(tables, json_quoted),
      list(it.spilled, [&](const Spill& spill) { return spill_text(spill, program); }),
      it.traffic.count(), it.unplaced.count());
}

std::string class_text(const ClassResidency& it) {
  const StateClass& state = it.state;
  std::string text = fmt::format(
      R"({{"program": {}, "tensor": {}, "chip": {}, "instances": {}, "bytes": {}, "moved": {}, )"
      R"("tier": "{}")",
      json_quoted(state.program), json_quoted(state.tensor), state.chip.index(), state.instances,
      state.bytes.count(), state.moved.count(), to_string(it.tier));
  if (it.split > 0) text += fmt::format(R"(, "instances_in_sram": {})", it.split);
  return text + "}";
}

std::string obstacle_text(const Obstacle& obstacle) {
  constexpr std::string_view kinds[] = {"buffer-past-site", "buffers-past-sram", "pinned-past-sram",
                                        "reserve-past-sram", "dram-full"};
  std::string text =
      fmt::format(R"({{"kind": "{}", "chip": {}, "needed": {}, "available": {})",
                  kinds[static_cast<std::size_t>(obstacle.kind)], obstacle.chip.index(),
                  obstacle.needed.count(), obstacle.available.count());
  if (!obstacle.program.empty()) {
    text += fmt::format(R"(, "program": {})", json_quoted(obstacle.program));
  }
  if (obstacle.kind == Obstacle::Kind::BufferPastSite) {
    text += fmt::format(R"(, "site": {}, "buffer": {})", obstacle.site, obstacle.buffer);
  }
  if (obstacle.kind == Obstacle::Kind::PinnedPastSram) {
    text += fmt::format(R"(, "phase": {})", obstacle.phase);
  }
  return text + fmt::format(R"(, "names": {}}})", list(obstacle.names, json_quoted));
}

std::string item_text(const ChoiceItem& item) {
  return fmt::format(
      R"({{"name": {}, "first": {}, "end": {}, "bytes": {}, "moved": {}, "count": {}}})",
      json_quoted(item.name), item.phases.lower, item.phases.upper, item.bytes.count(),
      item.moved.count(), item.count);
}

std::string node_text(const PriceNode& node) {
  if (node.branch) {
    return fmt::format(R"({{"item": {}, "most": {}, "below": {}, "above": {}}})", node.branch->item,
                       node.branch->most, node.branch->below, node.branch->above);
  }
  return fmt::format(R"({{"scale": {}, "prices": {}}})", node.scale,
                     list(node.prices, [](const PhasePrice& price) {
                       return fmt::format("[{}, {}]", price.phase, price.price);
                     }));
}

std::string part_text(const PricePart& part) {
  const auto number = [](std::size_t item) { return std::to_string(item); };
  return fmt::format("{{\"items\": {},\n     \"nodes\": {}}}", list(part.items, number),
                     list(part.nodes, node_text, ",\n      "));
}

std::string certificate_text(const ChipCertificate& it) {
  const auto number = [](std::uint64_t times) { return std::to_string(times); };
  return fmt::format(
      "{{\"chip\": {}, \"capacity\": {},\n   \"items\": {},\n   \"kept\": {},\n   \"parts\": {}}}",
      it.chip.index(), bytes_list(it.choice.capacity), list(it.choice.items, item_text, ",\n    "),
      list(it.kept, number), list(it.prices.parts, part_text, ",\n    "));
}

}  // namespace

std::string write_residency(const ResidencyAnswer& answer, const Deployment& deployment) {
  const Residency& plan = answer.plan;
  std::string programs;
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    programs +=
        (i == 0 ? "" : ",\n  ") + program_text(plan.programs[i], deployment.programs[i].program);
  }
  const OffChip parts = plan.off_chip();
  return fmt::format(
             "{{\"format\": \"{}\", \"policy\": \"{}\", \"deployment\": {}, \"feasible\": {},\n "
             "\"chips\": [{}],\n \"programs\": [{}],\n \"classes\": {},\n ",
             kFormat, to_string(plan.policy), json_quoted(deployment.name), plan.feasible(),
             chips_text(plan.chips), programs, list(plan.classes, class_text, ",\n  ")) +
         fmt::format(
             "\"off_chip_bytes_per_step\": {{\"rule\": {}, \"best\": {}, \"bound\": {}, \"parts\": "
             "{{\"spilled\": {}, \"tables\": {}, \"states\": {}}}}},\n \"obstacles\": {},\n "
             "\"certificate\": {}}}\n",
             answer.rule.count(), answer.best.count(), answer.bound.count(), parts.spilled.count(),
             parts.tables.count(), parts.states.count(), list(plan.obstacles, obstacle_text),
             list(answer.certificates, certificate_text, ",\n  "));
}

}  // namespace berth
