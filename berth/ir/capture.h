#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/id.h"

namespace berth {

using MemoryId = Id<struct MemoryTag>;  // of a capture

enum class Access { Read, Write, Both };

// An allocation that a program made while it was watched, or a part of one.
struct CapturedMemory {
  enum class Kind { Buffer, Part, Svm };

  Kind kind = Kind::Buffer;
  Address address;
  Bytes bytes;
  std::optional<MemoryId> whole{};  // of a part: what it is a part of

  friend bool operator==(const CapturedMemory&, const CapturedMemory&) = default;
};

// What a command was given: memory, a pointer, or a number.
struct CapturedWord {
  std::uint64_t value = 0;           // an address, or the number
  std::optional<MemoryId> memory{};  // whose bytes they are, where the program said so
  Bytes bytes{};                     // of memory: how many, from `value` on
  Access access = Access::Both;

  friend bool operator==(const CapturedWord&, const CapturedWord&) = default;
};

// What a program asked its device to do.
struct CapturedCommand {
  bool is_kernel = false;  // or it moves or fills bytes
  std::string name;        // of the kernel; or what is done
  std::vector<CapturedWord> words;
  std::uint64_t queue = 0;  // from 1 on; 0 is the host

  friend bool operator==(const CapturedCommand&, const CapturedCommand&) = default;
};

// What was seen of one run of a program, in the order in which it happened.
struct Capture {
  std::vector<CapturedMemory> memories;  // by MemoryId
  std::vector<CapturedCommand> commands;
  std::vector<bool> in_order;         // by queue, from 1 on: it runs its commands one after another
  std::uint64_t unseen_pointers = 0;  // arguments too large to be one address, of unknown content
  bool ended = false;                 // the program ended by itself

  const CapturedMemory& operator[](MemoryId id) const { return memories[id.index()]; }
  friend bool operator==(const Capture&, const Capture&) = default;
};

}  // namespace berth
