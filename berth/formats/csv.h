#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

namespace berth {

// A cell of a comma-separated line, without the spaces around it.
struct CsvCell {
  std::string_view raw;    // as written, quotes included
  std::size_t column = 0;  // of its first character, from 1

  // What it says: quotes taken off, doubled quotes inside made single.
  std::string text() const;
};

// Reads comma-separated lines one by one. A line ends at LF, CR LF or CR. A cell may stand in
// double quotes (RFC 4180) and then hold commas, doubled quotes and line ends.
class CsvLines {
 public:
  // `file` names the text in errors; `text` must outlive this and the cells.
  // A byte-order mark before the first line is passed over.
  CsvLines(std::string_view text, std::string_view file);

  bool at_end() const { return at_ >= text_.size(); }
  // The cells of the next line; refuses a quote that does not close, or text after one that does.
  Result<std::vector<CsvCell>> next();
  // The line that next() returned last, from 1.
  std::size_t line() const { return line_; }
  // "file:line:column"
  std::string where(std::size_t column) const;

  // Whether nothing but blank lines follows.
  bool only_blank_left() const;

 private:
  Result<CsvCell> cell();
  bool at_line_end() const;
  void skip_line_end();

  std::string_view text_;
  std::string_view file_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
  std::size_t line_start_ = 0;
  std::size_t extra_lines_ = 0;  // line ends inside quotes of the current line
};

// The cell as it must be written: in quotes where it holds a comma, a quote, a line end, or a space
// at either end.
std::string csv_cell(std::string_view text);

}  // namespace berth
