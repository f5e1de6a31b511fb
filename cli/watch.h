#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "berth/plan/pack.h"
#include "cli/report.h"

namespace berth::cli {

// Work under the eyes of a person: on a terminal a line of standard error says, once a second, what
// is done and for how long, wherever the work has come to. Gone when the work is.
class Watch {
 public:
  Watch(const Report& report, std::string stage);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // What is done now.
  void say(std::string stage);
  // How far a search has come, which stands in place of that.
  void tell(const PackProgress& progress);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::string stage_;
  std::optional<PackProgress> progress_;
  std::chrono::steady_clock::time_point start_;
  std::thread thread_;
};

// What `work` gives, watched.
template <typename Work>
auto watched(const Report& report, std::string stage, Work work) {
  const Watch watch(report, std::move(stage));
  return work();
}

// A search that listens: an interrupt (Ctrl-C) ends it with the best so far, a second one ends the
// command. One at a time: a signal belongs to the whole process.
class SearchWatch {
 public:
  SearchWatch(const Report& report, std::string stage);
  ~SearchWatch();
  SearchWatch(const SearchWatch&) = delete;
  SearchWatch& operator=(const SearchWatch&) = delete;

  // Makes a search listen and tell. `options` must not outlive this.
  void attach(PackOptions& options);
  void say(std::string stage) { watch_.say(std::move(stage)); }
  bool was_interrupted() const;

 private:
  Watch watch_;
};

}  // namespace berth::cli
