#include "berth/formats/residency_json.h"

#include <fmt/format.h>

#include <optional>
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

std::string range_text(LiveRange range) {
  return fmt::format("[{}, {}]", range.lower, range.upper);
}

// Who else was live there, and from when on it would stay; nothing where that is not known.
std::string beside_text(const SpillReason* reason, const Program& program) {
  if (reason == nullptr) return "";
  const auto name = [&](TensorId id) { return json_quoted(program.tensors[id.index()].name); };
  std::string text = fmt::format(R"(, "beside": {}, "more_beside": {})", list(reason->beside, name),
                                 reason->more_beside);
  if (reason->stays_from) text += fmt::format(R"(, "stays_from": {})", reason->stays_from->count());
  return text;
}

std::string partly_text(const PartlyKept& it, const SpillReason* reason, const Program& program) {
  const auto phases = [](const KeptStretch& stretch) { return range_text(stretch.phases); };
  const Tensor& tensor = program.tensors[it.tensor.index()];
  std::string text = fmt::format(R"({{"tensor": {}, "chip": {}, "in_sram": {}, "moved": {})",
                                 json_quoted(tensor.name), it.chip.index(),
                                 list(it.stretches, phases), it.moved.count());
  if (reason != nullptr) {
    text += fmt::format(R"(, "tightest_phase": {}, "short_by": {})", reason->phase,
                        reason->short_by.count());
  }
  return text + beside_text(reason, program) +
         fmt::format(R"(, "bytes": {}}})", tensor.bytes.count());
}

std::string spill_text(const Spill& spill, const SpillReason* reason, const Program& program) {
  const auto name = [&](TensorId id) { return json_quoted(program.tensors[id.index()].name); };
  const Tensor& tensor = program.tensors[spill.tensor.index()];
  std::string text =
      fmt::format(R"({{"tensor": {}, "chip": {})", name(spill.tensor), spill.chip.index());
  if (spill.phase) {
    text += fmt::format(R"(, "phase": {}, "short_by": {})", *spill.phase, spill.short_by.count());
  } else if (reason != nullptr) {
    text += fmt::format(R"(, "tightest_phase": {}, "short_by": {})", reason->phase,
                        reason->short_by.count());
  }
  return text + beside_text(reason, program) +
         fmt::format(R"(, "bytes": {}}})", tensor.bytes.count());
}

std::string scratch_text(const std::vector<PlacedScratch>& scratch) {
  if (scratch.empty()) return "";
  return ", \"scratch\": " + list(scratch, [](const PlacedScratch& it) {
           return fmt::format(R"({{"phase": {}, "offset": {}}})", it.phase, it.offset.value());
         });
}

std::string layout_text(const Layout& layout, const Program& program) {
  const auto name = [&](TensorId id) { return json_quoted(program.tensors[id.index()].name); };
  return fmt::format(
      R"({{"chip": {}, "room": {}, "arena": {}, "max_load": {}, "forced_out": {}, "places": {}{}}})",
      layout.chip.index(), layout.room.count(), layout.arena.count(), layout.max_load.count(),
      list(layout.forced_out, name),
      list(layout.places,
           [&](const PlacedTensor& it) {
             const std::string phases =
                 it.stretch ? fmt::format(R"(, "phases": {})", range_text(*it.stretch)) : "";
             return fmt::format(R"({{"tensor": {}, "offset": {}, "bytes": {}{}}})", name(it.tensor),
                                it.offset.value(), program.tensors[it.tensor.index()].bytes.count(),
                                phases);
           }),
      scratch_text(layout.scratch));
}

// `reasons` may be fewer than the spills; `layouts` none where nothing was laid out.
std::string program_text(const ProgramResidency& it, const Program& program,
                         const std::vector<SpillReason>& reasons,
                         const std::vector<SpillReason>& away, const std::vector<Layout>& layouts) {
  std::vector<std::string> tables;
  for (const TableResidency& table : it.tables) {
    if (table.on_chip) tables.push_back(table.table.tensor);
  }
  std::vector<std::string> spilled;
  for (std::size_t i = 0; i < it.spilled.size(); ++i) {
    spilled.push_back(
        spill_text(it.spilled[i], i < reasons.size() ? &reasons[i] : nullptr, program));
  }
  std::vector<std::string> partly;
  for (std::size_t i = 0; i < it.partly.size(); ++i) {
    partly.push_back(partly_text(it.partly[i], i < away.size() ? &away[i] : nullptr, program));
  }
  Bytes forced;
  for (const Layout& layout : layouts) forced += layout.forced_traffic;
  std::string text = fmt::format(
      R"({{"name": {}, "layers": {}, "buffer_footprint": {}, "sram_footprint": {}, )"
      R"("tables": {}, "spilled": [{}], {}"traffic": {}, )",
      json_quoted(it.name), it.layers, bytes_list(it.buffer_footprint),
      bytes_list(it.sram_footprint), list(tables, json_quoted), fmt::join(spilled, ",\n    "),
      partly.empty() ? "" : fmt::format("\"partly\": [{}], ", fmt::join(partly, ",\n    ")),
      it.traffic.count());
  if (forced > Bytes(0)) {
    text += fmt::format(R"("traffic_placed": {}, )", (it.traffic + forced).count());
  }
  text += fmt::format(R"("unplaced": {})", it.unplaced.count());
  const auto layout = [&](const Layout& one) { return layout_text(one, program); };
  if (!layouts.empty()) text += ", \"layout\": " + list(layouts, layout, ",\n    ");
  return text + "}";
}

std::string class_text(const ClassResidency& it) {
  const StateClass& state = it.state;
  std::string text = fmt::format(
      R"({{"program": {}, "tensor": {}, "chip": {}, "instances": {}, "bytes": {}, "moved": {}, )"
      R"("tier": "{}")",
      json_quoted(state.program), json_quoted(state.tensor), state.chip.index(), state.instances,
      it.declared.value_or(state.bytes).count(), state.moved.count(), to_string(it.tier));
  if (it.declared) text += fmt::format(R"(, "padded": {})", state.bytes.count());
  if (it.split > 0) text += fmt::format(R"(, "instances_in_sram": {})", it.split);
  return text + "}";
}

std::string obstacle_text(const Obstacle& obstacle) {
  std::string text = fmt::format(R"({{"kind": "{}", "chip": {}, "needed": {}, "available": {})",
                                 to_string(obstacle.kind), obstacle.chip.index(),
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
  const std::string turns =
      item.turns ? fmt::format(R"(, "turns": {})", range_text(*item.turns)) : "";
  return fmt::format(
      R"({{"program": {}, "tensor": {}, "first": {}, "end": {}, "bytes": {}, "moved": {}, )"
      R"("count": {}{}}})",
      json_quoted(item.program), json_quoted(item.tensor), item.phases.lower, item.phases.upper,
      item.bytes.count(), item.moved.count(), item.count, turns);
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
  const std::string walk = part.walk ? fmt::format(" \"walk\": {},", *part.walk) : "";
  return fmt::format("{{\"items\": {},{}\n     \"nodes\": {}}}", list(part.items, number), walk,
                     list(part.nodes, node_text, ",\n      "));
}

std::string certificate_text(const ChipCertificate& it) {
  const auto number = [](std::uint64_t times) { return std::to_string(times); };
  return fmt::format(
      "{{\"chip\": {}, \"capacity\": {},\n   \"items\": {},\n   \"kept\": {},\n   \"parts\": {}}}",
      it.chip.index(), bytes_list(it.choice.capacity), list(it.choice.items, item_text, ",\n    "),
      list(it.kept, number), list(it.prices.parts, part_text, ",\n    "));
}

std::string tier_text(std::string_view tier, Bytes bytes,
                      const std::optional<std::uint64_t>& nanoseconds) {
  std::string text = fmt::format(R"(, "{}": {})", tier, bytes.count());
  if (nanoseconds) text += fmt::format(R"(, "{}_ns": {})", tier, *nanoseconds);
  return text;
}

std::string off_chip_text(const ResidencyAnswer& answer) {
  const OffChip parts = answer.plan.off_chip();
  std::string text = fmt::format(
      R"({{"rule": {}, {}"best": {}, "bound": {}, "nothing_kept": {}, )"
      R"("parts": {{"spilled": {}, "tables": {}, "states": {}, "unplaced": {}}}, "chips": [)",
      answer.rule.count(),
      answer.best_of_whole ? fmt::format(R"("best_of_whole": {}, )", answer.best_of_whole->count())
                           : "",
      answer.best.count(), answer.bound.count(), answer.nothing_kept.count(), parts.spilled.count(),
      parts.tables.count(), parts.states.count(), parts.unplaced.count());
  for (std::size_t chip = 0; chip < answer.traffic.size(); ++chip) {
    const TierTraffic& it = answer.traffic[chip];
    text += fmt::format(R"({}{{"chip": {}{}{}}})", chip == 0 ? "" : ", ", chip,
                        tier_text("hbm", it.hbm, it.hbm_nanoseconds),
                        tier_text("dram", it.dram, it.dram_nanoseconds));
  }
  return text + "]}";
}

}  // namespace

std::string write_residency(const ResidencyAnswer& answer, const Deployment& deployment) {
  const Residency& plan = answer.plan;
  std::vector<std::string> programs;
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    programs.push_back(
        program_text(plan.programs[i], deployment.programs[i].program,
                     i < answer.reasons.size() ? answer.reasons[i] : std::vector<SpillReason>(),
                     i < answer.away.size() ? answer.away[i] : std::vector<SpillReason>(),
                     i < answer.layouts.size() ? answer.layouts[i] : std::vector<Layout>()));
  }
  return fmt::format(
             "{{\"format\": \"{}\", \"policy\": \"{}\", \"deployment\": {}, \"feasible\": {}, "
             "\"concurrent\": {},\n \"chips\": [{}],\n \"programs\": [{}],\n \"classes\": {},\n ",
             kFormat, to_string(plan.policy), json_quoted(deployment.name), plan.feasible(),
             answer.concurrent, chips_text(plan.chips), fmt::join(programs, ",\n  "),
             list(plan.classes, class_text, ",\n  ")) +
         fmt::format(
             "\"off_chip_bytes_per_step\": {},\n \"obstacles\": {},\n \"certificate\": {}}}\n",
             off_chip_text(answer), list(plan.obstacles, obstacle_text),
             list(answer.certificates, certificate_text, ",\n  "));
}

}  // namespace berth
