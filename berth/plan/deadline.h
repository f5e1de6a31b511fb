#pragma once

#include <atomic>
#include <chrono>
#include <optional>

namespace berth {

// When a search must stop, if at all: at a time, or as soon as `interrupt` is set. The clock is
// read only where somebody asked for a limit: without one, an answer is a function of its input
// alone.
class Deadline {
 public:
  Deadline() = default;
  explicit Deadline(std::optional<double> seconds, const std::atomic<bool>* interrupt = nullptr)
      : interrupt_(interrupt) {
    if (seconds)
      at_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(*seconds));
  }

  bool is_set() const { return at_.has_value(); }
  bool has_passed() const {
    return (interrupt_ && interrupt_->load(std::memory_order_relaxed)) ||
           (at_ && Clock::now() >= *at_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  std::optional<Clock::time_point> at_;
  const std::atomic<bool>* interrupt_ = nullptr;
};

}  // namespace berth
