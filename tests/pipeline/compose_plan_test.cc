#include "berth/pipeline/compose_plan.h"

#include <gtest/gtest.h>

#include "berth/certify/explain_placement.h"
#include "berth/certify/placement.h"
#include "berth/live/program_lives.h"
#include "berth/plan/pack.h"

namespace berth {
namespace {

TensorAccess read(std::size_t tensor) {
  return {TensorId(tensor), TensorAccess::Kind::Read, std::nullopt};
}

TensorAccess write(std::size_t tensor) {
  return {TensorId(tensor), TensorAccess::Kind::Write, std::nullopt};
}

// a (100 B) is written, b (50 B) takes over its bytes, c (128 B) is written from b: the most is
// live at the last phase, where b is all that is left of a's buffer.
Program smaller_result_in_place() {
  Program program;
  for (const auto& [name, bytes] :
       {std::pair("a", 100U), std::pair("b", 50U), std::pair("c", 128U)}) {
    program.tensors.push_back({name, TensorKind::Intermediate, Bytes(bytes), std::nullopt});
  }
  TensorAccess in_place = write(1);
  in_place.reuses = TensorId(0);
  program.phases = {
      {"first", {write(0)}}, {"second", {read(0), in_place}}, {"third", {read(1), write(2)}}};
  return program;
}

TEST(ComposePlan, ASmallerResultInPlacePassesTheCheck) {
  auto planned = program_instance(smaller_result_in_place(), *Alignment::of(16));
  ASSERT_TRUE(planned);
  ASSERT_TRUE(planned->members[1].reuses);
  const auto packed = pack(planned->instance, PackOptions());
  ASSERT_TRUE(packed);
  const Question question = {planned->instance, planned->kept, ModelForm{planned->members}, {}};
  const auto plan =
      compose_plan({"model", ""}, question, std::get<Packing>(*packed), PlanOptions());
  ASSERT_TRUE(plan);
  EXPECT_TRUE(check_placement(*plan).sound()) << explain(check_placement(*plan), *plan);
  EXPECT_EQ(plan->arenas[0].figures.max_load, Bytes(50 + 128));
}

}  // namespace
}  // namespace berth
