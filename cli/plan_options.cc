#include "cli/plan_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>
#include <thread>
#include <utility>

namespace berth::cli {
namespace {

constexpr std::uint64_t kThreadsUnasked = 4;
constexpr std::uint64_t kMostThreads = 256;
constexpr const char* kSizeHint = "a size is such as 4096, 0x1000, 64KiB or 2MB";

Result<std::uint64_t> size_of(const std::string& option, const std::string& text) {
  const auto size = parse_size(text);
  if (!size)
    return usage_error(option, fmt::format("found '{}', expected a size", text), kSizeHint);
  return *size;
}

Result<std::uint64_t> number_of(const std::string& option, const std::string& text) {
  std::uint64_t value = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || rest != text.data() + text.size()) {
    return usage_error(
        option, fmt::format("found '{}', expected an integer from 0 to {}", text, UINT64_MAX),
        "give it in decimal, without a sign or a unit");
  }
  return value;
}

Result<double> seconds_of(const std::string& option, const std::string& text) {
  constexpr double kMost = 1e6;  // Days: whoever waits longer needs no limit.
  double value = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = status == std::errc() && rest == text.data() + text.size();
  if (!is_number || !(value >= 0 && value <= kMost)) {
    return usage_error(option,
                       fmt::format("found '{}', expected seconds from 0 to {}", text, kMost),
                       "such as 10 or 0.5");
  }
  return value;
}

// NAME=SIZE; a name may hold a '=' itself.
Result<std::pair<std::string, std::uint64_t>> named_size(const std::string& option,
                                                         const std::string& text) {
  const auto equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    return usage_error(option, fmt::format("found '{}', expected NAME=SIZE", text), kSizeHint);
  }
  const auto size = size_of(option, text.substr(equals + 1));
  if (!size) return tl::unexpected(size.error());
  return std::pair(text.substr(0, equals), *size);
}

template <typename Value>
std::optional<Error> add_named(std::vector<std::pair<std::string, Value>>& values,
                               const std::string& option, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const auto named = named_size(option, text);
    if (!named) return named.error();
    values.emplace_back(named->first, Value(named->second));
  }
  return std::nullopt;
}

// SIZE for every device, or DEVICE=SIZE.
std::optional<Error> add_capacities(PlanOptions& options, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const bool is_named = text.find('=') != std::string::npos;
    const auto named = named_size("--capacity", is_named ? text : "*=" + text);
    if (!named) return named.error();
    options.capacity.emplace_back(is_named ? named->first : "", Bytes(named->second));
  }
  return std::nullopt;
}

// NAME=REST, at the last '='.
Result<std::pair<std::string, std::string>> named_text(const std::string& option,
                                                       const std::string& text,
                                                       const std::string& expected) {
  const auto equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return usage_error(option, fmt::format("found '{}', expected {}", text, expected),
                       "both sides of the '=' must say something");
  }
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Result<SizeRange> range_of(const std::string& text) {
  if (text == "N") {
    return usage_error("--bind", "found 'N', which stands for a size that is to be said",
                       "write a number in its place");
  }
  const auto dots = text.find("..");
  const auto least = number_of("--bind", text.substr(0, dots));
  if (!least) return tl::unexpected(least.error());
  if (dots == std::string::npos) return SizeRange{*least, *least};
  const auto most = number_of("--bind", text.substr(dots + 2));
  if (!most) return tl::unexpected(most.error());
  if (*most < *least) {
    return usage_error("--bind",
                       fmt::format("found '{}', a range that ends before it begins", text));
  }
  return SizeRange{*least, *most};
}

// What stands in a line that was asked for is no answer yet.
std::optional<Error> find_placeholder(const std::string& text) {
  const auto colon = text.find(':');
  const std::string sizes = text.substr(0, colon);
  const bool has_sizes = sizes == "DIMS" || ("x" + sizes + "x").find("xNx") != std::string::npos;
  const bool has_type = colon != std::string::npos && text.substr(colon + 1) == "TYPE";
  if (!has_sizes && !has_type) return std::nullopt;
  const std::string what = has_sizes && has_type ? "sizes and a type"
                           : has_sizes           ? "sizes"
                                                 : "a type";
  return Error{Error::Kind::Usage, "--shape",
               fmt::format("found '{}', which stands for {} that are to be said", text, what),
               fmt::format("write them in its place, such as 1x64{}", has_type ? ":float32" : "")};
}

// 1x64, 1x64:float16; nothing in front of the colon is a scalar.
Result<GivenShape> shape_of(const std::string& text) {
  GivenShape shape;
  if (auto error = find_placeholder(text)) return tl::unexpected(*std::move(error));
  const auto colon = text.find(':');
  if (colon != std::string::npos) {
    shape.element = Dtype::of(text.substr(colon + 1));
    if (!shape.element) {
      return usage_error("--shape", fmt::format("'{}' is no element type", text.substr(colon + 1)),
                         "expected " + Dtype::names());
    }
  }
  const std::string dims = text.substr(0, colon);
  for (std::size_t at = 0; at < dims.size() || (at > 0 && at == dims.size());) {
    const auto end = std::min(dims.find('x', at), dims.size());
    const auto dim = number_of("--shape", dims.substr(at, end - at));
    if (!dim) return tl::unexpected(dim.error());
    shape.dims.push_back(*dim);
    at = end + 1;
  }
  return shape;
}

std::optional<Error> add_model_options(PlanOptions& options, const std::vector<std::string>& binds,
                                       const std::vector<std::string>& shapes,
                                       const std::vector<std::string>& states) {
  for (const std::string& text : binds) {
    const auto named = named_text("--bind", text, "NAME=N or NAME=A..B");
    if (!named) return named.error();
    const auto range = range_of(named->second);
    if (!range) return range.error();
    options.bindings.symbols.emplace_back(named->first, *range);
  }
  for (const std::string& text : shapes) {
    const auto named = named_text("--shape", text, "NAME=SHAPE, such as out=1x64");
    if (!named) return named.error();
    auto shape = shape_of(named->second);
    if (!shape) return shape.error();
    options.bindings.shapes.emplace_back(named->first, *std::move(shape));
  }
  for (const std::string& text : states) {
    auto named = named_text("--state", text, "IN=OUT");
    if (!named) return named.error();
    options.states.push_back(*std::move(named));
  }
  return std::nullopt;
}

// A name that is given two values: none of them is the one that was meant for sure.
template <typename Value>
std::optional<Error> find_double(const std::string& option,
                                 const std::vector<std::pair<std::string, Value>>& values) {
  std::set<std::string> names;
  for (const auto& [name, value] : values) {
    if (names.insert(name).second) continue;
    return Error{
        Error::Kind::Usage, option,
        name.empty() ? "is given twice for every device" : fmt::format("'{}' is given twice", name),
        "give each name once"};
  }
  return std::nullopt;
}

std::optional<Error> find_double(const PlanOptions& options) {
  for (auto fault :
       {find_double("--capacity", options.capacity), find_double("--scratch", options.scratch),
        find_double("--base", options.base), find_double("--bind", options.bindings.symbols),
        find_double("--shape", options.bindings.shapes), find_double("--state", options.states)}) {
    if (fault) return fault;
  }
  return std::nullopt;
}

}  // namespace

void PlanOptionTexts::add_model_to(CLI::App& command) {
  command
      .add_option(
          "--bind", bind_,
          "A size that an .onnx model leaves open, by its name there; a range is planned at "
          "its upper end")
      ->type_name("NAME=N|NAME=A..B");
  command
      .add_option("--shape", shape_,
                  "The shape of a value of an .onnx model that neither it nor a rule says, and its "
                  "element type where that is open too: out=1x64:float32")
      ->type_name("NAME=SHAPE");
  command
      .add_option("--state", state_,
                  "An output of an .onnx model that is the next run's input: not planned")
      ->type_name("IN=OUT");
  command.add_flag("--views", views_,
                   "Reshape-like operators of a model share their operand's bytes");
}

// How a file is read.
void PlanOptionTexts::add_reading_to(CLI::App& command) {
  command.add_option("--reserve", reserve_, "Bytes of each capacity that nobody may use")
      ->type_name("BYTES");
  command
      .add_option("--alignment", alignment_,
                  "Round sizes up to, and place at multiples of, N (a power of two; default: 16 "
                  "for .tflite, 64 for .onnx, 256 for a schedule, 1 for a table or a program)")
      ->type_name("N");
  command
      .add_option("--scratch", scratch_,
                  "Bytes that live in the steps named OP (or in step number OP) alone")
      ->type_name("OP=BYTES");
  command.add_option("--hold", hold_, "Do not plan this buffer: its contents outlive the run")
      ->type_name("NAME");
  add_model_to(command);
  command.add_flag("--in-place", in_place_,
                   "Results of a model may be written over an operand that dies there, and parts "
                   "of a concatenation straight to their place");
}

void PlanOptionTexts::add_offline_plan_to(CLI::App& command) {
  command.add_flag("--offline-plan", offline_plan_,
                   "Keep the places that a model's own offline plan gives");
}

// How its buffers are ordered and placed.
void PlanOptionTexts::add_search_to(CLI::App& command) {
  command
      .add_option("--packer", packer_, "auto, exact, squeaky, tlsf, greedy, or greedy:ORDER:FIT")
      ->type_name("NAME");
  command.add_flag("--reorder", reorder_,
                   "Look for an order of a model's steps under which less is live at once");
  add_offline_plan_to(command);
  command.add_option("--seed", seed_, "Seed of searches that draw (default 0)")->type_name("N");
  command
      .add_option(
          "--threads", threads_,
          "Threads that may work at once (default: one a core, at most 4); the answer is the "
          "same for any number")
      ->type_name("N");
  command.add_option("--effort", effort_, "Search budget in nodes (default 1000000)")
      ->type_name("N");
  command
      .add_option("--time-limit", time_limit_,
                  "Stop the search after this many seconds as well; the answer then depends on the "
                  "machine")
      ->type_name("SECONDS");
}

void PlanOptionTexts::add_to(CLI::App& command, bool for_check) {
  command
      .add_option("--capacity", capacity_, "Bytes a device has: BYTES for each, or DEVICE=BYTES")
      ->type_name("[DEVICE=]BYTES");
  add_reading_to(command);
  if (for_check) {
    add_offline_plan_to(command);
    return;
  }
  add_search_to(command);
  command.add_flag("--extents", extents_,
                   "Launches that are written say which bytes each argument reads and writes");
  command.add_option("--base", base_, "Where a device's arena begins")->type_name("DEVICE=ADDRESS");
}

void PlanOptionTexts::add_to_explain(CLI::App& command) {
  command
      .add_option("--goal,--capacity", capacity_,
                  "Bytes an arena shall have at most: BYTES for each, or DEVICE=BYTES; says which "
                  "changes, one after another, get there (exit 1 where none do)")
      ->type_name("[DEVICE=]BYTES");
  add_reading_to(command);
  add_search_to(command);
}

Result<PlanOptions> PlanOptionTexts::parse() const {
  PlanOptions options;
  options.pack.packer = packer_;
  options.hold = hold_;
  options.views = views_;
  options.in_place = in_place_;
  options.offline_plan = offline_plan_;
  options.reorder = reorder_;
  options.extents = extents_;
  if (auto error = add_capacities(options, capacity_)) return tl::unexpected(*error);
  if (auto error = add_named(options.scratch, "--scratch", scratch_)) return tl::unexpected(*error);
  if (auto error = add_named(options.base, "--base", base_)) return tl::unexpected(*error);
  if (auto error = add_model_options(options, bind_, shape_, state_)) return tl::unexpected(*error);
  if (auto error = find_double(options)) return tl::unexpected(*std::move(error));
  if (!reserve_.empty()) {
    const auto reserve = size_of("--reserve", reserve_);
    if (!reserve) return tl::unexpected(reserve.error());
    options.reserve = Bytes(*reserve);
  }
  if (!alignment_.empty()) {
    const auto value = size_of("--alignment", alignment_);
    if (!value) return tl::unexpected(value.error());
    options.alignment = Alignment::of(*value);
    if (!options.alignment) {
      return usage_error("--alignment", fmt::format("{} is no power of two", *value),
                         "expected 1, 2, 4, 8, ...");
    }
  }
  for (const auto& [option, text, value] :
       {std::tuple("--seed", &seed_, &options.pack.seed),
        std::tuple("--effort", &effort_, &options.pack.effort)}) {
    if (text->empty()) continue;
    const auto number = number_of(option, *text);
    if (!number) return tl::unexpected(number.error());
    *value = *number;
  }
  const std::uint64_t cores = std::thread::hardware_concurrency();
  options.pack.threads = std::clamp<std::uint64_t>(cores, 1, kThreadsUnasked);
  if (!threads_.empty()) {
    const auto threads = number_of("--threads", threads_);
    if (!threads) return tl::unexpected(threads.error());
    if (*threads == 0 || *threads > kMostThreads) {
      return usage_error("--threads", fmt::format("found {}", *threads),
                         fmt::format("expected 1 to {}", kMostThreads));
    }
    options.pack.threads = *threads;
  }
  if (!time_limit_.empty()) {
    const auto seconds = seconds_of("--time-limit", time_limit_);
    if (!seconds) return tl::unexpected(seconds.error());
    options.pack.time_limit = *seconds;
  }
  return options;
}

}  // namespace berth::cli
