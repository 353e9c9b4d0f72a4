#include "tilefoundry/ops/binary.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tilefoundry/ops/ops_test_support.h"

namespace tilefoundry {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::int64_t kLeast32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kLeast64 = std::numeric_limits<std::int64_t>::min();

OpRef binary(BinaryKind kind) { return make_op(Binary{.kind = kind}); }
TypeRef f32(Shape shape) { return tensor_type(std::move(shape), DType::f32); }

double scalar(BinaryKind kind, double a, double b, DType dtype = DType::f32) {
  return evaluated(binary(kind), {float_tensor(dtype, {}, {a}), float_tensor(dtype, {}, {b})})
      .float_at(0);
}
std::int64_t scalar_int(BinaryKind kind, std::int64_t a, std::int64_t b, DType dtype = DType::i32) {
  return evaluated(binary(kind), {int_tensor(dtype, {}, {a}), int_tensor(dtype, {}, {b})})
      .int_at(0);
}

TEST(Binary, broadcast_takes_both_extents) {
  EXPECT_EQ(result_type(binary(BinaryKind::add), {f32({4, 1}), f32({1, 8})}), f32({4, 8}));
  EXPECT_EQ(result_type(binary(BinaryKind::add), {f32({8}), f32({3, 1, 8})}), f32({3, 1, 8}));
  EXPECT_EQ(result_type(binary(BinaryKind::mul), {f32({}), f32({2, 0})}), f32({2, 0}));
  EXPECT_EQ(result_type(binary(BinaryKind::mul), {f32({1}), f32({0})}), f32({0}));
}

TEST(Binary, V36_domain_of_a_static_add) {
  const auto relation = relation_of(binary(BinaryKind::add), {f32({4, 6}), f32({4, 6})});
  EXPECT_EQ(relation.domain(), IslSet::parse("{ [i, j] : 0 <= i < 4 and 0 <= j < 6 }"));
  ASSERT_EQ(relation.accesses().size(), 3U);
}

TEST(Binary, V42_the_result_holds_the_operands_dimensions) {
  const Dim s = dim_var("S", 1, 64);
  const Dim t = dim_var("T", 1, 64);
  const auto one = result_type(binary(BinaryKind::add), {f32({s * 2}), f32({s * 2})});
  EXPECT_EQ(one->shape(), Shape({s * 2}));
  const auto two = result_type(binary(BinaryKind::add), {f32({s * 2, 1}), f32({1, t + 1})});
  EXPECT_EQ(two->shape(), Shape({s * 2, t + 1}));
}

TEST(Binary, comparisons_and_logic_give_bool) {
  EXPECT_EQ(result_type(binary(BinaryKind::cmp_lt), {f32({4}), f32({4})})->dtype(),
            DType(DType::boolean));
  const TypeRef flags = tensor_type({4}, DType::boolean);
  EXPECT_EQ(result_type(binary(BinaryKind::logical_or), {flags, flags}), flags);
}

TEST(Binary, refusals_name_both_operands_and_a_remedy) {
  EXPECT_EQ(refusal(binary(BinaryKind::add), {f32({4, 3}), f32({4, 5})}),
            "Call[Binary]: lhs of shape (4, 3) and rhs of shape (4, 5) do not broadcast: axis -1 "
            "has the extents 3 and 5 | extents must be equal, or one of them 1");
  const Dim s = dim_var("S", 1, 64);
  EXPECT_NE(refusal(binary(BinaryKind::add), {f32({s}), f32({8})}).find("extents S and 8"),
            std::string::npos);
  EXPECT_EQ(refusal(binary(BinaryKind::add), {f32({4}), tensor_type({4}, DType::bf16)}),
            "Call[Binary]: lhs has dtype f32 and rhs has dtype bf16; operands must have one dtype "
            "| cast one operand: cast(rhs, dtype=\"f32\")");
  const TypeRef ints = tensor_type({4}, DType::i32);
  EXPECT_EQ(refusal(binary(BinaryKind::div), {ints, ints}),
            "Call[Binary]: div is not defined on i32, the dtype of lhs | use floor_div, or cast it "
            "first: cast(lhs, dtype=\"f32\")");
  EXPECT_NE(refusal(binary(BinaryKind::logical_and), {ints, ints}).find("cmp_ne(lhs, 0)"),
            std::string::npos);
  const TypeRef low = tensor_type({4}, DType::fp8e4m3);
  EXPECT_NE(refusal(binary(BinaryKind::add), {low, low}).find("cast(lhs, dtype=\"f32\")"),
            std::string::npos);
  EXPECT_NE(
      refusal(binary(BinaryKind::add), {f32({4}), tensor_type({4}, DType::f32, StorageKind::smem)})
          .find("lhs is in gmem and rhs in smem"),
      std::string::npos);
  EXPECT_NE(refusal(binary(BinaryKind::add), {f32({4}), TupleType::make({f32({4})})})
                .find("rhs must be a tensor"),
            std::string::npos);
}

TEST(Binary, storage_and_layout_of_the_result) {
  const TypeRef constant = TensorType::umat_scalar(DType::f32);
  const TypeRef shared = tensor_type({4}, DType::f32, StorageKind::smem);
  EXPECT_EQ(result_type(binary(BinaryKind::add), {constant, shared}), shared);
  EXPECT_EQ(result_type(binary(BinaryKind::add), {constant, constant}), constant);
  // The result is a buffer of its own: strides of views are not kept, a shared sharding is.
  const LayoutRef strided = Layout::make(Shape{4, 8}, Shape{1, 4});
  const TypeRef columns = TensorType::make({4, 8}, DType::f32, strided);
  EXPECT_EQ(result_type(binary(BinaryKind::add), {columns, columns}), f32({4, 8}));
  const TypeRef sharded = TensorType::make(
      {4, 8}, DType::f32,
      ShardLayout::make(
          strided, {},
          Mesh::make({Topology::make("cta", 4)}, Layout::make(Shape{4}, Shape{1}), {})));
  EXPECT_EQ(result_type(binary(BinaryKind::add), {sharded, sharded}), sharded);
  EXPECT_EQ(result_type(binary(BinaryKind::add), {sharded, constant}), sharded);
  EXPECT_EQ(result_type(binary(BinaryKind::add), {sharded, f32({4, 8})}), f32({4, 8}));
}

TEST(Binary, integer_division_follows_python_and_never_traps) {
  EXPECT_EQ(scalar_int(BinaryKind::floor_div, -7, 3), -3);
  EXPECT_EQ(scalar_int(BinaryKind::mod, -7, 3), 2);
  EXPECT_EQ(scalar_int(BinaryKind::floor_div, 7, -3), -3);
  EXPECT_EQ(scalar_int(BinaryKind::mod, 7, -3), -2);
  EXPECT_EQ(scalar_int(BinaryKind::floor_div, -6, 3), -2);
  EXPECT_EQ(scalar_int(BinaryKind::mod, -6, 3), 0);
  for (const DType dtype : {DType(DType::i32), DType(DType::i64)}) {
    EXPECT_EQ(scalar_int(BinaryKind::floor_div, 5, 0, dtype), 0);
    EXPECT_EQ(scalar_int(BinaryKind::mod, 5, 0, dtype), 0);
    const std::int64_t least = dtype == DType(DType::i64) ? kLeast64 : kLeast32;
    EXPECT_EQ(scalar_int(BinaryKind::floor_div, least, -1, dtype), least);
    EXPECT_EQ(scalar_int(BinaryKind::mod, least, -1, dtype), 0);
  }
}

TEST(Binary, integers_wrap) {
  EXPECT_EQ(scalar_int(BinaryKind::add, -kLeast32 - 1, 1), kLeast32);
  EXPECT_EQ(scalar_int(BinaryKind::mul, 65536, 65536), 0);
  EXPECT_EQ(scalar_int(BinaryKind::sub, kLeast64, 1, DType::i64), -(kLeast64 + 1));
  EXPECT_EQ(scalar_int(BinaryKind::mul, kLeast64, -1, DType::i64), kLeast64);
}

// Expected values by NumPy 1.24.
TEST(Binary, float_division_follows_numpy) {
  EXPECT_EQ(scalar(BinaryKind::floor_div, -7.5, 2), -4);
  EXPECT_EQ(scalar(BinaryKind::mod, -7.5, 2), 0.5);
  EXPECT_EQ(scalar(BinaryKind::mod, 7.5, -2), -0.5);
  EXPECT_EQ(scalar(BinaryKind::floor_div, 1, 0.1F), 9);
  EXPECT_EQ(scalar(BinaryKind::floor_div, 1, 0), kInf);
  EXPECT_TRUE(std::isnan(scalar(BinaryKind::floor_div, 0, 0)));
  EXPECT_TRUE(std::isnan(scalar(BinaryKind::mod, 1, 0)));
  EXPECT_EQ(scalar(BinaryKind::mod, -1, kInf), kInf);
  EXPECT_EQ(scalar(BinaryKind::floor_div, -1, kInf), -1);
  EXPECT_TRUE(std::signbit(scalar(BinaryKind::mod, 4, -2)));
}

TEST(Binary, min_and_max_propagate_nan_in_both_orders) {
  for (const BinaryKind kind : {BinaryKind::min, BinaryKind::max}) {
    for (const DType dtype : {DType(DType::f32), DType(DType::f16), DType(DType::bf16)}) {
      EXPECT_TRUE(std::isnan(scalar(kind, 1, kNan, dtype)));
      EXPECT_TRUE(std::isnan(scalar(kind, kNan, 1, dtype)));
    }
  }
  EXPECT_EQ(scalar(BinaryKind::max, 1, -2), 1);
  EXPECT_EQ(scalar(BinaryKind::min, 1, -2), -2);
}

TEST(Binary, comparisons_with_nan) {
  const auto compare = [](BinaryKind kind) {
    return evaluated(binary(kind),
                     {float_tensor(DType::f32, {}, {kNan}), float_tensor(DType::f32, {}, {kNan})})
        .int_at(0);
  };
  EXPECT_EQ(compare(BinaryKind::cmp_eq), 0);
  EXPECT_EQ(compare(BinaryKind::cmp_ne), 1);
  EXPECT_EQ(compare(BinaryKind::cmp_ge), 0);
}

TEST(Binary, sixteen_bit_floats_round_once) {
  // 256 + 1 lies between two values of bf16; the tie goes to the even one.
  EXPECT_EQ(scalar(BinaryKind::add, 256, 1, DType::bf16), 256);
  EXPECT_EQ(scalar(BinaryKind::add, 258, 1, DType::bf16), 260);
  EXPECT_EQ(scalar(BinaryKind::mul, 300, 300, DType::f16), kInf);
}

TEST(Binary, lowering_agrees_with_the_evaluator) {
  for (const DType dtype : {DType(DType::f32), DType(DType::f16), DType(DType::i32)}) {
    for (const BinaryKind kind : {BinaryKind::sub, BinaryKind::floor_div, BinaryKind::max}) {
      const std::vector<HostTensor> inputs{test_tensor(dtype, {3, 1}, 1),
                                           test_tensor(dtype, {2, 1, 4}, 2)};
      const HostTensor got = lowered(binary(kind), inputs);
      EXPECT_EQ(got.shape(), (std::vector<std::int64_t>{2, 3, 4}));
      EXPECT_EQ(floats_of(got), floats_of(evaluated(binary(kind), inputs)));
    }
  }
  const std::vector<HostTensor> empty{HostTensor(DType::f32, {0, 2}), HostTensor(DType::f32, {2})};
  EXPECT_EQ(lowered(binary(BinaryKind::add), empty).numel(), 0);
}

TEST(Binary, V80_cost) {
  const Cost add = cost_of(binary(BinaryKind::add), {f32({4, 1}), f32({1, 8})});
  EXPECT_EQ(add.flops, (std::map<DType, std::int64_t>{{DType::f32, 32}}));
  EXPECT_EQ(add.traffic, (std::vector<TrafficBytes>{{16, 0}, {32, 0}, {0, 128}}));
  const Cost less = cost_of(binary(BinaryKind::cmp_lt), {f32({8}), f32({8})});
  EXPECT_TRUE(less.flops.empty());
  EXPECT_EQ(less.service, (std::map<std::string, std::int64_t>{{"predicate", 8}}));
  EXPECT_EQ(less.traffic.back(), (TrafficBytes{0, 8}));
  const Cost power = cost_of(binary(BinaryKind::pow), {f32({8}), f32({8})});
  EXPECT_EQ(power.service.at("special"), 8);
}

}  // namespace
}  // namespace tilefoundry
