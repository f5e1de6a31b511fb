#pragma once

#include <cstddef>

#include "berth/base/bytes.h"

namespace berth {

// What a table or a program says of two of its values, named by their index: the guest may stand on
// bytes of the host.
struct SharePermission {
  enum class Kind {
    TakesOver,  // it may be written over the host, as that one dies
    PartOf,     // the host is joined from it and others: it may be written straight to its place
  };
  Kind kind = Kind::TakesOver;
  std::size_t guest = 0;
  std::size_t host = 0;
  Bytes offset;  // from the host's first byte; 0 for what takes over

  friend bool operator==(const SharePermission&, const SharePermission&) = default;
};

}  // namespace berth
