#include "tests/support/xml.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <vector>

#include "berth/base/text.h"

namespace berth::test {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::string fault() {
    take("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    while (at_ < text_.size() && fault_.empty()) {
      if (peek('<')) {
        tag();
      } else {
        character("<");
      }
    }
    if (fault_.empty() && !open_.empty()) refuse("never closed: " + open_.back());
    if (fault_.empty() && roots_ != 1) refuse("not one root");
    return fault_;
  }

 private:
  bool peek(char byte) const { return at_ < text_.size() && text_[at_] == byte; }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void refuse(const std::string& why) {
    if (fault_.empty()) fault_ = why + " at byte " + std::to_string(at_);
    at_ = text_.size();
  }
  std::string name() {
    std::string name;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '-' || text_[at_] == ':')) {
      name += text_[at_++];
    }
    if (name.empty()) refuse("no name");
    return name;
  }
  void spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  // One character that is none of `not_these`, or a reference.
  void character(std::string_view not_these) {
    if (peek('&')) return reference();
    if (not_these.find(text_[at_]) != std::string_view::npos) return refuse("stray character");
    if (take("\n")) return;
    const std::size_t length = printable_prefix(text_.substr(at_));
    if (length == 0) return refuse("no character of XML");
    at_ += length;
  }
  void reference() {
    static constexpr std::array known = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    if (std::none_of(known.begin(), known.end(), [&](const char* it) { return take(it); })) {
      refuse("unknown reference");
    }
  }
  void attributes() {
    std::set<std::string> seen;
    for (spaces(); at_ < text_.size() && !peek('>') && !peek('/'); spaces()) {
      if (!seen.insert(name()).second) refuse("attribute twice");
      if (!take("=\"")) return refuse("attribute without a value");
      while (at_ < text_.size() && !peek('"')) character("<");
      take("\"");
    }
  }
  void tag() {
    take("<");
    if (take("/")) {
      const std::string closed = name();
      if (open_.empty() || open_.back() != closed) return refuse("closes what is not open");
      open_.pop_back();
      if (!take(">")) refuse("no > after a closing tag");
      return;
    }
    const std::string opened = name();
    if (open_.empty()) ++roots_;
    attributes();
    if (take("/>")) return;
    if (!take(">")) return refuse("no > after a tag");
    open_.push_back(opened);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int roots_ = 0;
  std::vector<std::string> open_;
  std::string fault_;
};

}  // namespace

std::string xml_fault(std::string_view text) {
  return Scanner(text).fault();
}

}  // namespace berth::test
