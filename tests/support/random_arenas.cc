#include <algorithm>

#include "tests/support/arenas.h"

namespace berth::test {
namespace {

class RandomArena {
 public:
  explicit RandomArena(std::mt19937_64& random) : random_(random) {}

  ArenaCase make() {
    // The last region ends at 2^64, where addresses wrap.
    arena_.origin = pick({std::uint64_t{0}, std::uint64_t{0x1000}, UINT64_MAX - kArenaRegion + 1});
    arena_.alignment = pick({1, 1, 4, 3});
    add_windows();
    for (std::uint64_t i = 0, count = 2 + below(5); i < count; ++i) pool_.push_back(tensor());
    for (std::uint64_t i = 0, count = below(3); i < count; ++i) add_global();
    phases_ = 1 + below(4);
    for (std::uint64_t i = 0; i < phases_; ++i) add_phase(i);
    for (std::uint64_t i = 0, count = 1 + below(5); i < count; ++i) add_item();
    add_submissions();
    return arena_;
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  std::uint64_t pick(const std::vector<std::uint64_t>& values) {
    return values[below(values.size())];
  }

  void add_windows() {
    if (one_in(12)) return;
    arena_.windows.push_back({Address(arena_.origin + below(3)), Bytes(44 + below(18))});
    if (one_in(3)) {
      arena_.windows.push_back({Address(arena_.origin + below(56)), Bytes(1 + below(8))});
    }
  }

  NamedRange tensor() {
    const std::uint64_t unit = one_in(100) ? 1 : arena_.alignment;
    const std::uint64_t size = one_in(100) ? 0 : 1 + below(12);
    if (!pool_.empty() && one_in(8)) {
      NamedRange renamed = pool_[below(pool_.size())];
      renamed.name += "'";
      return renamed;
    }
    const std::uint64_t at = (arena_.origin + below(50) + unit - 1) / unit * unit;
    return {std::string(1, static_cast<char>('a' + below(4))), Address(at), Bytes(size)};
  }

  // Mostly beside what is taken already.
  bool is_wanted(const NamedRange& range, const std::vector<NamedRange>& taken) {
    const bool meets = std::ranges::any_of(
        taken, [&](const NamedRange& other) { return other.extent().overlaps(range.extent()); });
    return !meets || one_in(20);
  }

  void add_global() {
    const NamedRange range = tensor();
    if (is_wanted(range, arena_.globals)) arena_.globals.push_back(range);
  }

  void add_phase(std::uint64_t name) {
    PhasePlanes phase{std::to_string(name), {}};
    std::vector<NamedRange> taken = arena_.globals;
    for (std::uint64_t i = 0, count = below(4); i < count; ++i) {
      const NamedRange& range = pool_[below(pool_.size())];
      if (!is_wanted(range, taken)) continue;
      taken.push_back(range);
      phase.planes.push_back({range, one_in(3)});
    }
    arena_.phases.push_back(std::move(phase));
  }

  std::uint64_t any_address() { return arena_.origin + below(kArenaRegion + 8) - 4; }

  std::uint64_t word_of(const PhasePlanes& phase) {
    std::vector<NamedRange> named = arena_.globals;
    for (const Plane& plane : phase.planes) named.push_back(plane.range);
    if (named.empty()) return one_in(12) ? any_address() : below(2) * 0x700000 + arena_.origin / 2;
    if (one_in(40)) return any_address();
    const NamedRange& range = named[below(named.size())];
    return range.address.value() + below(std::max<std::uint64_t>(range.bytes.count(), 1));
  }

  Item::Written launch() {
    const std::uint64_t phase = below(phases_);
    Item::Written written{one_in(80) ? "none" : std::to_string(phase), {}};
    for (auto count = below(3); count > 0; --count) {
      written.words.push_back(word_of(arena_.phases[phase]));
    }
    return written;
  }

  std::int64_t step() {
    switch (below(8)) {
      case 0:
        return static_cast<std::int64_t>(random_());
      case 1:
        return one_in(2) ? INT64_MAX : INT64_MIN;
      case 2:
        return static_cast<std::int64_t>(std::uint64_t{1} << below(63));
      default:
        return static_cast<std::int64_t>(below(7)) - 3;
    }
  }

  void add_item() {
    Item item{0, {launch()}, {}, {}, {}};
    if (one_in(3)) {
      item.iterations = pick({1, 2, 3, 4, 5, 63, 64, 65, 70});
      for (auto more = below(3); more > 0; --more) item.body.push_back(launch());
      move_words(item);
    }
    launches_ += item.body.size();
    borders_.push_back(launches_);
    arena_.table.push_back(std::move(item));
  }

  void move_words(Item& item) {
    for (std::uint32_t i = 0; i < item.body.size(); ++i) {
      for (std::uint32_t word = 0; word < item.body[i].words.size(); ++word) {
        if (one_in(6)) {
          Frame frame{i, word, {}};
          const std::uint64_t base = item.body[i].words[word];
          for (std::uint64_t t = 0; t < item.iterations; ++t)
            frame.values.push_back(base + below(4));
          item.frames.push_back(std::move(frame));
          continue;
        }
        while (one_in(3)) item.deltas.push_back({i, word, step()});
      }
    }
  }

  void add_submissions() {
    if (!one_in(3)) {
      arena_.submissions.push_back({0, launches_});
      return;
    }
    for (auto count = below(5); count > 0; --count) {
      const auto [first, end] =
          std::minmax(borders_[below(borders_.size())], borders_[below(borders_.size())]);
      for (auto times = 1 + below(3); times > 0; --times) {
        arena_.submissions.push_back({first, end - first});
      }
    }
  }

  std::mt19937_64& random_;
  ArenaCase arena_;
  std::vector<NamedRange> pool_;
  std::uint64_t phases_ = 0;
  std::uint64_t launches_ = 0;
  std::vector<std::uint64_t> borders_ = {0};
};

// Up to how many bytes an access from an address on stays in the range that holds it; nothing where
// none does.
std::uint64_t room_at(const ArenaCase& arena, const std::string& phase, std::uint64_t address) {
  std::vector<NamedRange> ranges = arena.globals;
  for (const PhasePlanes& its : arena.phases) {
    for (const Plane& plane : its.planes) {
      if (its.phase == phase) ranges.push_back(plane.range);
    }
  }
  for (const NamedRange& range : ranges) {
    if (range.extent().contains(address)) {
      return static_cast<std::uint64_t>(range.extent().upper - address);
    }
  }
  return 0;
}

}  // namespace

ArenaCase random_arena(std::mt19937_64& random) {
  return RandomArena(random).make();
}

ArenaCase random_arena_with_extents(std::mt19937_64& random) {
  ArenaCase arena = random_arena(random);
  std::vector<std::string> met;  // phases
  const auto one_in = [&](std::uint64_t n) { return random() % n == 0; };
  for (Item& item : arena.table) {
    for (std::uint32_t i = 0; i < item.body.size(); ++i) {
      const bool is_first = std::ranges::find(met, item.body[i].phase) == met.end();
      met.push_back(item.body[i].phase);
      for (std::uint32_t word = 0; word < item.body[i].words.size(); ++word) {
        if (one_in(5)) continue;
        const std::uint64_t address = item.body[i].words[word];
        const std::uint64_t here = room_at(arena, item.body[i].phase, address);
        if (here == 0 && !one_in(8)) continue;  // most words that no range holds are no addresses
        const std::uint64_t room = here == 0 ? 2 : here;
        const auto length = [&] {
          if (one_in(150)) return one_in(3) ? random() : room + 1;
          return one_in(2) ? room : random() % (room + 1);
        };
        const bool reads = one_in(is_first ? 8 : 2);
        const bool writes = one_in(is_first ? 1 : 2);
        item.extents.push_back({i, word, reads ? length() : 0, writes ? length() : 0});
      }
    }
  }
  return arena;
}

}  // namespace berth::test
