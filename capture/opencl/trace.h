#pragma once

#include <string>
#include <string_view>

namespace berth::opencl {

// The record of a run, a line a time. A line is there in full as soon as it is added, whatever
// becomes of the program then.
class Trace {
 public:
  Trace() = default;
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  ~Trace();

  // Begins anew; "%p" in the path stands for the process. False where that cannot be written.
  bool open(std::string path);
  bool is_open() const { return file_ >= 0; }
  // Nothing, once a line could not be written.
  void add(std::string line);

 private:
  int file_ = -1;
};

// As a cell: in quotes where it holds a comma, a quote or a line end, or a space at either end.
std::string cell(std::string_view text);

}  // namespace berth::opencl
