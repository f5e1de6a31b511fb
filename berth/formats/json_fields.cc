#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "berth/base/bytes.h"
#include "berth/formats/json.h"

namespace berth {
namespace {

using Kind = JsonValue::Kind;

constexpr const char* kAddIt = "add it";

// What to do where a value of another kind stands.
std::string how_to_write(Kind wanted, Kind found) {
  switch (wanted) {
    case Kind::Integer:
      return found == Kind::String
                 ? "write the number without quotes"
                 : "write it in decimal digits alone, without a sign, a point or an exponent";
    case Kind::OtherNumber:
      return found == Kind::String
                 ? "write the number without quotes"
                 : "write it in decimal digits alone, without a point or exponent";
    case Kind::String:
      return "write it in quotes";
    case Kind::Boolean:
      return "write true or false without quotes";
    case Kind::Array:
      return "write a list in brackets, such as [0, 1]; [] is an empty one";
    case Kind::Object:
      return "write fields in braces";
    case Kind::Null:
      break;
  }
  return "";
}

}  // namespace

Error json_error(const JsonValue& value, const std::string& path, const std::string& message,
                 std::string hint) {
  return {Error::Kind::Input, value.where(), path.empty() ? message : path + ": " + message,
          std::move(hint)};
}

JsonFields::JsonFields(JsonValue object, std::string path)
    : object_(object),
      path_(std::move(path)),
      is_object_(object.kind() == JsonValue::Kind::Object) {
  if (!is_object_) {
    error_ = json_error(object_, path_, fmt::format("found {}, expected an object", object_.text()),
                        how_to_write(JsonValue::Kind::Object, object_.kind()));
  }
}

std::string JsonFields::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void JsonFields::refuse(std::string_view key, std::string message, std::string hint) {
  if (error_) return;
  const auto value = is_object_ ? object_.field(key) : std::nullopt;
  error_ = json_error(value.value_or(object_), path_of(key), message, std::move(hint));
}

void JsonFields::refuse(Error error) {
  if (!error_) error_ = std::move(error);
}

std::optional<JsonValue> JsonFields::optional_value(std::string_view key) {
  asked_.insert(key);
  return is_object_ ? object_.field(key) : std::nullopt;
}

std::optional<JsonValue> JsonFields::take(std::string_view key, JsonValue::Kind kind,
                                          std::string_view expected) {
  const auto value = optional_value(key);
  if (value && value->kind() != kind) {
    refuse(key, fmt::format("found {}, expected {}", value->text(), expected),
           how_to_write(kind, value->kind()));
    return std::nullopt;
  }
  return value;
}

std::optional<std::uint64_t> JsonFields::optional_integer(std::string_view key,
                                                          std::uint64_t most) {
  const auto expected = fmt::format("an integer from 0 to {}", most);
  const auto value = take(key, JsonValue::Kind::Integer, expected);
  if (!value) return std::nullopt;
  if (value->integer() > most) {
    refuse(key, fmt::format("found {}, expected {}", value->integer(), expected),
           "give a smaller number");
    return std::nullopt;
  }
  return value->integer();
}

std::uint64_t JsonFields::integer(std::string_view key, std::uint64_t most) {
  const auto value = optional_integer(key, most);
  if (!value) refuse(key, "is missing, expected an integer", kAddIt);
  return value.value_or(0);
}

std::int64_t JsonFields::signed_integer(std::string_view key) {
  const auto value = optional_value(key);
  if (!value) refuse(key, "is missing, expected an integer", kAddIt);
  if (!value) return 0;
  std::int64_t parsed = 0;
  const bool is_number =
      value->kind() == JsonValue::Kind::Integer || value->kind() == JsonValue::Kind::OtherNumber;
  const std::string text = value->text();
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (is_number && status == std::errc() && rest == text.data() + text.size()) return parsed;
  refuse(key,
         fmt::format("found {}, expected an integer from {} to {}", text, INT64_MIN, INT64_MAX),
         how_to_write(JsonValue::Kind::OtherNumber, value->kind()));
  return 0;
}

namespace {

constexpr const char* kAddressHint = "give an integer, or a string of one with 0x or a unit";
constexpr std::string_view kAddressExpected = "expected an address such as 4096 or \"0x1000\"";

std::optional<std::uint64_t> address_of(const JsonValue& value) {
  if (value.kind() == JsonValue::Kind::Integer) return value.integer();
  if (value.kind() != JsonValue::Kind::String) return std::nullopt;
  return parse_size(std::string(value.string()));
}

}  // namespace

std::optional<std::uint64_t> JsonFields::optional_address(std::string_view key) {
  const auto value = optional_value(key);
  if (!value) return std::nullopt;
  const auto address = address_of(*value);
  if (!address)
    refuse(key, fmt::format("found {}, {}", value->text(), kAddressExpected), kAddressHint);
  return address;
}

std::uint64_t JsonFields::address(std::string_view key) {
  const auto value = optional_address(key);
  if (!value) refuse(key, fmt::format("is missing, {}", kAddressExpected), kAddIt);
  return value.value_or(0);
}

std::vector<std::uint64_t> JsonFields::addresses(std::string_view key) {
  std::vector<std::uint64_t> addresses;
  for (const JsonValue& item : array(key)) {
    const auto address = address_of(item);
    if (!address) {
      refuse(json_error(item, fmt::format("{}[{}]", path_of(key), addresses.size()),
                        fmt::format("found {}, {}", item.text(), kAddressExpected), kAddressHint));
    }
    addresses.push_back(address.value_or(0));
  }
  return addresses;
}

std::optional<std::string> JsonFields::optional_string(std::string_view key) {
  const auto value = take(key, JsonValue::Kind::String, "a string");
  if (!value) return std::nullopt;
  return std::string(value->string());
}

std::string JsonFields::string(std::string_view key) {
  const auto value = optional_string(key);
  if (!value) refuse(key, "is missing, expected a string", kAddIt);
  return value.value_or("");
}

std::optional<bool> JsonFields::optional_boolean(std::string_view key) {
  const auto value = take(key, JsonValue::Kind::Boolean, "true or false");
  if (!value) return std::nullopt;
  return value->boolean();
}

bool JsonFields::boolean(std::string_view key) {
  const auto value = optional_boolean(key);
  if (!value) refuse(key, "is missing, expected true or false", kAddIt);
  return value.value_or(false);
}

std::optional<std::vector<JsonValue>> JsonFields::optional_array(std::string_view key) {
  const auto value = take(key, JsonValue::Kind::Array, "an array");
  if (!value) return std::nullopt;
  return value->items();
}

std::vector<JsonValue> JsonFields::array(std::string_view key) {
  const auto items = optional_array(key);
  if (!items) refuse(key, "is missing, expected an array", kAddIt);
  return items.value_or(std::vector<JsonValue>());
}

std::optional<JsonValue> JsonFields::optional_object(std::string_view key) {
  return take(key, JsonValue::Kind::Object, "an object");
}

std::optional<Error> JsonFields::finish() {
  if (error_ || !is_object_) return error_;
  for (const std::string_view key : object_.keys()) {
    if (asked_.contains(key)) continue;
    std::string known;
    for (const std::string_view name : asked_)
      known += (known.empty() ? "" : ", ") + std::string(name);
    refuse(key, "is not a field that belongs here", "expected one of: " + known);
  }
  return error_;
}

JsonValue value_at(const JsonValue& root, std::string_view path) {
  JsonValue value = root;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    std::optional<JsonValue> next;
    if (end > 0) {
      if (value.kind() == JsonValue::Kind::Object) next = value.field(path.substr(0, end));
      path.remove_prefix(end);
    } else if (path.front() == '[') {
      std::size_t index = 0;
      std::from_chars(path.data() + 1, path.data() + path.size(), index);
      const bool is_array = value.kind() == JsonValue::Kind::Array;
      const auto items = is_array ? value.items() : std::vector<JsonValue>();
      if (index < items.size()) next = items[index];
      path.remove_prefix(std::min(path.find(']'), path.size() - 1) + 1);
    } else {
      path.remove_prefix(1);
      continue;
    }
    if (!next) return value;
    value = *next;
  }
  return value;
}

std::optional<Error> find_format_fault(const JsonValue& root, std::string_view format) {
  return find_format_fault(root, format, {});
}

std::optional<Error> find_format_fault(const JsonValue& root, std::string_view format,
                                       std::initializer_list<std::string_view> later) {
  if (root.kind() != JsonValue::Kind::Object) {
    return json_error(root, "", fmt::format("found {}, expected an object", root.text()));
  }
  const auto value = root.field("format");
  if (!value || value->kind() != JsonValue::Kind::String) {
    return json_error(
        value.value_or(root), "format",
        fmt::format("is {}, expected \"{}\"", value ? value->text() : "missing", format));
  }
  if (value->string() == format || std::ranges::find(later, value->string()) != later.end()) {
    return std::nullopt;
  }
  const auto family = format.substr(0, format.rfind('/') + 1);
  const bool is_other_version = value->string().starts_with(family);
  std::string or_later;
  for (const std::string_view& other : later) {
    or_later += fmt::format("{}\"{}\"", &other == later.end() - 1 ? " or " : ", ", other);
  }
  return json_error(*value, "format",
                    fmt::format("found {}, expected \"{}\"{}", value->text(), format, or_later),
                    is_other_version ? "this version of the format is not one that we read" : "");
}

}  // namespace berth
