#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/id.h"
#include "berth/base/interval.h"
#include "berth/ir/instance.h"
#include "berth/ir/sharing.h"

namespace berth {

// A value, such as a tensor, that has its bytes in a planned buffer.
struct Member {
  std::string name;  // no other bears it
  TensorId tensor;   // its index among the values of its input
  BufferId buffer;
  Bytes offset;  // of its first byte from the buffer's
  Bytes bytes;
  LiveRange life;
  std::vector<Gap> gaps;  // in the hull of its life and those of its parts
  Alignment alignment;    // of its place
  // Indices of members: it is bytes of that one; it takes over that one's bytes as that one dies.
  std::optional<std::size_t> view_of;
  std::optional<std::size_t> reuses;

  friend bool operator==(const Member&, const Member&) = default;
};

// A permission to share bytes, by the names of two values (ir/sharing.h).
struct NamedPermission {
  SharePermission::Kind kind = SharePermission::Kind::TakesOver;
  std::string guest;
  std::string host;
  Bytes offset;

  friend bool operator==(const NamedPermission&, const NamedPermission&) = default;
};

}  // namespace berth
