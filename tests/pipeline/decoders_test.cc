#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>

#include "berth/formats/program_json.h"
#include "berth/formats/target_toml.h"
#include "berth/pipeline/plan_on_target.h"
#include "berth/pipeline/reside_file.h"
#include "examples/decoders/decoder_programs.h"

namespace berth {
namespace {

const DeployedProgram& program_named(const Deployment& deployment, const std::string& name) {
  const auto found = std::ranges::find(deployment.programs, name, &DeployedProgram::name);
  EXPECT_NE(found, deployment.programs.end()) << name;
  return *found;
}

Deployment deployment_of(const std::string& model, std::int64_t context) {
  auto deployment = decoders::deployment_of(model, context);
  EXPECT_TRUE(deployment) << to_string(deployment.error());
  return *std::move(deployment);
}

// What a layer holds of a state, and moves of it in a step.
struct StateFigures {
  std::uint64_t bytes = 0;
  std::uint64_t moved = 0;

  friend bool operator==(const StateFigures&, const StateFigures&) = default;
};

StateFigures state(const Deployment& deployment, const std::string& program,
                   const std::string& name) {
  const Program& it = program_named(deployment, program).program;
  StateFigures figures;
  for (const Tensor& tensor : it.tensors) {
    if (tensor.name != name) continue;
    EXPECT_EQ(tensor.kind, TensorKind::State);
    figures.bytes = tensor.bytes.count();
  }
  for (const Phase& phase : it.phases) {
    for (const TensorAccess& access : phase.accesses) {
      if (it.tensors[access.tensor.index()].name == name) figures.moved += access.bytes.count();
    }
  }
  return figures;
}

// The model as one file that names no others.
InputFile file_of(const Deployment& deployment) {
  std::string text = R"({"format": "berth.deployment/1", "name": "d", "programs": [)";
  for (const DeployedProgram& it : deployment.programs) {
    text += (text.ends_with("[") ? "" : ", ") + (R"({"name": ")" + it.name) + R"(", "layers": )" +
            std::to_string(it.layers) + R"(, "program": )" + write_program(it.program) + "}";
  }
  return {"d.json", text + "]}"};
}

PlanAnswer planned(const InputFile& input, const std::string& target) {
  const auto chips = open_input(std::string(BERTH_ROOT) + "/targets/" + target + ".toml");
  EXPECT_TRUE(chips);
  auto answer = plan_on_target(input, *chips, Policy::Rule, {});
  EXPECT_TRUE(answer) << to_string(answer.error());
  return *std::move(answer);
}

TargetUse used(const InputFile& input, const std::string& target) {
  const auto answer = planned(input, target);
  const auto* no = std::get_if<DoesNotFit>(&answer);
  EXPECT_EQ(no, nullptr) << no->report;
  EXPECT_TRUE(std::holds_alternative<PlannedFile>(answer));
  return *std::get<PlannedFile>(answer).plan.target;
}

TierUse memory(const TargetUse& use, Tier tier) {
  const auto found = std::ranges::find(use.tiers, tier, &TierUse::tier);
  return found == use.tiers.end() ? TierUse() : *found;
}

TEST(Decoders, HoldTheStatesThatArePublishedOfTheirLayers) {
  const Deployment llama = deployment_of("llama3_8b", 4096);
  EXPECT_EQ(program_named(llama, "attention").layers, 32u);
  // Keys and values apart; together 16 MiB a layer, all of it read and a token's 4096 bytes
  // written.
  EXPECT_EQ(state(llama, "attention", "key"), (StateFigures{8388608, 8388608 + 2048}));
  const Deployment mamba = deployment_of("mamba2_2.7b", 4096);
  EXPECT_EQ(program_named(mamba, "mamba").layers, 64u);
  EXPECT_EQ(state(mamba, "mamba", "ssm").bytes, 1310720u);
  EXPECT_EQ(state(mamba, "mamba", "conv").bytes, 43008u);
  const Deployment next = deployment_of("qwen3_next", 32768);
  EXPECT_EQ(program_named(next, "gdn").layers, 36u);
  EXPECT_EQ(program_named(next, "attention").layers, 12u);
  EXPECT_EQ(state(next, "gdn", "state").bytes, 2097152u);
  EXPECT_EQ(state(next, "gdn", "conv").bytes, 49152u);
  EXPECT_EQ(state(next, "attention", "value"), (StateFigures{33554432, 33554432 + 1024}));
}

// 8,030,261,248 weights of two bytes are what is published of Llama-3-8B.
TEST(Decoders, HoldTheWeightsThatArePublished) {
  const Deployment llama = deployment_of("llama3_8b", 64);
  std::uint64_t weights = 0;
  for (const DeployedProgram& it : llama.programs) {
    for (const Tensor& tensor : it.program.tensors) {
      const bool is_one =
          tensor.kind == TensorKind::Weight && tensor.name.find("ints") == std::string::npos;
      if (is_one) weights += it.layers * tensor.bytes.count();
    }
  }
  EXPECT_EQ(weights, 2 * std::uint64_t{8030261248});
}

TEST(Decoders, TheFlowRunsOnAReconfigurableDataflowChip) {
  // 32 layers of 16 MiB: all that an attention model carries is in the SRAM at 4096 tokens.
  const TargetUse llama = used(file_of(deployment_of("llama3_8b", 4096)), "sn40l");
  EXPECT_EQ(memory(llama, Tier::Sram).lasting, Bytes(536870912));
  EXPECT_EQ(llama.off_chip.states, Bytes(0));
  EXPECT_TRUE(llama.spilled.empty());
  EXPECT_FALSE(llama.certificate.vacuous());
  // At twice that none of it fits whole; the recurrent states of the hybrid do at any context.
  const TargetUse longer = used(file_of(deployment_of("llama3_8b", 16384)), "sn40l");
  EXPECT_EQ(memory(longer, Tier::Sram).lasting, Bytes(0));
  const TargetUse next = used(file_of(deployment_of("qwen3_next", 131072)), "sn40l");
  EXPECT_EQ(memory(next, Tier::Sram).lasting, Bytes(36 * (2097152 + 49152)));
  const TargetUse mamba = used(file_of(deployment_of("mamba2_2.7b", 4096)), "sn40l");
  EXPECT_EQ(memory(mamba, Tier::Sram).lasting, Bytes(64 * (1310720 + 43008)));
}

// A row of docs/decoders.md.
TEST(Decoders, TheKeysOfAHybridStayAndTheValuesLeave) {
  const TargetUse next = used(file_of(deployment_of("qwen3_next", 32768)), "sn40l");
  EXPECT_EQ(memory(next, Tier::Sram).lasting, Bytes(479920128));
  EXPECT_EQ(next.off_chip.states, Bytes(12 * (33554432 + 1024)));
  EXPECT_EQ(next.off_chip.weights, Bytes(7026677856));
}

TEST(Decoders, TheFlowRunsWhereNoSramHoldsTensors) {
  for (const std::string model : {"llama3_8b", "mamba2_2.7b", "qwen3_next"}) {
    SCOPED_TRACE(model);
    const TargetUse use = used(file_of(deployment_of(model, 4096)), "h200_sxm");
    EXPECT_EQ(memory(use, Tier::Sram).peak, Bytes(0));
    EXPECT_GT(use.off_chip.unplaced, Bytes(0));
    EXPECT_GT(use.off_chip.states, Bytes(0));
    EXPECT_FALSE(use.certificate.vacuous());
  }
  for (const std::string model : {"mamba2_2.7b", "qwen3_next"}) {
    EXPECT_FALSE(used(file_of(deployment_of(model, 4096)), "wormhole_n150").certificate.vacuous());
  }
  const auto answer = planned(file_of(deployment_of("llama3_8b", 4096)), "wormhole_n150");
  ASSERT_TRUE(std::holds_alternative<DoesNotFit>(answer));
  EXPECT_NE(std::get<DoesNotFit>(answer).report.find("smaller weights"), std::string::npos);
}

// As ONNX both ends of a state are held, since a run reads one and writes the other.
TEST(Decoders, TheFlowTakesThemAsOnnxToo) {
  const auto use = used({"mamba2_2.7b.onnx", decoders::onnx_model("mamba2_2.7b", 64)}, "sn40l");
  EXPECT_EQ(memory(use, Tier::Sram).lasting, Bytes(2 * 64 * (1310720 + 43008)));
  const auto next = used({"qwen3_next.onnx", decoders::onnx_model("qwen3_next", 4096)}, "h200_sxm");
  EXPECT_FALSE(next.certificate.vacuous());
  const auto llama = used({"llama3_8b.onnx", decoders::onnx_model("llama3_8b", 4096)}, "sn40l");
  EXPECT_FALSE(llama.certificate.vacuous());
}

TEST(Decoders, ANameOfNoModelGivesNothing) {
  EXPECT_EQ(decoders::onnx_model("gpt", 64), "");
  EXPECT_TRUE(decoders::layer_models("gpt", 64).empty());
}

}  // namespace
}  // namespace berth
