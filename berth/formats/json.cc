#include "berth/formats/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "berth/base/seeded_hash.h"

namespace berth {
namespace {

constexpr std::size_t kDeepest = 128;
constexpr std::uint32_t kNone = UINT32_MAX;

struct Node {
  JsonValue::Kind kind = JsonValue::Kind::Null;
  std::uint32_t key = kNone;    // index in Data::strings, of a field's value
  std::uint32_t next = kNone;   // the next item or field of the same parent
  std::uint32_t first = kNone;  // the first item or field of an array or object
  std::uint32_t last = kNone;
  std::uint64_t value = 0;  // an integer or boolean itself, or an index in Data::strings
  std::size_t at = 0;       // byte in the text
};

}  // namespace

struct JsonDocument::Data {
  std::string text;
  std::string file;
  std::vector<Node> nodes;
  std::vector<std::string> strings;

  std::string position(std::size_t at) const {
    const auto begin = text.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(at, text.size()));
    const auto line = 1 + std::count(begin, end, '\n');
    const auto line_start = std::find(std::reverse_iterator(end), text.rend(), '\n').base();
    return fmt::format("{}:{}", line, end - line_start + 1);
  }
};

namespace {

// Tells how far the lexer has read.
struct Cursor {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  const char** read_to = nullptr;

  reference operator*() const { return *at; }
  Cursor& operator++() {
    *read_to = ++at;
    return *this;
  }
  Cursor operator++(int) {
    const Cursor before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const Cursor& a, const Cursor& b) { return a.at == b.at; }
};

constexpr int kNumberOverflow = 406;  // nlohmann's number of what a double does not hold
constexpr std::size_t kLongestText = 60;
constexpr std::size_t kLongestWhat = 300;

// A text of the file as a message shows it.
std::string shortened(std::string_view text, std::size_t longest = kLongestText) {
  return std::string(text.substr(0, longest)) + (text.size() > longest ? "..." : "");
}

bool belongs_to_number(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

// Builds the nodes from the parser's events. Between two tokens stand only white space, commas and
// colons, so each token's first character is found from the end of the one before.
class Builder {
 public:
  Builder(std::string_view text, std::vector<Node>& nodes, std::vector<std::string>& strings)
      : text_(text), read_to(text.data()), nodes_(nodes), strings_(strings) {}

  bool null() { return add({.kind = JsonValue::Kind::Null}); }
  bool boolean(bool value) {
    return add({.kind = JsonValue::Kind::Boolean, .value = value ? 1U : 0U});
  }
  bool number_unsigned(std::uint64_t value) {
    return add_number({.kind = JsonValue::Kind::Integer, .value = value});
  }
  // Negative, "-0" too: kept as it is written.
  bool number_integer(std::int64_t /*value*/) {
    begin_token();
    return add_other_number(std::string(number_at(token_)));
  }
  bool number_float(double /*rounded*/, const std::string& text) { return add_other_number(text); }
  bool string(std::string& value) {
    return add({.kind = JsonValue::Kind::String, .value = keep(std::move(value))});
  }
  bool binary(std::vector<std::uint8_t>& /*value*/) { return false; }  // not in JSON texts
  bool start_object(std::size_t /*size*/) { return open(JsonValue::Kind::Object); }
  bool key(std::string& name) {
    begin_token();
    end_token();
    // A file has few different keys, and one of them in every line.
    const auto [known, is_new] = keys_.try_emplace(name, 0);
    if (is_new) known->second = keep(std::move(name));
    key_ = known->second;
    return true;
  }
  bool end_object() { return keys_differ() && close(); }
  bool start_array(std::size_t /*size*/) { return open(JsonValue::Kind::Array); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& exception) {
    if (exception.id == kNumberOverflow) {
      begin_token();
      hint_ = "give a smaller number";
      fail(token_, fmt::format("found {}, expected a number that 64 bits hold",
                               shortened(number_at(token_))));
      return false;
    }
    const std::size_t at = position == 0 ? 0 : position - 1;
    fail(at, syntax_fault(exception.what(), at));
    return false;
  }

  const char** cursor() { return &read_to; }
  const std::string& error() const { return error_; }
  const std::string& hint() const { return hint_; }
  std::size_t error_at() const { return error_at_; }

 private:
  // In our words. The parser's are "[json.exception.parse_error.101] parse error at line 1, column
  // 2: syntax error while parsing array - unexpected '}'; expected ']'".
  std::string syntax_fault(std::string_view what, std::size_t at) const {
    const auto between = [&](std::string_view before, std::string_view after) {
      const auto from = what.rfind(before);
      if (from == std::string_view::npos) return std::string_view();
      const auto rest = what.substr(from + before.size());
      return rest.substr(0, rest.find(after));
    };
    if (const auto why = between("invalid string: ", "; last read"); !why.empty()) {
      return fmt::format("found a string that JSON does not take: {}",
                         shortened(why, kLongestWhat));
    }
    if (const auto why = between("invalid number; ", "; last read"); !why.empty()) {
      return fmt::format("found a number that JSON does not take: {}",
                         shortened(why, kLongestWhat));
    }
    return fmt::format("found {}, expected {}", found_there(between("unexpected ", ";"), at),
                       expected_there(what));
  }

  // `name`: the parser's for a token that is one, in the wrong place; else the word at `at`.
  std::string found_there(std::string_view name, std::size_t at) const {
    if (name == "end of input" || at >= text_.size()) return "the end of the file";
    if (name.ends_with(" literal")) return fmt::format("a {}", name.substr(0, name.size() - 8));
    std::size_t from = at;
    while (from > 0 && belongs_to_word(text_[from]) && belongs_to_word(text_[from - 1])) --from;
    std::size_t end = from + 1;
    while (end < text_.size() && belongs_to_word(text_[from]) && belongs_to_word(text_[end])) ++end;
    return fmt::format("'{}'", shortened(text_.substr(from, end - from)));
  }

  static bool belongs_to_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
  }

  static std::string_view expected_there(std::string_view what) {
    const auto says = [&](std::string_view words) {
      return what.find(words) != std::string_view::npos;
    };
    if (says("; expected end of input")) return "nothing more: a file holds one value";
    if (says("parsing object key")) return "a field's name in quotes";
    if (says("parsing object separator")) return "a colon after the field's name";
    if (says("parsing object")) return "a comma, or the } of the object";
    if (says("parsing array")) return "a comma, or the ] of the array";
    return "a JSON value";
  }

  void fail(std::size_t at, std::string message) {
    if (!error_.empty()) return;
    error_at_ = at;
    error_ = std::move(message);
  }

  std::uint32_t keep(std::string value) {
    strings_.push_back(std::move(value));
    return static_cast<std::uint32_t>(strings_.size() - 1);
  }

  void begin_token() {
    token_ = text_.find_first_not_of(" \t\r\n,:\xEF\xBB\xBF", scan_from_);
    if (token_ == std::string_view::npos) token_ = text_.size();
  }
  void end_token() { scan_from_ = static_cast<std::size_t>(read_to - text_.data()); }

  std::string_view number_at(std::size_t begin) const {
    std::size_t end = begin;
    while (end < text_.size() && belongs_to_number(text_[end])) ++end;
    return text_.substr(begin, end - begin);
  }

  bool add_other_number(const std::string& text) {
    return add_number({.kind = JsonValue::Kind::OtherNumber, .value = keep(text)});
  }
  // The lexer has read one character past a number to see its end.
  bool add_number(Node node) {
    begin_token();
    scan_from_ = token_ + number_at(token_).size();
    return link(node);
  }
  bool add(Node node) {
    begin_token();
    end_token();
    return link(node);
  }

  bool link(Node node) {
    if (nodes_.size() == kNone) {
      fail(token_, "more values than a document may hold (4294967295)");
      return false;
    }
    const auto index = static_cast<std::uint32_t>(nodes_.size());
    node.at = token_;
    node.key = std::exchange(key_, kNone);
    if (!parents_.empty()) {
      Node& parent = nodes_[parents_.back()];
      (parent.first == kNone ? parent.first : nodes_[parent.last].next) = index;
      parent.last = index;
    }
    nodes_.push_back(node);
    return true;
  }

  bool open(JsonValue::Kind kind) {
    if (parents_.size() == kDeepest) {
      begin_token();
      fail(token_, fmt::format("nested deeper than {}", kDeepest));
      return false;
    }
    if (!add({.kind = kind})) return false;
    parents_.push_back(static_cast<std::uint32_t>(nodes_.size() - 1));
    return true;
  }
  bool close() {
    begin_token();
    end_token();
    parents_.pop_back();
    return true;
  }

  bool keys_differ() {
    std::vector<std::pair<std::string_view, std::size_t>> keys;
    for (auto i = nodes_[parents_.back()].first; i != kNone; i = nodes_[i].next) {
      keys.emplace_back(strings_[nodes_[i].key], nodes_[i].at);
    }
    std::ranges::sort(keys);
    const auto same = std::ranges::adjacent_find(
        keys, [](const auto& a, const auto& b) { return a.first == b.first; });
    if (same == keys.end()) return true;
    fail(std::next(same)->second,
         fmt::format("the key {} stands twice in one object", json_quoted(same->first)));
    return false;
  }

  std::string_view text_;
  const char* read_to;
  std::vector<Node>& nodes_;
  std::vector<std::string>& strings_;
  std::size_t scan_from_ = 0;
  std::size_t token_ = 0;
  std::unordered_map<std::string, std::uint32_t, SeededHash> keys_;
  std::uint32_t key_ = kNone;
  std::vector<std::uint32_t> parents_;
  std::string error_;
  std::string hint_ = "the file must be JSON throughout";
  std::size_t error_at_ = 0;
};

}  // namespace

Result<JsonDocument> JsonDocument::parse(std::string text, std::string file) {
  auto data = std::make_unique<Data>();
  data->text = std::move(text);
  data->file = std::move(file);

  Builder builder(data->text, data->nodes, data->strings);
  const char* const begin = data->text.data();
  const Cursor first{begin, builder.cursor()};
  const Cursor last{begin + data->text.size(), builder.cursor()};
  if (!nlohmann::json::sax_parse(first, last, &builder)) {
    return input_error(fmt::format("{}:{}", data->file, data->position(builder.error_at())),
                       builder.error(), builder.hint());
  }
  return JsonDocument(std::move(data));
}

JsonDocument::JsonDocument(std::unique_ptr<Data> data) : data_(std::move(data)) {}
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;
JsonDocument::~JsonDocument() = default;

JsonValue JsonDocument::root() const {
  return {this, 0};
}
const std::string& JsonDocument::file() const {
  return data_->file;
}

JsonValue::Kind JsonValue::kind() const {
  return document_->data_->nodes[node_].kind;
}

std::string JsonValue::position() const {
  return document_->data_->position(document_->data_->nodes[node_].at);
}

std::string JsonValue::where() const {
  return fmt::format("{}:{}", document_->data_->file, position());
}

std::string JsonValue::text() const {
  switch (kind()) {
    case Kind::Null:
      return "null";
    case Kind::Boolean:
      return boolean() ? "true" : "false";
    case Kind::Integer:
      return std::to_string(integer());
    case Kind::OtherNumber:
    case Kind::String: {
      const std::string& whole = document_->data_->strings[document_->data_->nodes[node_].value];
      const std::string shown = shortened(whole);
      return kind() == Kind::String ? json_quoted(shown) : shown;
    }
    case Kind::Array:
      return "an array";
    case Kind::Object:
      return "an object";
  }
  __builtin_unreachable();
}

bool JsonValue::boolean() const {
  return document_->data_->nodes[node_].value != 0;
}
std::uint64_t JsonValue::integer() const {
  return document_->data_->nodes[node_].value;
}

std::string_view JsonValue::string() const {
  return document_->data_->strings[document_->data_->nodes[node_].value];
}

std::vector<JsonValue> JsonValue::items() const {
  const auto& nodes = document_->data_->nodes;
  std::vector<JsonValue> items;
  for (auto i = nodes[node_].first; i != kNone; i = nodes[i].next) {
    items.push_back(JsonValue(document_, i));
  }
  return items;
}

std::vector<std::string_view> JsonValue::keys() const {
  const auto& data = *document_->data_;
  std::vector<std::string_view> keys;
  for (auto i = data.nodes[node_].first; i != kNone; i = data.nodes[i].next) {
    keys.emplace_back(data.strings[data.nodes[i].key]);
  }
  return keys;
}

std::optional<JsonValue> JsonValue::field(std::string_view key) const {
  const auto& data = *document_->data_;
  for (auto i = data.nodes[node_].first; i != kNone; i = data.nodes[i].next) {
    if (data.strings[data.nodes[i].key] == key) return JsonValue(document_, i);
  }
  return std::nullopt;
}

std::string json_quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace berth
