#pragma once

#include <atomic>
#include <chrono>

#include "berth/plan/pack.h"

namespace berth::cli {

// A search under the eyes of a person: an interrupt (Ctrl-C) ends it with the best so far, a second
// one ends the command, and on a terminal a line of standard error says how far it has come.
// One at a time: a signal belongs to the whole process.
class SearchWatch {
 public:
  // `shows_progress`: where standard error is a terminal.
  explicit SearchWatch(bool shows_progress);
  ~SearchWatch();
  SearchWatch(const SearchWatch&) = delete;
  SearchWatch& operator=(const SearchWatch&) = delete;

  // Makes a search listen and tell. `options` must not outlive this.
  void attach(PackOptions& options);
  bool was_interrupted() const;

 private:
  void show(const PackProgress& progress);

  bool shows_progress_;
  bool has_shown_ = false;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace berth::cli
