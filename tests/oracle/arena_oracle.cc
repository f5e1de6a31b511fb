#include "tests/oracle/arena_oracle.h"

#include <algorithm>
#include <bitset>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace berth::oracle {
namespace {

__extension__ using Integer = __int128;
using ByteSet = std::bitset<test::kArenaRegion>;
using Tensor = std::tuple<std::string, std::uint64_t, std::uint64_t>;

const Integer kAll = Integer(1) << 64;

Tensor tensor_of(const NamedRange& range) {
  return {range.name, range.address.value(), range.bytes.count()};
}

class Oracle {
 public:
  Oracle(const test::ArenaCase& arena, bool exact)
      : origin_(arena.origin),
        planes_(arena.planes()),
        table_(arena.table),
        submissions_(arena.submissions),
        exact_(exact) {}

  std::uint64_t code() {
    if (!plan_is_sound()) return 1;
    for (const Window& window : planes_.windows()) {
      windows_ |= bytes_of({"", window.address, window.bytes});
    }
    std::uint64_t launch = 0;
    for (const test::Item& item : table_) {
      for (std::uint32_t i = 0; i < item.body.size(); ++i, ++launch) {
        if (!launch_is_named(item, i)) return 2 + launch;
      }
    }
    const auto lost = lost_instance();
    return lost ? 2 + launch + *lost : 0;
  }

 private:
  // Those of the region from `least` to `most`, which may lie outside it.
  ByteSet bytes_between(Integer least, Integer most) const {
    const auto from = std::max(least - origin_, Integer(0));
    const auto to = std::min(most - origin_, Integer(test::kArenaRegion) - 1);
    if (from > to) return {};
    return ~ByteSet() >> static_cast<std::size_t>(test::kArenaRegion - 1 - (to - from))
                             << static_cast<std::size_t>(from);
  }
  ByteSet bytes_of(const NamedRange& range) const {
    const Integer address = range.address.value();
    return bytes_between(address, address + range.bytes.count() - 1);
  }

  // Adds ranges one by one to the bytes that are taken.
  bool takes(const NamedRange& range, ByteSet& taken) const {
    if (range.bytes.count() == 0) return false;
    if (Integer(range.address.value()) + range.bytes.count() > kAll) return false;
    if (range.address.value() % planes_.alignment() != 0) return false;
    const ByteSet own = bytes_of(range);
    if ((own & taken).any()) return false;
    taken |= own;
    return true;
  }

  bool plan_is_sound() const {
    ByteSet globals;
    for (const NamedRange& range : planes_.globals()) {
      if (!takes(range, globals)) return false;
    }
    for (const PhasePlanes& phase : planes_.phases()) {
      ByteSet taken = globals;
      for (const Plane& plane : phase.planes) {
        if (!takes(plane.range, taken)) return false;
      }
    }
    return true;
  }

  const PhasePlanes* phase_of(const std::string& name) const {
    for (const PhasePlanes& phase : planes_.phases()) {
      if (phase.phase == name) return &phase;
    }
    return nullptr;
  }

  // Addresses from `least` to `most`: they lie in one range; or they miss the windows, where that
  // is enough.
  bool stretch_is_named(Integer least, Integer most, const PhasePlanes& phase,
                        bool may_miss) const {
    const ByteSet stretch = bytes_between(least, most);
    if (may_miss && (stretch & windows_).none()) return true;
    if (static_cast<Integer>(stretch.count()) != most - least + 1) return false;
    const auto lies_in = [&](const NamedRange& range) {
      return (stretch & ~bytes_of(range)).none();
    };
    return std::ranges::any_of(planes_.globals(), lies_in) ||
           std::ranges::any_of(phase.planes, lies_in, &Plane::range);
  }

  // Addresses alone, or with so many bytes from each of them on.
  using Length = std::optional<std::uint64_t>;

  bool values_are_named(const std::vector<Integer>& values, Length length,
                        const PhasePlanes& phase) const {
    return std::ranges::all_of(values, [&](Integer value) {
      const Integer address = (value % kAll + kAll) % kAll;
      const Integer last = address + (length.value_or(1) - 1);
      return last < kAll && stretch_is_named(address, last, phase, !length);
    });
  }

  bool hull_is_named(const std::vector<Integer>& values, Length length,
                     const PhasePlanes& phase) const {
    const auto [least, most] = std::ranges::minmax(values);
    if (most - least >= kAll) return !length && stretch_is_named(0, kAll - 1, phase, true);
    for (const Integer turn : {-kAll, Integer(0), kAll}) {
      const Integer from = std::max(least - turn, Integer(0));
      const Integer to = std::min(most - turn, kAll - 1);
      if (from > to) continue;
      const Integer last = to + (length.value_or(1) - 1);
      if (last >= kAll || !stretch_is_named(from, last, phase, !length)) return false;
    }
    return true;
  }

  bool launch_is_named(const test::Item& item, std::uint32_t position) const {
    const auto& [phase_name, words] = item.body[position];
    const PhasePlanes* phase = phase_of(phase_name);
    if (phase == nullptr) return false;
    for (std::uint32_t word = 0; word < words.size(); ++word) {
      const std::uint64_t iterations = std::max<std::uint64_t>(item.iterations, 1);
      std::vector<Integer> values(iterations, Integer(words[word]));
      int movers = 0;
      bool framed = false;
      for (const Delta& delta : item.deltas) {
        if (delta.launch != position || delta.word != word) continue;
        ++movers;
        for (std::uint64_t t = 0; t < iterations; ++t) values[t] += Integer(delta.step) * t;
      }
      for (const Frame& frame : item.frames) {
        if (frame.launch != position || frame.word != word) continue;
        framed = true;
        values.assign(frame.values.begin(), frame.values.end());
      }
      const bool one_by_one =
          exact_ || (!framed && (movers == 0 || (movers == 1 && iterations <= 64)));
      Length length;
      for (const Extent& extent : item.extents) {
        if (extent.launch != position || extent.word != word) continue;
        length = std::max({std::uint64_t{1}, extent.reads, extent.writes});
      }
      if (!(one_by_one ? values_are_named(values, length, *phase)
                       : hull_is_named(values, length, *phase))) {
        return false;
      }
    }
    return true;
  }

  struct Executed {
    const test::Item* item = nullptr;
    std::uint32_t position = 0;
    std::uint64_t iteration = 0;

    const test::Item::Written& launch() const { return item->body[position]; }
  };

  std::vector<Executed> executed() const {
    std::vector<Executed> launches;
    for (const auto& [first, count] : submissions_) {
      std::uint64_t launch = 0;
      for (const test::Item& item : table_) {
        const bool runs = first <= launch && launch + item.body.size() <= first + count;
        const std::uint64_t iterations = std::max<std::uint64_t>(item.iterations, 1);
        for (std::uint64_t t = 0; runs && t < iterations; ++t) {
          for (std::uint32_t i = 0; i < item.body.size(); ++i) launches.push_back({&item, i, t});
        }
        launch += item.body.size();
      }
    }
    return launches;
  }

  static Integer value_of(const Executed& run, std::uint32_t word) {
    Integer value = run.launch().words[word];
    for (const Delta& delta : run.item->deltas) {
      const bool is_its = delta.launch == run.position && delta.word == word;
      if (is_its) value += Integer(delta.step) * run.iteration;
    }
    for (const Frame& frame : run.item->frames) {
      const bool is_its = frame.launch == run.position && frame.word == word;
      if (is_its) value = frame.values[run.iteration];
    }
    return (value % kAll + kAll) % kAll;
  }

  // Whether the launch finds what it reads, of bytes that were not there before the instance.
  bool finds_its_bytes(const Executed& run, const ByteSet& fresh, ByteSet& written) const {
    ByteSet writes;
    for (const Extent& extent : run.item->extents) {
      if (extent.launch != run.position) continue;
      const Integer at = value_of(run, extent.word);
      const auto read = bytes_between(at, at + Integer(extent.reads) - 1);
      if ((read & fresh & ~written).any()) return false;
      writes |= bytes_between(at, at + Integer(extent.writes) - 1);
    }
    written |= writes;
    return true;
  }

  std::optional<std::uint64_t> lost_instance() const {
    std::vector<std::optional<Tensor>> owner(test::kArenaRegion);
    std::uint64_t begun = 0;
    const std::string* running = nullptr;
    ByteSet fresh;
    ByteSet written;
    for (const Executed& run : executed()) {
      if (running == nullptr || *running != run.launch().phase) {
        running = &run.launch().phase;
        fresh.reset();
        written.reset();
        const PhasePlanes& phase = *phase_of(*running);
        for (const Plane& plane : phase.planes) {
          if (plane.carried && !owns(owner, plane.range)) return begun;
        }
        for (const Plane& plane : phase.planes) {
          const ByteSet bytes = bytes_of(plane.range);
          if (!plane.carried) fresh |= bytes;
          for (std::size_t byte = 0; byte < test::kArenaRegion; ++byte) {
            if (bytes[byte]) owner[byte] = tensor_of(plane.range);
          }
        }
        ++begun;
      }
      if (!finds_its_bytes(run, fresh, written)) return begun - 1;
    }
    return std::nullopt;
  }

  bool owns(const std::vector<std::optional<Tensor>>& owner, const NamedRange& range) const {
    const ByteSet bytes = bytes_of(range);
    for (std::size_t byte = 0; byte < test::kArenaRegion; ++byte) {
      if (bytes[byte] && owner[byte] != tensor_of(range)) return false;
    }
    return true;
  }

  std::uint64_t origin_;
  PlaneTable planes_;
  const std::vector<test::Item>& table_;
  const std::vector<Submission>& submissions_;
  bool exact_;
  ByteSet windows_;
};

}  // namespace

std::uint64_t arena_code(const test::ArenaCase& arena, bool exact) {
  return Oracle(arena, exact).code();
}

}  // namespace berth::oracle
