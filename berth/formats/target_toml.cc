#include "berth/formats/target_toml.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "berth/formats/toml_depth.h"

// toml++ asserts what a file can break ("[" at the end of a line), right before it reports the same
// as an error; and where assertions are off, it may assume it instead.
#undef NDEBUG
#define TOML_ASSERT(expression) static_assert(true)
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace berth {
namespace {

constexpr std::uint64_t kMostChips = 4096;
constexpr std::uint64_t kLargest = INT64_MAX;  // of TOML's integers
constexpr double kFastest = 1e9;               // GB/s
constexpr double kBytesPerGb = 1e9;

std::string place(const std::string& file, const toml::source_region& source) {
  return fmt::format("{}:{}:{}", file, source.begin.line, source.begin.column);
}

// A value as a message shows it.
std::string text_of(const toml::node& node) {
  constexpr std::size_t kLongest = 60;
  if (const auto* integer = node.as_integer()) return std::to_string(integer->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  if (const auto* string = node.as_string()) {
    const std::string& whole = string->get();
    return fmt::format("\"{}{}\"", whole.substr(0, kLongest), whole.size() > kLongest ? "..." : "");
  }
  return node.is_table() ? "a table" : node.is_array() ? "a list" : "a date or time";
}

// The keys of one table: keeps the first thing that is wrong with them, as JsonFields does.
class Keys {
 public:
  Keys(const toml::table& table, const std::string& file, std::string path)
      : table_(table), file_(file), path_(std::move(path)) {}

  const toml::node* find(std::string_view key) {
    asked_.emplace(key);
    return table_.get(key);
  }

  std::optional<std::uint64_t> optional_integer(std::string_view key, std::uint64_t least = 0,
                                                std::uint64_t most = kLargest) {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    const auto* value = node->as_integer();
    const bool is_in_range = value != nullptr && value->get() >= 0 &&
                             static_cast<std::uint64_t>(value->get()) >= least &&
                             static_cast<std::uint64_t>(value->get()) <= most;
    if (!is_in_range) {
      refuse(
          key,
          fmt::format("found {}, expected an integer from {} to {}", text_of(*node), least, most),
          "write it in digits alone, without quotes, a point or a unit");
      return std::nullopt;
    }
    return static_cast<std::uint64_t>(value->get());
  }

  std::uint64_t integer(std::string_view key, std::uint64_t least = 0,
                        std::uint64_t most = kLargest) {
    const auto value = optional_integer(key, least, most);
    if (!value) refuse(key, "is missing, expected an integer", "add it");
    return value.value_or(least);
  }

  // GB/s, a whole number or a fraction, as bytes a second.
  std::optional<std::uint64_t> optional_speed(std::string_view key) {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    const auto value = node->value<double>();
    const bool is_number = node->is_integer() || node->is_floating_point();
    if (!is_number || !value || !(*value > 0) || *value > kFastest) {
      refuse(key,
             fmt::format("found {}, expected a number of GB/s above 0, and {} at most",
                         text_of(*node), kFastest),
             "such as 819 or 1.5; leave it out where it is not known");
      return std::nullopt;
    }
    return static_cast<std::uint64_t>(std::llround(*value * kBytesPerGb));
  }

  std::string string(std::string_view key) {
    const toml::node* node = find(key);
    if (node == nullptr) return refuse(key, "is missing, expected a string", "add it"), "";
    if (!node->is_string()) {
      refuse(key, fmt::format("found {}, expected a string", text_of(*node)), "write it in quotes");
      return "";
    }
    return node->as_string()->get();
  }

  bool boolean(std::string_view key) {
    const toml::node* node = find(key);
    if (node == nullptr) return refuse(key, "is missing, expected true or false", "add it"), false;
    if (!node->is_boolean()) {
      refuse(key, fmt::format("found {}, expected true or false", text_of(*node)),
             "write it without quotes");
      return false;
    }
    return node->as_boolean()->get();
  }

  // The tables of [[key]]; at least one.
  std::vector<const toml::table*> tables(std::string_view key) {
    std::vector<const toml::table*> list;
    const toml::node* node = find(key);
    const auto* array = node == nullptr ? nullptr : node->as_array();
    if (array == nullptr || array->empty()) {
      refuse(key,
             fmt::format("{}, expected [[{}]]", node == nullptr ? "is missing" : "is no list",
                         path_of(key)),
             "add it, and under it its keys");
      return list;
    }
    for (const toml::node& item : *array) {
      if (!item.is_table()) return refuse(key, "holds what is no table", "give keys in each"), list;
      list.push_back(item.as_table());
    }
    return list;
  }

  void refuse(std::string_view key, const std::string& message, std::string hint = {}) {
    if (error_) return;
    const toml::node* node = table_.get(key);
    const auto& source = node == nullptr ? table_.source() : node->source();
    error_ = Error{Error::Kind::Input, place(file_, source),
                   fmt::format("{}: {}", path_of(key), message), std::move(hint)};
  }
  void refuse(Error error) {
    if (!error_) error_ = std::move(error);
  }
  bool failed() const { return error_.has_value(); }

  std::optional<Error> finish() {
    for (const auto& [key, node] : table_) {
      if (error_ || asked_.contains(std::string(key.str()))) continue;
      std::string known;
      for (const std::string& name : asked_) known += (known.empty() ? "" : ", ") + name;
      error_ = Error{Error::Kind::Input, place(file_, key.source()),
                     path_of(key.str()) + ": is not a key that belongs here",
                     "expected one of: " + known};
    }
    return error_;
  }

  std::string path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  }

 private:
  const toml::table& table_;
  const std::string& file_;
  std::string path_;
  std::set<std::string> asked_;
  std::optional<Error> error_;
};

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  Result<Target> read(const toml::table& root) {
    Keys keys(root, file_, "");
    target_.name = keys.string("name");
    target_.any_site_reaches_any = keys.boolean("any_site_reaches_any");
    read_tile(keys);
    read_defaults(keys, defaults_);
    const auto chips = keys.tables("chip");
    for (std::size_t i = 0; i < chips.size() && !keys.failed(); ++i) {
      Keys chip(*chips[i], file_, fmt::format("chip[{}]", i));
      read_chip(chip);
      if (auto error = chip.finish()) keys.refuse(*std::move(error));
    }
    if (auto error = keys.finish()) return tl::unexpected(*std::move(error));
    return std::move(target_);
  }

 private:
  void read_tile(Keys& keys) {
    const toml::node* node = keys.find("tile");
    if (node == nullptr) return;
    const auto* array = node->as_array();
    if (array == nullptr)
      return keys.refuse("tile", "expected a list of integers", "such as [32, 32]");
    if (array->size() > kMostTileSides) {
      return keys.refuse("tile", fmt::format("expected {} integers at most", kMostTileSides),
                         "leave out the rest");
    }
    for (const toml::node& item : *array) {
      const auto* side = item.as_integer();
      if (side == nullptr || side->get() < 1) {
        return keys.refuse("tile",
                           fmt::format("found {}, expected integers of at least 1", text_of(item)),
                           "such as [32, 32]");
      }
      target_.tile.push_back(static_cast<std::uint64_t>(side->get()));
    }
  }

  static Alignment read_alignment(Keys& keys, Alignment absent) {
    const std::uint64_t unit = keys.optional_integer("alignment").value_or(absent.value());
    const auto alignment = Alignment::of(unit);
    if (!alignment) {
      keys.refuse("alignment", fmt::format("found {}, expected a power of two", unit),
                  "1, 2, 4, 8, ...");
    }
    return alignment.value_or(absent);
  }

  // What a chip may say for itself, and the target for all that do not.
  static void read_defaults(Keys& keys, Chip& chip) {
    const auto speed = [&](std::string_view key, std::optional<std::uint64_t>& value) {
      if (const auto given = keys.optional_speed(key)) value = given;
    };
    speed("sram_gb_per_s", chip.sram_speed);
    speed("hbm_gb_per_s", chip.hbm_speed);
    speed("dram_gb_per_s", chip.dram_speed);
    speed("flash_gb_per_s", chip.flash_speed);
    chip.alignment = read_alignment(keys, chip.alignment);
  }

  void read_chip(Keys& keys) {
    Chip chip = defaults_;
    const std::uint64_t count = keys.optional_integer("count", 1, kMostChips).value_or(1);
    chip.hbm = Bytes(keys.optional_integer("hbm_bytes").value_or(0));
    if (const auto dram = keys.optional_integer("dram_bytes")) chip.dram = Bytes(*dram);
    chip.flash = Bytes(keys.optional_integer("flash_bytes").value_or(0));
    chip.reserved = Bytes(keys.optional_integer("reserved_bytes").value_or(0));
    read_defaults(keys, chip);
    read_sites(keys, chip);
    if (chip.reserved > Bytes(0) && !keys.failed() && chip.sram() == Bytes(0)) {
      keys.refuse("reserved_bytes", "leaves nothing of the SRAM",
                  "give less than the bytes of the sites");
    }
    if (target_.chips.size() + count > kMostChips) {
      keys.refuse("count", fmt::format("more than {} chips", kMostChips), "give fewer");
    }
    if (!keys.failed()) target_.chips.insert(target_.chips.end(), count, chip);
  }

  void read_sites(Keys& keys, Chip& chip) {
    const auto groups = keys.tables("sites");
    Bytes sum;
    std::uint64_t sites = 0;
    for (std::size_t i = 0; i < groups.size() && !keys.failed(); ++i) {
      Keys group(*groups[i], file_, fmt::format("{}[{}]", keys.path_of("sites"), i));
      const std::uint64_t count = group.optional_integer("count", 1).value_or(1);
      const Bytes bytes(group.integer("bytes"));
      const auto more = checked_multiply(bytes, count);
      const auto total = more ? checked_add(sum, *more) : std::nullopt;
      if (!total || __builtin_add_overflow(sites, count, &sites)) {
        group.refuse("bytes", "the sites of a chip sum to more than 2^64 bytes",
                     "give fewer sites, or smaller ones");
      }
      if (auto error = group.finish()) return keys.refuse(*std::move(error));
      sum = *total;
      chip.sites.push_back({count, bytes});
    }
  }

  const std::string& file_;
  Target target_;
  Chip defaults_;  // of chips that do not say otherwise
};

}  // namespace

Result<Target> read_target(const std::string& text, const std::string& file) {
  if (auto fault = find_toml_depth_fault(text, file)) return tl::unexpected(*std::move(fault));
  const toml::parse_result parsed = toml::parse(text, file);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    // "Error while parsing root table: expected keys, saw '{'", of which the first part is its own.
    std::string_view what = error.description();
    if (const auto of_parser = what.find(": "); of_parser != std::string_view::npos) {
      what.remove_prefix(of_parser + 2);
    }
    return input_error(place(file, error.source()), fmt::format("is no TOML: {}", what),
                       "expected a target in TOML");
  }
  return Reader(file).read(parsed.table());
}

}  // namespace berth
