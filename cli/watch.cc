#include "cli/watch.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

namespace berth::cli {
namespace {

constexpr std::chrono::seconds kBetweenLines(1);

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may set nothing else");

extern "C" void on_interrupt(int) {
  interrupted.store(true);
}

// While this stands, threads that are made take no signals: those are for who waits for them.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

std::string progress_text(const PackProgress& progress) {
  const auto best = static_cast<double>(progress.best.count());
  const auto bound = static_cast<double>(progress.bound.count());
  return fmt::format("best {}, at least {} ({:.2f} % apart), {} nodes; Ctrl-C takes the best",
                     progress.best.count(), progress.bound.count(),
                     bound > 0 ? 100 * (best - bound) / bound : 0.0, progress.nodes);
}

}  // namespace

Watch::Watch(const Report& report, std::string stage)
    : stage_(std::move(stage)), start_(std::chrono::steady_clock::now()) {
  if (report.quiet() || ::isatty(STDERR_FILENO) != 1) return;
  const NoSignals no_signals;
  thread_ = std::thread([this] { run(); });
}

Watch::~Watch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void Watch::say(std::string stage) {
  const std::lock_guard lock(mutex_);
  stage_ = std::move(stage);
  progress_.reset();
}

void Watch::tell(const PackProgress& progress) {
  const std::lock_guard lock(mutex_);
  progress_ = progress;
}

void Watch::run() {
  std::unique_lock lock(mutex_);
  bool has_shown = false;
  while (!ended_.wait_for(lock, kBetweenLines, [this] { return has_ended_; })) {
    const auto passed =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start_);
    fmt::print(stderr, "\r\x1b[Kberth: {}, {} s", progress_ ? progress_text(*progress_) : stage_,
               passed.count());
    std::fflush(stderr);
    has_shown = true;
  }
  if (!has_shown) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

SearchWatch::SearchWatch(const Report& report, std::string stage)
    : watch_(report, std::move(stage)) {
  interrupted.store(false);
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  // The second interrupt finds what there was by default, which ends the process.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
}

SearchWatch::~SearchWatch() {
  ::signal(SIGINT, SIG_DFL);
}

void SearchWatch::attach(PackOptions& options) {
  options.interrupt = &interrupted;
  options.on_progress = [this](const PackProgress& progress) { watch_.tell(progress); };
}

bool SearchWatch::was_interrupted() const {
  return interrupted.load();
}

}  // namespace berth::cli
