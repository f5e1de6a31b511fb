#include "berth/pipeline/input.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(KindOf, IsReadFromTheContent) {
  EXPECT_EQ(kind_of("id,lower,upper,size\n"), InputKind::InstanceCsv);
  EXPECT_EQ(kind_of(""), InputKind::InstanceCsv);
  EXPECT_EQ(kind_of(" \n{\"ops\": [], \"format\" :\n \"berth.schedule/1\"}"),
            InputKind::ScheduleJson);
  EXPECT_EQ(kind_of("\xEF\xBB\xBF{\"format\": \"berth.schedule/9\"}"), InputKind::ScheduleJson);
  EXPECT_EQ(kind_of("{\"format\": \"berth.plan/1\"}"), InputKind::PlanJson);
  EXPECT_EQ(kind_of("{\"format\": \"berth.planes/1\"}"), InputKind::OtherJson);
  EXPECT_EQ(kind_of("{\"format\""), InputKind::OtherJson);
  EXPECT_EQ(kind_of("[1]"), InputKind::OtherJson);
  EXPECT_EQ(kind_of(" null\n"), InputKind::OtherJson);
  EXPECT_EQ(kind_of("true"), InputKind::OtherJson);
  EXPECT_EQ(kind_of("null,lower\n"), InputKind::InstanceCsv);
  EXPECT_EQ(kind_of("\"id\",lower,upper,size"), InputKind::InstanceCsv);
  EXPECT_EQ(kind_of(std::string_view("\x1C\0\0\0TFL3", 8)), InputKind::Tflite);
  EXPECT_EQ(kind_of(std::string_view("\x1C\0\0\0ET12", 8)), InputKind::Executorch);
  EXPECT_EQ(kind_of("\x08\x07\x12"), InputKind::Onnx);
}

}  // namespace
}  // namespace berth
