#include "cli/report.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "berth/base/text.h"
#include "berth/formats/json.h"

namespace berth::cli {
namespace {

// Why standard output did not take a result, the first time; of the whole process, as the stream
// is.
int output_failure = 0;

void keep_output_failure(int code) {
  if (output_failure == 0 && code != EPIPE) output_failure = code;
}

void write(std::FILE* stream, const std::string& text) {
  errno = 0;
  const bool taken = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  if (std::fflush(stream) != 0 || !taken) {
    if (stream == stdout) keep_output_failure(errno != 0 ? errno : EIO);
  }
}

// Line by line, for reports of several lines, whose names are printable already.
std::string printable_lines(const std::string& text) {
  std::string lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines += printable(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return lines;
}

std::string kind_name(Error::Kind kind) {
  switch (kind) {
    case Error::Kind::Usage:
      return "usage";
    case Error::Kind::Input:
      return "input";
    case Error::Kind::Limit:
      return "limit";
  }
  return "internal";
}

}  // namespace

void Report::result(const std::string& text) const {
  write(stdout, text);
}

void Report::note(const std::string& text) const {
  if (!quiet_) asked_note(text);
}

void Report::asked_note(const std::string& text) const {
  write(stderr, "berth: " + printable(text) + "\n");
}

void Report::no(const std::string& text) const {
  write(stderr, "berth: " + printable(text) + "\n");
}

void Report::json_error(const std::string& kind, const std::string& where,
                        const std::string& message, const std::string& hint,
                        const std::string& more) const {
  if (!json_) return;
  result(fmt::format(
      "{{\"error\": {{\"kind\": {}, \"where\": {}, \"message\": {}, \"hint\": {}}}{}}}\n",
      json_quoted(kind), json_quoted(where), json_quoted(message), json_quoted(hint), more));
}

ExitStatus Report::failure(const Error& error) const {
  const std::string place = error.where.empty() ? "" : error.where + ": ";
  // A line each: a name in them may hold line ends of its own.
  write(stderr, printable("berth: error: " + place + error.message) + "\n");
  if (!error.hint.empty()) write(stderr, "       " + printable(error.hint) + "\n");
  json_error(kind_name(error.kind), error.where, error.message, error.hint);
  return status_of(error);
}

ExitStatus Report::failure(const std::string& kind, const std::string& text, ExitStatus status,
                           const std::string& more) const {
  write(stderr, printable_lines(text));
  json_error(kind, "", text, "", more);
  return status;
}

ExitStatus Report::delivered(ExitStatus status) const {
  const bool holds_a_result = status == kYes || status == kNo;
  if (output_failure == 0 || !holds_a_result) return status;
  return failure({Error::Kind::Input, "standard output",
                  fmt::format("cannot write the result: {}", std::strerror(output_failure)),
                  "make room for it, or write it to a file elsewhere"});
}

}  // namespace berth::cli
