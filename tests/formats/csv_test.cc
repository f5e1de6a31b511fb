#include "berth/formats/csv.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

using Lines = std::vector<std::vector<std::string>>;

Lines lines(std::string_view text) {
  CsvLines reader(text, "f.csv");
  Lines all;
  while (!reader.at_end()) {
    all.emplace_back();
    const auto cells = reader.next().value();
    for (const CsvCell& cell : cells) all.back().push_back(cell.text());
  }
  return all;
}

TEST(CsvLines, EndAtLfAtCrLfAndAtCr) {
  const Lines expected = {{"a", "b"}, {"c", "d"}};
  for (const char* text :
       {"a,b\nc,d\n", "a,b\r\nc,d\r\n", "a,b\rc,d\r", "a,b\nc,d", "a,b\r\nc,d"}) {
    EXPECT_EQ(lines(text), expected);
  }
}

TEST(CsvLines, LoseTheSpacesAroundCells) {
  EXPECT_EQ(lines(" a ,\tb c\t, ,\n"), (Lines{{"a", "b c", "", ""}}));
}

TEST(CsvLines, QuotedCellsHoldCommasQuotesSpacesAndLineEnds) {
  EXPECT_EQ(lines("\"a,b\", \"c \"\"d\"\"\" ,\" e\nf \",\"\"\n"),
            (Lines{{"a,b", "c \"d\"", " e\nf ", ""}}));
}

TEST(CsvLines, KnowWhereTheyStand) {
  CsvLines reader("a, bc\n\"x\ny\",z\nlast", "f.csv");
  EXPECT_EQ(reader.next().value()[1].column, 4u);
  EXPECT_EQ(reader.line(), 1u);
  (void)reader.next();
  EXPECT_EQ(reader.line(), 2u);
  (void)reader.next();
  EXPECT_EQ(reader.where(1), "f.csv:4:1");
}

TEST(CsvLines, RefuseQuotesThatDoNotCloseAndTextBehindThem) {
  const auto refusal = [](std::string_view text) {
    return to_string(CsvLines(text, "f.csv").next().error());
  };
  EXPECT_EQ(refusal("a,\"b"),
            "f.csv:1:3: a quote opens and does not close (close it, or take it out; inside a "
            "quoted cell a quote is doubled)");
  EXPECT_EQ(refusal("\"a\"b,c"),
            "f.csv:1:4: text after a closing quote (expected a comma or the end of the line)");
}

TEST(CsvCell, IsQuotedWhereItMustBe) {
  EXPECT_EQ(csv_cell("plain name"), "plain name");
  for (const std::string text : {"a,b", "a\"b", "a\nb", "a\rb", " a", "a\t", "\"", ""}) {
    EXPECT_EQ(lines(csv_cell(text) + "\n"), (Lines{{text}})) << text;
  }
}

TEST(CsvLines, AByteOrderMarkIsPassedOver) {
  CsvLines reader("\xEF\xBB\xBFid,size\n", "a.csv");
  const auto cells = reader.next();
  ASSERT_TRUE(cells);
  EXPECT_EQ(cells->front().text(), "id");
  EXPECT_EQ(cells->front().column, 1U);
}

}  // namespace
}  // namespace berth
