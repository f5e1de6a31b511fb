#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/deployment.h"
#include "berth/ir/residency.h"
#include "berth/ir/target.h"
#include "berth/pipeline/input.h"
#include "berth/pipeline/plan_file.h"
#include "berth/reside/deployment.h"

namespace berth {

struct ResideOptions {
  Policy policy = Policy::Rule;
  bool split = false;       // instances of a class may part ways, under the best
  bool concurrent = false;  // programs run at once: their reserves add up, under the rule
  std::uint64_t effort = 2'000;
  bool intervals = false;  // an intermediate may leave and come back, under the best
  PlanOptions model{};     // how a model is read
};

// A file as programs for a target.
struct DeployedInput {
  Deployment deployment;
  Alignment unit;                    // of a model's places
  std::vector<KeptTensor> kept{};    // what of a model has no bytes to be placed
  std::vector<std::string> notes{};  // what its reader should know
};

struct ResidedFile {
  Deployment deployment;
  Target target;
  ResidencyAnswer answer;
  std::vector<std::string> notes;
};

using ResideAnswer = std::variant<ResidedFile, BrokenPromise>;

// A deployment placed on a target. The bound is what the independent check proves from the prices,
// and every choice and every layout has passed its check.
Result<std::variant<ResidencyAnswer, BrokenPromise>> reside_deployment(
    const Deployment& deployment, const Target& target, const ResideOptions& options);

// The same of files: a model or a program (one layer, every state of it carried), or a deployment.
Result<ResideAnswer> reside_file(const InputFile& input, const InputFile& target,
                                 const ResideOptions& options);

// What the deployment asks of the target; an error names the file.
Result<DeploymentDemand> placed_demand(const Deployment& deployment, const Target& target,
                                       const InputFile& input);

// What a best plan saves, and what its prices allow to be saved.
struct Savings {
  Bytes saved;
  Bytes most;
};

// The independent check of what each chip keeps; or what is wrong with it.
std::variant<Savings, BrokenPromise> savings_of(const std::vector<ChipCertificate>& certificates);

// A model as the target stores it (reside/stored.h), a program, or a deployment; other files that
// it names are read beside it.
Result<DeployedInput> read_deployed(const InputFile& input, const Target& target,
                                    const PlanOptions& options);

}  // namespace berth
