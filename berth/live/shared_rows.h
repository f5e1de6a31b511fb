#pragma once

#include <span>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/instance.h"
#include "berth/ir/sharing.h"
#include "berth/live/member.h"

namespace berth {

// A table whose rows may share bytes, as a packing problem: rows that do are one buffer, in the
// place of the row that is its host.
struct SharedRows {
  Instance instance;
  std::vector<Member> members;  // the rows, in their order; Member::tensor is the row
};

// `permissions` name rows of `table`, and are granted as live/sharing.h says, parts only where no
// device's max load is larger for them. Rows with gaps of their own, empty rows and rows of two
// devices share nothing. O(n log n).
Result<SharedRows> share_rows(const Instance& table, std::span<const SharePermission> permissions);

// What is left to place of an instance in which nothing shares, whichever of these permissions are
// used: what may take over lives from its second step on, and a part only before the steps of its
// whole. So what does not fit here fits under no choice of them. Permissions name buffers. O(n log
// n).
Result<Instance> least_shared(const Instance& apart, std::span<const NamedPermission> permissions);

}  // namespace berth
