#include "tilefoundry/support/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tilefoundry {
namespace {

TEST(Utf8, every_code_point_encodes_and_decodes) {
  for (std::uint32_t value = 0; value <= 0x10FFFF; ++value) {
    if (value >= 0xD800 && value <= 0xDFFF) continue;
    std::string text;
    utf8_append(text, value);
    const auto decoded = utf8_decode(text, 0);
    ASSERT_TRUE(decoded.valid) << value;
    ASSERT_EQ(decoded.value, value);
    ASSERT_EQ(decoded.size, text.size());
  }
}

// Unicode 15, table 3-7: byte sequences that are not well-formed.
TEST(Utf8, malformed_bytes_become_one_replacement_each) {
  const std::vector<std::string> malformed = {
      "\x80",              // a continuation byte without a lead
      "\xC0\x80",          // an overlong NUL
      "\xC1\xBF",          // an overlong ASCII letter
      "\xE0\x9F\xBF",      // an overlong two-byte code point
      "\xED\xA0\x80",      // a surrogate
      "\xF0\x8F\xBF\xBF",  // an overlong three-byte code point
      "\xF4\x90\x80\x80",  // past U+10FFFF
      "\xF5\x80\x80\x80",
      "\xFF",
      "\xC4",  // cut off
      "\xE2\x82",
      "\xC4z",  // a lead followed by ASCII
  };
  for (const std::string& text : malformed) {
    const auto decoded = utf8_decode(text, 0);
    EXPECT_FALSE(decoded.valid);
    EXPECT_EQ(decoded.value, 0xFFFDU);
    EXPECT_EQ(decoded.size, 1U);
    EXPECT_FALSE(utf8_valid(text));
    EXPECT_FALSE(utf8_valid("ok " + text));
  }
}

TEST(Utf8, lengths_count_code_points) {
  EXPECT_EQ(utf8_length(""), 0U);
  EXPECT_EQ(utf8_length("abc"), 3U);
  EXPECT_EQ(utf8_length("čau"), 3U);
  EXPECT_EQ(utf8_length("日本"), 2U);
  EXPECT_EQ(utf8_length("a\x80\x80"), 3U);
  EXPECT_TRUE(utf8_valid("čau 日本 🙂"));
  EXPECT_TRUE(utf8_valid(std::string_view("\0", 1)));
}

}  // namespace
}  // namespace tilefoundry
