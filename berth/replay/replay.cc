#include "berth/replay/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "berth/replay/tensors.h"

namespace berth {
namespace {

// Steps, and stretches of bytes that are looked at, beyond some for each argument of the file.
constexpr std::uint64_t kMostWork = std::uint64_t{1} << 24;
constexpr std::uint64_t kWorkPerSource = 64;

std::uint64_t most_work(const OpGraph& graph) {
  std::uint64_t sources = graph.size();
  for (std::size_t i = 0; i < graph.size(); ++i) sources += graph[OpId(i)].sources.size();
  return kMostWork + kWorkPerSource * sources;
}

// A node of the schedule that names tensors, and what it became in the one that runs.
struct Node {
  OpId named;
  OpId placed;
};

struct Operand {
  ArgumentUse use;
  OpId storage;     // in the schedule that runs
  ByteRange place;  // there
  bool reads = true;
  bool writes = true;

  std::uint64_t shift() const { return use.bytes.lower - place.lower; }
};

class Replay {
 public:
  // Without slices, tensors are the storage of `named`.
  Replay(const Schedule& placed, const Schedule& named, const SliceTensors* slices)
      : placed_(placed), named_(named), slices_(slices), most_work_(most_work(named.graph())) {}

  Result<ReplayReport> run() {
    const auto named = named_.entries();
    const auto placed = placed_.entries();
    if (named.size() != placed.size()) {
      return input_error("root", fmt::format("has {} entries, expected the {} of the original",
                                             placed.size(), named.size()));
    }
    fill_inputs();
    for (step_ = 0; step_ < named.size() && report_.sound(); ++step_) {
      if (auto fault = run_entry({named[step_], placed[step_]})) {
        return tl::unexpected(*std::move(fault));
      }
    }
    return std::move(report_);
  }

 private:
  struct Frame {
    Node node;
    std::size_t next = 0;  // source of a linear
    std::uint64_t passes = 0;
  };

  const Op& named(Node node) const { return named_.graph()[node.named]; }
  const Op& placed(Node node) const { return placed_.graph()[node.placed]; }
  Node source(Node node, std::size_t i) const {
    return {named(node).sources[i], placed(node).sources[i]};
  }

  Error unlike(Node node) const {
    return {Error::Kind::Input, fmt::format("entry {}", step_),
            fmt::format("node {} is not what node {} of the original became", node.placed.index(),
                        node.named.index()),
            "the second schedule must be the one that the first was rewritten from"};
  }

  bool is_like(Node node) const {
    const Op& a = named(node);
    const Op& b = placed(node);
    return a.kind == b.kind && a.attributes == b.attributes && a.sources.size() == b.sources.size();
  }

  // What is passed in, or outlives the schedule, is written before it begins.
  void fill_inputs() {
    OpGraph graph = placed_.graph();
    for (const OpId id : named_.held()) held_.insert(named_.graph().view(id)->base);
    for (std::size_t i = 0; i < named_.graph().size(); ++i) {
      const OpId id(i);
      const Op& op = named_.graph()[id];
      const bool is_stored =
          op.kind == OpKind::Buffer && is_disk(named_.graph().storage(id).device);
      if (op.kind != OpKind::Param && !held_.contains(id) && !is_stored) continue;
      const ByteRange bytes = named_.graph().view(id)->bytes;
      const Tag tag = {++version_, {0, id, 0, id, bytes}, 0};
      contents_[id].put(bytes, tag);
      const auto same = graph.add(op);
      if (same && same->index() < placed_.graph().size()) memory_[*same].put(bytes, tag);
    }
  }

  std::optional<Error> run_entry(Node entry) {
    std::vector<Frame> frames = {{entry}};
    while (!frames.empty() && report_.sound()) {
      ++work_;
      if (auto fault = find_work_fault()) return fault;
      Frame& frame = frames.back();
      const Node node = frame.node;
      if (frame.next == 0 && frame.passes == 0 && !is_like(node)) return unlike(node);
      switch (named(node).kind) {
        case OpKind::Call:
          if (auto fault = run_call(node)) return fault;
          frames.pop_back();
          break;
        case OpKind::Linear:
          if (frame.next == named(node).sources.size()) {
            frames.pop_back();
          } else {
            frames.push_back({source(node, frame.next++)});
          }
          break;
        default:
          if (frame.passes > 0 && named(node).kind == OpKind::BackEdge) {
            if (auto fault = read_flag(node)) return fault;
          }
          if (frame.passes == passes_of(node)) {
            frames.pop_back();
          } else {
            ++frame.passes;
            frames.push_back({source(node, 0)});
          }
      }
    }
    return find_work_fault();
  }

  std::optional<Error> find_work_fault() const {
    if (work_ <= most_work_) return std::nullopt;
    return Error{Error::Kind::Limit, fmt::format("entry {}", step_),
                 fmt::format("with it, loops inside loops come to more than {} steps and stretches "
                             "of bytes",
                             most_work_),
                 "replay a part of it"};
  }

  std::uint64_t passes_of(Node loop) const {
    return std::min<std::uint64_t>(std::get<LoopCount>(named(loop).attributes).count.value_or(2),
                                   2);
  }

  // What source `i` names. Nothing where the two schedules do not agree that it names something.
  std::optional<Operand> operand(Node node, std::size_t i) const {
    const Node argument = source(node, i);
    const auto& named = named_.graph().view(argument.named);
    const auto& placed = placed_.graph().view(argument.placed);
    if (!named || !placed) return std::nullopt;
    const std::uint64_t size = named->bytes.upper - named->bytes.lower;
    if (placed->bytes.upper - placed->bytes.lower != size) return std::nullopt;
    if (slices_ == nullptr && !may_become(*named, *placed)) return std::nullopt;
    const OpId tensor = slices_ != nullptr ? slices_->tensor(argument.named) : named->base;
    const std::uint64_t begin = named->bytes.lower - named_.graph().view(tensor)->bytes.lower;
    const ArgumentUse use = {
        step_, node.named, static_cast<std::uint32_t>(i - 1), tensor, {begin, begin + size}};
    return Operand{use, placed->base, placed->bytes};
  }

  // A rewrite leaves storage as it is, or puts a buffer that nothing holds into an arena of its
  // device; it views it as it was viewed.
  bool may_become(const View& named, const View& placed) const {
    if (named.dtype != placed.dtype || named.bit != placed.bit) return false;
    const Op& before = named_.graph()[named.base];
    const Op& after = placed_.graph()[placed.base];
    if (before == after) return true;
    const std::string& device = named_.graph().storage(named.base).device;
    return before.kind == OpKind::Buffer && !held_.contains(named.base) && !is_disk(device) &&
           looks_like_arena(placed_.graph(), placed.base) &&
           placed_.graph().storage(placed.base).device == device;
  }

  std::optional<Error> run_call(Node call) {
    const auto& letters = std::get<CallAccess>(named(call).attributes).letters;
    if (!is_like_body(source(call, 0))) return unlike(call);
    std::vector<Operand> operands;
    for (std::size_t i = 1; i < named(call).sources.size(); ++i) {
      auto found = operand(call, i);
      if (!found) return unlike(source(call, i));
      const char letter = letters.empty() ? 'b' : letters[i - 1];
      found->reads = letter != 'w';
      found->writes = letter != 'r';
      operands.push_back(*found);
    }
    ++report_.calls;
    work_ += operands.size();
    for (const Operand& operand : operands) read(operand);
    for (const Operand& operand : operands) write(operand);
    // Operands and results are there together.
    for (const Operand& operand : operands) {
      if (operand.reads && report_.sound()) check(operand);
    }
    return std::nullopt;
  }

  bool is_like_body(Node body) const {
    return named(body).kind == placed(body).kind &&
           named(body).attributes == placed(body).attributes;
  }

  std::optional<Error> read_flag(Node loop) {
    auto flag = operand(loop, 1);
    if (!flag) return unlike(source(loop, 1));
    flag->writes = false;
    read(*flag);
    return std::nullopt;
  }

  void read(const Operand& operand) {
    if (!operand.reads || !report_.sound()) return;
    ++report_.reads;
    if (!check(operand) && !operand.writes) note_undefined(operand.use);
  }

  // Whether all of it was ever written.
  bool check(const Operand& operand) {
    bool is_defined = true;
    contents_[operand.use.tensor].each(operand.use.bytes, [&](ByteRange bytes, const Tag* tag) {
      if (++work_ > most_work_) return false;
      if (tag == nullptr) {
        is_defined = false;
        return true;
      }
      return find(operand, bytes, *tag);
    });
    return is_defined;
  }

  // Looks where these bytes of the tensor, all of one write, should be.
  bool find(const Operand& operand, ByteRange bytes, const Tag& written) {
    const std::uint64_t shift = operand.shift();
    const Tag expected = {written.version, written.writer, shift};
    return memory_[operand.storage].each(
        {bytes.lower - shift, bytes.upper - shift}, [&](ByteRange place, const Tag* found) {
          if (++work_ > most_work_) return false;
          if (found != nullptr && found->matches(expected)) return true;
          report_.wrong = {.reader = operand.use,
                           .bytes = {place.lower + shift, place.upper + shift},
                           .storage = operand.storage,
                           .place = place.lower,
                           .written = written.writer};
          if (found == nullptr) return false;
          report_.wrong->overwritten = found->writer;
          report_.wrong->taken_by = {place.lower + found->shift, place.upper + found->shift};
          return false;
        });
  }

  void write(const Operand& operand) {
    if (!operand.writes) return;
    Tag tag = {++version_, operand.use, 0};
    contents_[operand.use.tensor].put(operand.use.bytes, tag);
    tag.shift = operand.shift();
    memory_[operand.storage].put(operand.place, tag);
  }

  void note_undefined(const ArgumentUse& use) {
    if (is_noted_.insert(use.tensor).second) report_.undefined.push_back(use);
  }

  const Schedule& placed_;
  const Schedule& named_;
  const SliceTensors* slices_;
  std::set<OpId> held_;                   // storage of `named`
  std::map<OpId, TaggedBytes> contents_;  // by tensor: what it should hold
  std::map<OpId, TaggedBytes> memory_;    // by storage of what runs: what is there
  std::set<OpId> is_noted_;
  ReplayReport report_;
  Step step_ = 0;
  std::uint64_t version_ = 0;
  std::uint64_t most_work_;
  std::uint64_t work_ = 0;
};

}  // namespace

Result<ReplayReport> replay(const Schedule& placed, const Schedule& original) {
  return Replay(placed, original, nullptr).run();
}

Result<ReplayReport> replay(const Schedule& schedule) {
  const SliceTensors slices(schedule);
  return Replay(schedule, schedule, &slices).run();
}

}  // namespace berth
