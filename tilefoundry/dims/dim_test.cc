#include "tilefoundry/dims/dim.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

using Binding = std::map<std::string, std::int64_t>;

Dim bind(const Dim& dim, const Binding& values) {
  return substitute(
      dim, [&](const Ref<const DimNode>& node) { return Dim(values.at(node->as_var()->name)); });
}

TEST(Dim, DimVars_of_one_name_and_range_are_one_object) {
  EXPECT_EQ(dim_var("S", 1, 8), dim_var("S", 1, 8));
  EXPECT_NE(dim_var("S", 1, 8), dim_var("S", 1, 9));
  EXPECT_THROW(dim_var("", 1, 8), ValueError);
  EXPECT_THROW(dim_var("S", 4, 4), ValueError);
}

TEST(Dim, Equal_expressions_are_one_object) {
  const Dim s = dim_var("S", 1, 8);
  const Dim t = dim_var("T", 1, 8);
  EXPECT_EQ((s + t) * 2 - t, s * 2 + t);
  EXPECT_EQ(s - s, Dim(0));
  EXPECT_EQ((s + 1) * (t + 1), s * t + s + t + 1);
  EXPECT_EQ(floordiv(s * 4, Dim(4)), s);
  EXPECT_EQ(floordiv(s * t * 4, t * 4), s);
  EXPECT_EQ(floordiv(s * 8 + 5, Dim(4)), s * 2 + 1);
  EXPECT_EQ(mod(s * 8 + 5, Dim(4)), Dim(1));
  EXPECT_EQ(dim_min(s, s + 1), s);
  EXPECT_EQ(dim_max(s, s + 1), s + 1);
  EXPECT_EQ(dim_min(s, dim_min(t, s)), dim_min(t, s));
}

TEST(Dim, Ranges_never_simplify) {
  const Dim s = dim_var("S", 1, 4);
  EXPECT_FALSE(dim_min(s, Dim(100)).is_static());
  EXPECT_NE(dim_min(s, Dim(100)), s);
}

TEST(Dim, Text_of_the_language) {
  const Dim n = dim_var("N", 1, 4096);
  const Dim m = dim_var("M", 1, 4096);
  EXPECT_EQ((n * 2 + 1).text(), "N * 2 + 1");
  EXPECT_EQ((Dim(4) - n).text(), "4 - N");
  EXPECT_EQ((Dim(0) - n - 3).text(), "-N - 3");
  EXPECT_EQ(ceildiv(n, Dim(128)).text(), "ceildiv(N, 128)");
  EXPECT_EQ(ceildiv(n, m).text(), "ceildiv(N, M)");
  EXPECT_EQ((ceildiv(n, Dim(128)) + 1).text(), "ceildiv(N, 128) + 1");
  EXPECT_EQ(mod(n + m, Dim(7)).text(), "(M + N) % 7");
  EXPECT_EQ((floordiv(n, Dim(2)) * m).text(), "M * (N // 2)");
  EXPECT_EQ(dim_min(n, Dim(64)).text(), "min(N, 64)");
  EXPECT_EQ(shape_text({n}), "(N,)");
  EXPECT_EQ(shape_text({}), "()");
}

TEST(Dim, Overflow_is_an_error_and_not_a_wrap) {
  const Dim huge(INT64_MAX);
  EXPECT_THROW(huge + 1, ValueError);
  EXPECT_THROW(huge * 2, ValueError);
  EXPECT_THROW(floordiv(Dim(INT64_MIN), Dim(-1)), ValueError);
  EXPECT_THROW(floordiv(dim_var("S", 1, 8), Dim(0)), ValueError);
}

TEST(Dim, Division_follows_python) {
  // Expected values are CPython's.
  EXPECT_EQ(python_floordiv(-7, 3), -3);
  EXPECT_EQ(python_mod(-7, 3), 2);
  EXPECT_EQ(python_floordiv(7, -3), -3);
  EXPECT_EQ(python_mod(7, -3), -2);
  EXPECT_EQ(python_floordiv(-6, 3), -2);
  EXPECT_EQ(python_mod(-6, 3), 0);
}

TEST(Dim, Deep_nesting_is_refused_and_not_a_crash) {
  Dim d = dim_var("S", 1, 1000000);
  EXPECT_THROW(
      {
        for (int i = 0; i < 100000; ++i) d = floordiv(d + 1, Dim(2)) * 3;
      },
      ValueError);
}

// A random expression together with its value computed directly.
struct Sample {
  Dim dim;
  std::int64_t value;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {
    for (const char* name : {"A", "B", "C"}) values_[name] = pick(1, 40);
  }
  const Binding& values() const { return values_; }

  Sample sample(int depth) {
    if (depth == 0 || pick(0, 4) == 0) return leaf();
    const Sample a = sample(depth - 1);
    const Sample b = sample(depth - 1);
    switch (pick(0, 6)) {
      case 0: return {a.dim + b.dim, a.value + b.value};
      case 1: return {a.dim - b.dim, a.value - b.value};
      case 2: return {a.dim * b.dim, a.value * b.value};
      case 3: return {dim_min(a.dim, b.dim), std::min(a.value, b.value)};
      case 4: return {dim_max(a.dim, b.dim), std::max(a.value, b.value)};
      default: break;
    }
    const std::int64_t divisor = pick(1, 9) * (pick(0, 1) != 0 ? 1 : -1);
    if (pick(0, 1) != 0) {
      return {floordiv(a.dim, Dim(divisor)), python_floordiv(a.value, divisor)};
    }
    return {mod(a.dim, Dim(divisor)), python_mod(a.value, divisor)};
  }

 private:
  std::int64_t pick(std::int64_t lo, std::int64_t hi) {
    return std::uniform_int_distribution<std::int64_t>(lo, hi)(random_);
  }
  Sample leaf() {
    if (pick(0, 2) == 0) {
      const std::int64_t value = pick(-9, 9);
      return {Dim(value), value};
    }
    const std::string name(1, static_cast<char>('A' + pick(0, 2)));
    return {dim_var(name, 1, 41), values_.at(name)};
  }

  std::mt19937_64 random_;
  Binding values_;
};

TEST(Dim, Normal_form_keeps_the_value_on_random_expressions) {
  int symbolic = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Generator generator(seed);
    const Sample sample = generator.sample(4);
    symbolic += sample.dim.is_static() ? 0 : 1;
    EXPECT_EQ(bind(sample.dim, generator.values()), Dim(sample.value))
        << "seed " << seed << ": " << sample.dim.text();
    const DimBounds bounds = dim_bounds(sample.dim);
    EXPECT_LE(bounds.lo.value_or(sample.value), sample.value) << sample.dim.text();
    EXPECT_GE(bounds.hi.value_or(sample.value), sample.value) << sample.dim.text();
  }
  EXPECT_GT(symbolic, 1500);
}

}  // namespace
}  // namespace tilefoundry
