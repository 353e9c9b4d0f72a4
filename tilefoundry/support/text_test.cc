#include "tilefoundry/support/text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>

namespace tilefoundry {
namespace {

TEST(Text, floats_read_back_to_the_same_bits) {
  std::mt19937_64 bits(12);
  for (int i = 0; i < 200'000; ++i) {
    const auto value = std::bit_cast<double>(bits());
    if (std::isnan(value)) continue;
    const std::string text = float_text(value);
    const double read = std::strtod(text.c_str(), nullptr);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(read), std::bit_cast<std::uint64_t>(value)) << text;
  }
}

TEST(Text, floats_look_like_python_floats) {
  EXPECT_EQ(float_text(1.0), "1.0");
  EXPECT_EQ(float_text(-0.0), "-0.0");
  EXPECT_EQ(float_text(0.1), "0.1");
  EXPECT_EQ(float_text(1e-6), "1e-06");
  EXPECT_EQ(float_text(1e300), "1e+300");
  EXPECT_EQ(float_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(float_text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(float_text(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(float_text(5e-324), "5e-324");
}

TEST(Text, string_literals_escape_what_python_needs_escaped) {
  EXPECT_EQ(python_string_literal("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(python_string_literal("a\nb\tc\r"), R"("a\nb\tc\r")");
  EXPECT_EQ(python_string_literal(std::string_view("\0\x7f", 2)), R"("\x00\x7f")");
  EXPECT_EQ(python_string_literal("č"), "\"č\"");
}

TEST(Text, the_closest_match_is_near_or_nothing) {
  const std::vector<std::string> names = {"matmul", "rms_norm", "reshape"};
  EXPECT_EQ(closest_match("matmull", names), "matmul");
  EXPECT_EQ(closest_match("rmsnorm", names), "rms_norm");
  EXPECT_EQ(closest_match("softmax", names), "");
  EXPECT_EQ(closest_match("q", {"a", "b"}), "") << "a change of every letter is no match";
  EXPECT_EQ(closest_match("abcd", {"abxx", "abcx"}), "abcx");
}

TEST(Text, counts_and_joins) {
  EXPECT_EQ(counted(1, "argument"), "1 argument");
  EXPECT_EQ(counted(0, "argument"), "0 arguments");
  EXPECT_EQ(join({"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(Text, names_are_told_from_keywords) {
  EXPECT_TRUE(is_python_keyword("lambda"));
  EXPECT_TRUE(is_python_keyword("None"));
  EXPECT_FALSE(is_python_keyword("match")) << "a soft keyword is a name";
  EXPECT_FALSE(is_python_keyword("double"));
}

TEST(Text, class_names_become_snake_case) {
  EXPECT_EQ(snake_case("RMSNorm"), "rms_norm");
  EXPECT_EQ(snake_case("MatMul"), "mat_mul");
  EXPECT_EQ(snake_case("Conv2D"), "conv2_d");
  EXPECT_EQ(snake_case("already_snake"), "already_snake");
  EXPECT_EQ(snake_case("Where"), "where");
}

}  // namespace
}  // namespace tilefoundry
