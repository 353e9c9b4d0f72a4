#include "tilefoundry/types/type.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/types/element.h"

namespace tilefoundry {
namespace {

TEST(DType, I42_names_give_the_one_descriptor_and_unknown_ones_are_refused) {
  for (const std::string& name : DType::names()) EXPECT_EQ(DType::from_name(name).name(), name);
  EXPECT_EQ(DType::names().size(), 13U);
  EXPECT_THROW(DType::from_name("fp32"), ValueError);
}

TEST(Type, Equal_types_are_one_object) {
  const auto a = TensorType::make({4, dim_var("S", 1, 8)}, DType::f32);
  EXPECT_EQ(a, TensorType::make({4, dim_var("S", 1, 8)}, DType::f32));
  EXPECT_NE(a, a->with_dtype(DType::f16));
  EXPECT_NE(a, a->with_storage(StorageKind::smem));
  EXPECT_THROW(TensorType::make({-1}, DType::f32), ValueError);
}

TEST(Type, Counts_and_bytes) {
  const auto type = TensorType::make({3, 5}, DType::bf16);
  EXPECT_EQ(numel(type), 15);
  EXPECT_EQ(tensor_bytes(type), 30);
  EXPECT_EQ(tensor_bytes(TensorType::make({3}, DType::u4)), 2);
  EXPECT_EQ(tensor_bytes(TensorType::make({3}, DType::boolean)), 3);
  EXPECT_EQ(tensor_bytes(TupleType::make({type, type})), 60);
  EXPECT_EQ(numel(TensorType::make({std::int64_t{1} << 40, 0, std::int64_t{1} << 40}, DType::f32)),
            0);
  EXPECT_THROW(numel(TensorType::make({std::int64_t{1} << 40, std::int64_t{1} << 40}, DType::f32)),
               ValueError);
  EXPECT_THROW(numel(TensorType::make({dim_var("S", 1, 8)}, DType::f32)), ValueError);
}

// The definition of the format, evaluated in double.
double f16_value(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * INFINITY;
  if (exponent == 0) return sign * mantissa * std::pow(2.0, -24);
  return sign * (1 + mantissa / 1024.0) * std::pow(2.0, exponent - 15);
}

TEST(Element, All_f16_values_survive_the_round_trip) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = f16_to_float(half);
    const double wanted = f16_value(half);
    if (std::isnan(wanted)) {
      EXPECT_TRUE(std::isnan(value));
      EXPECT_TRUE(std::isnan(f16_to_float(f16_from_float(value))));
      continue;
    }
    ASSERT_EQ(value, wanted) << bits;
    ASSERT_EQ(f16_from_float(value), half) << bits;
  }
}

TEST(Element, Rounding_is_to_nearest_with_ties_to_even) {
  EXPECT_EQ(f16_from_float(2049.0F), f16_from_float(2048.0F));
  EXPECT_EQ(f16_from_float(2051.0F), f16_from_float(2052.0F));
  EXPECT_EQ(f16_to_float(f16_from_float(65519.0F)), 65504.0F);
  EXPECT_TRUE(std::isinf(f16_to_float(f16_from_float(65520.0F))));
  EXPECT_EQ(bf16_from_float(1.00390625F), 0x3F80);  // halfway between 0x3F80 and 0x3F81
  EXPECT_EQ(bf16_from_float(1.01171875F), 0x3F82);  // halfway between 0x3F81 and 0x3F82
  EXPECT_EQ(round_to(DType::bf16, 1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7F);
  EXPECT_TRUE(std::isnan(bf16_to_float(bf16_from_float(std::nanf("")))));
  EXPECT_EQ(std::signbit(bf16_to_float(bf16_from_float(-0.0F))), true);
}

// The compiler's own conversion is the oracle.
std::uint16_t f16_bits(double value) { return f16_from_float(round_to(DType::f16, value)); }
std::uint16_t bf16_bits(double value) { return bf16_from_float(round_to(DType::bf16, value)); }

TEST(Element, f16_agrees_with_the_compiler) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    _Float16 value;
    std::memcpy(&value, &half, 2);
    const auto exact = static_cast<double>(value);
    if (!std::isfinite(exact)) continue;
    ASSERT_EQ(f16_bits(exact), half);
    if (exact == 0) continue;
    for (const double nudge : {0.5, 0.25, 0.75, 0.5000001}) {
      // Between this value and the next one away from zero.
      const double unit = std::max(std::ldexp(1.0, std::ilogb(exact) - 10), 0x1p-24);
      const double between = exact + std::copysign(unit * nudge, exact);
      const auto rounded = static_cast<_Float16>(between);
      std::uint16_t expected;
      std::memcpy(&expected, &rounded, 2);
      ASSERT_EQ(f16_bits(between), expected) << between;
    }
  }
  EXPECT_EQ(f16_bits(1e9), 0x7c00);
  EXPECT_EQ(f16_bits(-1e-9), 0x8000);
  EXPECT_EQ(f16_bits(std::nan("")) & 0x7e00, 0x7e00);
}

TEST(Element, bf16_rounds_ties_to_even) {
  EXPECT_EQ(bf16_bits(1.0), 0x3f80);
  EXPECT_EQ(bf16_bits(1.0 + 0x1p-8), 0x3f80);
  EXPECT_EQ(bf16_bits(1.0 + 3 * 0x1p-8), 0x3f82);
  EXPECT_EQ(bf16_bits(1.0 + 0x1p-8 + 0x1p-40), 0x3f81);
  EXPECT_EQ(bf16_bits(-0.0), 0x8000);
  EXPECT_EQ(bf16_bits(0x1p-133), 0x0001);
  EXPECT_EQ(bf16_bits(3.4e38), 0x7f80);
  EXPECT_EQ(bf16_bits(INFINITY), 0x7f80);
}

TEST(Element, Float_to_integer_truncates_and_saturates) {
  EXPECT_EQ(saturating_int(DType::i32, -7.9), -7);
  EXPECT_EQ(saturating_int(DType::i32, 3e10), INT32_MAX);
  EXPECT_EQ(saturating_int(DType::i64, -1e30), INT64_MIN);
  EXPECT_EQ(saturating_int(DType::i32, std::nan("")), 0);
}

}  // namespace
}  // namespace tilefoundry
