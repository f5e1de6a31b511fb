#include "berth/live/schedule_lives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/support/schedules.h"

namespace berth {
namespace {

using test::Draft;

TEST(Taken, EachStorageOnceInTheOrderInWhichTheCallsTakeIt) {
  Draft draft;
  const OpId a = draft.buffer("a", 8);
  const OpId b = draft.buffer("b", 8);
  const OpId p = draft.add(param_op({.slot = 0, .elements = 8, .device = "GPU"}));
  const OpId l = draft.add(alloc_op({.slot = 9, .elements = 8, .device = "GPU"}));
  const OpId call = draft.call("k", {draft.view(b, 0, 4), l, a, b, p});
  EXPECT_EQ(taken(draft.graph(), call), (std::vector{b, l, a, p}));
}

TEST(Taken, ABodyAndWhatAViewComesAfterAreNotTaken) {
  Draft draft;
  const OpId a = draft.buffer("a", 8);
  const OpId b = draft.buffer("b", 8);
  const OpId earlier = draft.call("e", {b});
  const OpId ordered = draft.add(after_op(a, std::array{earlier, b}));
  const OpId call = draft.add(call_op(draft.add(kernel_op("k", {b})), std::array{ordered}));
  EXPECT_EQ(taken(draft.graph(), call), std::vector{a});
}

TEST(Taken, ALoopTakesWhatItsCallsTakeThenItsFlag) {
  Draft draft;
  const OpId a = draft.buffer("a", 8);
  const OpId b = draft.buffer("b", 8);
  const OpId c = draft.buffer("c", 8);
  const OpId flag = draft.buffer("flag", 1);
  const OpId inner = draft.loop({draft.call("i", {b})});
  const OpId body = draft.add(linear_op({draft.call("k", {c}), inner, draft.call("m", {a, c})}));
  EXPECT_EQ(taken(draft.graph(), draft.add(back_edge_op(body, flag))),
            (std::vector{c, b, a, flag}));
  const OpId one_call = draft.call("n", {flag, a});
  EXPECT_EQ(taken(draft.graph(), draft.add(back_edge_op(one_call, draft.view(flag, 0, 1)))),
            (std::vector{flag, a}));
}

// Every entry spelled out, and every step asked about every storage.
class BruteForce {
 public:
  explicit BruteForce(const Schedule& schedule) : graph_(schedule.graph()) {
    for (Step step = 0; step < schedule.entries().size(); ++step) {
      take(schedule.entries()[step], step);
    }
  }
  const std::vector<StorageLife>& lives() const { return lives_; }

 private:
  void take(OpId entry, Step step) {
    const Op& op = graph_[entry];
    for (std::size_t i = op.kind == OpKind::Call ? 1 : 0; i < op.sources.size(); ++i) {
      if (graph_.storage_base(op.sources[i])) {
        take_storage(op.sources[i], step);
      } else {
        take(op.sources[i], step);
      }
    }
  }
  void take_storage(OpId id, Step step) {
    while (!std::holds_alternative<Storage>(graph_[id].attributes)) id = graph_[id].sources[0];
    const auto known = std::ranges::find(lives_, id, &StorageLife::storage);
    if (known == lives_.end()) {
      lives_.push_back({id, {step, step + 1}});
    } else {
      known->life.upper = step + 1;
    }
  }

  const OpGraph& graph_;
  std::vector<StorageLife> lives_;
};

TEST(StorageLives, AreThoseOfABruteForce) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 1000; ++round) {
    const Schedule schedule = test::random_schedule(random);
    EXPECT_EQ(storage_lives(schedule), BruteForce(schedule).lives()) << "round " << round;
  }
}

TEST(StorageLives, OfSixtyLoopsEachTwiceInTheNextAreFoundAtOnce) {
  Draft draft;
  const OpId a = draft.buffer("a", 8);
  const OpId b = draft.buffer("b", 8);
  OpId loop = draft.call("k", {a});
  for (int level = 0; level < 60; ++level) loop = draft.loop({loop, loop});
  const Schedule schedule = draft.schedule({draft.call("b", {b}), loop, draft.call("m", {b})});
  EXPECT_EQ(storage_lives(schedule), (std::vector<StorageLife>{{b, {0, 3}}, {a, {1, 2}}}));
  EXPECT_EQ(taken(schedule.graph(), loop), std::vector{a});
}

TEST(StorageLives, OfAHundredThousandNestedLoopsNeedNoRecursion) {
  Draft draft;
  const OpId a = draft.buffer("a", 8);
  OpId loop = draft.call("k", {a});
  for (int level = 0; level < 100'000; ++level) loop = draft.loop({loop});
  EXPECT_EQ(storage_lives(draft.schedule({loop})), (std::vector<StorageLife>{{a, {0, 1}}}));
}

std::vector<std::pair<std::string, KeptWhy>> kept(const ScheduleInstance& instance) {
  std::vector<std::pair<std::string, KeptWhy>> names;
  for (std::size_t i = 0; i < instance.kept.size(); ++i) {
    names.emplace_back(instance.kept_names[i], instance.kept[i].why);
  }
  return names;
}

TEST(ScheduleInstance, SaysWhyStorageIsKept) {
  Draft draft;
  const OpId a = draft.buffer("a", 8);
  const OpId held = draft.buffer("held", 8);
  const OpId asked = draft.buffer("asked", 8);
  const OpId disk = draft.buffer("disk", 8, "DISK:/x");
  const OpId empty = draft.buffer("empty", 0);
  draft.buffer("unused", 8);
  const OpId p = draft.add(param_op({.slot = 0, .elements = 8, .device = "GPU"}));
  const OpId l = draft.add(alloc_op({.slot = 9, .elements = 8, .device = "GPU", .name = "l"}));
  const Schedule schedule = draft.schedule({draft.call("k", {empty, a, held, asked, disk, p, l})},
                                           {draft.view(held, 0, 2)});
  const auto instance = schedule_instance(schedule, std::array{asked});
  ASSERT_TRUE(instance);
  ASSERT_EQ(instance->ops, std::vector{a});
  EXPECT_EQ(kept(*instance),
            (std::vector<std::pair<std::string, KeptWhy>>{{"empty", KeptWhy::Empty},
                                                          {"held", KeptWhy::Held},
                                                          {"asked", KeptWhy::Held},
                                                          {"disk", KeptWhy::Disk},
                                                          {"slot 0", KeptWhy::Param},
                                                          {"l", KeptWhy::CallLocal},
                                                          {"unused", KeptWhy::Unused}}));
}

TEST(ScheduleInstance, DevicesAndBuffersStandInOrderOfFirstAppearance) {
  Draft draft;
  const OpId a = draft.buffer("a", 8, "CPU");
  const OpId b = draft.buffer("b", 8, "GPU", 12);
  const auto instance =
      schedule_instance(draft.schedule({draft.call("k", {b}), draft.loop({draft.call("m", {a})})}));
  ASSERT_TRUE(instance);
  EXPECT_EQ(instance->ops, (std::vector{b, a}));
  EXPECT_EQ(instance->instance.devices()[0].name, "GPU");
  EXPECT_EQ(instance->instance.devices()[1].name, "CPU");
  EXPECT_EQ(instance->instance[BufferId(0)].skew, Bytes(12));
  EXPECT_EQ(instance->instance.unit().value(), 256u);
  EXPECT_EQ(instance->instance.step_names()[0], "k");
  EXPECT_EQ(instance->instance.step_names()[1], "loop");
}

TEST(ScheduleInstance, BuffersOfOneNameAreToldApart) {
  Draft draft;
  const OpId a = draft.buffer("x", 8);
  const OpId b = draft.buffer("x", 8);
  const OpId c = draft.buffer("x #1", 8);
  const auto instance = schedule_instance(draft.schedule({draft.call("k", {c, a, b})}));
  ASSERT_TRUE(instance) << to_string(instance.error());
  EXPECT_EQ(instance->instance[BufferId(0)].name, "x #1");
  EXPECT_EQ(instance->instance[BufferId(1)].name, "x");
  EXPECT_EQ(instance->instance[BufferId(2)].name, "x #1 #1");
}

}  // namespace
}  // namespace berth
