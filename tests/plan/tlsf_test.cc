#include "berth/plan/tlsf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "tests/testing/shared_data.h"

namespace berth {
namespace {

const Alignment kUnit = *Alignment::of(256);

Instance make_instance(std::vector<Buffer> buffers, Alignment unit = kUnit) {
  auto instance = Instance::make({Device{"GPU", {}, {}}}, std::move(buffers), unit);
  EXPECT_TRUE(instance) << to_string(instance.error());
  return *std::move(instance);
}

std::vector<std::uint64_t> tlsf_places(const Instance& instance) {
  const auto placement = place_tlsf(instance);
  EXPECT_TRUE(placement) << to_string(placement.error());
  std::vector<std::uint64_t> places;
  for (const Offset place : placement->places) places.push_back(place.value());
  return places;
}

TEST(Tlsf, ABufferTakesThePlaceOfOneThatEndedBeforeIt) {
  EXPECT_EQ(tlsf_places(make_instance({{.name = "a", .size = Bytes(100), .life = {0, 2}},
                                       {.name = "b", .size = Bytes(100), .life = {1, 3}},
                                       {.name = "c", .size = Bytes(100), .life = {2, 4}}})),
            (std::vector<std::uint64_t>{0, 256, 0}));
}

TEST(Tlsf, SkewIsPartOfTheExtent) {
  const auto instance =
      make_instance({{.name = "a", .size = Bytes(253), .life = {0, 2}, .skew = Bytes(4)},
                     {.name = "b", .size = Bytes(1), .life = {0, 2}}});
  EXPECT_EQ(tlsf_places(instance), (std::vector<std::uint64_t>{0, 512}));
}

TEST(Tlsf, TheOldestFreeBlockOfAClassIsTakenFirst) {
  TlsfAllocator heap(Bytes(1 << 20));
  const auto a = heap.alloc(Bytes(1024));
  heap.alloc(Bytes(256));
  const auto c = heap.alloc(Bytes(1024));
  heap.alloc(Bytes(256));
  heap.free(*c);
  heap.free(*a);
  EXPECT_EQ(heap.alloc(Bytes(1024)), c);
  EXPECT_EQ(heap.alloc(Bytes(1024)), a);
}

TEST(Tlsf, AFreedBlockMergesWithBothNeighbours) {
  TlsfAllocator heap(Bytes(1 << 20));
  const auto a = heap.alloc(Bytes(512));
  const auto b = heap.alloc(Bytes(512));
  const auto c = heap.alloc(Bytes(512));
  heap.alloc(Bytes(256));
  heap.free(*a);
  heap.free(*c);
  heap.free(*b);
  EXPECT_EQ(heap.alloc(Bytes(1536)), Offset(0));
}

TEST(Tlsf, ARequestThatNoClassSurelyFitsGetsNothing) {
  TlsfAllocator heap(Bytes(1024));
  EXPECT_EQ(heap.alloc(Bytes(1025)), std::nullopt);
  EXPECT_EQ(heap.alloc(Bytes(1024)), Offset(0));
  EXPECT_EQ(heap.alloc(Bytes(1)), std::nullopt);
  EXPECT_EQ(TlsfAllocator(Bytes(0)).alloc(Bytes(1)), std::nullopt);
}

TEST(Tlsf, EachDeviceHasAnAllocatorOfItsOwn) {
  const auto instance =
      Instance::make({Device{"GPU", {}, {}}, Device{"CPU", {}, {}}},
                     {{.name = "a", .size = Bytes(256), .life = {0, 2}, .device = DeviceId(0)},
                      {.name = "b", .size = Bytes(256), .life = {0, 2}, .device = DeviceId(1)}},
                     kUnit);
  EXPECT_EQ(tlsf_places(*instance), (std::vector<std::uint64_t>{0, 0}));
}

TEST(Tlsf, StricterAlignmentThanTheUnitIsKept) {
  const auto instance = make_instance(
      {{.name = "a", .size = Bytes(256), .life = {0, 2}},
       {.name = "b", .size = Bytes(256), .life = {0, 2}, .alignment = *Alignment::of(4096)}});
  EXPECT_EQ(tlsf_places(instance)[1] % 4096, 0U);
}

TEST(Tlsf, AFixedPlaceIsRefused) {
  const auto placement = place_tlsf(
      make_instance({{.name = "a", .size = Bytes(256), .life = {0, 2}, .fixed = Offset(512)}}));
  ASSERT_FALSE(placement);
  EXPECT_EQ(placement.error().where, "buffer a");
}

TEST(Tlsf, AHeapPast64BitsIsRefused) {
  EXPECT_FALSE(place_tlsf(
      make_instance({{.name = "a", .size = Bytes(std::uint64_t{1} << 63), .life = {0, 2}}})));
}

// Another allocator of the same rules, written without queues or bitmaps: free blocks in one list
// by age, the class compared pair by pair.
class NaiveTlsf {
 public:
  explicit NaiveTlsf(std::uint64_t bytes) { free_.push_back({0, bytes}); }

  std::uint64_t alloc(std::uint64_t request) {
    std::uint64_t step = 1;
    while (step * 64 <= request) step *= 2;
    const std::uint64_t search = (request + step - 1) / step * step;
    auto best = free_.end();
    for (auto block = free_.begin(); block != free_.end(); ++block) {
      if (rank(block->second) < rank(search)) continue;
      if (best == free_.end() || rank(block->second) < rank(best->second)) best = block;
    }
    const auto [start, size] = *best;
    free_.erase(best);
    if (size > request) free_.push_back({start + request, size - request});
    taken_[start] = request;
    return start;
  }

  void release(std::uint64_t start) {
    std::uint64_t end = start + taken_[start];
    taken_.erase(start);
    for (bool changed = true; changed;) {
      changed = false;
      for (auto block = free_.begin(); block != free_.end(); ++block) {
        if (block->first + block->second == start) {
          start = block->first;
        } else if (block->first == end) {
          end += block->second;
        } else {
          continue;
        }
        free_.erase(block);
        changed = true;
        break;
      }
    }
    free_.push_back({start, end - start});
  }

 private:
  // First-level class and second-level class as one number.
  static std::uint64_t rank(std::uint64_t size) {
    std::uint64_t level = 0;
    while ((size >> level) > 1) ++level;
    const std::uint64_t base = std::uint64_t{1} << level;
    const std::uint64_t step = base >= 32 ? base / 32 : 1;
    return level * 64 + (size - base) / step;
  }

  std::vector<std::pair<std::uint64_t, std::uint64_t>> free_;
  std::map<std::uint64_t, std::uint64_t> taken_;
};

TEST(Tlsf, AgreesWithAnAllocatorWrittenWithoutQueues) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    TlsfAllocator heap(Bytes(1 << 26));
    NaiveTlsf naive(1 << 26);
    std::vector<std::uint64_t> live;
    for (int step = 0; step < 150; ++step) {
      if (live.size() > 20 || (!live.empty() && random() % 2 == 0)) {
        const auto victim = live.begin() + static_cast<std::ptrdiff_t>(random() % live.size());
        heap.free(Offset(*victim));
        naive.release(*victim);
        live.erase(victim);
      } else {
        const std::uint64_t bytes = 256 * (1 + random() % (std::uint64_t{1} << (random() % 10)));
        const auto place = heap.alloc(Bytes(bytes));
        ASSERT_TRUE(place);
        ASSERT_EQ(place->value(), naive.alloc(bytes)) << "seed " << seed << " step " << step;
        live.push_back(place->value());
      }
    }
  }
}

// data/tlsf: places that an independent implementation gave.
TEST(Tlsf, GoldenTracesGiveTheirPlaces) {
  const auto folder = testing::shared_data("tlsf");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no golden traces beside the checkout";
  int traces = 0;
  std::ifstream arenas(folder / "arena.csv");
  std::string line;
  std::getline(arenas, line);
  while (std::getline(arenas, line)) {
    std::istringstream row(line);
    std::string trace, count, arena;
    std::getline(row, trace, ',');
    std::getline(row, count, ',');
    std::getline(row, arena, ',');

    std::vector<Buffer> buffers;
    std::vector<std::uint64_t> expected;
    std::ifstream file(folder / trace);
    std::getline(file, line);
    while (std::getline(file, line)) {
      std::ranges::replace(line, ',', ' ');
      std::istringstream cells(line);
      std::string name;
      std::uint64_t first = 0, last = 0, bytes = 0, skew = 0, place = 0;
      cells >> name >> first >> last >> bytes >> skew >> place;
      buffers.push_back(
          {.name = name, .size = Bytes(bytes), .life = {first, last + 1}, .skew = Bytes(skew)});
      expected.push_back(place);
    }
    ASSERT_EQ(std::to_string(buffers.size()), count);
    const auto instance = make_instance(std::move(buffers));
    const auto places = tlsf_places(instance);
    EXPECT_EQ(places, expected) << trace;
    std::uint64_t peak = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      peak = std::max(peak, places[i] + instance.extent(BufferId(i)).count());
    }
    EXPECT_EQ(std::to_string(peak), arena) << trace;
    ++traces;
  }
  EXPECT_EQ(traces, 10);
}

}  // namespace
}  // namespace berth
