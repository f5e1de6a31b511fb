#pragma once

#include <string>

#include "berth/base/result.h"
#include "cli/exit_status.h"

namespace berth::cli {

// How a command says what it has to say: results on standard output, everything else on standard
// error; with --json one object on standard output, in failure too.
class Report {
 public:
  Report(bool json, bool quiet) : json_(json), quiet_(quiet) {}

  bool json() const { return json_; }
  bool quiet() const { return quiet_; }

  // Writes to standard output. Whether that took it is said once, by `delivered`.
  void result(const std::string& text) const;
  void note(const std::string& text) const;
  // A note that was asked for by itself: --quiet does not silence it.
  void asked_note(const std::string& text) const;
  // One line of why the answer is no, where the result alone does not say it: --quiet or not.
  void no(const std::string& text) const;

  // Says why there is no result, and gives the exit status for it.
  ExitStatus failure(const Error& error) const;
  // The same where the answer is no, undecided, or a fault of our own. `kind` names it in JSON.
  // `more`: what stands beside the error in the JSON object, such as `, "reason": {...}`.
  ExitStatus failure(const std::string& kind, const std::string& text, ExitStatus status,
                     const std::string& more = {}) const;

  // The exit status of the whole run, when all its results are written: `status`, or, where a
  // result did not reach standard output, the reason and a status that says so. A reader that has
  // gone away is no failure of ours.
  ExitStatus delivered(ExitStatus status) const;

 private:
  void json_error(const std::string& kind, const std::string& where, const std::string& message,
                  const std::string& hint, const std::string& more = {}) const;

  bool json_;
  bool quiet_;
};

}  // namespace berth::cli
