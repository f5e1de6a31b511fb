#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "berth/ir/deployment.h"
#include "berth/ir/target.h"

namespace berth::test {

// Small targets and what is deployed on them: one or two chips of up to two sites, programs of up
// to five phases with scratch, buffers and loops, tensors of up to 15 bytes.
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

}  // namespace berth::test
