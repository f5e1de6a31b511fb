#include "cli/deep_stack.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstddef>
#include <thread>

namespace berth::cli {
namespace {

constexpr std::size_t kEnough = std::size_t{8} << 20;  // what a process has by default

bool has_little_stack() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
         limit.rlim_cur < kEnough;
}

void give_threads_enough() {
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return;
  if (::pthread_attr_setstacksize(&attributes, kEnough) == 0) {
    ::pthread_setattr_default_np(&attributes);
  }
  ::pthread_attr_destroy(&attributes);
}

}  // namespace

void run_on_deep_stack(const std::function<void()>& work) {
  if (!has_little_stack()) {
    work();
    return;
  }
  give_threads_enough();
  // Signals are for the thread that works: this one only waits for it.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  std::thread thread([&] {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    work();
  });
  thread.join();
}

}  // namespace berth::cli
