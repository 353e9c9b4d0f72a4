#include "tilefoundry/frontend/arithmetic.h"

#include <gtest/gtest.h>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

using Op = BinaryOperator;

std::string code_of(Op op, const Value& a, const Value& b) {
  try {
    static_binary(op, a, b, Span());
  } catch (const ParseError& error) {
    return error.diagnostic().code;
  }
  return "";
}

struct IntRow {
  Op op;
  std::int64_t a;
  std::int64_t b;
  std::int64_t result;
};
struct ErrorRow {
  Op op;
  std::int64_t a;
  std::int64_t b;
  const char* code;
};
struct FloatRow {
  Op op;
  double a;
  double b;
  double result;
};

// Results computed by CPython 3.11.
constexpr IntRow kIntegers[] = {
    {Op::add, INT64_MIN, 1, -9223372036854775807},
    {Op::add, INT64_MIN, 2, -9223372036854775806},
    {Op::add, -7, 1, -6},
    {Op::add, -3, -7, -10},
    {Op::add, -3, 1, -2},
    {Op::add, -1, 3, 2},
    {Op::add, -1, 7, 6},
    {Op::add, -1, 9223372036854775807, 9223372036854775806},
    {Op::add, 1, 1, 2},
    {Op::add, 2, -7, -5},
    {Op::add, 2, 1, 3},
    {Op::add, 2, 7, 9},
    {Op::add, 3, -7, -4},
    {Op::add, 3, 1, 4},
    {Op::add, 3, 3, 6},
    {Op::add, 7, 1, 8},
    {Op::add, 7, 3, 10},
    {Op::add, 7, 7, 14},
    {Op::add, 9223372036854775807, -7, 9223372036854775800},
    {Op::add, 9223372036854775807, -3, 9223372036854775804},
    {Op::subtract, -7, -1, -6},
    {Op::subtract, -7, 2, -9},
    {Op::subtract, -3, 2, -5},
    {Op::subtract, -3, 3, -6},
    {Op::subtract, 0, -7, 7},
    {Op::subtract, 0, 7, -7},
    {Op::subtract, 1, -7, 8},
    {Op::subtract, 1, 3, -2},
    {Op::subtract, 2, -1, 3},
    {Op::subtract, 2, 1, 1},
    {Op::subtract, 2, 7, -5},
    {Op::subtract, 3, 0, 3},
    {Op::subtract, 7, -1, 8},
    {Op::subtract, 7, 0, 7},
    {Op::subtract, 9223372036854775807, 9223372036854775807, 0},
    {Op::multiply, -7, -3, 21},
    {Op::multiply, -3, 1, -3},
    {Op::multiply, -3, 7, -21},
    {Op::multiply, -1, -1, 1},
    {Op::multiply, -1, 2, -2},
    {Op::multiply, 0, -1, 0},
    {Op::multiply, 0, 0, 0},
    {Op::multiply, 0, 1, 0},
    {Op::multiply, 0, 2, 0},
    {Op::multiply, 0, 3, 0},
    {Op::multiply, 1, INT64_MIN, INT64_MIN},
    {Op::multiply, 1, 7, 7},
    {Op::multiply, 2, 0, 0},
    {Op::multiply, 2, 1, 2},
    {Op::multiply, 7, -3, -21},
    {Op::floor_divide, INT64_MIN, INT64_MIN, 1},
    {Op::floor_divide, INT64_MIN, -3, 3074457345618258602},
    {Op::floor_divide, INT64_MIN, 1, INT64_MIN},
    {Op::floor_divide, INT64_MIN, 2, -4611686018427387904},
    {Op::floor_divide, INT64_MIN, 3, -3074457345618258603},
    {Op::floor_divide, INT64_MIN, 9223372036854775807, -2},
    {Op::floor_divide, -7, INT64_MIN, 0},
    {Op::floor_divide, -7, -3, 2},
    {Op::floor_divide, -7, 9223372036854775807, -1},
    {Op::floor_divide, -3, -1, 3},
    {Op::floor_divide, -3, 2, -2},
    {Op::floor_divide, -1, -7, 0},
    {Op::floor_divide, 0, INT64_MIN, 0},
    {Op::floor_divide, 0, 1, 0},
    {Op::floor_divide, 1, -1, -1},
    {Op::floor_divide, 2, INT64_MIN, -1},
    {Op::floor_divide, 2, -3, -1},
    {Op::floor_divide, 3, 1, 3},
    {Op::floor_divide, 3, 7, 0},
    {Op::floor_divide, 7, -3, -3},
    {Op::modulo, INT64_MIN, 2, 0},
    {Op::modulo, -7, 1, 0},
    {Op::modulo, -7, 2, 1},
    {Op::modulo, -3, -3, 0},
    {Op::modulo, -3, 2, 1},
    {Op::modulo, -1, -7, -1},
    {Op::modulo, -1, 3, 2},
    {Op::modulo, 1, -7, -6},
    {Op::modulo, 1, 3, 1},
    {Op::modulo, 2, INT64_MIN, -9223372036854775806},
    {Op::modulo, 2, -1, 0},
    {Op::modulo, 2, 1, 0},
    {Op::modulo, 3, -1, 0},
    {Op::modulo, 7, -1, 0},
    {Op::modulo, 9223372036854775807, 2, 1},
    {Op::modulo, 9223372036854775807, 3, 1},
};
constexpr ErrorRow kErrors[] = {
    {Op::subtract, -7, 9223372036854775807, "TF2032"},
    {Op::multiply, INT64_MIN, -1, "TF2032"},
    {Op::multiply, -7, INT64_MIN, "TF2032"},
    {Op::multiply, 2, INT64_MIN, "TF2032"},
    {Op::multiply, 9223372036854775807, -3, "TF2032"},
    {Op::floor_divide, INT64_MIN, -1, "TF2032"},
    {Op::floor_divide, 1, 0, "TF2031"},
    {Op::floor_divide, 3, 0, "TF2031"},
    {Op::modulo, INT64_MIN, 0, "TF2031"},
    {Op::modulo, -1, 0, "TF2031"},
    {Op::modulo, 3, 0, "TF2031"},
    {Op::modulo, 9223372036854775807, 0, "TF2031"},
};
constexpr FloatRow kFloats[] = {
    {Op::floor_divide, -7.5, -7.5, 1.0},
    {Op::floor_divide, -7.5, -1.0, 7.0},
    {Op::floor_divide, -1.0, -7.5, 0.0},
    {Op::floor_divide, -1.0, -0.5, 2.0},
    {Op::floor_divide, -1.0, 3.5, -1.0},
    {Op::floor_divide, -1.0, 1e+300, -1.0},
    {Op::floor_divide, -0.5, -1.0, 0.0},
    {Op::floor_divide, 0.25, 2.0, 0.0},
    {Op::floor_divide, 2.0, -0.5, -4.0},
    {Op::floor_divide, 3.5, -1.0, -4.0},
    {Op::floor_divide, 3.5, 0.25, 14.0},
    {Op::floor_divide, 1e+300, 0.25, 4e+300},
    {Op::floor_divide, 1e+300, 1e+300, 1.0},
    {Op::modulo, -7.5, -1.0, -0.5},
    {Op::modulo, -7.5, -0.5, -0.0},
    {Op::modulo, -1.0, -1.0, -0.0},
    {Op::modulo, 0.25, -7.5, -7.25},
    {Op::modulo, 0.25, -1.0, -0.75},
    {Op::modulo, 0.25, -0.5, -0.25},
    {Op::modulo, 0.25, 0.25, 0.0},
    {Op::modulo, 0.25, 2.0, 0.25},
    {Op::modulo, 3.5, -7.5, -4.0},
    {Op::modulo, 1e+300, -7.5, -0.0},
    {Op::modulo, 1e+300, -1.0, -0.0},
    {Op::modulo, 1e+300, -0.5, -0.0},
    {Op::modulo, 1e+300, 2.0, 0.0},
    {Op::modulo, 1e+300, 1e+300, 0.0},
    {Op::divide, -7.5, -7.5, 1.0},
    {Op::divide, -7.5, -1.0, 7.5},
    {Op::divide, -7.5, 0.25, -30.0},
    {Op::divide, -7.5, 2.0, -3.75},
    {Op::divide, -7.5, 3.5, -2.142857142857143},
    {Op::divide, -7.5, 1e+300, -7.5e-300},
    {Op::divide, -1.0, -1.0, 1.0},
    {Op::divide, -1.0, -0.5, 2.0},
    {Op::divide, -1.0, 1e+300, -1e-300},
    {Op::divide, -0.5, -0.5, 1.0},
    {Op::divide, -0.5, 2.0, -0.25},
    {Op::divide, -0.5, 3.5, -0.14285714285714285},
    {Op::divide, 0.25, -7.5, -0.03333333333333333},
    {Op::divide, 0.25, 0.25, 1.0},
    {Op::divide, 0.25, 2.0, 0.125},
    {Op::divide, 0.25, 1e+300, 2.5e-301},
    {Op::divide, 2.0, 2.0, 1.0},
    {Op::divide, 2.0, 3.5, 0.5714285714285714},
    {Op::divide, 3.5, -0.5, -7.0},
    {Op::divide, 3.5, 1e+300, 3.4999999999999995e-300},
    {Op::divide, 1e+300, -7.5, -1.3333333333333334e+299},
    {Op::divide, 1e+300, -1.0, -1e+300},
    {Op::divide, 1e+300, -0.5, -2e+300},
    {Op::divide, 1e+300, 0.25, 4e+300},
    {Op::divide, 1e+300, 2.0, 5e+299},
    {Op::power, -1.0, 2.0, 1.0},
    {Op::power, -1.0, 1e+300, 1.0},
    {Op::power, -0.5, 2.0, 0.25},
    {Op::power, 0.25, 3.5, 0.0078125},
    {Op::power, 2.0, -1.0, 0.5},
    {Op::power, 2.0, -0.5, 0.7071067811865476},
    {Op::power, 3.5, -1.0, 0.2857142857142857},
    {Op::power, 3.5, 0.25, 1.3677823998673804},
    {Op::power, 1e+300, -7.5, 0.0},
    {Op::power, 1e+300, -1.0, 1e-300},
};

TEST(Arithmetic, integers_are_those_of_python) {
  for (const IntRow& row : kIntegers) {
    const Value result = static_binary(row.op, row.a, row.b, Span());
    ASSERT_TRUE(result.is<std::int64_t>());
    EXPECT_EQ(*result.as<std::int64_t>(), row.result)
        << row.a << " " << operator_text(row.op) << " " << row.b;
  }
  for (const ErrorRow& row : kErrors) EXPECT_EQ(code_of(row.op, row.a, row.b), row.code);
}

TEST(Arithmetic, floats_are_those_of_python) {
  for (const FloatRow& row : kFloats) {
    const Value result = static_binary(row.op, row.a, row.b, Span());
    ASSERT_TRUE(result.is<double>());
    EXPECT_EQ(*result.as<double>(), row.result)
        << row.a << " " << operator_text(row.op) << " " << row.b;
  }
}

TEST(Arithmetic, dimensions_stay_symbolic) {
  const Value s(dim_var("S", 1, 8));
  const Value doubled = static_binary(Op::multiply, s, std::int64_t{2}, Span());
  EXPECT_EQ(doubled.as<Dim>()->text(), "S * 2");
  const Value zero = static_binary(Op::subtract, doubled, doubled, Span());
  EXPECT_EQ(*zero.as<std::int64_t>(), 0);
  EXPECT_EQ(code_of(Op::divide, s, std::int64_t{2}), "TF2030");
  EXPECT_TRUE(static_compare(CompareOperator::equal, s, s, Span()));
  EXPECT_THROW(static_compare(CompareOperator::equal, s, std::int64_t{4}, Span()), ParseError);
}

TEST(Arithmetic, bools_count_as_numbers_and_stay_bools_in_logic) {
  EXPECT_EQ(*static_binary(Op::add, true, true, Span()).as<std::int64_t>(), 2);
  EXPECT_TRUE(static_binary(Op::bit_and, true, false, Span()).is<bool>());
  EXPECT_TRUE(static_binary(Op::bit_and, true, std::int64_t{3}, Span()).is<std::int64_t>());
}

TEST(Arithmetic, sequences) {
  const Value pair = Value::tuple({std::int64_t{1}, std::int64_t{2}});
  EXPECT_EQ(static_binary(Op::multiply, std::int64_t{3}, pair, Span()).items()->size(), 6U);
  EXPECT_EQ(static_binary(Op::add, pair, pair, Span()).items()->size(), 4U);
  EXPECT_EQ(code_of(Op::add, pair, Value::list({})), "TF2030");
  EXPECT_EQ(code_of(Op::multiply, pair, std::int64_t{1} << 40), "TF2032");
}

}  // namespace
}  // namespace tilefoundry
