// Lives, views and writes in place are right if a program finds every value where it left it. Here
// random programs run on an arena of tagged bytes: each byte knows which tensor's which byte it is.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "berth/live/program_lives.h"
#include "tests/testing/first_fit.h"

namespace berth {
namespace {

using Tag = std::pair<std::size_t, std::uint64_t>;  // root tensor, byte of it

class Replay {
 public:
  Replay(const Program& program, const ProgramInstance& planned)
      : program_(program), places_(testing::place_first_fit(planned.instance)), arena_(100000) {
    member_.resize(program.tensors.size(), nullptr);
    for (const Member& member : planned.members) member_[member.tensor.index()] = &member;
  }

  // The number of reads that did not find what was written.
  std::size_t lost_values() {
    for (const TensorId input : program_.inputs) write(input);
    for (const Phase& phase : program_.phases) {
      for (const TensorAccess& access : phase.accesses) {
        if (access.kind == TensorAccess::Kind::Read) check(access.tensor);
      }
      for (const TensorAccess& access : phase.accesses) {
        if (access.kind == TensorAccess::Kind::Write) write(access.tensor);
      }
      // A phase's operands and its results are there together, unless it may write over one.
      for (const TensorAccess& access : phase.accesses) {
        if (access.kind == TensorAccess::Kind::Write) check(access.tensor);
      }
    }
    for (const TensorId output : program_.outputs) check(output);
    return lost_;
  }

 private:
  Tag tag_of(TensorId tensor, std::uint64_t byte) const {
    while (program_.tensors[tensor.index()].view_of) {
      byte += program_.tensors[tensor.index()].view_of->offset.count();
      tensor = program_.tensors[tensor.index()].view_of->of;
    }
    return {tensor.index() + 1, byte};
  }

  template <typename Visit>
  void each_byte(TensorId tensor, Visit visit) {
    const Member* member = member_[tensor.index()];
    if (member == nullptr) return;
    const auto first = places_[member->buffer.index()] + member->offset.count();
    for (std::uint64_t byte = 0; byte < member->bytes.count(); ++byte) {
      visit(arena_[first + byte], tag_of(tensor, byte));
    }
  }

  void write(TensorId tensor) {
    each_byte(tensor, [](Tag& cell, Tag tag) { cell = tag; });
  }

  void check(TensorId tensor) {
    bool sound = true;
    each_byte(tensor, [&](const Tag& cell, Tag tag) { sound = sound && cell == tag; });
    lost_ += sound ? 0 : 1;
  }

  const Program& program_;
  std::vector<const Member*> member_;
  std::vector<std::uint64_t> places_;
  std::vector<Tag> arena_;
  std::size_t lost_ = 0;
};

// Each phase reads some earlier tensors and writes one or two new ones, often allowed to take over
// an operand; a tensor may be a view of an earlier one instead.
Program random_program(std::mt19937& random) {
  Program program;
  const auto below = [&](std::size_t limit) { return random() % limit; };
  const auto add_tensor = [&](std::uint64_t bytes) {
    program.tensors.push_back({"", TensorKind::Intermediate, Bytes(bytes)});
    return TensorId(program.tensors.size() - 1);
  };
  program.inputs = {add_tensor(1 + below(40))};
  const std::size_t phases = 1 + below(12);
  for (std::size_t step = 0; step < phases; ++step) {
    Phase phase;
    std::vector<TensorId> operands;
    for (std::size_t reads = below(3) + 1; reads != 0; --reads) {
      const std::size_t recent = std::min<std::size_t>(program.tensors.size(), 4);
      operands.emplace_back(program.tensors.size() - 1 - below(recent));
      phase.accesses.push_back({operands.back(), TensorAccess::Kind::Read, std::nullopt});
    }
    for (std::size_t results = 1 + below(5) / 4; results != 0; --results) {
      const TensorId operand = operands[below(operands.size())];
      const Tensor& base = program.tensors[operand.index()];
      const bool same = below(2) == 0;
      TensorAccess access;
      access.kind = TensorAccess::Kind::Write;
      if (below(4) == 0) {
        const std::uint64_t offset = below(base.bytes.count());
        const TensorView view = {operand, Bytes(offset)};
        access.tensor = add_tensor(1 + below(base.bytes.count() - offset));
        program.tensors.back().view_of = view;
      } else {
        access.tensor = add_tensor(same ? base.bytes.count() : 1 + below(40));
        if (below(4) != 0) access.reuses = operand;
      }
      phase.accesses.push_back(access);
    }
    program.phases.push_back(std::move(phase));
  }
  program.outputs = {TensorId(program.tensors.size() - 1)};
  if (below(2) == 0) program.outputs.emplace_back(below(program.tensors.size()));
  return program;
}

TEST(ProgramReplay, EveryValueIsFoundWhereItWasLeft) {
  std::mt19937 random(7);
  std::size_t reuses = 0;
  std::size_t views = 0;
  std::size_t gaps = 0;
  for (int round = 0; round < 1500; ++round) {
    const Program program = random_program(random);
    const auto planned = program_instance(program, *Alignment::of(round % 2 == 0 ? 1 : 4));
    ASSERT_TRUE(planned) << to_string(planned.error());
    EXPECT_EQ(Replay(program, *planned).lost_values(), 0U) << "round " << round;
    for (const Member& member : planned->members) {
      reuses += member.reuses ? 1 : 0;
      views += member.view_of ? 1 : 0;
    }
    for (const Buffer& buffer : planned->instance.buffers()) gaps += buffer.gaps.size();
  }
  EXPECT_GT(reuses, 250U);  // or the test shows nothing
  EXPECT_GT(views, 250U);
  EXPECT_GT(gaps, 50U);
}

TEST(ProgramReplay, ALifeCutShortIsNoticed) {
  std::mt19937 random(7);
  std::size_t noticed = 0;
  for (int round = 0; round < 300; ++round) {
    const Program program = random_program(random);
    Program shorter = program;  // the last phase's reads are kept from the planner
    std::erase_if(shorter.phases.back().accesses, [](const TensorAccess& access) {
      return access.kind == TensorAccess::Kind::Read;
    });
    const auto planned = program_instance(shorter, Alignment());
    ASSERT_TRUE(planned);
    noticed += Replay(program, *planned).lost_values() != 0 ? 1 : 0;
  }
  EXPECT_GT(noticed, 30U);
}

}  // namespace
}  // namespace berth
