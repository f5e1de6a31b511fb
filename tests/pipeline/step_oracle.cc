#include "tests/pipeline/step_oracle.h"

#include <algorithm>
#include <utility>

namespace berth::test {
namespace {

// Where a tensor's bytes are: the row of its root, and the first byte there.
struct Part {
  std::size_t row = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

}  // namespace

StepOracle::StepOracle(const Deployment& deployment, const DeploymentLives& lives, const Plan& plan)
    : deployment_(deployment), lives_(lives), plan_(plan) {
  for (const PlannedArena& arena : plan.arenas) {
    memory_.push_back({std::vector<std::uint64_t>(arena.figures.peak.count(), 0)});
  }
  for (const StoredTensor& row : lives.tensors) {
    const auto& tensors = deployment.programs[row.program].program.tensors;
    contents_.push_back({});
    contents_.back().tags.assign(tensors[row.tensor.index()].bytes.count(), 0);
  }
}

std::optional<std::string> StepOracle::find_fault() {
  for (std::size_t i = 0; i < lives_.tensors.size(); ++i) {
    const StoredAs as = lives_.tensors[i].as;
    if (as == StoredAs::State || as == StoredAs::Weight) write(i, 0, contents_[i].tags.size());
  }
  for (int step = 0; step < 2; ++step) {
    begin_step();
    for (const ProgramRun& run : lives_.runs) {
      const Program& program = deployment_.programs[run.program].program;
      const auto spans = phase_spans(program).value();
      for (Step phase = 0; phase < program.phases.size();) {
        const LiveRange span = spans[phase].span;
        for (std::uint64_t turn = 0; turn < std::min<std::uint64_t>(2, spans[phase].times);
             ++turn) {
          for (Step at = span.lower; at < span.upper; ++at) run_phase(run, at);
        }
        phase = span.upper;
      }
    }
  }
  return fault_;
}

// What no step leaves for the next is nobody's now.
void StepOracle::begin_step() {
  for (std::size_t i = 0; i < lives_.tensors.size(); ++i) {
    if (lives_.tensors[i].as == StoredAs::Input) write(i, 0, contents_[i].tags.size());
    if (outlives_step(lives_.tensors[i].as)) continue;
    std::ranges::fill(contents_[i].tags, 0);
  }
}

void StepOracle::run_phase(const ProgramRun& run, Step phase) {
  const Program& program = deployment_.programs[run.program].program;
  const Step step = run.first + phase;
  const std::size_t tensors = lives_.tensors.size();
  for (std::size_t i = 0; i < lives_.scratch.size(); ++i) {
    if (lives_.scratch[i].step == step) dirty(tensors + i);
  }
  for (std::size_t i = 0; i < lives_.sites.size(); ++i) {
    if (lives_.sites[i].life.contains(step)) dirty(tensors + lives_.scratch.size() + i);
  }
  const auto bytes_of = [&](TensorId id) -> std::optional<Part> {
    std::uint64_t begin = 0;
    const std::uint64_t size = program.tensors[id.index()].bytes.count();
    for (; program.tensors[id.index()].view_of; id = program.tensors[id.index()].view_of->of) {
      begin += program.tensors[id.index()].view_of->offset.count();
    }
    for (std::size_t row = 0; row < tensors; ++row) {
      const StoredTensor& it = lives_.tensors[row];
      const bool is_shared = it.as == StoredAs::Input || it.as == StoredAs::Output;
      const bool is_it =
          it.program == run.program && it.tensor == id && (is_shared || it.layer == run.layer);
      if (is_it) return Part{row, begin, begin + size};
    }
    return std::nullopt;
  };
  const std::string where = "step " + std::to_string(step);
  const auto each = [&](TensorAccess::Kind kind, const auto& visit) {
    for (const TensorAccess& access : program.phases[phase].accesses) {
      const auto bytes = access.kind == kind ? bytes_of(access.tensor) : std::nullopt;
      if (bytes) visit(*bytes);
    }
  };
  const auto find = [&](const Part& it) { check(it.row, it.begin, it.end, where); };
  each(TensorAccess::Kind::Read, find);
  each(TensorAccess::Kind::Write, [&](const Part& it) { write(it.row, it.begin, it.end); });
  each(TensorAccess::Kind::Read, find);  // operands and results are there together
}

void StepOracle::dirty(std::size_t row) {
  const PlannedBuffer& it = plan_.buffers[row];
  auto& tags = memory_[it.arena].tags;
  ++tag_;
  for (std::uint64_t i = 0; i < it.bytes.count(); ++i) tags.at(it.offset.value() + i) = tag_;
}

void StepOracle::write(std::size_t row, std::uint64_t begin, std::uint64_t end) {
  const PlannedBuffer& it = plan_.buffers[row];
  auto& tags = memory_[it.arena].tags;
  ++tag_;
  for (std::uint64_t i = begin; i < end; ++i) {
    contents_[row].tags.at(i) = tags.at(it.offset.value() + i) = tag_;
  }
}

void StepOracle::check(std::size_t row, std::uint64_t begin, std::uint64_t end,
                       const std::string& where) {
  const PlannedBuffer& it = plan_.buffers[row];
  for (std::uint64_t i = begin; i < end && !fault_; ++i) {
    const std::uint64_t wanted = contents_[row].tags.at(i);
    if (wanted == 0 || memory_[it.arena].tags.at(it.offset.value() + i) == wanted) continue;
    fault_ = where + " reads byte " + std::to_string(i) + " of " + it.name + ", which is another's";
  }
}

}  // namespace berth::test
