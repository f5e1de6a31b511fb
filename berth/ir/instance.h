#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/id.h"
#include "berth/base/interval.h"
#include "berth/base/result.h"

namespace berth {

// A stretch of a buffer's life in which it is not live, or in which it keeps only `kept` of its
// bytes (counted from its first byte).
struct Gap {
  LiveRange steps;
  std::optional<ByteRange> kept;

  friend bool operator==(const Gap&, const Gap&) = default;
};

// What must be placed: `size` bytes, live in the steps of `life`. The first byte sits `skew` bytes
// past the buffer's place; the place is a multiple of `alignment`.
struct Buffer {
  std::string name;
  Bytes size;
  LiveRange life;
  Alignment alignment;
  Bytes skew;
  DeviceId device;
  std::optional<Offset> fixed;  // it must be placed here
  std::optional<Offset> hint;   // it would like to be placed here
  std::vector<Gap> gaps;        // by first step, disjoint, inside the life

  friend bool operator==(const Buffer&, const Buffer&) = default;
};

struct Device {
  std::string name;
  std::optional<Bytes> capacity;  // nothing: not limited
  Bytes reserve;                  // bytes of the capacity that nobody may use
  Bytes beside{};                 // bytes of the capacity that what is not placed takes

  // The reserve and what stands beside; nothing where 64 bits do not hold it.
  std::optional<Bytes> taken() const;

  // Whether that is more than the capacity, whatever is placed.
  bool is_overfull() const;

  // Capacity less reserve and what stands beside.
  std::optional<Bytes> usable() const;

  friend bool operator==(const Device&, const Device&) = default;
};

// Bytes of a buffer (counted from its place, rounding included) over steps in which it holds them.
// A buffer without gaps is one section: its extent over its life.
struct Section {
  LiveRange steps;
  ByteRange bytes;

  friend bool operator==(const Section&, const Section&) = default;
};

// The packing problem: buffers to place in one arena a device. The order of its buffers is the
// order in which ties between them are broken.
//
// What `make` has checked stays true: names are unique, lives and gaps are not empty, gaps are
// disjoint, in order and inside the life, kept bytes lie inside their buffer, devices exist, and
// for each device all extents with the slack of each alignment, and those of free buffers with the
// highest fixed end, fit 64 bits. So no load, and no place that a packer may come up with,
// overflows.
class Instance {
 public:
  // `unit`: every size, with its skew, is rounded up to it, and every place is a multiple of it.
  // `step_names[t]` names step t; may be shorter than the clock, or empty.
  // Refuses, naming the buffer, whatever breaks the promises above. O(n log n).
  static Result<Instance> make(std::vector<Device> devices, std::vector<Buffer> buffers,
                               Alignment unit = {}, std::vector<std::string> step_names = {});

  std::span<const Device> devices() const { return devices_; }
  std::span<const Buffer> buffers() const { return buffers_; }
  const Buffer& operator[](BufferId id) const { return buffers_[id.index()]; }
  const Device& operator[](DeviceId id) const { return devices_[id.index()]; }
  std::size_t size() const { return buffers_.size(); }
  Alignment unit() const { return unit_; }
  std::span<const std::string> step_names() const { return step_names_; }

  // The bytes that a buffer takes from its place on: round_up(skew + size, unit); an empty buffer
  // takes none.
  Bytes extent(BufferId id) const;
  // What its place must be a multiple of.
  Alignment alignment(BufferId id) const;
  // Its rectangles of (steps, bytes), by first step. Empty for an empty buffer. Bytes kept in a
  // gap are not rounded.
  std::vector<Section> sections(BufferId id) const;

 private:
  Instance() = default;

  std::vector<Device> devices_;
  std::vector<Buffer> buffers_;
  Alignment unit_;
  std::vector<std::string> step_names_;
};

// "step 7 (conv1)", or "step 7" where it has no name.
std::string step_text(std::span<const std::string> step_names, Step step);

}  // namespace berth
