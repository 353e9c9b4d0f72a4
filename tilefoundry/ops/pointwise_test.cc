// Cast, Clamp, Silu, Where, Zeros, FullLike.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tilefoundry/ops/cast.h"
#include "tilefoundry/ops/clamp.h"
#include "tilefoundry/ops/full_like.h"
#include "tilefoundry/ops/ops_test_support.h"
#include "tilefoundry/ops/silu.h"
#include "tilefoundry/ops/where.h"
#include "tilefoundry/ops/zeros.h"

namespace tilefoundry {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
using Ints = std::vector<std::int64_t>;

TEST(Cast, floats_to_integers_truncate_and_saturate) {
  const HostTensor x = float_tensor(DType::f32, {6}, {-2.7, 2.7, kNan, kInf, -kInf, 3e9});
  EXPECT_EQ(ints_of(evaluated(make_op(Cast{.dtype = DType::i32}), {x})),
            (Ints{-2, 2, 0, 2147483647, -2147483648LL, 2147483647}));
  EXPECT_EQ(ints_of(evaluated(make_op(Cast{.dtype = DType::boolean}), {x})),
            (Ints{1, 1, 1, 1, 1, 1}));
}

TEST(Cast, integers_wrap_and_round) {
  const HostTensor x = int_tensor(DType::i64, {3}, {(1LL << 32) + 5, 16777217, 0});
  EXPECT_EQ(ints_of(evaluated(make_op(Cast{.dtype = DType::i32}), {x})), (Ints{5, 16777217, 0}));
  EXPECT_EQ(floats_of(evaluated(make_op(Cast{.dtype = DType::f32}), {x}))[1], 16777216.0);
  EXPECT_EQ(ints_of(evaluated(make_op(Cast{.dtype = DType::boolean}), {x})), (Ints{1, 1, 0}));
}

TEST(Cast, lowering_and_refusal) {
  const HostTensor x = test_tensor(DType::f32, {2, 3}, 1);
  for (const DType dtype : {DType(DType::bf16), DType(DType::i64), DType(DType::f32)}) {
    const OpRef cast = make_op(Cast{.dtype = dtype});
    EXPECT_EQ(floats_of(lowered(cast, {x})), floats_of(evaluated(cast, {x})));
  }
  EXPECT_NE(refusal(make_op(Cast{.dtype = DType::f4e2m1}), {tensor_type({4}, DType::f32)})
                .find("no cast from f32 to f4e2m1"),
            std::string::npos);
}

TEST(Clamp, nan_stays_nan_and_bounds_round_to_the_dtype) {
  const OpRef clamp = make_op(Clamp{.min_val = -1, .max_val = 0.1});
  const HostTensor x = float_tensor(DType::f32, {4}, {-5, 0, 5, kNan});
  const std::vector<double> got = floats_of(evaluated(clamp, {x}));
  EXPECT_EQ(got[0], -1);
  EXPECT_EQ(got[1], 0);
  EXPECT_EQ(got[2], static_cast<double>(0.1F));
  EXPECT_TRUE(std::isnan(got[3]));
  const HostTensor y = test_tensor(DType::f16, {7}, 4);
  EXPECT_EQ(floats_of(lowered(clamp, {y})), floats_of(evaluated(clamp, {y})));
  // PyTorch: the upper bound wins when the bounds are crossed.
  EXPECT_EQ(evaluated(make_op(Clamp{.min_val = 3, .max_val = 1}), {x}).float_at(0), 1);
}

TEST(Clamp, integers_take_whole_or_infinite_bounds) {
  const OpRef clamp = make_op(Clamp{.min_val = -kInf, .max_val = 2});
  const HostTensor x = int_tensor(DType::i32, {3}, {-2147483648LL, 1, 9});
  EXPECT_EQ(ints_of(evaluated(clamp, {x})), (Ints{-2147483648LL, 1, 2}));
  EXPECT_EQ(ints_of(lowered(clamp, {x})), (Ints{-2147483648LL, 1, 2}));
  EXPECT_NE(refusal(make_op(Clamp{.min_val = 0.5, .max_val = 2}), {tensor_type({4}, DType::i32)})
                .find("0.5 is not a whole number"),
            std::string::npos);
}

TEST(Silu, does_not_round_its_sigmoid) {
  const HostTensor x = float_tensor(DType::bf16, {3}, {1.5, -2.25, 0});
  const std::vector<double> got = floats_of(evaluated(make_op(Silu{}), {x}));
  for (std::int64_t i = 0; i < 3; ++i) {
    const double value = x.float_at(i);
    const auto exact = static_cast<float>(value / (1 + std::exp(-value)));
    EXPECT_EQ(got[static_cast<std::size_t>(i)], bf16_to_float(bf16_from_float(exact)));
  }
  // The lowering rounds its sigmoid to f32 only.
  EXPECT_EQ(floats_of(lowered(make_op(Silu{}), {x})), got);
  EXPECT_NE(refusal(make_op(Silu{}), {tensor_type({4}, DType::i32)}).find("cast(x"),
            std::string::npos);
  const Cost cost = cost_of(make_op(Silu{}), {tensor_type({4}, DType::bf16)});
  EXPECT_EQ(cost.flops, (std::map<DType, std::int64_t>{{DType::f32, 4}}));
}

TEST(Where, three_way_broadcast) {
  const OpRef where = make_op(Where{});
  const TypeRef condition = tensor_type({3, 1}, DType::boolean);
  EXPECT_EQ(result_type(where, {condition, tensor_type({4}, DType::f32),
                                tensor_type({2, 1, 1}, DType::f32)}),
            tensor_type({2, 3, 4}, DType::f32));
  const std::vector<HostTensor> inputs{int_tensor(DType::boolean, {2, 1}, {1, 0}),
                                       float_tensor(DType::f32, {2}, {1, kNan}),
                                       float_tensor(DType::f32, {}, {7})};
  const std::vector<double> got = floats_of(evaluated(where, inputs));
  EXPECT_EQ(got[0], 1);
  EXPECT_TRUE(std::isnan(got[1]));
  EXPECT_EQ(got[2], 7);
  EXPECT_EQ(got[3], 7);
  EXPECT_EQ(floats_of(lowered(where, inputs))[2], 7);
  EXPECT_NE(refusal(where, {tensor_type({4}, DType::i32), tensor_type({4}, DType::f32),
                            tensor_type({4}, DType::f32)})
                .find("condition has dtype i32, wanted bool"),
            std::string::npos);
  const Cost cost =
      cost_of(where, {condition, tensor_type({4}, DType::f32), tensor_type({4}, DType::f32)});
  EXPECT_EQ(cost.service, (std::map<std::string, std::int64_t>{{"select", 12}}));
}

TEST(Zeros, has_exactly_the_stated_type) {
  const TypeRef type = tensor_type({2, 3}, DType::bf16, StorageKind::smem);
  const OpRef zeros = make_op(Zeros{.type = type});
  EXPECT_EQ(result_type(zeros, {}), type);
  EXPECT_EQ(floats_of(evaluated(zeros, {})), std::vector<double>(6, 0.0));
  EXPECT_EQ(floats_of(lowered(zeros, {})), std::vector<double>(6, 0.0));
  EXPECT_EQ(cost_of(zeros, {}).traffic, (std::vector<TrafficBytes>{{0, 12}}));
  EXPECT_NE(refusal(make_op(Zeros{.type = TupleType::make({type})}), {}).find("tensor type"),
            std::string::npos);
}

TEST(FullLike, reads_no_element_and_checks_the_value) {
  const OpRef full = make_op(FullLike{.value = 0.1});
  const HostTensor x = test_tensor(DType::f16, {2, 2}, 1);
  EXPECT_EQ(floats_of(evaluated(full, {x})),
            std::vector<double>(4, f16_to_float(f16_from_float(0.1F))));
  EXPECT_EQ(floats_of(lowered(full, {x})), floats_of(evaluated(full, {x})));
  EXPECT_EQ(cost_of(full, {tensor_type({4}, DType::f32)}).traffic,
            (std::vector<TrafficBytes>{{0, 0}, {0, 16}}));
  EXPECT_NE(refusal(full, {tensor_type({4}, DType::i32)}).find("0.1 is not a value of i32"),
            std::string::npos);
  EXPECT_NE(refusal(make_op(FullLike{.value = 2147483648.0}), {tensor_type({4}, DType::i32)}), "");
  EXPECT_EQ(refusal(make_op(FullLike{.value = -2147483648.0}), {tensor_type({4}, DType::i32)}), "");
}

}  // namespace
}  // namespace tilefoundry
