#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace berth {

// The least i below `count` for which holds(i), by as many threads as there may be and can be had.
// Each takes the next i that nobody has, so that where one gets no processor, the others do its
// work; it is called for every i below the answer, and for few above it. What the calls write must
// be apart from one another: then the outcome is the same for any number of threads. What a call
// throws ends the others, and is thrown here.
template <typename Holds>
std::optional<std::size_t> find_index(std::size_t count, std::size_t threads, const Holds& holds) {
  std::atomic<std::size_t> next{0};
  std::mutex may_end;
  std::size_t least = count;
  std::exception_ptr thrown;
  const auto take_turns = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) {
        if (!holds(i)) continue;
        next = count;  // those before it have been taken
        const std::lock_guard lock(may_end);
        least = std::min(least, i);
      }
    } catch (...) {
      next = count;
      const std::lock_guard lock(may_end);
      if (!thrown) thrown = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(threads, count); ++i) {
      try {
        others.emplace_back(take_turns);
      } catch (const std::system_error&) {
        break;  // the system has no more of them
      }
    }
    take_turns();
  }
  if (thrown) std::rethrow_exception(thrown);
  return least < count ? std::optional(least) : std::nullopt;
}

// Calls work(i) for each i below `count`, in the same way.
template <typename Work>
void for_each_index(std::size_t count, std::size_t threads, const Work& work) {
  find_index(count, threads, [&](std::size_t i) {
    work(i);
    return false;
  });
}

}  // namespace berth
