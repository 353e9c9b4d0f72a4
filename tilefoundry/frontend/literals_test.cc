#include "tilefoundry/frontend/literals.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tilefoundry/frontend/syntax_expr.h"

namespace tilefoundry {
namespace {

std::string value(std::string_view literal) {
  std::string out;
  const StringProblem problem = append_string_value(literal, out);
  return problem.message.empty() ? out : "problem at " + std::to_string(problem.range.begin);
}

TEST(Literals, integers) {
  EXPECT_EQ(integer_value("1_000").magnitude, 1000u);
  EXPECT_EQ(integer_value("0xfF").magnitude, 255u);
  EXPECT_EQ(integer_value("0o17").magnitude, 15u);
  EXPECT_EQ(integer_value("0B101").magnitude, 5u);
  EXPECT_EQ(integer_value("18446744073709551615").magnitude, UINT64_MAX);
  EXPECT_FALSE(integer_value("18446744073709551615").too_large);
  EXPECT_TRUE(integer_value("18446744073709551616").too_large);
  EXPECT_TRUE(integer_value("99999999999999999999999999").too_large);
}

TEST(Literals, the_least_int64_needs_its_sign) {
  IntegerSyntax node;
  node.magnitude = std::uint64_t{1} << 63;
  EXPECT_FALSE(node.as_int64().has_value());
  EXPECT_EQ(node.as_int64(true), INT64_MIN);
  node.magnitude = 7;
  EXPECT_EQ(node.as_int64(), 7);
  EXPECT_EQ(node.as_int64(true), -7);
}

TEST(Literals, floats) {
  EXPECT_EQ(float_value("1_0.5"), 10.5);
  EXPECT_EQ(float_value("1."), 1.0);
  EXPECT_EQ(float_value(".5e1"), 5.0);
  EXPECT_EQ(float_value("5e-324"), 5e-324);
  EXPECT_TRUE(std::isinf(float_value("1e999")));
  EXPECT_TRUE(std::isinf(float_value(std::string(400, '9') + ".0")));
  EXPECT_EQ(float_value("1e-999"), 0.0);
  EXPECT_EQ(float_value("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(float_value("0e999"), 0.0);
}

TEST(Literals, strings) {
  EXPECT_EQ(value(R"('a\n\t\\\'\"\x41\101\u010d\U0001F600\q')"), "a\n\t\\'\"AAč😀\\q");
  EXPECT_EQ(value(R"(r'\n\'')"), "\\n\\'");
  EXPECT_EQ(value("'a\\\r\nb'"), "ab");
  EXPECT_EQ(value("'''a\r\nb\rc'''"), "a\nb\nc");
  EXPECT_EQ(value("''"), "");
  EXPECT_EQ(value("\"\"\"\"a\"\"\""), "\"a");
  EXPECT_EQ(value(R"('\x4')"), "problem at 1");
  EXPECT_EQ(value(R"('a\ud800')"), "problem at 2");
  EXPECT_EQ(value(R"('\N{DOLLAR SIGN}')"), "problem at 1");
}

TEST(Literals, bytes) {
  EXPECT_EQ(value(R"(b'\xff\400\u0041')"), "\xff" + std::string(1, '\0') + "\\u0041");
  EXPECT_EQ(value("b'é'"), "problem at 2");
}

}  // namespace
}  // namespace tilefoundry
