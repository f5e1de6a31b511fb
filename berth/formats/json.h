#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

namespace berth {

// A JSON text as values that know where they stand. Integers are exact to 2^64; a number that is
// not an integer in that range is kept as the text it is. Duplicate keys, nesting deeper than 128
// and anything that is not JSON are refused with line and column.
class JsonDocument;

class JsonValue {
 public:
  enum class Kind { Null, Boolean, Integer, OtherNumber, String, Array, Object };

  Kind kind() const;
  // "line:column" of its first character.
  std::string position() const;
  // Where it stands, for errors: "file:line:column".
  std::string where() const;
  // What it is, for errors: `"abc"`, `12`, `an object`.
  std::string text() const;

  bool boolean() const;
  std::uint64_t integer() const;
  std::string_view string() const;
  std::vector<JsonValue> items() const;                        // of an array
  std::vector<std::string_view> keys() const;                  // of an object, as written
  std::optional<JsonValue> field(std::string_view key) const;  // of an object

 private:
  friend class JsonDocument;
  JsonValue(const JsonDocument* document, std::uint32_t node) : document_(document), node_(node) {}

  const JsonDocument* document_;
  std::uint32_t node_;
};

class JsonDocument {
 public:
  // `file` names the text in errors.
  static Result<JsonDocument> parse(std::string text, std::string file);

  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;
  ~JsonDocument();

  // Valid as long as the document is not moved.
  JsonValue root() const;
  const std::string& file() const;

 private:
  friend class JsonValue;
  struct Data;
  explicit JsonDocument(std::unique_ptr<Data> data);

  std::unique_ptr<Data> data_;
};

// Reads the fields of one object and keeps the first thing that is wrong with them. `path` is the
// object's path from the root, such as `ops[3]`; it stands in every message.
//
//   JsonFields fields(value, "ops[3]");
//   const auto slot = fields.integer("slot");
//   const auto name = fields.optional_string("name");
//   if (auto error = fields.finish()) return tl::unexpected(*error);   // unknown fields too
class JsonFields {
 public:
  JsonFields(JsonValue object, std::string path);

  std::uint64_t integer(std::string_view key, std::uint64_t most = UINT64_MAX);
  std::optional<std::uint64_t> optional_integer(std::string_view key,
                                                std::uint64_t most = UINT64_MAX);
  // Down to -2^63.
  std::int64_t signed_integer(std::string_view key);
  // An integer, or a string such as "0x1000".
  std::uint64_t address(std::string_view key);
  std::optional<std::uint64_t> optional_address(std::string_view key);
  std::vector<std::uint64_t> addresses(std::string_view key);
  std::string string(std::string_view key);
  std::optional<std::string> optional_string(std::string_view key);
  bool boolean(std::string_view key);
  std::optional<bool> optional_boolean(std::string_view key);
  std::vector<JsonValue> array(std::string_view key);
  std::optional<std::vector<JsonValue>> optional_array(std::string_view key);
  std::optional<JsonValue> optional_object(std::string_view key);
  // Any kind; its reader says what it expects.
  std::optional<JsonValue> optional_value(std::string_view key);

  // Refuses the value of `key`, or the whole object where it is absent.
  void refuse(std::string_view key, std::string message, std::string hint = {});
  // Passes on an error that was found below, if it is the first.
  void refuse(Error error);

  bool failed() const { return error_.has_value(); }
  // The first error, or one that names a field which nobody asked for.
  std::optional<Error> finish();
  // The first error alone, for formats that let more fields stand beside theirs.
  std::optional<Error> finish_among_others() const { return error_; }

  // "ops[3].slot"
  std::string path_of(std::string_view key) const;

 private:
  std::optional<JsonValue> take(std::string_view key, JsonValue::Kind kind,
                                std::string_view expected);

  JsonValue object_;
  std::string path_;
  bool is_object_;
  std::set<std::string_view> asked_;
  std::optional<Error> error_;
};

// The error of a value at `path` that is not what it should be.
Error json_error(const JsonValue& value, const std::string& path, const std::string& message,
                 std::string hint = {});

// The value at a path from the root, such as "table[2].deltas[0].word", or the last one on the way
// that there is.
JsonValue value_at(const JsonValue& root, std::string_view path);

// Refuses a document whose "format" is not `format`, which ends in its version: "berth.plan/1". A
// newer version is refused by name.
std::optional<Error> find_format_fault(const JsonValue& root, std::string_view format);
// The same where later versions are read too.
std::optional<Error> find_format_fault(const JsonValue& root, std::string_view format,
                                       std::initializer_list<std::string_view> later);

// `text` as a JSON string, quotes included. Bytes that are no UTF-8 become U+FFFD.
std::string json_quoted(std::string_view text);

}  // namespace berth
