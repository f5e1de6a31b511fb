#include "berth/formats/launches_binary.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "berth/base/text.h"

namespace berth {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the file is little-endian, and is read where it lies");

constexpr std::string_view kMagic = "BERTHLNC";
constexpr std::uint64_t kVersion = 1;
constexpr std::uint64_t kWithExtents = 2;  // the version that has one number more, and their part
constexpr std::uint64_t kWithQueues = 3;   // three more, and theirs
constexpr std::uint64_t kUnit = 8;         // every part begins at a multiple of it

// How much of each part follows the magic, in the order in which the parts stand.
struct Header {
  std::uint64_t version = kVersion;
  std::uint64_t words = 0;
  std::uint64_t launches = 0;
  std::uint64_t phases = 0;
  std::uint64_t names = 0;
  std::uint64_t repeats = 0;
  std::uint64_t deltas = 0;
  std::uint64_t frames = 0;
  std::uint64_t values = 0;
  std::uint64_t submissions = 0;
  std::uint64_t text = 0;
};
constexpr std::uint64_t kHeaderBytes = kMagic.size() + sizeof(Header);

struct RepeatRow {
  std::uint64_t iterations = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint64_t deltas_end = 0;
  std::uint64_t frames_end = 0;
};

struct FrameRow {
  std::uint32_t launch = 0;
  std::uint32_t word = 0;
  std::uint64_t values_end = 0;
};

// What version 3 counts besides.
struct QueueCounts {
  std::uint64_t queues = 0;
  std::uint64_t queue_of = 0;  // launches that say theirs: all, or none
  std::uint64_t not_judged = 0;
};

struct QueueRow {
  std::uint64_t name_end = 0;
  std::uint64_t in_order = 0;
};

static_assert(sizeof(QueueRow) == 16 && sizeof(RepeatRow) == 32 && sizeof(FrameRow) == 16 &&
              sizeof(Delta) == 16 && sizeof(Submission) == 16 && sizeof(Extent) == 24);

class Reader {
 public:
  Reader(std::span<const std::byte> content, std::string file)
      : left_(content), file_(std::move(file)) {}

  Result<LaunchSchedule> read(std::shared_ptr<const void> owner) {
    Header header;
    if (left_.size() < kHeaderBytes) return refuse("header", "the file ends inside it");
    std::memcpy(&header, left_.data() + kMagic.size(), sizeof header);
    left_ = left_.subspan(kHeaderBytes);
    if (header.version < kVersion || header.version > kWithQueues) {
      return refuse(
          "version",
          fmt::format("found {}, expected {} to {}", header.version, kVersion, kWithQueues),
          header.version > kWithQueues ? "a newer berth wrote it" : "the file is damaged");
    }
    const bool with_queues = header.version == kWithQueues;
    const auto extents = part<std::uint64_t>("header", header.version >= kWithExtents ? 1 : 0);
    const auto counted = part<QueueCounts>("header", with_queues ? 1 : 0);
    const QueueCounts counts = counted.empty() ? QueueCounts() : counted[0];
    LaunchTable table;
    table.owner = std::move(owner);
    table.words = part<std::uint64_t>("words", header.words);
    table.words_begin = part<std::uint64_t>("words_begin", header.launches, 1);
    table.phase_of = part<std::uint32_t>("phase_of", header.launches);
    table.name_of = part<std::uint32_t>("name_of", header.names > 0 ? header.launches : 0);
    const auto phase_ends = part<std::uint64_t>("phase_ends", header.phases);
    const auto name_ends = part<std::uint64_t>("name_ends", header.names);
    const auto repeats = part<RepeatRow>("repeats", header.repeats);
    const auto deltas = part<Delta>("deltas", header.deltas);
    const auto frames = part<FrameRow>("frames", header.frames);
    const auto values = part<std::uint64_t>("values", header.values);
    const auto submissions = part<Submission>("submissions", header.submissions);
    if (!extents.empty()) table.extents = part<Extent>("extents", extents[0]);
    table.queue_of = part<std::uint32_t>("queue_of", counts.queue_of);
    const auto queues = part<QueueRow>("queues", counts.queues);
    const auto note_ends = part<std::uint64_t>("not_judged", counts.not_judged);
    const auto text = part<char>("text", header.text);
    if (!error_ && !left_.empty()) {
      refuse("text", fmt::format("{} bytes stand after the end", left_.size()));
    }
    if (error_) return tl::unexpected(*error_);
    table.submissions = {submissions.begin(), submissions.end()};
    std::uint64_t at = 0;  // in the text
    table.phases = texts("phase_ends", phase_ends, text, at);
    table.names = texts("name_ends", name_ends, text, at);
    table.queues = queues_of(queues, text, at);
    table.not_judged = texts("not_judged", note_ends, text, at);
    if (!error_ && at != text.size()) refuse("text", "holds more than phases and names");
    table.repeats = moved(repeats, deltas, frames, values);
    if (error_) return tl::unexpected(*error_);
    auto schedule = LaunchSchedule::make(std::move(table));
    if (schedule) return schedule;
    const Error& error = schedule.error();
    return refuse(error.where, error.message, error.hint);
  }

 private:
  tl::unexpected<Error> refuse(std::string_view where, std::string message, std::string hint = {}) {
    if (!error_) {
      error_ = Error{Error::Kind::Input, fmt::format("{}: {}", file_, where), std::move(message),
                     std::move(hint)};
    }
    return tl::unexpected(*error_);
  }

  // The next `count` + `more` items of the file, and the zeros up to the next multiple of 8.
  template <typename T>
  std::span<const T> part(std::string_view name, std::uint64_t count, std::uint64_t more = 0) {
    // A count that is no more than the bytes there are does not wrap when it is multiplied.
    const std::uint64_t bytes =
        count > left_.size() ? UINT64_MAX - kUnit : (count + more) * sizeof(T);
    const std::uint64_t padded = (bytes + kUnit - 1) / kUnit * kUnit;
    if (error_ || padded > left_.size()) {
      refuse(name, fmt::format("the file ends inside its {} items", count),
             "it was cut short, or its header is damaged");
      return {};
    }
    for (std::uint64_t i = bytes; i < padded; ++i) {
      if (left_[i] != std::byte{0}) refuse(name, "what fills it up to a multiple of 8 is not zero");
    }
    // The bytes were written as such items, or are integers of any value all the same.
    const std::span items(reinterpret_cast<const T*>(left_.data()), count + more);
    left_ = left_.subspan(padded);
    return items;
  }

  std::vector<std::string> texts(std::string_view name, std::span<const std::uint64_t> ends,
                                 std::span<const char> text, std::uint64_t& at) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < ends.size() && !error_; ++i) {
      if (ends[i] < at || ends[i] > text.size()) {
        refuse(name,
               fmt::format("text {} ends at {}, expected {} to {}", i, ends[i], at, text.size()));
        break;
      }
      texts.emplace_back(text.data() + at, ends[i] - at);
      at = ends[i];
      if (!is_utf8(texts.back())) refuse(name, fmt::format("text {} is not UTF-8", i));
    }
    return texts;
  }

  std::vector<LaunchQueue> queues_of(std::span<const QueueRow> rows, std::span<const char> text,
                                     std::uint64_t& at) {
    std::vector<std::uint64_t> ends;
    for (const QueueRow& row : rows) {
      ends.push_back(row.name_end);
      if (row.in_order > 1) {
        refuse("queues", fmt::format("found {} for in_order, expected 0 or 1", row.in_order));
      }
    }
    std::vector<LaunchQueue> queues;
    for (std::string& name : texts("queues", ends, text, at)) {
      queues.push_back({std::move(name), rows[queues.size()].in_order == 1});
    }
    return queues;
  }

  // Takes items up to `end` off the front.
  template <typename T>
  std::span<const T> take(std::string_view name, std::span<const T>& items, std::uint64_t& taken,
                          std::uint64_t end) {
    if (end < taken || end - taken > items.size()) {
      refuse(name, fmt::format("end at {}, expected {} to {}", end, taken, taken + items.size()));
      return {};
    }
    const auto first = items.first(end - taken);
    items = items.subspan(end - taken);
    taken = end;
    return first;
  }

  std::vector<Repeat> moved(std::span<const RepeatRow> rows, std::span<const Delta> deltas,
                            std::span<const FrameRow> frames,
                            std::span<const std::uint64_t> values) {
    std::vector<Repeat> repeats;
    std::uint64_t deltas_taken = 0;
    std::uint64_t frames_taken = 0;
    std::uint64_t values_taken = 0;
    for (const RepeatRow& row : rows) {
      const auto own = take("deltas of a repeat", deltas, deltas_taken, row.deltas_end);
      Repeat repeat{row.iterations, row.first, row.count, {own.begin(), own.end()}, {}};
      for (const FrameRow& frame :
           take("frames of a repeat", frames, frames_taken, row.frames_end)) {
        const auto its = take("values of a frame", values, values_taken, frame.values_end);
        repeat.frames.push_back({frame.launch, frame.word, {its.begin(), its.end()}});
      }
      if (error_) return {};
      repeats.push_back(std::move(repeat));
    }
    if (!deltas.empty() || !frames.empty() || !values.empty()) {
      refuse("repeats", "deltas, frames or values are left that belong to none");
    }
    return repeats;
  }

  std::span<const std::byte> left_;
  std::string file_;
  std::optional<Error> error_;
};

class Writer {
 public:
  explicit Writer(const LaunchSchedule& schedule) : schedule_(schedule) {}

  std::string write() && {
    const LaunchTable& table = schedule_.table();
    rows_of_repeats();
    for (const auto& [texts, ends] :
         {std::pair(&table.phases, &phase_ends_), std::pair(&table.names, &name_ends_)}) {
      for (const std::string& each : *texts) {
        text_ += each;
        ends->push_back(text_.size());
      }
    }
    rows_of_queues();
    const std::uint64_t version = version_of(table);
    const Header header = {.version = version,
                           .words = table.words.size(),
                           .launches = schedule_.size(),
                           .phases = table.phases.size(),
                           .names = table.names.size(),
                           .repeats = repeats_.size(),
                           .deltas = deltas_.size(),
                           .frames = frames_.size(),
                           .values = values_.size(),
                           .submissions = table.submissions.size(),
                           .text = text_.size()};
    out_ += kMagic;
    add(std::span(&header, 1));
    const std::uint64_t extents = table.extents.size();
    const QueueCounts counts = {table.queues.size(), table.queue_of.size(),
                                table.not_judged.size()};
    if (version >= kWithExtents) add(std::span(&extents, 1));
    if (version == kWithQueues) add(std::span(&counts, 1));
    add(table.words);
    add(table.words_begin);
    add(table.phase_of);
    add(table.name_of);
    add(std::span<const std::uint64_t>(phase_ends_));
    add(std::span<const std::uint64_t>(name_ends_));
    add(std::span<const RepeatRow>(repeats_));
    add(std::span<const Delta>(deltas_));
    add(std::span<const FrameRow>(frames_));
    add(std::span<const std::uint64_t>(values_));
    add(std::span<const Submission>(table.submissions));
    add(table.extents);
    add(table.queue_of);
    add(std::span<const QueueRow>(queues_));
    add(std::span<const std::uint64_t>(note_ends_));
    add(std::span<const char>(text_));
    return std::move(out_);
  }

 private:
  static std::uint64_t version_of(const LaunchTable& table) {
    if (!table.queues.empty() || !table.not_judged.empty()) return kWithQueues;
    return table.extents.empty() ? kVersion : kWithExtents;
  }

  void rows_of_queues() {
    for (const LaunchQueue& queue : schedule_.queues()) {
      text_ += queue.name;
      queues_.push_back({text_.size(), queue.in_order ? std::uint64_t{1} : 0});
    }
    for (const std::string& note : schedule_.not_judged()) {
      text_ += note;
      note_ends_.push_back(text_.size());
    }
  }

  void rows_of_repeats() {
    for (const Repeat& repeat : schedule_.repeats()) {
      deltas_.insert(deltas_.end(), repeat.deltas.begin(), repeat.deltas.end());
      for (const Frame& frame : repeat.frames) {
        values_.insert(values_.end(), frame.values.begin(), frame.values.end());
        frames_.push_back({frame.launch, frame.word, values_.size()});
      }
      repeats_.push_back(
          {repeat.iterations, repeat.first, repeat.count, deltas_.size(), frames_.size()});
    }
  }

  template <typename T>
  void add(std::span<const T> items) {
    if (!items.empty()) {
      out_.append(reinterpret_cast<const char*>(items.data()), items.size_bytes());
    }
    out_.append((kUnit - out_.size() % kUnit) % kUnit, '\0');
  }

  const LaunchSchedule& schedule_;
  std::vector<RepeatRow> repeats_;
  std::vector<Delta> deltas_;
  std::vector<FrameRow> frames_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint64_t> phase_ends_;
  std::vector<std::uint64_t> name_ends_;
  std::vector<QueueRow> queues_;
  std::vector<std::uint64_t> note_ends_;
  std::string text_;
  std::string out_;
};

}  // namespace

bool is_launches_binary(std::string_view content) {
  return content.starts_with(kMagic);
}

Result<LaunchSchedule> read_launches_binary(std::span<const std::byte> content,
                                            std::shared_ptr<const void> owner,
                                            const std::string& file) {
  return Reader(content, file).read(std::move(owner));
}

std::string write_launches_binary(const LaunchSchedule& schedule) {
  return Writer(schedule).write();
}

}  // namespace berth
