#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/id.h"
#include "berth/base/interval.h"

namespace berth {

// What a model becomes: tensors, and phases (its steps, in order, on one clock) that read and
// write them.

enum class TensorKind { Input, Output, Weight, Intermediate, State };

// Where a tensor can live. Dram is also the memory behind the HBM; in Flash are constants alone.
enum class Tier { Sram, Hbm, Dram, Flash };

// These bytes of another tensor.
struct TensorView {
  TensorId of;
  Bytes offset;

  friend bool operator==(const TensorView&, const TensorView&) = default;
};

// A tensor is stored in tiles, and a partial tile takes a whole one.
struct TileLayout {
  std::vector<std::uint64_t> dims;
  std::vector<std::uint64_t> tile;  // one for each dim, none of them 0
  Bytes tile_bytes;
  // Of elements one by one that share bytes, as 4-bit integers do: they follow one another over all
  // dims, and only the last byte may be part empty. 0: a tile is `tile_bytes`.
  unsigned packed_bits = 0;

  friend bool operator==(const TileLayout&, const TileLayout&) = default;
};

struct Tensor {
  std::string name;
  TensorKind kind = TensorKind::Intermediate;
  Bytes bytes;  // that it takes in memory: where it has a layout, its tiles, whole
  std::optional<TensorView> view_of;
  bool dynamic = false;  // its size is known only at run time: bytes is 0, and it is not planned
  ChipId chip;
  std::optional<TileLayout> layout;
  std::optional<Tier> tier;  // where it was declared to live
  bool pinned = false;       // an intermediate that is never spilled
  bool host = false;         // the host reads it: never in SRAM

  friend bool operator==(const Tensor&, const Tensor&) = default;
};

struct TensorAccess {
  enum class Kind { Read, Write };

  TensorId tensor;
  Kind kind = Kind::Read;
  // On a write: the tensor whose bytes it may take over, if that one dies in this phase.
  std::optional<TensorId> reuses;
  Bytes bytes;                      // moved each time that it runs
  std::optional<std::size_t> loop;  // the innermost loop around it, of Phase::loops
  // On a read: the bytes of a tensor that this phase writes, to which it copies these as they are.
  // They may be written straight there, so that nothing is left to copy.
  std::optional<TensorView> part_of{};

  friend bool operator==(const TensorAccess&, const TensorAccess&) = default;
};

// A loop inside a phase. One that stands inside another comes after it in the table.
struct InnerLoop {
  std::uint64_t bound = 1;
  std::optional<std::size_t> inside;

  friend bool operator==(const InnerLoop&, const InnerLoop&) = default;
};

// The operator of the file that a phase runs, or copies for: which graph of the file it stands in,
// its number there, and the name of its own that it may have.
struct PhaseOrigin {
  std::size_t graph = 0;
  std::size_t index = 0;
  std::string name;

  friend bool operator==(const PhaseOrigin&, const PhaseOrigin&) = default;
};

struct Phase {
  std::string name;
  std::vector<TensorAccess> accesses;  // in the order in which they run
  std::vector<InnerLoop> loops;
  Bytes scratch;  // live in this phase alone, in the SRAM of each chip that it touches
  // It does more than its accesses say, or is part of a body: nothing moves past it.
  bool stays = false;
  std::optional<PhaseOrigin> origin{};

  friend bool operator==(const Phase&, const Phase&) = default;
};

// A loop over whole phases.
struct PhaseLoop {
  LiveRange phases;
  std::uint64_t bound = 1;

  friend bool operator==(const PhaseLoop&, const PhaseLoop&) = default;
};

// Bytes of one site's local memory that the program lays out for itself.
struct SiteBuffer {
  ChipId chip;
  std::uint64_t site = 0;
  Offset offset;
  Bytes bytes;

  friend bool operator==(const SiteBuffer&, const SiteBuffer&) = default;
};

// Which phase runs at each position of the clock.
using PhaseOrder = std::vector<std::size_t>;

struct Program {
  std::string name;
  std::vector<Tensor> tensors;  // by TensorId
  std::vector<Phase> phases;
  // Live from the first phase, and to the end of the last. A tensor may be both, and may be listed
  // more than once.
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  std::vector<SiteBuffer> buffers;
  std::vector<PhaseLoop> loops;

  friend bool operator==(const Program&, const Program&) = default;
};

// Elements that share bytes, in whole bytes. Nothing where those do not fit 64 bits.
std::optional<Bytes> packed_bytes(const std::vector<std::uint64_t>& dims, unsigned bits);
// Nothing where the bytes do not fit 64 bits.
std::optional<Bytes> tiled_bytes(const TileLayout& layout);

// How often each inner loop's body runs in one run of its phase: the product of its bound and those
// around it. Nothing where one does not fit 64 bits.
std::optional<std::vector<std::uint64_t>> loop_times(const Phase& phase);

// The outermost loop over whole phases around each phase (the phase alone where there is none), and
// how often the phase runs. Loops nest. Nothing where a product does not fit 64 bits.
struct PhaseSpan {
  LiveRange span;
  std::uint64_t times = 1;

  friend bool operator==(const PhaseSpan&, const PhaseSpan&) = default;
};
std::optional<std::vector<PhaseSpan>> phase_spans(const Program& program);

}  // namespace berth
