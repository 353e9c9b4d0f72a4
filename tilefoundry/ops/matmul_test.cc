#include "tilefoundry/ops/matmul.h"

#include <gtest/gtest.h>

#include "tilefoundry/ops/ops_test_support.h"

namespace tilefoundry {
namespace {

TypeRef f32(Shape shape) { return tensor_type(std::move(shape), DType::f32); }
OpRef matmul() { return make_op(MatMul{}); }

TEST(MatMul, shapes) {
  EXPECT_EQ(result_type(matmul(), {f32({4, 8}), f32({8, 5})}), f32({4, 5}));
  EXPECT_EQ(result_type(matmul(), {f32({3, 1, 4, 8}), f32({2, 8, 5})}), f32({3, 2, 4, 5}));
  const Dim s = dim_var("S", 1, 64);
  EXPECT_EQ(result_type(matmul(), {f32({s * 2, s}), f32({s, 1})}), f32({s * 2, 1}));
  EXPECT_EQ(result_type(matmul(), {f32({1, 0}), f32({0, 1})}), f32({1, 1}));
}

TEST(MatMul, refusals) {
  EXPECT_EQ(refusal(matmul(), {f32({4, 8}), f32({5, 8})}),
            "Call[MatMul]: lhs of shape (4, 8) and rhs of shape (5, 8) do not multiply: 8 columns "
            "against 5 rows | transpose the last two axes of rhs first");
  EXPECT_NE(refusal(matmul(), {f32({8}), f32({8, 5})}).find("lhs has shape (8,)"),
            std::string::npos);
  EXPECT_NE(refusal(matmul(), {f32({2, 4, 8}), f32({3, 8, 5})}).find("batch axes: "),
            std::string::npos);
  EXPECT_NE(refusal(matmul(), {f32({4, 8}), tensor_type({8, 5}, DType::bf16)}).find("cast(rhs"),
            std::string::npos);
  const TypeRef flags = tensor_type({4, 4}, DType::boolean);
  EXPECT_NE(refusal(matmul(), {flags, flags}).find("not defined on bool"), std::string::npos);
}

TEST(MatMul, V43_maps_of_the_boundaries) {
  const auto relation = relation_of(matmul(), {f32({4, 8}), f32({8, 5})});
  EXPECT_EQ(relation.extents(), Shape({4, 5, 8}));
  ASSERT_EQ(relation.maps().size(), 3U);
  EXPECT_EQ(relation.maps()[0].range_rank(), 2U);
  const IslSet domain = IslSet::parse("{ [m, n, k] : 0 <= m < 4 and 0 <= n < 5 and 0 <= k < 8 }");
  EXPECT_EQ(relation.domain(), domain);
  EXPECT_EQ(relation.maps()[0].intersect_domain(domain),
            IslMap::parse("{ [m, n, k] -> [m, k] : 0 <= m < 4 and 0 <= n < 5 and 0 <= k < 8 }"));
  EXPECT_EQ(relation.maps()[1].intersect_domain(domain),
            IslMap::parse("{ [m, n, k] -> [k, n] : 0 <= m < 4 and 0 <= n < 5 and 0 <= k < 8 }"));
  EXPECT_EQ(relation.maps()[2].intersect_domain(domain),
            IslMap::parse("{ [m, n, k] -> [m, n] : 0 <= m < 4 and 0 <= n < 5 and 0 <= k < 8 }"));
}

TEST(MatMul, values_of_a_batch_with_broadcast) {
  const HostTensor lhs = float_tensor(DType::f32, {2, 1, 2}, {1, 2, 3, 4});
  const HostTensor rhs = float_tensor(DType::f32, {2, 3}, {1, 0, -1, 2, 5, 1});
  const HostTensor product = evaluated(matmul(), {lhs, rhs});
  EXPECT_EQ(product.shape(), (std::vector<std::int64_t>{2, 1, 3}));
  EXPECT_EQ(floats_of(product), (std::vector<double>{5, 10, 1, 11, 20, 1}));
}

TEST(MatMul, values_at_the_corners) {
  EXPECT_EQ(floats_of(evaluated(matmul(),
                                {HostTensor(DType::f32, {2, 0}), HostTensor(DType::f32, {0, 2})})),
            std::vector<double>(4, 0.0));
  // 4096 + 2 * 1 in bf16: the sum is exact in f32 and rounds once.
  const HostTensor ones = float_tensor(DType::bf16, {1, 17}, std::vector<double>(17, 1));
  std::vector<double> column(17, 1);
  column[0] = 4096;
  EXPECT_EQ(evaluated(matmul(), {ones, float_tensor(DType::bf16, {17, 1}, column)}).float_at(0),
            4096 + 0);
  column.assign(17, 16);
  column[0] = 4096;
  EXPECT_EQ(evaluated(matmul(), {ones, float_tensor(DType::bf16, {17, 1}, column)}).float_at(0),
            4352);
  const HostTensor big = int_tensor(DType::i32, {1, 1}, {65536});
  EXPECT_EQ(evaluated(matmul(), {big, big}).int_at(0), 0);
}

TEST(MatMul, V80_cost) {
  const Cost cost =
      cost_of(matmul(), {tensor_type({16, 32}, DType::bf16), tensor_type({32, 8}, DType::bf16)});
  EXPECT_EQ(cost.flops, (std::map<DType, std::int64_t>{{DType::bf16, 2 * 16 * 32 * 8}}));
  EXPECT_TRUE(cost.service.empty());
  EXPECT_EQ(cost.traffic, (std::vector<TrafficBytes>{{1024, 0}, {512, 0}, {0, 256}}));
}

}  // namespace
}  // namespace tilefoundry
