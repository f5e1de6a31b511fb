#pragma once

#include <chrono>
#include <optional>

namespace berth {

// When a search must stop, if at all. The clock is read only where somebody asked for a limit:
// without one, an answer is a function of its input alone.
class Deadline {
 public:
  Deadline() = default;
  explicit Deadline(std::optional<double> seconds) {
    if (seconds)
      at_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(*seconds));
  }

  bool is_set() const { return at_.has_value(); }
  bool has_passed() const { return at_ && Clock::now() >= *at_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  std::optional<Clock::time_point> at_;
};

}  // namespace berth
