#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <variant>

#include "berth/certify/residency.h"
#include "berth/certify/residency_source.h"
#include "berth/formats/residency_json.h"
#include "berth/pipeline/reside_file.h"
#include "tests/pipeline/random_deployments.h"
#include "tests/reside/programs.h"
#include "tests/reside/try_all.h"

namespace berth {
namespace {

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
  const auto strangers = compare_residency(*claim, source_facts(deployment, target, Alignment()));
  ASSERT_TRUE(strangers.empty()) << strangers[0];
}

TEST(RandomDeployments, AreSoundAndTheBestIsTheLeastThereIs) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    SCOPED_TRACE(seed);
    test::RandomDeployment random(seed);
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
    test::RandomDeployment random(seed);
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
