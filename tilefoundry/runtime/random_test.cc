#include "tilefoundry/runtime/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

// Known answers of Random123 (kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, known_answers) {
  using Words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox4x32({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomArray, floats_have_the_moments_of_a_normal) {
  const HostArray array = random_array("f32", {1 << 18}, 1, 0);
  double sum = 0;
  double squares = 0;
  double fourth = 0;
  const auto n = static_cast<double>(array.size());
  for (std::int64_t i = 0; i < array.size(); ++i) {
    const double x = array.values<float>()[i];
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  // Five standard errors of each.
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(fourth / n, 3, 5 * std::sqrt(96 / n));
}

TEST(RandomArray, depends_on_seed_and_input_and_not_on_threads) {
  const auto bytes = [](const HostArray& array) {
    return std::string(reinterpret_cast<const char*>(array.buffer.data()), array.buffer.size());
  };
  ::setenv("TILEFOUNDRY_THREADS", "1", 1);
  const std::string serial = bytes(random_array("f32", {30000}, 7, 2));
  ::setenv("TILEFOUNDRY_THREADS", "4", 1);
  EXPECT_EQ(bytes(random_array("f32", {30000}, 7, 2)), serial);
  ::unsetenv("TILEFOUNDRY_THREADS");
  EXPECT_NE(bytes(random_array("f32", {30000}, 8, 2)), serial);
  EXPECT_NE(bytes(random_array("f32", {30000}, 7, 3)), serial);
  // A longer array begins with the shorter one.
  EXPECT_EQ(bytes(random_array("f32", {40000}, 7, 2)).substr(0, serial.size()), serial);
}

TEST(RandomArray, integers_stay_in_their_range_and_reach_all_of_it) {
  const HostArray array = random_array("i32", {1000}, 1, 0);
  std::array<int, 8> seen{};
  for (int i = 0; i < 1000; ++i) {
    const std::int32_t value = array.values<std::int32_t>()[i];
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 8);
    ++seen[static_cast<std::size_t>(value)];
  }
  for (const int count : seen) EXPECT_GT(count, 80);
  const HostArray wide = random_array(
      "i64", {1000}, 1, 0,
      {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()});
  int negative = 0;
  for (int i = 0; i < 1000; ++i) negative += wide.values<std::int64_t>()[i] < 0 ? 1 : 0;
  EXPECT_NEAR(negative, 500, 80);
  const HostArray shifted = random_array("i8", {100}, 1, 0, {-3, -1});
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(shifted.values<std::int8_t>()[i] == -3 || shifted.values<std::int8_t>()[i] == -2);
  }
}

TEST(RandomArray, booleans_are_0_or_1) {
  const HostArray array = random_array("bool", {1000}, 1, 0);
  int ones = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_LE(array.values<std::uint8_t>()[i], 1);
    ones += array.values<std::uint8_t>()[i];
  }
  EXPECT_NEAR(ones, 500, 80);
}

TEST(RandomArray, refusals) {
  EXPECT_THROW(random_array("i32", {1}, 1, 0, {3, 3}), ValueError);
  EXPECT_THROW(random_array("i8", {1}, 1, 0, {0, 1000}), ValueError);
  EXPECT_THROW(random_array("fp8e4m3", {1}, 1, 0), ValueError);
  EXPECT_THROW(random_array("f33", {1}, 1, 0), ValueError);
}

}  // namespace
}  // namespace tilefoundry
