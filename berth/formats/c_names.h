#pragma once

#include <set>
#include <string>
#include <string_view>

namespace berth {

// C99 tells macros apart by this many characters.
inline constexpr std::size_t kLongestCName = 63;
inline constexpr std::size_t kLongestCPrefix = 24;
// The longest of what is put behind a name: _ADDRESS, _ALIGNMENT.
inline constexpr std::size_t kLongestCSuffix = 10;

// Upper case; an underscore for each run of what C does not take, and none at either end.
std::string c_identifier(std::string_view name);

// What names begin with where nobody says it: the file's name without its last ending.
std::string c_prefix_of(std::string_view file);

// Names that are all different, and not too long behind `prefix` and before a suffix. Of a longer
// one the end stays, which is where the names of models differ, with its index behind.
class CNames {
 public:
  explicit CNames(std::string prefix);
  std::string of(std::string_view name, std::size_t index);

 private:
  std::string prefix_;
  std::size_t longest_;
  std::set<std::string> used_;  // without the prefix
};

// A string literal of C that says exactly `text`, whatever bytes are in it; of a very long one its
// first 1000 bytes.
std::string c_string(std::string_view text);

// `text` as it may stand in a comment: nothing in it ends the comment or a line.
std::string c_comment(std::string_view text);

}  // namespace berth
