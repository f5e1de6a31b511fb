#include "berth/lower/captured.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "berth/certify/arena.h"
#include "tests/support/arenas.h"

namespace berth {
namespace {

using test::carried;
using test::fresh;
using test::range;

constexpr std::uint64_t kBase = 0x100000;

// A run on one buffer of 4096 bytes at kBase, in parts, and one shared allocation far above it.
struct Watched {
  Watched() {
    capture.memories = {{CapturedMemory::Kind::Buffer, Address(kBase), Bytes(4096)},
                        {CapturedMemory::Kind::Svm, Address(kBase << 8), Bytes(4096)}};
    capture.in_order = {true};
    capture.ended = true;
  }

  MemoryId part(std::uint64_t offset, std::uint64_t bytes) {
    capture.memories.push_back(
        {CapturedMemory::Kind::Part, Address(kBase + offset), Bytes(bytes), MemoryId(0)});
    return MemoryId(capture.memories.size() - 1);
  }
  CapturedWord word(MemoryId memory, Access access) const {
    const CapturedMemory& its = capture[memory];
    return {its.address.value(), memory, its.bytes, access};
  }
  void kernel(const std::string& name, std::vector<CapturedWord> words) {
    capture.commands.push_back({true, name, std::move(words), 1});
  }
  void move(const std::string& name, std::vector<CapturedWord> words) {
    capture.commands.push_back({false, name, std::move(words), 1});
  }
  LoweredSchedule lowered(CapturedPart part = CapturedPart::Everything) const {
    return lower_capture(capture, part).value();
  }
  std::uint64_t code() const {
    const LoweredSchedule all = lowered();
    return certify_arena(all.planes, all.launches).code();
  }

  Capture capture;
};

std::vector<Plane> planes(const LoweredSchedule& lowered, std::size_t step) {
  return lowered.planes.phases()[step].planes;
}

TEST(Captured, WhereNothingIsSharedAnAllocationIsAGlobal) {
  Watched run;
  const MemoryId a = run.part(0, 256);
  const MemoryId b = run.part(256, 256);
  run.kernel("k", {run.word(a, Access::Read), run.word(b, Access::Both), {7}});
  const LoweredSchedule lowered = run.lowered();
  ASSERT_EQ(lowered.planes.globals().size(), 2u);
  EXPECT_EQ(lowered.planes.globals()[0], range("buffer 1", kBase, 4096));
  EXPECT_EQ(lowered.planes.globals()[1], range("svm 2", kBase << 8, 4096));
  EXPECT_TRUE(planes(lowered, 0).empty());
  const auto words = lowered.launches.words(LaunchId(0));
  EXPECT_EQ(std::vector(words.begin(), words.end()),
            (std::vector<std::uint64_t>{kBase, kBase + 256, 7}));
  EXPECT_EQ(lowered.planes.phases()[0].phase, "step 0 (k)");
  EXPECT_EQ(run.code(), 0u);
}

TEST(Captured, WhereBytesAreSharedEachPartIsAPlaneFreshFirstAndCarriedLater) {
  Watched run;
  const MemoryId a = run.part(0, 512);
  const MemoryId b = run.part(512, 512);
  const MemoryId c = run.part(256, 256);
  run.kernel("k", {run.word(a, Access::Both)});
  run.kernel("l", {run.word(a, Access::Read), run.word(b, Access::Both)});
  run.kernel("m", {run.word(b, Access::Read), run.word(c, Access::Both)});
  const LoweredSchedule lowered = run.lowered();
  const auto plane_a = range("part 3, bytes [0, 512) of memory 1", kBase, 512);
  const auto plane_b = range("part 4, bytes [512, 1024) of memory 1", kBase + 512, 512);
  const auto plane_c = range("part 5, bytes [256, 512) of memory 1", kBase + 256, 256);
  EXPECT_EQ(planes(lowered, 0), (std::vector{fresh(plane_a)}));
  EXPECT_EQ(planes(lowered, 1), (std::vector{carried(plane_a), fresh(plane_b)}));
  EXPECT_EQ(planes(lowered, 2), (std::vector{carried(plane_b), fresh(plane_c)}));
  EXPECT_EQ(run.code(), 0u);
  EXPECT_TRUE(lowered.warnings.empty());
}

TEST(Captured, AReadOfWhatAnotherPartTookOverIsRefused) {
  Watched run;
  const MemoryId a = run.part(0, 512);
  const MemoryId c = run.part(256, 256);
  run.kernel("k", {run.word(a, Access::Both)});
  run.kernel("m", {run.word(c, Access::Both)});
  run.kernel("l", {run.word(a, Access::Read)});
  EXPECT_EQ(run.code(), 2u + 3u + 2u);
  run.capture.commands.back().words[0].access = Access::Write;  // it is written anew instead
  EXPECT_EQ(run.code(), 0u);
}

TEST(Captured, PartsThatMeetInOneLaunchAreRefused) {
  Watched run;
  const MemoryId a = run.part(0, 512);
  const MemoryId c = run.part(256, 512);
  run.kernel("k", {run.word(a, Access::Read), run.word(c, Access::Both)});
  EXPECT_EQ(run.code(), 1u);
}

TEST(Captured, APartThatIsFirstReadIsTheLastOneOfItsPlace) {
  Watched run;
  const MemoryId a = run.part(0, 512);
  const MemoryId again = run.part(0, 512);
  run.kernel("k", {run.word(a, Access::Both)});
  run.kernel("l", {run.word(again, Access::Read), run.word(a, Access::Read)});
  run.kernel("m", {run.word(again, Access::Both)});
  run.kernel("n", {run.word(a, Access::Read)});
  EXPECT_EQ(planes(run.lowered(), 1),
            (std::vector{carried(range("part 3, bytes [0, 512) of memory 1", kBase, 512))}));
  EXPECT_EQ(run.code(), 0u);
}

TEST(Captured, APartThatIsFirstWrittenIsAnotherTensorOfItsPlace) {
  Watched run;
  const MemoryId a = run.part(0, 512);
  const MemoryId other = run.part(0, 512);
  run.kernel("k", {run.word(a, Access::Both)});
  run.kernel("l", {run.word(other, Access::Both)});
  EXPECT_EQ(run.code(), 0u);
  run.kernel("m", {run.word(a, Access::Read)});
  EXPECT_EQ(run.code(), 2u + 3u + 2u);
}

// What is moved from or to the whole buffer is held against the part that it is.
TEST(Captured, AMoveIsOfThePartThatHoldsItsBytes) {
  Watched run;
  const MemoryId a = run.part(0, 512);
  const MemoryId c = run.part(256, 512);
  const CapturedWord all = run.word(MemoryId(0), Access::Write);
  const CapturedWord of_a = {kBase, MemoryId(0), Bytes(512), Access::Read};
  run.move("write", {all});
  run.kernel("k", {run.word(a, Access::Both)});
  run.move("read", {of_a});
  run.kernel("m", {run.word(c, Access::Both)});
  const LoweredSchedule lowered = run.lowered();
  EXPECT_TRUE(lowered.launches.words(LaunchId(0)).empty());
  EXPECT_EQ(planes(lowered, 2),
            (std::vector{carried(range("part 3, bytes [0, 512) of memory 1", kBase, 512))}));
  EXPECT_EQ(run.code(), 0u);
  run.move("read", {of_a});
  EXPECT_EQ(run.code(), 2u + 5u + 4u);
  EXPECT_EQ(run.lowered().warnings,
            (std::vector<std::string>{
                "1 moves of bytes of buffer 1 that are no one tensor are not judged"}));
}

TEST(Captured, APointerIntoSharedBytesMustLieInATensor) {
  Watched run;
  const MemoryId a = run.part(0, 512);
  const MemoryId c = run.part(256, 512);
  run.kernel("k", {run.word(a, Access::Both)});
  run.kernel("l", {run.word(c, Access::Both)});
  run.kernel("m", {{kBase + 600}});
  EXPECT_EQ(run.code(), 0u);
  run.kernel("n", {{kBase + 1024}});
  EXPECT_EQ(run.code(), 2u + 3u);
}

TEST(Captured, PointersIntoSharedMemoryDoNotSayWhatIsWhere) {
  Watched run;
  run.kernel("k", {{kBase << 8}, {(kBase << 8) + 64}});
  run.kernel("l", {{(kBase << 8) + 64}, {5}});
  EXPECT_EQ(run.code(), 0u);
  EXPECT_EQ(run.lowered().warnings,
            (std::vector<std::string>{
                "2 pointers into svm 2 do not say how far they reach: what shares bytes in it is "
                "not judged, unless a plan's own planes say what is where"}));
}

TEST(Captured, AllocationsThatShareAddressesAreOneWindow) {
  Watched run;
  run.capture.memories.push_back({CapturedMemory::Kind::Svm, Address(kBase + 4000), Bytes(1000)});
  run.kernel("k", {run.word(MemoryId(0), Access::Both)});
  const LoweredSchedule lowered = run.lowered();
  EXPECT_EQ(lowered.planes.windows().size(), 2u);
  EXPECT_EQ(lowered.planes.globals()[0], range("buffer 1 and 1 more", kBase, 5000));
}

TEST(Captured, AllocationsThatCoverEveryAddressAreRefused) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
  Capture capture;
  capture.memories = {{CapturedMemory::Kind::Buffer, Address(0), Bytes(kHalf + 1)},
                      {CapturedMemory::Kind::Buffer, Address(kHalf), Bytes(kHalf)}};
  const auto lowered = lower_capture(capture, CapturedPart::Everything);
  ASSERT_FALSE(lowered);
  EXPECT_EQ(lowered.error().kind, Error::Kind::Limit);
  EXPECT_EQ(lowered.error().where, "buffer 1 and 1 more");

  capture.memories[0].address = Address(1);
  capture.memories[0].bytes = Bytes(kHalf);
  EXPECT_TRUE(lower_capture(capture, CapturedPart::Everything));
}

TEST(Captured, ACommandOfManyPartsTakesEachOnce) {
  Watched run;
  std::vector<CapturedWord> words;
  for (std::uint64_t i = 0; i < 4096; ++i) {
    words.push_back(run.word(run.part(i, 1), Access::Write));
  }
  words.push_back(run.word(run.part(0, 4096), Access::Read));
  auto twice = words;
  twice.insert(twice.end(), words.begin(), words.end());
  run.kernel("first", words);
  run.kernel("second", twice);
  EXPECT_EQ(planes(run.lowered(), 0).size(), words.size());
  EXPECT_EQ(planes(run.lowered(), 1).size(), words.size());
}

TEST(Captured, KernelsAloneAreCountedAsASchedulesStepsAre) {
  Watched run;
  run.move("write", {run.word(MemoryId(0), Access::Write)});
  run.kernel("k", {run.word(MemoryId(0), Access::Both)});
  run.move("read", {run.word(MemoryId(0), Access::Read)});
  const LoweredSchedule lowered = run.lowered(CapturedPart::Kernels);
  EXPECT_EQ(lowered.launches.size(), 1u);
  EXPECT_EQ(lowered.planes.phases()[0].phase, "step 0 (k)");
}

TEST(Captured, WhatTheRecordCannotSayIsSaid) {
  Watched run;
  const MemoryId a = run.part(0, 512);
  run.part(256, 512);
  run.kernel("k", {run.word(a, Access::Read), run.word(MemoryId(3), Access::Read)});
  run.capture.unseen_pointers = 3;
  run.capture.ended = false;
  const std::vector<std::string> expected = {
      "step 0 (k) reads part 3, bytes [0, 512) of memory 1 before anything writes it",
      "step 0 (k) reads part 4, bytes [256, 768) of memory 1 before anything writes it",
      "3 arguments have more than 8 bytes, and the record does not say which: pointers inside them "
      "are not seen",
      "the record does not say that the program ended: it may be cut short"};
  const LoweredSchedule lowered = run.lowered();
  EXPECT_EQ(lowered.warnings, expected);
  const auto said = lowered.launches.not_judged();
  EXPECT_EQ(std::vector(said.begin(), said.end()), expected) << "the launches say it too";
  EXPECT_TRUE(lowered.launches.queues().empty());
}

TEST(Captured, LaunchesOfSeveralQueuesSayWhichTheyAreOn) {
  Watched run;
  run.move("write", {run.word(MemoryId(0), Access::Write)});
  run.capture.commands.back().queue = 0;
  run.kernel("k", {run.word(MemoryId(0), Access::Both)});
  EXPECT_TRUE(run.lowered().launches.queues().empty()) << "what the host does is done at once";
  run.capture.in_order = {true, true, false};
  run.move("read", {run.word(MemoryId(0), Access::Read)});
  run.capture.commands.back().queue = 2;
  const LoweredSchedule lowered = run.lowered();
  const auto queues = lowered.launches.queues();
  EXPECT_EQ(std::vector(queues.begin(), queues.end()),
            (std::vector<LaunchQueue>{{"queue 1", true}, {"queue 2", true}, {"host", true}}));
  EXPECT_EQ(lowered.launches.queue_of(LaunchId(0)), 2u);
  EXPECT_EQ(lowered.launches.queue_of(LaunchId(1)), 0u);
  EXPECT_EQ(lowered.launches.queue_of(LaunchId(2)), 1u);
  EXPECT_EQ(lowered.warnings,
            (std::vector<std::string>{
                "commands ran on 2 queues, 2 of them in order: launches are judged in the order in "
                "which they were "
                "asked for, which is the order in which they run only where the program waits; "
                "certify says undecided, unless it is told --host-order"}));
  EXPECT_TRUE(lowered.launches.not_judged().empty()) << "the queues say it";
  EXPECT_TRUE(run.lowered(CapturedPart::Kernels).launches.queues().empty());
}

TEST(Captured, AQueueThatIsOutOfOrderIsSaidWhereSomethingRanOnIt) {
  Watched run;
  run.capture.in_order = {true, false};
  run.kernel("k", {run.word(MemoryId(0), Access::Both)});
  EXPECT_TRUE(run.lowered().launches.queues().empty());
  run.capture.commands.back().queue = 2;
  const LoweredSchedule lowered = run.lowered();
  ASSERT_EQ(lowered.launches.queues().size(), 1u);
  EXPECT_EQ(lowered.launches.queues()[0], (LaunchQueue{"queue 2", false}));
  EXPECT_TRUE(lowered.warnings[0].starts_with("commands ran on 1 queues, 0 of them in order"));
}

// Bytes that know which tensor they were last written as.
class Bytewise {
 public:
  explicit Bytewise(const Capture& capture) : capture_(capture), writer_(4096) {}

  // Whether some command reads, of a tensor that was written before, a byte of another one.
  // (What a tensor holds that was never written is warned of, not judged.)
  bool reads_anothers() {
    for (const CapturedCommand& command : capture_.commands) {
      for (const CapturedWord& word : command.words) {
        const std::size_t tensor = tensor_of(word);
        if (word.access == Access::Write || !written_.contains(tensor)) continue;
        for (const std::size_t writer : bytes_of(word)) {
          if (writer != 0 && writer != tensor) return true;
        }
      }
      for (const CapturedWord& word : command.words) {
        if (word.access == Access::Read) continue;
        written_.insert(tensor_of(word));
        std::ranges::fill(bytes_of(word), tensor_of(word));
      }
    }
    return false;
  }

 private:
  // The part's number, never 0; or that of the one whose other name it is.
  std::size_t tensor_of(const CapturedWord& word) {
    const auto known = names_.find(word.memory->index());
    if (known != names_.end()) return known->second;
    std::size_t& last = last_at_[{word.value, word.bytes.count()}];
    if (last == 0 || word.access != Access::Read) last = word.memory->index();
    return names_[word.memory->index()] = last;
  }
  std::span<std::size_t> bytes_of(const CapturedWord& word) {
    return std::span(writer_).subspan(word.value - kBase, word.bytes.count());
  }

  const Capture& capture_;
  std::vector<std::size_t> writer_;
  std::set<std::size_t> written_;
  std::map<std::size_t, std::size_t> names_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> last_at_;
};

TEST(Captured, WhatIsCertifiedNeverReadsAnothersBytesOnRandomRuns) {
  std::mt19937 random(7);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  int certified = 0;
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    Watched run;
    for (int i = 0; i < 4; ++i) run.part(below(5) * 16, (1 + below(3)) * 16);
    const std::uint64_t commands = 2 + below(4);
    for (std::uint64_t i = 0; i < commands; ++i) {
      std::vector<CapturedWord> words;
      for (std::uint64_t n = 0; n < 1 + below(2); ++n) {
        words.push_back(run.word(MemoryId(2 + below(4)), Access(below(3))));
      }
      // What is moved, mapped and unmapped is taken as what kernels are given is.
      if (below(3) == 0) {
        run.move("unmap", std::move(words));
      } else {
        run.kernel("k", std::move(words));
      }
    }
    const bool reads_anothers = Bytewise(run.capture).reads_anothers();
    const bool is_certified = run.code() == 0;
    EXPECT_FALSE(is_certified && reads_anothers) << "round " << round;
    certified += is_certified;
    refused += reads_anothers;
  }
  EXPECT_GT(certified, 2000);
  EXPECT_GT(refused, 2000);
}

}  // namespace
}  // namespace berth
