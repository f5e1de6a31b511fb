#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "berth/ir/prices.h"

namespace berth {

// A choice with parts of items allowed: a linear program, solved in floating point. Its answer is
// advice; what is proved with it is proved in integers.
class Relaxation {
 public:
  explicit Relaxation(const Choice& choice);
  ~Relaxation();
  Relaxation(const Relaxation&) = delete;
  Relaxation& operator=(const Relaxation&) = delete;

  struct Answer {
    bool solved = false;
    std::vector<double> kept;   // by item
    std::vector<double> price;  // by phase: bytes moved a byte of capacity
  };

  // Each item stays at least `low` and at most `high` times. Starts from the last answer.
  Answer solve(std::span<const std::uint64_t> low, std::span<const std::uint64_t> high);

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

}  // namespace berth
