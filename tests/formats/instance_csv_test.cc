#include "berth/formats/instance_csv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "berth/plan/pack.h"

namespace berth {
namespace {

Instance instance(const std::string& text, std::uint64_t unit = 1) {
  return read_instance_csv(text, "f.csv", *Alignment::of(unit)).value().instance;
}

std::string refusal(const std::string& text) {
  const auto read = read_instance_csv(text, "f.csv");
  EXPECT_FALSE(read) << text;
  return read ? "" : read.error().where + ": " + read.error().message;
}

std::string refused_row(const std::string& row) {
  return refusal("id,lower,upper,size\n" + row + "\n");
}

LiveRange life(const std::string& text) {
  return instance(text).buffers()[0].life;
}

TEST(InstanceCsv, ColumnsHaveSynonyms) {
  for (const char* id : {"id", "buffer", "buffer_id"}) {
    for (const char* lower : {"lower", "begin", "start"}) {
      const Instance read = instance(std::string(id) + "," + lower + ",upper,size\na,2,4,7\n");
      EXPECT_EQ(read.buffers()[0], (Buffer{.name = "a", .size = Bytes(7), .life = {2, 4}}));
    }
  }
}

TEST(InstanceCsv, UpperIsTheFirstDeadStepAndEndTheLastLiveOne) {
  EXPECT_EQ(life("id,lower,upper,size\na,0,2,4\n"), (LiveRange{0, 2}));
  EXPECT_EQ(life("id,start,end,size\na,0,2,4\n"), (LiveRange{0, 3}));
  EXPECT_EQ(life("id,start,end,size\na,2,2,4\n"), (LiveRange{2, 3}));
  EXPECT_EQ(life("id,lower,upper,size\na,0,18446744073709551615,4\n"), (LiveRange{0, UINT64_MAX}));
}

TEST(InstanceCsv, BothEndsOrNeitherAreRefused) {
  EXPECT_EQ(refusal("id,lower,upper,end,size\n"),
            "f.csv:1:1: found both 'upper' and 'end', expected one of them");
  EXPECT_EQ(refusal("id,lower,size\n"),
            "f.csv:1:1: found neither 'upper' nor 'end', expected one of them");
}

TEST(InstanceCsv, ColumnsMayStandInAnyOrderAndLinesEndInAnyWay) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const Instance read =
        instance("size,upper,id,lower" + end + "4,3,a,0" + end + " 4 , 6,b ,3" + end);
    ASSERT_EQ(read.size(), 2u);
    EXPECT_EQ(read.buffers()[1], (Buffer{.name = "b", .size = Bytes(4), .life = {3, 6}}));
  }
}

TEST(InstanceCsv, AHeaderAloneIsAnEmptyPlan) {
  for (const char* text : {"id,lower,upper,size", "id,lower,upper,size\n\n \r\n"}) {
    EXPECT_EQ(instance(text).size(), 0u);
    EXPECT_EQ(instance(text).devices().size(), 1u);
  }
}

TEST(InstanceCsv, HeadersThatCannotBeReadAreRefused) {
  EXPECT_EQ(refusal(""), "f.csv:1:1: the file is empty");
  EXPECT_EQ(refusal("id,lower,upper,bytes\n"), "f.csv:1:16: found column 'bytes'");
  EXPECT_EQ(refusal("id,lower,upper,id,size\n"),
            "f.csv:1:16: column 'id' stands twice, or beside a synonym of it");
  EXPECT_EQ(refusal("id,lower,begin,upper,size\n"),
            "f.csv:1:10: column 'begin' stands twice, or beside a synonym of it");
  EXPECT_EQ(refusal("lower,upper,size\n"), "f.csv:1:1: there is no column 'id'");
  EXPECT_EQ(refusal("id,upper,size\n"), "f.csv:1:1: there is no column 'lower'");
  EXPECT_EQ(refusal("id,lower,upper\n"), "f.csv:1:1: there is no column 'size'");
}

TEST(InstanceCsv, LivesThatAreNoneAreRefusedWithLineAndColumn) {
  EXPECT_EQ(refused_row("a,5,3,4"), "f.csv:2:5: the life from 5 to 3 is reversed");
  EXPECT_EQ(refused_row("c,2,2,4"), "f.csv:2:5: the life from 2 to 2 is empty");
  EXPECT_EQ(refused_row("b,-1,2,4"),
            "f.csv:2:3: found '-1', expected an integer from 0 to 18446744073709551615");
  EXPECT_EQ(refused_row("d,0,2,-4"),
            "f.csv:2:7: found '-4', expected an integer from 0 to 18446744073709551615");
  EXPECT_EQ(refusal("id,lower,end,size\na,3,2,4\n"), "f.csv:2:5: the life from 3 to 2 is reversed");
  EXPECT_EQ(refusal("id,lower,end,size\na,3,18446744073709551615,4\n"),
            "f.csv:2:5: a life may end at step 18446744073709551614 at the latest");
}

TEST(InstanceCsv, NumbersThatAreNoneAreRefused) {
  for (const char* number : {"", "x", "1.0", "1e3", "0x10", "+1", "18446744073709551616", "1 2"}) {
    EXPECT_EQ(refused_row(std::string("a,0,1,") + number),
              std::string("f.csv:2:7: found '") + number +
                  "', expected an integer from 0 to 18446744073709551615");
  }
}

TEST(InstanceCsv, ADoubleIdIsRefusedWithBothLines) {
  EXPECT_EQ(refusal("id,lower,upper,size\na,0,2,4\nb,0,1,1\n a,1,3,4\n"),
            "f.csv:4:2: id a already on line 2");
  EXPECT_EQ(refusal("id,lower,upper,size\na,0,2,4\n\"a\",1,3,4\n"),
            "f.csv:3:1: id a already on line 2");
  EXPECT_EQ(refused_row(",0,1,4"), "f.csv:2:1: the id is empty");
}

TEST(InstanceCsv, NamesThatAreNoTextAreRefused) {
  EXPECT_EQ(refused_row("a\xFF,0,1,4"), "f.csv:2:1: the name is not UTF-8");
  EXPECT_EQ(refusal("id,device,lower,upper,size\na,\xE9,0,1,4\n"),
            "f.csv:2:3: the name is not UTF-8");
}

TEST(InstanceCsv, ABlankRowInTheMiddleIsRefused) {
  EXPECT_EQ(refusal("id,lower,upper,size\na,0,2,4\n\nb,0,1,1\n"),
            "f.csv:3:1: a blank row stands between rows");
  EXPECT_EQ(refusal("id,lower,upper,size\na,0,2,4\n \t\r\nb,0,1,1\n"),
            "f.csv:3:1: a blank row stands between rows");
}

TEST(InstanceCsv, TooFewOrTooManyCellsAreRefused) {
  EXPECT_EQ(refused_row("a,0,2"), "f.csv:2:5: found 3 cells, expected 4");
  EXPECT_EQ(refused_row("a,0,2,4,"), "f.csv:2:9: found 5 cells, expected 4");
  EXPECT_EQ(refused_row("a,0,2,4,5,6"), "f.csv:2:9: found 6 cells, expected 4");
}

TEST(InstanceCsv, AnAlignmentIsAPowerOfTwoAndOneWhereNoneIsGiven) {
  const auto with = [](const std::string& alignment) {
    return "id,lower,upper,size,alignment\na,0,1,4," + alignment + "\n";
  };
  EXPECT_EQ(instance(with("64")).alignment(BufferId(0)).value(), 64u);
  EXPECT_EQ(instance(with("")).alignment(BufferId(0)).value(), 1u);
  EXPECT_EQ(refusal(with("0")), "f.csv:2:9: alignment 0 is no power of two");
  EXPECT_EQ(refusal(with("3")), "f.csv:2:9: alignment 3 is no power of two");
}

TEST(InstanceCsv, SumsPast64BitsAreRefusedAtTheirRow) {
  EXPECT_EQ(refusal("id,lower,upper,size\na,0,1,9223372036854775808\n"
                    "b,5,6,9223372036854775808\n"),
            "f.csv:3:7: buffer b: with it, the sizes on device '' add up to 18446744073709551616: "
            "that is more than 64 bits "
            "hold");
  EXPECT_NE(refusal("id,lower,upper,size,offset\na,0,1,16,18446744073709551615\n")
                .find("f.csv:2:7: buffer a: its end at offset 18446744073709551615 is more than "
                      "64 bits hold"),
            std::string::npos);
}

TEST(InstanceCsv, OffsetsAndHintsMayBeLeftFree) {
  const Instance read =
      instance("id,lower,upper,size,offset,hint\na,0,1,4,-1,\nb,0,1,4,,-1\nc,0,1,4,3000000000,8\n");
  EXPECT_FALSE(read.buffers()[0].fixed || read.buffers()[0].hint);
  EXPECT_FALSE(read.buffers()[1].fixed || read.buffers()[1].hint);
  EXPECT_EQ(read.buffers()[2].fixed, Offset(3000000000));
  EXPECT_EQ(read.buffers()[2].hint, Offset(8));
  EXPECT_NE(refusal("id,lower,upper,size,offset\na,0,1,4,-2\n").find("f.csv:2:9: found '-2'"),
            std::string::npos);
}

TEST(InstanceCsv, GapsMayKeepBytes) {
  const Instance read = instance("id,lower,upper,size,gaps\na,0,20,64,7-9@0:16  3-5\nb,0,1,4,\n");
  EXPECT_EQ(read.buffers()[0].gaps,
            (std::vector<Gap>{{{3, 5}, std::nullopt}, {{7, 9}, ByteRange{0, 16}}}));
  EXPECT_TRUE(read.buffers()[1].gaps.empty());
}

// As MiniMalloc reads it: the last step of a life and of a gap alike.
TEST(InstanceCsv, BesideAColumnEndTheEndOfAGapIsItsLastStep) {
  const Instance read = instance("id,start,end,size,gaps\na,0,9,4,3-5 7-7@0:2\nb,3,5,4,\n");
  EXPECT_EQ(read.buffers()[0].life, (LiveRange{0, 10}));
  EXPECT_EQ(read.buffers()[0].gaps,
            (std::vector<Gap>{{{3, 6}, std::nullopt}, {{7, 8}, ByteRange{0, 2}}}));
  EXPECT_NE(
      refusal("id,start,end,size,gaps\na,0,9,4,3-18446744073709551615\n").find("at the latest"),
      std::string::npos);
  EXPECT_NE(refusal("id,start,end,size,gaps\na,0,9,4,3-10\n"), "");
}

TEST(InstanceCsv, GapsThatAreNoneAreRefused) {
  const auto with = [](const std::string& gaps) {
    return refusal("id,lower,upper,size,gaps\na,2,10,64," + gaps + "\n");
  };
  for (const char* gap : {"3", "3-", "-3", "3-x", "3-5@", "3-5@4", "3-5@1:", "3_5", "3-5-7"}) {
    EXPECT_EQ(with(gap), std::string("f.csv:2:11: found '") + gap + "' among the gaps");
  }
  for (const char* gap : {"1-3", "9-11", "5-5", "6-4", "3-6 5-8", "3-5@0:65", "3-5@4:4"}) {
    EXPECT_NE(with(gap).find("f.csv:2:"), std::string::npos) << gap;
  }
}

TEST(InstanceCsv, DevicesHaveArenasOfTheirOwnInTheOrderOfTheirNames) {
  const Instance read = instance("id,lower,upper,size,device\na,0,1,4,TPU\nb,0,1,4,CPU\n");
  ASSERT_EQ(read.devices().size(), 2u);
  EXPECT_EQ(read.devices()[0].name, "CPU");
  EXPECT_EQ(read[read.buffers()[0].device].name, "TPU");
}

TEST(InstanceCsv, QuotedCellsAreRead) {
  const Instance read = instance("\"id\",lower,upper,size\n\"a,\"\"b\"\"\",\"0\",2,4\n");
  EXPECT_EQ(read.buffers()[0].name, "a,\"b\"");
}

std::string answered(const std::string& text) {
  const auto read = read_instance_csv(text, "f.csv").value();
  const auto answer = pack(read.instance, {}).value();
  return write_instance_csv(read.table, std::get<Packing>(answer).placement);
}

TEST(InstanceCsv, TheAnswerKeepsColumnsRowsAndOrder) {
  EXPECT_EQ(answered("size,upper,id,lower\r\n4,2,z,0\r\n4,4, \"a,b\",2\r\n"),
            "size,upper,id,lower,offset\n4,2,z,0,0\n4,4,\"a,b\",2,0\n");
  EXPECT_EQ(answered("offset,id,start,end,size\n-1,a,0,2,4\n4,b,2,5,4\n"),
            "offset,id,start,end,size\n0,a,0,2,4\n4,b,2,5,4\n");
  EXPECT_EQ(answered("id,lower,upper,size\n\n"), "id,lower,upper,size,offset\n");
}

TEST(InstanceCsv, ARowThatIsNotPlacedHasAnEmptyOffset) {
  auto read = read_instance_csv("id,lower,upper,size\na,0,1,4\nb,0,1,4\n", "f.csv").value();
  read.table.rows[0].reset();
  read.table.rows[1] = BufferId(0);
  EXPECT_EQ(write_instance_csv(read.table, Placement{{Offset(8)}}),
            "id,lower,upper,size,offset\na,0,1,4,\nb,0,1,4,8\n");
}

TEST(InstanceCsv, TheOrderOfTheRowsNeverChangesAnOffset) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> rows;
    for (std::uint64_t i = 0, count = 1 + random() % 12; i < count; ++i) {
      const auto lower = random() % 8;
      rows.push_back("b" + std::to_string(i * 7 % 13) + "," + std::to_string(lower) + "," +
                     std::to_string(lower + 1 + random() % 6) + "," +
                     std::to_string(random() % 5 * 8) + "," + (random() % 3 == 0 ? "D" : "C"));
    }
    std::map<std::string, std::string> first;  // the answered row of each row
    for (int shuffle = 0; shuffle < 6; ++shuffle) {
      std::string text = "id,lower,upper,size,device\n";
      for (const std::string& row : rows) text += row + "\n";
      const std::string answer = answered(text);
      for (const std::string& row : rows) {
        const auto at = answer.find("\n" + row + ",") + 1;
        ASSERT_NE(at, 0u);
        const std::string placed = answer.substr(at, answer.find('\n', at) - at);
        EXPECT_EQ(first.emplace(row, placed).first->second, placed);
      }
      std::shuffle(rows.begin(), rows.end(), random);
    }
  }
}

TEST(InstanceCsv, AnyInstanceCanBeWrittenAsATableThatReadsBack) {
  const Instance before = instance(
      "id,lower,upper,size,alignment,device,gaps\n\"a,b\",0,9,64,8,X,3-5@0:4\nc,1,2,3,1,Y,\n");
  const std::string text = write_instance_csv(before, Placement{{Offset(0), Offset(16)}});
  EXPECT_EQ(text,
            "id,lower,upper,size,alignment,device,gaps,offset\n\"a,b\",0,9,64,8,X,3-5@0:4,0\n"
            "c,1,2,3,1,Y,,16\n");
  const Instance after = instance(text);
  EXPECT_EQ(after.buffers()[0].gaps, before.buffers()[0].gaps);
  EXPECT_EQ(after.buffers()[1].fixed, Offset(16));
}

TEST(InstanceCsv, ASkewedBufferIsWrittenWithTheAlignmentOfItsFirstByte) {
  const auto made =
      Instance::make({{.name = "GPU"}},
                     {{.name = "a", .size = Bytes(8), .life = {0, 1}, .skew = Bytes(4)}},
                     *Alignment::of(256))
          .value();
  EXPECT_EQ(write_instance_csv(made, Placement{{Offset(256)}}),
            "id,lower,upper,size,alignment,offset\na,0,1,8,4,260\n");
}

TEST(InstanceCsv, ARefusalSaysWhatToDo) {
  for (const char* text :
       {"", "id,lower,upper,size\na,-1,2,4\n", "id,lower,upper,size\na,4.0,5,4\n",
        "id,lower,upper,size\na,0,18446744073709551616,4\n", "id,lower,upper,size\n,0,1,4\n",
        "id,lower,upper,size\n\"a,0,1,4\n", "id,lower,upper,size,gaps\na,2,5,4,1-3\n",
        "id,lower,upper,size,gaps\na,2,5,4,3-4@0:9\n", "id,lower,upper,size,gaps\na,2,5,4,4-4\n",
        "id,lower,upper,size\na,0,1,18446744073709551615\nb,0,1,18446744073709551615\n",
        "id,lower,upper,size,offset\na,0,1,16,18446744073709551615\n",
        "id,lower,upper,size,offset\na,0,1,4,18446744073709551611\nb,0,1,4,\n",
        "id,id,lower,upper,size\n", "id,lower,end,size\na,3,18446744073709551615,4\n"}) {
    const auto read = read_instance_csv(text, "f.csv", Alignment());
    ASSERT_FALSE(read) << text;
    EXPECT_TRUE(read.error().where.starts_with("f.csv:")) << text;
    EXPECT_FALSE(read.error().hint.empty()) << read.error().message;
  }
}

TEST(InstanceCsv, AnOffsetMayBeMinusOneAndTheMessageSaysSo) {
  for (const char* column : {"offset", "hint"}) {
    EXPECT_EQ(refusal(std::string("id,lower,upper,size,") + column + "\na,0,1,4,-2\n"),
              "f.csv:2:9: found '-2', expected an integer from 0 to 18446744073709551615, or -1 or "
              "nothing for none");
  }
  EXPECT_LT(refusal("id,lower,upper,size\na,0,1," + std::string(10'000, '9') + "\n").size(), 200u);
}

TEST(InstanceCsv, AFixedPlaceMayEndWhereTheNumbersEnd) {
  const Instance last = instance("id,lower,upper,size,offset\na,0,1,4,18446744073709551611\n");
  EXPECT_EQ(last.buffers()[0].fixed, Offset(18446744073709551611u));
  // What is free might come to stand above it.
  EXPECT_NE(refusal("id,lower,upper,size,offset\na,0,1,4,18446744073709551611\nb,0,1,1,\n"), "");
}

TEST(InstanceCsv, AHintIsAWishAndMayBeAnyNumber) {
  EXPECT_EQ(instance("id,lower,upper,size,hint\na,0,1,4,18446744073709551615\n").buffers()[0].hint,
            Offset(UINT64_MAX));
}

}  // namespace
}  // namespace berth
