#include "berth/formats/csv.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t';
}
bool is_line_end(char c) {
  return c == '\n' || c == '\r';
}

}  // namespace

std::string CsvCell::text() const {
  if (!raw.starts_with('"')) return std::string(raw);
  std::string text;
  for (std::size_t i = 1; i + 1 < raw.size(); ++i) {
    text += raw[i];
    if (raw[i] == '"') ++i;  // Doubled.
  }
  return text;
}

CsvLines::CsvLines(std::string_view text, std::string_view file) : text_(text), file_(file) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
}

Result<std::vector<CsvCell>> CsvLines::next() {
  line_ += 1 + extra_lines_;
  extra_lines_ = 0;
  line_start_ = at_;
  std::vector<CsvCell> cells;
  for (;;) {
    auto read = cell();
    if (!read) return tl::unexpected(read.error());
    cells.push_back(*read);
    if (at_line_end()) break;
    ++at_;  // The comma.
  }
  skip_line_end();
  return cells;
}

Result<CsvCell> CsvLines::cell() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  const std::size_t begin = at_;
  const std::size_t column = begin - line_start_ + 1;
  if (at_ < text_.size() && text_[at_] == '"') {
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++extra_lines_;
      if (text_[at_] != '"') continue;
      if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        ++at_;
      } else {
        break;
      }
    }
    if (at_ >= text_.size())
      return input_error(where(column), "a quote opens and does not close",
                         "close it, or take it out; inside a quoted cell a quote is doubled");
    ++at_;
    const std::size_t end = at_;
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    if (!at_line_end() && text_[at_] != ',') {
      return input_error(where(at_ - line_start_ + 1), "text after a closing quote",
                         "expected a comma or the end of the line");
    }
    return CsvCell{text_.substr(begin, end - begin), column};
  }
  while (!at_line_end() && text_[at_] != ',') ++at_;
  std::size_t end = at_;
  while (end > begin && is_space(text_[end - 1])) --end;
  return CsvCell{text_.substr(begin, end - begin), column};
}

bool CsvLines::at_line_end() const {
  return at_ >= text_.size() || is_line_end(text_[at_]);
}

// LF, CR LF, or CR.
void CsvLines::skip_line_end() {
  const bool is_cr = at_ < text_.size() && text_[at_] == '\r';
  if (is_cr) ++at_;
  if (at_ < text_.size() && text_[at_] == '\n') ++at_;
}

std::string CsvLines::where(std::size_t column) const {
  return fmt::format("{}:{}:{}", file_, line_, column);
}

bool CsvLines::only_blank_left() const {
  return std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(at_), text_.end(),
                     [](char c) { return is_space(c) || is_line_end(c); });
}

std::string csv_cell(std::string_view text) {
  const bool plain = text.find_first_of(",\"\r\n") == std::string_view::npos &&
                     (text.empty() || (!is_space(text.front()) && !is_space(text.back())));
  if (plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') quoted += '"';
  }
  return quoted + "\"";
}

}  // namespace berth
