// Scalar ops of generated code against C++ on the host.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tilefoundry/codegen/codegen_test_support.h"
#include "tilefoundry/types/element.h"

namespace tilefoundry {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::nanf("");

// out[k, i] = kind_k(a[i], b[i]) for float kinds, one output per kind.
std::vector<HostArray> run_binary(const std::vector<BinaryKind>& kinds, DType dtype,
                                  const HostArray& a, const HostArray& b) {
  const Dim n = a.size();
  const VarRef x = param("a", {n}, dtype);
  const VarRef y = param("b", {n}, dtype);
  std::vector<VarRef> params{x, y};
  Block block;
  for (const BinaryKind kind : kinds) {
    const DType result = is_predicate(kind) ? DType(DType::boolean) : dtype;
    params.push_back(param("out", {n}, result));
    block.push_back(BlockItem::of(pointwise(
        {x, y}, params.back(), [kind](ScalarBuilder& builder, const std::vector<ExprRef>& v) {
          return builder.binary(kind, v[0], v[1]);
        })));
  }
  return compile_module(module_of(params, make_block(block), kinds.size()))({a.clone(), b.clone()});
}

std::vector<HostArray> run_unary(const std::vector<UnaryKind>& kinds, DType dtype,
                                 const HostArray& a) {
  const Dim n = a.size();
  const VarRef x = param("a", {n}, dtype);
  std::vector<VarRef> params{x};
  Block block;
  for (const UnaryKind kind : kinds) {
    params.push_back(param("out", {n}, dtype));
    block.push_back(BlockItem::of(pointwise(
        {x}, params.back(), [kind](ScalarBuilder& builder, const std::vector<ExprRef>& v) {
          return builder.unary(kind, v[0]);
        })));
  }
  return compile_module(module_of(params, make_block(block), kinds.size()))({a.clone()});
}

bool same(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

TEST(CpuScalar, float_arithmetic) {
  const std::vector<float> a{1, -7, 7.5f, 0, -0.0f, kInf, 3, kNan, 1e30f, -6};
  const std::vector<float> b{2, 3, -2, -0.0f, 5, 1, kNan, 3, 1e30f, -3};
  const auto n = static_cast<std::int64_t>(a.size());
  using K = BinaryKind;
  const auto out = run_binary(
      {K::add, K::sub, K::mul, K::div, K::min, K::max, K::floor_div, K::mod, K::cmp_lt, K::cmp_ne},
      DType::f32, floats({n}, a), floats({n}, b));
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool nan = std::isnan(a[i]) || std::isnan(b[i]);
    EXPECT_TRUE(same(out[0].values<float>()[i], a[i] + b[i])) << i;
    EXPECT_TRUE(same(out[1].values<float>()[i], a[i] - b[i])) << i;
    EXPECT_TRUE(same(out[2].values<float>()[i], a[i] * b[i])) << i;
    EXPECT_TRUE(same(out[3].values<float>()[i], a[i] / b[i])) << i;
    EXPECT_EQ(out[4].values<float>()[i] == std::min(a[i], b[i]), !nan) << i;
    EXPECT_EQ(out[5].values<float>()[i] == std::max(a[i], b[i]), !nan) << i;
    EXPECT_EQ(out[8].values<std::uint8_t>()[i], a[i] < b[i] ? 1 : 0) << i;
    EXPECT_EQ(out[9].values<std::uint8_t>()[i], a[i] != b[i] ? 1 : 0) << i;
  }
  EXPECT_EQ(out[6].values<float>()[1], -3.0f);  // -7 // 3
  EXPECT_EQ(out[7].values<float>()[1], 2.0f);   // -7 % 3
  EXPECT_EQ(out[6].values<float>()[2], -4.0f);  // 7.5 // -2
  EXPECT_EQ(out[7].values<float>()[2], -0.5f);
}

template <class T>
void check_integers(DType dtype) {
  const T least = std::numeric_limits<T>::min();
  const T most = std::numeric_limits<T>::max();
  const std::vector<T> a{-7, 7, -7, 5, least, most, least, 0};
  const std::vector<T> b{3, -3, -3, 0, -1, 2, most, least};
  const auto n = static_cast<std::int64_t>(a.size());
  const std::string name(dtype.name());
  using K = BinaryKind;
  const std::vector<HostArray> out =
      run_binary({K::add, K::sub, K::mul, K::floor_div, K::mod, K::min, K::max}, dtype,
                 array_of<T>(name, {n}, a), array_of<T>(name, {n}, b));
  const std::vector<T> quotients{-3, -3, 2, 0, least, static_cast<T>(most / 2), -2, 0};
  const std::vector<T> remainders{2, -2, -1, 0, 0, 1, static_cast<T>(most - 1), 0};
  using U = std::make_unsigned_t<T>;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(out[0].values<T>()[i], static_cast<T>(U(a[i]) + U(b[i]))) << i;
    EXPECT_EQ(out[1].values<T>()[i], static_cast<T>(U(a[i]) - U(b[i]))) << i;
    EXPECT_EQ(out[2].values<T>()[i], static_cast<T>(U(a[i]) * U(b[i]))) << i;
    EXPECT_EQ(out[3].values<T>()[i], quotients[i]) << i;
    EXPECT_EQ(out[4].values<T>()[i], remainders[i]) << i;
    EXPECT_EQ(out[5].values<T>()[i], std::min(a[i], b[i])) << i;
    EXPECT_EQ(out[6].values<T>()[i], std::max(a[i], b[i])) << i;
  }
  const std::vector<HostArray> one =
      run_unary({UnaryKind::neg, UnaryKind::abs, UnaryKind::relu, UnaryKind::square}, dtype,
                array_of<T>(name, {n}, a));
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(one[0].values<T>()[i], static_cast<T>(U(0) - U(a[i])));
    EXPECT_EQ(one[1].values<T>()[i], a[i] < 0 ? static_cast<T>(U(0) - U(a[i])) : a[i]);
    EXPECT_EQ(one[2].values<T>()[i], std::max<T>(a[i], 0));
    EXPECT_EQ(one[3].values<T>()[i], static_cast<T>(U(a[i]) * U(a[i])));
  }
}

TEST(CpuScalar, i32_wraps_and_divides_like_python) { check_integers<std::int32_t>(DType::i32); }
TEST(CpuScalar, i64_wraps_and_divides_like_python) { check_integers<std::int64_t>(DType::i64); }

TEST(CpuScalar, float_functions) {
  const std::vector<float> a{0.25f, 1, 2.5f, -2.5f, 0.1f, 3.5f, -0.5f, 10};
  using K = UnaryKind;
  const std::vector<K> kinds{K::neg,     K::abs,      K::rsqrt,  K::relu,  K::square, K::exp,
                             K::log,     K::ceil,     K::floor,  K::round, K::exp2,   K::log2,
                             K::log1p,   K::sqrt,     K::sin,    K::cos,   K::erf,    K::tanh,
                             K::sigmoid, K::softplus, K::normcdf};
  const auto out = run_unary(kinds, DType::f32, floats({8}, a));
  const auto expected = [](K kind, double x) -> double {
    switch (kind) {
      case K::neg: return -x;
      case K::abs: return std::fabs(x);
      case K::rsqrt: return 1 / std::sqrt(x);
      case K::relu: return x > 0 ? x : 0;
      case K::square: return x * x;
      case K::exp: return std::exp(x);
      case K::log: return std::log(x);
      case K::ceil: return std::ceil(x);
      case K::floor: return std::floor(x);
      case K::round: return std::nearbyint(x);
      case K::exp2: return std::exp2(x);
      case K::log2: return std::log2(x);
      case K::log1p: return std::log1p(x);
      case K::sqrt: return std::sqrt(x);
      case K::sin: return std::sin(x);
      case K::cos: return std::cos(x);
      case K::erf: return std::erf(x);
      case K::tanh: return std::tanh(x);
      case K::softplus: return std::log1p(std::exp(x));
      case K::normcdf: return 0.5 * std::erfc(-x / std::sqrt(2.0));
      default: return 1 / (1 + std::exp(-x));
    }
  };
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double want = expected(kinds[k], a[i]);
      const float got = out[k].values<float>()[i];
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(got)) << enum_name(kinds[k]) << "(" << a[i] << ")";
      } else {
        EXPECT_NEAR(got, want, 4e-7 * std::max(1.0, std::fabs(want)))
            << enum_name(kinds[k]) << "(" << a[i] << ")";
      }
    }
  }
}

TEST(CpuScalar, narrow_floats_round_after_every_operation) {
  for (const DType dtype : {DType(DType::bf16), DType(DType::f16)}) {
    const std::string name(dtype.name());
    const std::vector<float> a = pattern(100, 3);
    const std::vector<float> b = pattern(100, 4);
    HostArray x = HostArray::make(name, {100});
    HostArray y = HostArray::make(name, {100});
    for (int i = 0; i < 100; ++i) {
      store_float(dtype, x.buffer.data() + 2 * i, a[static_cast<std::size_t>(i)]);
      store_float(dtype, y.buffer.data() + 2 * i, b[static_cast<std::size_t>(i)]);
    }
    const VarRef p = param("a", {100}, dtype);
    const VarRef q = param("b", {100}, dtype);
    const VarRef out = param("out", {100}, dtype);
    const ModuleRef module = module_of(
        {p, q, out},
        pointwise({p, q}, out, [](ScalarBuilder& builder, const std::vector<ExprRef>& v) {
          return builder.binary(BinaryKind::add, builder.binary(BinaryKind::mul, v[0], v[1]), v[1]);
        }));
    const auto result = compile_module(module)({x.clone(), y.clone()});
    for (int i = 0; i < 100; ++i) {
      const double u = load_float(dtype, x.buffer.data() + 2 * i);
      const double v = load_float(dtype, y.buffer.data() + 2 * i);
      const float product = round_to(dtype, static_cast<float>(u * v));
      const float want = round_to(dtype, static_cast<float>(product + v));
      EXPECT_EQ(load_float(dtype, result[0].buffer.data() + 2 * i), want) << name << i;
    }
  }
}

TEST(CpuScalar, casts_between_all_dtypes) {
  const std::vector<DType> dtypes{DType::f32, DType::f16, DType::bf16,
                                  DType::i32, DType::i64, DType::boolean};
  const std::vector<double> numbers{0,    1,    -1,    2.5, -2.5,  100,   3e9,
                                    -3e9, 1e30, -1e30, 257, 70000, 65519, 16777217};
  const auto n = static_cast<std::int64_t>(numbers.size());
  for (const DType from : dtypes) {
    const VarRef x = param("x", {n}, from);
    std::vector<VarRef> params{x};
    Block block;
    for (const DType to : dtypes) {
      params.push_back(param("out", {n}, to));
      block.push_back(BlockItem::of(pointwise(
          {x}, params.back(), [to](ScalarBuilder& builder, const std::vector<ExprRef>& v) {
            return builder.cast(to, v[0]);
          })));
    }
    HostArray input = HostArray::make(std::string(from.name()), {n});
    const std::size_t size = element_size(from);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      store_float(from, input.buffer.data() + i * size, numbers[i]);
    }
    const auto out =
        compile_module(module_of(params, make_block(block), dtypes.size()))({input.clone()});
    for (std::size_t d = 0; d < dtypes.size(); ++d) {
      const std::size_t out_size = element_size(dtypes[d]);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        std::byte want[8] = {};
        const std::byte* element = input.buffer.data() + i * size;
        if (from.is_float()) {
          store_float(dtypes[d], want, load_float(from, element));
        } else {
          store_int(dtypes[d], want, load_int(from, element));
        }
        const std::byte* got = out[d].buffer.data() + i * out_size;
        EXPECT_TRUE(std::equal(got, got + out_size, want))
            << from.name() << " to " << dtypes[d].name() << " of " << numbers[i];
      }
    }
  }
}

TEST(CpuScalar, select_and_logic) {
  const VarRef a = param("a", {4}, DType::boolean);
  const VarRef b = param("b", {4}, DType::boolean);
  const VarRef out = param("out", {4}, DType::i32);
  const ModuleRef module = module_of(
      {a, b, out}, pointwise({a, b}, out, [](ScalarBuilder& s, const std::vector<ExprRef>& v) {
        const ExprRef both =
            s.binary(BinaryKind::logical_and, v[0], s.unary(UnaryKind::logical_not, v[1]));
        return s.select(both, s.constant(DType::i32, 7), s.constant(DType::i32, -8));
      }));
  const auto result = compile_module(module)(
      {array_of<std::uint8_t>(std::string(DType(DType::boolean).name()), {4}, {0, 0, 1, 1}),
       array_of<std::uint8_t>(std::string(DType(DType::boolean).name()), {4}, {0, 1, 0, 1})});
  EXPECT_EQ(values_of<std::int32_t>(result[0]), (std::vector<std::int32_t>{-8, -8, 7, -8}));
}

TEST(CpuScalar, constants_keep_their_bits) {
  const std::vector<float> values{0.1f, -0.0f, kInf, -kInf, kNan, 1e-45f, 16777216.0f, 3.4e38f};
  std::vector<VarRef> params;
  Block block;
  for (const float value : values) {
    params.push_back(param("out", {1}));
    block.push_back(BlockItem::of(store(params.back(), Constant::scalar(DType::f32, value), {0})));
  }
  params.push_back(param("least", {1}, DType::i64));
  block.push_back(BlockItem::of(
      store(params.back(),
            Constant::scalar_int(DType::i64, std::numeric_limits<std::int64_t>::min()), {0})));
  const auto out = compile_module(module_of(params, make_block(block), params.size()))(Arrays());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_TRUE(same(out[i].values<float>()[0], values[i])) << values[i];
  }
  EXPECT_EQ(out.back().values<std::int64_t>()[0], std::numeric_limits<std::int64_t>::min());
}

}  // namespace
}  // namespace tilefoundry
