#pragma once

#include <optional>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/schedule.h"
#include "berth/replay/tagged_bytes.h"

namespace berth {

// A read that does not find what was last written to its tensor.
struct WrongRead {
  ArgumentUse reader;
  ByteRange bytes;          // of the tensor: the first that are not there, all of one write
  OpId storage;             // where the read looks, in the schedule that ran,
  std::uint64_t place = 0;  // from this byte on
  ArgumentUse written;      // who wrote them
  // Who wrote what stands there, and which bytes of its tensor; nothing where nobody did.
  std::optional<ArgumentUse> overwritten;
  ByteRange taken_by;

  friend bool operator==(const WrongRead&, const WrongRead&) = default;
};

// What running a schedule has found. Tensors are nodes of the schedule that names them.
struct ReplayReport {
  std::optional<WrongRead> wrong;      // the first
  std::uint64_t calls = 0;             // run, those of a loop twice at most
  std::uint64_t reads = 0;             // checked
  std::vector<ArgumentUse> undefined;  // read, not written, before anything was written there

  bool sound() const { return !wrong.has_value(); }
  friend bool operator==(const ReplayReport&, const ReplayReport&) = default;
};

// Runs a schedule on bytes that know who wrote them. A call reads the arguments that its letters
// say, then writes; what it reads must still be there once it has written. A loop is run twice: a
// byte that its body writes is the body's from the first pass on, any other stays, so a third pass
// finds what the second did.
//
// `placed` is what runs, with its buffers in arenas. With the schedule that it was rewritten from,
// a tensor is a buffer, param or alloc of that one. Alone, a tensor is a slice of an arena, which
// cannot tell apart two buffers of one type and size at one place.
//
// Refuses schedules whose calls and loops are not the same, and (as a limit) those that come to
// more than some 2^24 steps and stretches of bytes, since loops nest deep. Stops at the first wrong
// read.
Result<ReplayReport> replay(const Schedule& placed, const Schedule& original);
Result<ReplayReport> replay(const Schedule& schedule);

}  // namespace berth
