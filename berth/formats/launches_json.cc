#include "berth/formats/launches_json.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "berth/formats/json_lines.h"

namespace berth {
namespace {

constexpr std::string_view kFormat = "berth.launches/1";
constexpr std::string_view kWithExtents = "berth.launches/2";
constexpr std::string_view kWithQueues = "berth.launches/3";

template <typename Items, typename Text>
std::string list_of(const Items& items, const Text& text) {
  std::string list;
  for (const auto& item : items) list += (list.empty() ? "" : ", ") + text(item);
  return list;
}

std::string extent_text(const Extent& extent) {
  return fmt::format(R"({{"word": {}, "reads": {}, "writes": {}}})", extent.word, extent.reads,
                     extent.writes);
}

std::string launch_text(const LaunchSchedule& schedule, LaunchId id) {
  const std::string_view name = schedule.name(id);
  const auto extents = schedule.extents(id);
  const std::uint32_t queue = schedule.queue_of(id);
  return fmt::format(
      R"({{"phase": {}, "words": [{}]{}{}{}}})", json_quoted(schedule.phase(id)),
      fmt::join(schedule.words(id), ", "), name.empty() ? "" : ", \"name\": " + json_quoted(name),
      extents.empty() ? "" : ", \"extents\": [" + list_of(extents, extent_text) + "]",
      queue == 0 ? "" : fmt::format(", \"queue\": {}", queue));
}

std::string queue_text(const LaunchQueue& queue) {
  return fmt::format(R"({{"name": {}, "in_order": {}}})", json_quoted(queue.name), queue.in_order);
}

std::string delta_text(const Delta& delta) {
  return fmt::format(R"({{"launch": {}, "word": {}, "step": {}}})", delta.launch, delta.word,
                     delta.step);
}

std::string frame_text(const Frame& frame) {
  return fmt::format(R"({{"launch": {}, "word": {}, "values": [{}]}})", frame.launch, frame.word,
                     fmt::join(frame.values, ", "));
}

std::string repeat_text(const LaunchSchedule& schedule, const Repeat& repeat) {
  std::string text = fmt::format("{{\"repeat\": {}, \"body\": [", repeat.iterations);
  for (std::size_t i = repeat.first; i < repeat.end(); ++i) {
    text += i == repeat.first ? "\n   " : ",\n   ";
    text += launch_text(schedule, LaunchId(i));
  }
  text += "]";
  if (!repeat.deltas.empty()) {
    text += ",\n   \"deltas\": [" + list_of(repeat.deltas, delta_text) + "]";
  }
  if (!repeat.frames.empty()) {
    text += ",\n   \"frames\": [" + list_of(repeat.frames, frame_text) + "]";
  }
  return text + "}";
}

class Reader {
 public:
  Result<LaunchSchedule> read(const JsonValue& root) {
    if (auto fault = find_format_fault(root, kFormat, {kWithExtents, kWithQueues})) {
      return tl::unexpected(std::move(*fault));
    }
    JsonFields fields(root, "");
    const auto format = fields.string("format");
    with_queues_ = format == kWithQueues;
    with_extents_ = with_queues_ || format == kWithExtents;
    if (with_queues_) read_queues(fields);
    const auto table = fields.array("table");
    for (std::size_t i = 0; i < table.size() && !fields.failed(); ++i) {
      if (auto error = read_item(table[i], i)) fields.refuse(std::move(*error));
    }
    const auto submissions = fields.array("submissions");
    for (std::size_t i = 0; i < submissions.size() && !fields.failed(); ++i) {
      if (auto error = read_submission(submissions[i], i)) fields.refuse(std::move(*error));
    }
    if (auto error = fields.finish()) return tl::unexpected(std::move(*error));
    return build(root);
  }

 private:
  // The builder names the field; the file knows where it stands.
  Result<LaunchSchedule> build(const JsonValue& root) {
    auto schedule = std::move(builder_).build();
    if (schedule) return schedule;
    const Error& error = schedule.error();
    return tl::unexpected(
        json_error(value_at(root, error.where), error.where, error.message, error.hint));
  }

  static bool is_repeat(const JsonValue& item) {
    return item.kind() == JsonValue::Kind::Object && (item.field("repeat") || item.field("body"));
  }

  std::optional<Error> read_item(const JsonValue& item, std::size_t index) {
    JsonFields fields(item, fmt::format("table[{}]", index));
    if (is_repeat(item)) {
      read_repeat(fields);
    } else {
      read_launch(fields);
    }
    return fields.finish();
  }

  void read_launch(JsonFields& fields) {
    const auto phase = fields.string("phase");
    const auto words = fields.addresses("words");
    builder_.launch(phase, words, fields.optional_string("name").value_or(""));
    if (with_extents_) read_extents(fields, words.size());
    if (with_queues_) read_queue_of(fields);
  }

  void read_queues(JsonFields& fields) {
    const auto queues = fields.optional_array("queues");
    for (std::size_t i = 0; queues && i < queues->size() && !fields.failed(); ++i) {
      JsonFields queue((*queues)[i], fmt::format("queues[{}]", i));
      const auto name = queue.string("name");
      builder_.queue(name, queue.optional_boolean("in_order").value_or(true));
      if (auto error = queue.finish()) fields.refuse(std::move(*error));
    }
    if (queues && queues->empty()) {
      fields.refuse("queues", "is empty", "name one at least, or leave the field out");
    }
    queues_ = queues ? std::max<std::size_t>(queues->size(), 1) : 1;
    for (const JsonValue& item :
         fields.optional_array("not_judged").value_or(std::vector<JsonValue>())) {
      if (item.kind() != JsonValue::Kind::String) {
        fields.refuse("not_judged", fmt::format("holds {}, expected strings", item.text()));
        break;
      }
      builder_.not_judged(std::string(item.string()));
    }
  }

  void read_queue_of(JsonFields& launch) {
    const auto queue = launch.optional_integer("queue").value_or(0);
    if (queue >= queues_) {
      launch.refuse("queue", fmt::format("found {}, expected one of the queues, of which there {} "
                                         "{}, counted from 0",
                                         queue, queues_ == 1 ? "is" : "are", queues_));
      return;
    }
    builder_.put_on(static_cast<std::uint32_t>(queue));
  }

  void read_extents(JsonFields& launch, std::uint64_t words) {
    std::vector<bool> met(words);
    const auto items = launch.optional_array("extents").value_or(std::vector<JsonValue>());
    for (std::size_t i = 0; i < items.size() && !launch.failed(); ++i) {
      JsonFields fields(items[i], fmt::format("{}[{}]", launch.path_of("extents"), i));
      const std::uint64_t word = fields.integer("word");
      const std::uint64_t reads = fields.optional_integer("reads").value_or(0);
      const std::uint64_t writes = fields.optional_integer("writes").value_or(0);
      if (!fields.failed() && word >= words) {
        fields.refuse("word", fmt::format("found {}, expected a word of the launch, which has {}",
                                          word, words));
      } else if (!fields.failed() && met[word]) {
        fields.refuse("word", fmt::format("word {} has an extent already", word),
                      "say in one place what the launch reads and writes there");
      }
      if (auto error = fields.finish()) {
        launch.refuse(std::move(*error));
        return;
      }
      met[word] = true;
      builder_.extent(static_cast<std::uint32_t>(word), reads, writes);
    }
  }

  void read_repeat(JsonFields& fields) {
    const auto iterations = fields.integer("repeat");
    const auto body = fields.array("body");
    for (std::size_t i = 0; i < body.size() && !fields.failed(); ++i) {
      JsonFields launch(body[i], fmt::format("{}[{}]", fields.path_of("body"), i));
      if (is_repeat(body[i])) {
        launch.refuse("repeat", "a repeat stands inside another",
                      "write the inner one in the table, and the outer one as submissions of it");
      } else {
        read_launch(launch);
      }
      if (auto error = launch.finish()) fields.refuse(std::move(*error));
    }
    auto deltas = read_moved<Delta>(fields, "deltas", [](JsonFields& delta, Delta& to) {
      to.step = delta.signed_integer("step");
    });
    auto frames = read_moved<Frame>(fields, "frames", [](JsonFields& frame, Frame& to) {
      to.values = frame.addresses("values");
    });
    if (fields.failed()) return;
    builder_.repeat(iterations, static_cast<std::uint32_t>(body.size()), std::move(deltas),
                    std::move(frames));
  }

  template <typename Moved, typename ReadRest>
  static std::vector<Moved> read_moved(JsonFields& parent, std::string_view key,
                                       const ReadRest& read_rest) {
    std::vector<Moved> moved;
    const auto items = parent.optional_array(key).value_or(std::vector<JsonValue>());
    for (std::size_t i = 0; i < items.size() && !parent.failed(); ++i) {
      JsonFields fields(items[i], fmt::format("{}[{}]", parent.path_of(key), i));
      Moved one;
      one.launch = static_cast<std::uint32_t>(fields.integer("launch", UINT32_MAX));
      one.word = static_cast<std::uint32_t>(fields.integer("word", UINT32_MAX));
      read_rest(fields, one);
      if (auto error = fields.finish()) parent.refuse(std::move(*error));
      moved.push_back(std::move(one));
    }
    return moved;
  }

  std::optional<Error> read_submission(const JsonValue& value, std::size_t index) {
    JsonFields fields(value, fmt::format("submissions[{}]", index));
    const auto first = fields.integer("first");
    builder_.submit({first, fields.integer("count")});
    return fields.finish();
  }

  LaunchScheduleBuilder builder_;
  bool with_extents_ = false;
  bool with_queues_ = false;
  std::size_t queues_ = 1;
};

std::string_view format_of(const LaunchSchedule& schedule) {
  if (!schedule.queues().empty() || !schedule.not_judged().empty()) return kWithQueues;
  return schedule.extents().empty() ? kFormat : kWithExtents;
}

// The items of a table: where each begins, and its repeat if it is one.
std::vector<std::pair<LaunchId, const Repeat*>> items_of(const LaunchSchedule& schedule) {
  std::vector<std::pair<LaunchId, const Repeat*>> items;
  auto repeat = schedule.repeats().begin();
  for (std::size_t i = 0; i < schedule.size();) {
    const bool repeats = repeat != schedule.repeats().end() && repeat->first == i;
    items.emplace_back(LaunchId(i), repeats ? &*repeat : nullptr);
    i = repeats ? (repeat++)->end() : i + 1;
  }
  return items;
}

}  // namespace

Result<LaunchSchedule> read_launches(const JsonDocument& document) {
  return Reader().read(document.root());
}

std::string write_launches(const LaunchSchedule& schedule) {
  std::string text = fmt::format("{{\"format\": \"{}\"", format_of(schedule));
  if (!schedule.queues().empty()) write_lines(text, "queues", schedule.queues(), queue_text);
  if (!schedule.not_judged().empty()) {
    write_lines(text, "not_judged", schedule.not_judged(), json_quoted);
  }
  write_lines(text, "table", items_of(schedule), [&](const auto& item) {
    const auto& [first, repeat] = item;
    return repeat != nullptr ? repeat_text(schedule, *repeat) : launch_text(schedule, first);
  });
  write_lines(text, "submissions", schedule.submissions(), [](const Submission& submission) {
    return fmt::format(R"({{"first": {}, "count": {}}})", submission.first, submission.count);
  });
  return text + "}\n";
}

}  // namespace berth
