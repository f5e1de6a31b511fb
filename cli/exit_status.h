#pragma once

#include "berth/base/result.h"

namespace berth::cli {

// What the command's exit status says. A verdict's number never is one.
enum ExitStatus : int {
  kYes = 0,
  kNo = 1,             // does not fit, plan unsound
  kUsage = 2,          // the command line is wrong
  kInput = 3,          // a file is wrong
  kUndecided = 4,      // a limit was reached with no answer
  kBrokenPromise = 70  // a fault of our own
};

inline ExitStatus status_of(const Error& error) {
  switch (error.kind) {
    case Error::Kind::Usage:
      return kUsage;
    case Error::Kind::Input:
      return kInput;
    case Error::Kind::Limit:
      return kUndecided;
  }
  return kBrokenPromise;
}

}  // namespace berth::cli
