#include "capture/opencl/trace.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace berth::opencl {

Trace::~Trace() {
  if (file_ >= 0) ::close(file_);
}

bool Trace::open(std::string path) {
  if (const auto at = path.find("%p"); at != std::string::npos) {
    path.replace(at, 2, std::to_string(::getpid()));
  }
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (file_ >= 0) add("berth.capture,2");
  return file_ >= 0;
}

// One write a line: a process that ends at any point leaves whole lines, and threads' lines do not
// mix.
void Trace::add(std::string line) {
  if (file_ < 0) return;
  line += '\n';
  const char* at = line.data();
  std::size_t left = line.size();
  while (left > 0) {
    const ssize_t written = ::write(file_, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      ::close(file_);
      file_ = -1;
      return;
    }
    at += written;
    left -= static_cast<std::size_t>(written);
  }
}

std::string cell(std::string_view text) {
  const bool is_plain = !text.empty() && text.front() != ' ' && text.back() != ' ' &&
                        text.find_first_of("\",\r\n\t") == text.npos;
  if (is_plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace berth::opencl
