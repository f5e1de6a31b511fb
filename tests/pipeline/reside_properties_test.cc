#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <variant>

#include "berth/certify/residency.h"
#include "berth/certify/residency_source.h"
#include "berth/formats/residency_json.h"
#include "berth/pipeline/reside_file.h"
#include "tests/reside/programs.h"
#include "tests/reside/try_all.h"

namespace berth {
namespace {

class RandomDeployment {
 public:
  explicit RandomDeployment(std::uint64_t seed) : random_(seed) {}

  Target target() {
    Target target{.name = "t", .any_site_reaches_any = below(8) > 0};
    for (std::uint64_t chips = 1 + below(2); chips > 0; --chips) {
      Chip chip{.sites = {{1 + below(2), Bytes(1 + below(40))}}, .hbm = Bytes(below(3) * 20)};
      chip.reserved = Bytes(std::min<std::uint64_t>(below(3), chip.sites[0].bytes.count() - 1));
      if (below(4) == 0) chip.dram = Bytes(below(200));
      target.chips.push_back(std::move(chip));
    }
    return target;
  }

  Deployment deployment(std::size_t chips) {
    Deployment deployment{.name = "d"};
    for (std::uint64_t programs = 1 + below(2); programs > 0; --programs) {
      const std::string name = "p" + std::to_string(programs);
      DeployedProgram deployed{.name = name, .layers = below(4), .program = program(name, chips)};
      if (below(2) == 0) deployed.carried = some_states(deployed.program);
      deployment.programs.push_back(std::move(deployed));
    }
    return deployment;
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  Program program(const std::string& name, std::size_t chips) {
    Program program{.name = name};
    program.phases.resize(1 + below(5));
    for (Phase& phase : program.phases) {
      if (below(4) == 0) phase.scratch = Bytes(below(6));
    }
    for (std::uint64_t tensors = below(7); tensors > 0; --tensors) add_tensor(program, chips);
    if (below(3) == 0) program.buffers.push_back({.bytes = Bytes(below(8))});
    if (below(3) == 0) program.loops = {{{0, 1 + below(program.phases.size())}, below(4)}};
    return program;
  }

  void add_tensor(Program& program, std::size_t chips) {
    const TensorId id(program.tensors.size());
    Tensor tensor{.name = "t" + std::to_string(id.index()),
                  .kind = below(4) == 0 ? TensorKind::State : TensorKind::Intermediate,
                  .bytes = Bytes(below(16)),
                  .chip = ChipId(below(chips))};
    if (tensor.kind == TensorKind::Intermediate) {
      tensor.pinned = below(12) == 0;
      if (below(12) == 0) tensor.tier = Tier::Sram;
    }
    tensor.host = !tensor.pinned && !tensor.tier && below(12) == 0;
    const Step first = below(program.phases.size());
    const Step last = first + below(program.phases.size() - first);
    using Kind = TensorAccess::Kind;
    program.phases[first].accesses.push_back({id, Kind::Write, {}, Bytes(below(20)), {}});
    program.phases[last].accesses.push_back({id, Kind::Read, {}, Bytes(below(20)), {}});
    for (Step step = first + 1; step < last; ++step) {
      const Kind kind = below(4) == 0 ? Kind::Write : Kind::Read;
      if (below(2) == 0)
        program.phases[step].accesses.push_back({id, kind, {}, Bytes(below(20)), {}});
    }
    program.tensors.push_back(std::move(tensor));
  }

  std::vector<TensorId> some_states(const Program& program) {
    std::vector<TensorId> states;
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
      if (program.tensors[i].kind == TensorKind::State && below(2) == 0) states.emplace_back(i);
    }
    return states;
  }

  std::mt19937_64 random_;
};

ResidencyAnswer resided(const Deployment& deployment, const Target& target,
                        const ResideOptions& options) {
  auto answer = reside_deployment(deployment, target, options);
  EXPECT_TRUE(answer) << to_string(answer.error());
  EXPECT_TRUE(std::holds_alternative<ResidencyAnswer>(*answer));
  return std::get<ResidencyAnswer>(*std::move(answer));
}

// The least that any choice leaves to be moved, each chip's choices tried one by one.
Bytes least_by_trying(const ResidencyAnswer& answer) {
  Bytes least = answer.nothing_kept;
  for (const ChipCertificate& it : answer.certificates) {
    least -= Bytes(test::most_by_trying(it.choice));
  }
  return least;
}

// What is written is read as it was meant, and an independent check finds no fault with it.
void expect_sound(const ResidencyAnswer& answer, const Deployment& deployment,
                  const Target& target) {
  const auto document = JsonDocument::parse(write_residency(answer, deployment), "r.json");
  const auto claim = read_residency(*document);
  ASSERT_TRUE(claim) << to_string(claim.error());
  const auto verdict = check_residency(*claim);
  ASSERT_TRUE(verdict.sound()) << verdict.faults[0];
  ASSERT_EQ(verdict.bound, answer.bound);
  const auto strangers = compare_residency(*claim, deployment, target);
  ASSERT_TRUE(strangers.empty()) << strangers[0];
}

TEST(RandomDeployments, AreSoundAndTheBestIsTheLeastThereIs) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    SCOPED_TRACE(seed);
    RandomDeployment random(seed);
    const Target target = random.target();
    const Deployment deployment = random.deployment(target.chips.size());
    const bool split = seed % 3 == 0;
    const ResidencyAnswer best =
        resided(deployment, target, {.policy = Policy::Best, .split = split});
    ASSERT_LE(best.best, best.rule);
    ASSERT_EQ(best.best, best.bound);
    ASSERT_EQ(best.best, least_by_trying(best));
    ASSERT_NO_FATAL_FAILURE(expect_sound(best, deployment, target));
    const ResidencyAnswer rule = resided(deployment, target, {.concurrent = seed % 4 == 0});
    ASSERT_NO_FATAL_FAILURE(expect_sound(rule, deployment, target));
  }
}

TEST(RandomDeployments, WhoseLivesAreCutAreSoundAndMoveNoMore) {
  std::size_t better = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    RandomDeployment random(seed);
    const Target target = random.target();
    const Deployment deployment = random.deployment(target.chips.size());
    const ResidencyAnswer best = resided(
        deployment, target, {.policy = Policy::Best, .split = seed % 3 == 0, .intervals = true});
    ASSERT_EQ(best.best, best.bound);
    ASSERT_LE(best.best, *best.best_of_whole);
    ASSERT_LE(*best.best_of_whole, best.rule);
    better += best.best < *best.best_of_whole ? 1 : 0;
    ASSERT_NO_FATAL_FAILURE(expect_sound(best, deployment, target));
  }
  EXPECT_GT(better, 20u);
}

TEST(RandomDeployments, OfManyTensorsAreProvedByAWalk) {
  std::mt19937_64 random(0);
  std::vector<test::Life> lives(120);
  for (std::size_t i = 0; i < lives.size(); ++i) {
    lives[i] = {.first = i / 3, .last = i / 3 + 1 + random() % 4, .bytes = 1 + random() % 1000};
  }
  const Deployment deployment{
      .programs = {{.name = "p", .layers = 3, .program = test::program_of(lives)}}};
  const Target target = test::target_of(2'500);
  const ResidencyAnswer best = resided(deployment, target, {.policy = Policy::Best});
  EXPECT_EQ(best.best, best.bound);
  EXPECT_LT(best.best, best.rule);
  EXPECT_NE(write_residency(best, deployment).find("\"walk\": "), std::string::npos);
  ASSERT_NO_FATAL_FAILURE(expect_sound(best, deployment, target));
}

}  // namespace
}  // namespace berth
