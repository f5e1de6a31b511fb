#include "cli/search_watch.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>

namespace berth::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenLines(100);

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may set nothing else");

extern "C" void on_interrupt(int) {
  interrupted.store(true);
}

}  // namespace

SearchWatch::SearchWatch(bool shows_progress)
    : shows_progress_(shows_progress && ::isatty(STDERR_FILENO) == 1) {
  interrupted.store(false);
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  // The second interrupt finds what there was by default, which ends the process.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
}

SearchWatch::~SearchWatch() {
  ::signal(SIGINT, SIG_DFL);
  if (has_shown_) std::fputs("\r\x1b[K", stderr);
}

void SearchWatch::attach(PackOptions& options) {
  options.interrupt = &interrupted;
  if (shows_progress_) {
    options.on_progress = [this](const PackProgress& progress) { show(progress); };
  }
}

bool SearchWatch::was_interrupted() const {
  return interrupted.load();
}

void SearchWatch::show(const PackProgress& progress) {
  const auto now = std::chrono::steady_clock::now();
  if (has_shown_ && now < next_) return;
  next_ = now + kBetweenLines;
  has_shown_ = true;
  const auto best = static_cast<double>(progress.best.count());
  const auto bound = static_cast<double>(progress.bound.count());
  fmt::print(
      stderr,
      "\r\x1b[Kberth: best {}, at least {} ({:.2f} % apart), {} nodes; Ctrl-C takes the best",
      progress.best.count(), progress.bound.count(), bound > 0 ? 100 * (best - bound) / bound : 0.0,
      progress.nodes);
  std::fflush(stderr);
}

}  // namespace berth::cli
