#pragma once

#include <string>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/ir/residency.h"

namespace berth {

// What is wrong with a residency, each in words; and the bound that its prices prove.
struct ResidencyVerdict {
  std::vector<std::string> faults;
  Bytes bound;  // of bytes a step moves off chip; of no meaning where there are faults

  bool sound() const { return faults.empty(); }

  friend bool operator==(const ResidencyVerdict&, const ResidencyVerdict&) = default;
};

// Judges a claim by itself, in integers: states and reserve fit each chip's SRAM unless the plan
// says that it cannot be; the bytes held and moved are those of the classes and programs; what a
// certificate keeps is a choice, and the best is what it leaves to be moved; its prices prove the
// claimed bound; the parts sum to what the policy claims.
ResidencyVerdict check_residency(const ResidencyClaim& claim);

}  // namespace berth
