#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace berth {

// Calls work(i) for each i below `count`, on as many threads as there may be and can be had. What
// the calls write must be apart from one another: then the outcome is the same for any number of
// threads. What a call throws ends the others, and is thrown here.
template <typename Work>
void for_each_index(std::size_t count, std::size_t threads, const Work& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr thrown;
  std::mutex may_throw;
  const auto take_turns = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(may_throw);
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
}

}  // namespace berth
