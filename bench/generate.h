#pragma once

#include <cassert>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "berth/ir/instance.h"

// Instances made up by rule, for the benchmarks and the property tests. The same arguments give the
// same instance everywhere: only the engine of <random> is used, whose numbers the standard fixes.
namespace berth::generate {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  // One of [lower, upper).
  std::uint64_t between(std::uint64_t lower, std::uint64_t upper) {
    return lower + engine_() % (upper - lower);
  }
  bool one_in(std::uint64_t n) { return between(0, n) == 0; }

 private:
  std::mt19937_64 engine_;
};

inline Buffer buffer(std::size_t index, std::uint64_t size, LiveRange life) {
  Buffer buffer;
  buffer.name = std::to_string(index);
  buffer.size = Bytes(size);
  buffer.life = life;
  return buffer;
}

inline Instance on_one_device(std::vector<Buffer> buffers, Alignment unit = {}) {
  auto instance = Instance::make({Device{"arena", {}, {}}}, std::move(buffers), unit);
  assert(instance.has_value());
  return *std::move(instance);
}

// A chain of layers: each buffer is born as the one before it is read, for two steps.
inline Instance chain(std::size_t n, std::uint64_t size = 4096) {
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < n; ++i) buffers.push_back(buffer(i, size, {i, i + 2}));
  return on_one_device(std::move(buffers));
}

// A birth a step. Most buffers live for at most 32 steps; one in twenty lives for a hundred times
// as long and is small, as weights' gradients and saved activations are beside scratch.
inline Instance mixed_lives(std::size_t n, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_long = dice.one_in(20);
    const Step life = is_long ? dice.between(100, 3'300) : dice.between(1, 33);
    const auto size = 64 * (is_long ? dice.between(1, 65) : dice.between(1, 4097));
    buffers.push_back(buffer(i, size, {i, i + life}));
  }
  return on_one_device(std::move(buffers));
}

// A birth a step, sizes of up to 1 MiB whatever the life: one buffer in twenty lives for 1,000 to
// 20,000 steps and the others for at most 20, so that some 550 are live, nearly all of them long.
inline Instance long_and_short(std::size_t n, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < n; ++i) {
    const Step life = dice.one_in(20) ? dice.between(1'000, 20'001) : dice.between(1, 21);
    buffers.push_back(buffer(i, dice.between(1, (1 << 20) + 1), {i, i + life}));
  }
  return on_one_device(std::move(buffers));
}

// A birth a step, as many lives in each octave up to 16,384 steps, and sizes that are powers of two
// up to 1 MiB.
inline Instance every_octave(std::size_t n, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < n; ++i) {
    const Step octave = Step{1} << dice.between(0, 14);
    const auto size = std::uint64_t{1} << dice.between(4, 21);
    buffers.push_back(buffer(i, size, {i, i + octave + dice.between(0, octave)}));
  }
  return on_one_device(std::move(buffers));
}

// What a small random instance may contain.
struct Traits {
  std::size_t buffers = 8;
  std::uint64_t steps = 8;
  std::uint64_t largest = 8;  // size
  bool empty = false;         // some sizes are 0
  bool alignment = false;     // up to 8, a unit of up to 4, and skews
  bool gaps = false;          // with and without kept bytes
  bool fixed = false;         // some places are given; they may clash or be misaligned
  bool hints = false;
  std::uint64_t devices = 1;
};

inline void add_gap(Buffer& buffer, Dice& dice) {
  const auto [lower, upper] = buffer.life;
  const auto from = dice.between(lower, upper);
  Gap gap = {{from, dice.between(from, upper) + 1}, {}};
  if (buffer.size > Bytes(0) && dice.one_in(2)) {
    const auto first = dice.between(0, buffer.size.count());
    gap.kept = ByteRange{first, dice.between(first, buffer.size.count()) + 1};
  }
  buffer.gaps.push_back(gap);
}

inline Instance small(const Traits& traits, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < traits.buffers; ++i) {
    const auto from = dice.between(0, traits.steps);
    const auto until = dice.between(from, traits.steps) + 1;
    Buffer next = buffer(i, dice.between(1, traits.largest + 1), {from, until});
    if (traits.empty && dice.one_in(4)) next.size = Bytes(0);
    if (traits.alignment) {
      next.alignment = *Alignment::of(std::uint64_t{1} << dice.between(0, 4));
      if (dice.one_in(4)) next.skew = Bytes(dice.between(0, 4));
    }
    if (traits.gaps && dice.one_in(2)) add_gap(next, dice);
    if (traits.fixed && dice.one_in(4)) next.fixed = Offset(dice.between(0, 3 * traits.largest));
    if (traits.hints && dice.one_in(3)) next.hint = Offset(dice.between(0, 4 * traits.largest));
    next.device = DeviceId(dice.between(0, traits.devices));
    buffers.push_back(std::move(next));
  }
  std::vector<Device> devices;
  for (std::uint64_t d = 0; d < traits.devices; ++d) devices.push_back({std::to_string(d), {}, {}});
  const auto unit =
      traits.alignment ? Alignment::of(std::uint64_t{1} << dice.between(0, 3)) : Alignment::of(1);
  auto instance = Instance::make(std::move(devices), std::move(buffers), *unit);
  assert(instance.has_value());
  return *std::move(instance);
}

}  // namespace berth::generate
