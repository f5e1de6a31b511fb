// Random schedules, the whole way, against a reading of them that is written for this test alone:
// it unrolls nothing and shares nothing, and walks every path however long. BERTH_SCHEDULE_CASES
// and BERTH_SCHEDULE_SEED in the environment ask for a longer run, or another one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "berth/certify/arena_judge.h"
#include "berth/formats/json.h"
#include "berth/formats/schedule.h"
#include "berth/pipeline/plan_file.h"
#include "berth/replay/explain_replay.h"
#include "berth/replay/replay.h"
#include "tests/support/schedules.h"

namespace berth {
namespace {

using test::Letters;

// What a schedule says, node by node, by the words of its format alone.
class Reading {
 public:
  explicit Reading(const Schedule& schedule) : schedule_(schedule), graph_(schedule.graph()) {
    for (const OpId id : schedule.held()) held_.insert(base(id));
    for (Step step = 0; step < schedule.entries().size(); ++step)
      live(schedule.entries()[step], step);
  }

  OpId base(OpId id) const {
    while (!std::holds_alternative<Storage>(graph_[id].attributes)) id = graph_[id].sources[0];
    return id;
  }
  unsigned width(OpId id) const {
    const Op& op = graph_[id];
    if (const auto* storage = std::get_if<Storage>(&op.attributes)) return storage->dtype.bits();
    if (const auto* dtype = std::get_if<Dtype>(&op.attributes)) return dtype->bits();
    return width(op.sources[0]);
  }
  // From the first bit of its base.
  std::uint64_t bit(OpId id) const {
    const Op& op = graph_[id];
    if (std::holds_alternative<Storage>(op.attributes)) return 0;
    const std::uint64_t viewed = bit(op.sources[0]);
    if (const auto* range = std::get_if<ElementRange>(&op.attributes)) {
      return viewed + range->lower * width(id);
    }
    return op.kind == OpKind::Bitcast && width(id) >= 8 ? viewed / 8 * 8 : viewed;
  }
  std::uint64_t bytes_of_buffer(OpId id) const {
    return (graph_.storage(id).elements * graph_.storage(id).dtype.bits() + 7) / 8;
  }
  bool is_planned(OpId id) const {
    const std::string& device = graph_.storage(id).device;
    return graph_[id].kind == OpKind::Buffer && !held_.contains(id) && bytes_of_buffer(id) > 0 &&
           device.rfind("DISK", 0) != 0 && lives_.contains(id);
  }
  const std::map<OpId, LiveRange>& lives() const { return lives_; }

  // In the order in which an entry first comes to them.
  struct Run {
    std::vector<OpId> calls;
    std::vector<OpId> takes;
  };
  Run run(OpId entry) const {
    Run run;
    std::set<OpId> known;
    follow(entry, run, known);
    return run;
  }

 private:
  void live(OpId id, Step step) {
    const Op& op = graph_[id];
    const bool is_call = op.kind == OpKind::Call;
    const bool is_loop = op.kind == OpKind::End || op.kind == OpKind::BackEdge;
    if (!is_call && !is_loop && op.kind != OpKind::Linear) {
      const auto [life, is_new] = lives_.try_emplace(base(id), LiveRange{step, step + 1});
      life->second.upper = step + 1;
      return;
    }
    for (std::size_t i = is_call ? 1 : 0; i < op.sources.size(); ++i) live(op.sources[i], step);
  }
  void follow(OpId id, Run& run, std::set<OpId>& known) const {
    const Op& op = graph_[id];
    const auto* loop = std::get_if<LoopCount>(&op.attributes);
    if (loop != nullptr && loop->count == std::optional<std::uint64_t>(0)) return;
    if (op.kind == OpKind::Call && known.insert(id).second) run.calls.push_back(id);
    if (graph_.view(id)) {
      if (known.insert(base(id)).second) run.takes.push_back(base(id));
      return;
    }
    for (std::size_t i = op.kind == OpKind::Call ? 1 : 0; i < op.sources.size(); ++i) {
      follow(op.sources[i], run, known);
    }
  }

  const Schedule& schedule_;
  const OpGraph& graph_;
  std::set<OpId> held_;
  std::map<OpId, LiveRange> lives_;
};

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class RandomSchedules : public ::testing::Test {
 protected:
  void plan(const Schedule& random, const std::string& packer) {
    PlanOptions options;
    options.pack.packer = packer;
    options.extents = true;
    auto answer = plan_file({"case", write_schedule(random)}, options);
    ASSERT_TRUE(answer) << to_string(answer.error());
    const auto* broken = std::get_if<BrokenPromise>(&*answer);
    ASSERT_EQ(broken, nullptr) << broken->report;
    file_.emplace(std::get<PlannedFile>(*std::move(answer)));
  }
  const Schedule& original() const { return std::get<ScheduleForm>(file_->question.form).schedule; }
  const std::vector<OpId>& ops() const { return std::get<ScheduleForm>(file_->question.form).ops; }
  const LoweredSchedule& lowered() const { return **file_->launches; }

  void expect_lives(const Reading& reading) const {
    std::set<OpId> planned;
    for (const auto& [id, life] : reading.lives()) {
      if (reading.is_planned(id)) planned.insert(id);
    }
    EXPECT_EQ(std::set<OpId>(ops().begin(), ops().end()), planned);
    for (std::size_t i = 0; i < ops().size(); ++i) {
      EXPECT_EQ(file_->plan.buffers[i].life, reading.lives().at(ops()[i]));
      EXPECT_EQ(file_->plan.buffers[i].bytes.count(), reading.bytes_of_buffer(ops()[i]));
    }
  }

  // Two that live at once share no byte.
  void expect_apart() const {
    for (const PlannedBuffer& a : file_->plan.buffers) {
      for (const PlannedBuffer& b : file_->plan.buffers) {
        if (&a == &b || a.arena != b.arena || !a.life.overlaps(b.life)) continue;
        const auto bytes = [](const PlannedBuffer& it) {
          return ByteRange{it.offset.value(), it.offset.value() + it.bytes.count()};
        };
        EXPECT_FALSE(bytes(a).overlaps(bytes(b))) << a.name << " and " << b.name;
      }
    }
  }

  // Where a storage's first byte is, by the plan and by the globals in order of first use.
  std::map<OpId, std::uint64_t> addresses(const Reading& reading) const {
    std::map<OpId, std::uint64_t> at;
    for (std::size_t i = 0; i < ops().size(); ++i) {
      const PlannedBuffer& buffer = file_->plan.buffers[i];
      at[ops()[i]] = file_->plan.arenas[buffer.arena].address.value() + buffer.offset.value();
    }
    std::size_t global = 0;
    for (const OpId entry : original().entries()) {
      add_globals(reading, entry, at, global);
    }
    EXPECT_EQ(global, lowered().planes.globals().size());
    return at;
  }
  void add_globals(const Reading& reading, OpId id, std::map<OpId, std::uint64_t>& at,
                   std::size_t& global) const {
    const Op& op = original().graph()[id];
    if (original().graph().view(id)) {
      const OpId base = reading.base(id);
      if (at.contains(base) || reading.bytes_of_buffer(base) == 0) return;
      const auto globals = lowered().planes.globals();
      ASSERT_LT(global, globals.size());
      EXPECT_EQ(globals[global].bytes.count(), reading.bytes_of_buffer(base));
      at[base] = globals[global++].address.value();
      return;
    }
    for (std::size_t i = op.kind == OpKind::Call ? 1 : 0; i < op.sources.size(); ++i) {
      add_globals(reading, op.sources[i], at, global);
    }
  }

  void expect_launches(const Reading& reading) const {
    const OpGraph& graph = original().graph();
    const auto at = addresses(reading);
    const LaunchSchedule& launches = lowered().launches;
    std::set<OpId> declared;
    std::size_t launch = 0;
    for (Step step = 0; step < original().entries().size(); ++step) {
      const Reading::Run run = reading.run(original().entries()[step]);
      expect_planes(step, run, reading, declared);
      std::set<OpId> seen;
      const std::string& phase = lowered().planes.phases()[step].phase;
      for (; launch < launches.size() && launches.phase(LaunchId(launch)) == phase; ++launch) {
        const std::string name(launches.name(LaunchId(launch)));
        if (run.calls.empty()) continue;  // of a flag alone
        // A flat loop may list a call again.
        const auto words = launches.words(LaunchId(launch));
        const auto is_this = [&](OpId call) {
          return std::get<BodyName>(graph[graph[call].sources[0]].attributes).name == name &&
                 words_of(reading, at, call) == std::vector(words.begin(), words.end());
        };
        bool is_known = false;
        for (const OpId call : run.calls) {
          if (!is_this(call)) continue;
          is_known = true;
          seen.insert(call);
        }
        EXPECT_TRUE(is_known) << "launch " << launch;
      }
      EXPECT_EQ(seen, std::set<OpId>(run.calls.begin(), run.calls.end())) << "step " << step;
    }
    EXPECT_EQ(launch, launches.size());
  }
  std::vector<std::uint64_t> words_of(const Reading& reading,
                                      const std::map<OpId, std::uint64_t>& at, OpId call) const {
    const OpGraph& graph = original().graph();
    std::vector<std::uint64_t> words;
    for (std::size_t i = 1; i < graph[call].sources.size(); ++i) {
      const OpId argument = graph[call].sources[i];
      if (graph.view(argument)->elements == 0) continue;
      words.push_back(at.at(reading.base(argument)) + reading.bit(argument) / 8);
    }
    return words;
  }
  void expect_planes(Step step, const Reading::Run& run, const Reading& reading,
                     std::set<OpId>& declared) const {
    std::map<std::string, bool> expected;  // by name: whether it is carried
    for (const OpId id : run.takes) {
      if (!reading.is_planned(id)) continue;
      const auto at = std::find(ops().begin(), ops().end(), id) - ops().begin();
      expected[file_->plan.buffers[static_cast<std::size_t>(at)].name] =
          !declared.insert(id).second;
    }
    std::map<std::string, bool> found;
    for (const Plane& plane : lowered().planes.phases()[step].planes) {
      found[plane.range.name] = plane.carried;
    }
    EXPECT_EQ(found, expected) << "step " << step;
  }

  // Calls keep their bodies, loops their counts, and what is no planned buffer is as it was.
  void expect_rewritten(const Reading& reading, OpId before, OpId after) const {
    const OpGraph& old = original().graph();
    const OpGraph& graph = file_->rewritten->graph();
    if (old.view(before)) {
      const OpId base = reading.base(before);
      EXPECT_EQ(old.view(before)->bit, graph.view(after)->bit);
      if (!reading.is_planned(base)) {
        EXPECT_EQ(old[base], graph[graph.view(after)->base]);
        EXPECT_EQ(*old.view(before), *graph.view(after));
        return;
      }
      const auto at = std::find(ops().begin(), ops().end(), base) - ops().begin();
      const PlannedBuffer& buffer = file_->plan.buffers[static_cast<std::size_t>(at)];
      EXPECT_EQ(graph.view(after)->bytes.lower,
                buffer.offset.value() + old.view(before)->bytes.lower);
      EXPECT_EQ(graph.view(after)->bytes.upper,
                buffer.offset.value() + old.view(before)->bytes.upper);
      EXPECT_EQ(graph.view(after)->dtype, old.view(before)->dtype);
      return;
    }
    ASSERT_EQ(old[before].kind, graph[after].kind);
    ASSERT_EQ(old[before].attributes, graph[after].attributes);
    ASSERT_EQ(old[before].sources.size(), graph[after].sources.size());
    const bool is_call = old[before].kind == OpKind::Call;
    // The graph goes on from the original's: its nodes are where they were.
    if (is_call) {
      EXPECT_EQ(old[before].sources[0], graph[after].sources[0]);
    }
    for (std::size_t i = is_call ? 1 : 0; i < old[before].sources.size(); ++i) {
      expect_rewritten(reading, old[before].sources[i], graph[after].sources[i]);
    }
  }

  void expect_replayed() const {
    const ReplayReport report = replay(*file_->rewritten, original()).value();
    EXPECT_TRUE(report.sound()) << explain(report, *file_->rewritten, original());
    EXPECT_TRUE(replay(*file_->rewritten).value().sound());
    // What nobody wrote is told by both; by the launches not where the same call writes it.
    std::set<std::string> undefined;
    for (const ArgumentUse& use : report.undefined) {
      const auto at = std::find(ops().begin(), ops().end(), use.tensor) - ops().begin();
      if (static_cast<std::size_t>(at) == ops().size()) continue;
      undefined.insert(file_->plan.buffers[static_cast<std::size_t>(at)].name);
    }
    EXPECT_LE(lowered().warnings.size(), undefined.size());
    for (const std::string& warning : lowered().warnings) {
      bool is_told = false;
      for (const std::string& name : undefined) {
        is_told = is_told || warning.find(" reads " + name + " before") != std::string::npos ||
                  warning.find(" reads " + name + " from byte") != std::string::npos;
      }
      EXPECT_TRUE(is_told) << warning;
    }
  }

  std::optional<PlannedFile> file_;
};

TEST_F(RandomSchedules, ArePlannedRewrittenLoweredAndReplayedAsTheySay) {
  std::mt19937_64 random(from_environment("BERTH_SCHEDULE_SEED", 11));
  const std::uint64_t cases = from_environment("BERTH_SCHEDULE_CASES", 1500);
  for (std::uint64_t i = 0; i < cases && !HasFailure(); ++i) {
    SCOPED_TRACE("case " + std::to_string(i));
    const Schedule schedule =
        test::random_schedule(random, i % 3 == 0 ? Letters::None : Letters::Some);
    plan(schedule, i % 2 == 0 ? "tlsf" : "greedy");
    if (HasFatalFailure()) break;
    const Reading reading(original());
    expect_lives(reading);
    expect_apart();
    expect_launches(reading);
    expect_rewritten(reading, original().root(), file_->rewritten->root());
    expect_replayed();
    EXPECT_TRUE(judge_arena(lowered().planes, lowered().launches).certified());
    EXPECT_TRUE(judge_arena(lowered().planes, without_extents(lowered().launches)).certified());
    const std::string text = write_schedule(*file_->rewritten);
    const auto document = JsonDocument::parse(text, "rewritten");
    EXPECT_EQ(write_schedule(read_schedule(*document).value()), text);
    if (HasFailure()) ADD_FAILURE() << write_schedule(schedule);
  }
}

}  // namespace
}  // namespace berth
