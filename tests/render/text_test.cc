#include "berth/render/text.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Shortened, ALongNameLosesItsMiddle) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcdef", 5),
            "ab\xE2\x80\xA6"
            "ef");
  EXPECT_EQ(shortened("\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F", 3), "\xC3\xA4\xE2\x80\xA6\xC3\x9F");
}

TEST(PerCent, IsExactAndRoundsHalvesUp) {
  EXPECT_EQ(per_cent(Bytes(1), Bytes(8)), "12.5 %");
  EXPECT_EQ(per_cent(Bytes(1), Bytes(2000)), "0.1 %");
  EXPECT_EQ(per_cent(Bytes(~std::uint64_t{0}), Bytes(~std::uint64_t{0})), "100.0 %");
}

TEST(Human, IsTheSecondHalfOfASize) {
  EXPECT_EQ(human(Bytes(55296)), "54.0 KiB");
  EXPECT_EQ(human(Bytes(12)), "12 B");
}

TEST(XmlText, MarkupIsEscaped) {
  EXPECT_EQ(xml_text("<a href=\"x\">&'\xFF"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;\\xFF");
}

TEST(JsonText, NoNameEndsAScript) {
  EXPECT_EQ(json_text("</script>\"\\\n"), R"("\u003c/script\u003e\"\\\\x0A")");
}

}  // namespace
}  // namespace berth
