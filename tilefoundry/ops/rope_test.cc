#include "tilefoundry/ops/rope.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tilefoundry/ops/ops_test_support.h"

namespace tilefoundry {
namespace {

OpRef rope() { return make_op(RoPE{}); }
TypeRef f32(Shape shape) { return tensor_type(std::move(shape), DType::f32); }
TypeRef i32(Shape shape) { return tensor_type(std::move(shape), DType::i32); }

// Types of a call with q of (batch, s, 4, 8) and k of (batch, s, 2, 8).
std::vector<TypeRef> types(const Dim& s = 3) {
  return {f32({2, s, 4, 8}), f32({2, s, 2, 8}), f32({16, 8}), f32({16, 8}), i32({2, s})};
}
std::string refusal_with(std::size_t argument, const TypeRef& type) {
  std::vector<TypeRef> changed = types();
  changed[argument] = type;
  return refusal(rope(), changed);
}

TEST(RoPE, types) {
  const Dim s = dim_var("S", 1, 64);
  const std::vector<TypeRef> given = types(s);
  EXPECT_EQ(typed_call(rope(), given)->type(), TupleType::make({given[0], given[1]}));
  EXPECT_EQ(refusal_with(4, i32({3})), "");
  EXPECT_EQ(refusal_with(4, tensor_type({2, 3}, DType::i64)), "");
}

TEST(RoPE, refusals) {
  EXPECT_NE(refusal_with(0, i32({2, 3, 4, 8})).find("rope is not defined on i32"),
            std::string::npos);
  EXPECT_NE(refusal_with(1, tensor_type({2, 3, 2, 8}, DType::f16)).find("k has dtype f16"),
            std::string::npos);
  EXPECT_NE(refusal_with(1, f32({2, 4, 2, 8})).find("they may differ in their heads only"),
            std::string::npos);
  EXPECT_NE(refusal_with(2, f32({16, 6})).find("wanted (rows, 8) or (rows, 4)"), std::string::npos);
  EXPECT_NE(refusal_with(3, f32({15, 8})).find("they must be one shape"), std::string::npos);
  EXPECT_NE(refusal_with(3, tensor_type({16, 8}, DType::bf16)).find("sin_cache has dtype bf16"),
            std::string::npos);
  EXPECT_NE(refusal_with(4, i32({2})).find("pos_ids has shape (2,), wanted (2, 3)"),
            std::string::npos);
  EXPECT_NE(refusal_with(4, f32({2, 3})).find("wanted i32 or i64"), std::string::npos);
  EXPECT_NE(refusal(rope(), {f32({3, 8}), f32({3, 8}), f32({16, 8}), f32({16, 8}), i32({3})})
                .find("wanted (..., positions, heads, width)"),
            std::string::npos);
  EXPECT_NE(refusal(rope(), {f32({3, 1, 7}), f32({3, 1, 7}), f32({16, 7}), f32({16, 7}), i32({3})})
                .find("wanted an even number"),
            std::string::npos);
}

TEST(RoPE, V39_V50_an_element_is_made_from_a_pair_and_the_caches_depend_on_data) {
  const auto relation = relation_of(rope(), types());
  EXPECT_EQ(relation.extents(), Shape({2, 3, 4, 8, 2}));
  EXPECT_EQ(relation.accesses()[0].index.back(), mod(iter(3) + iter(4) * 4, Dim(8)));
  EXPECT_TRUE(relation.accesses()[2].opaque);
  EXPECT_TRUE(relation.accesses()[3].opaque);
  EXPECT_EQ(relation.accesses()[4], BoundaryAccess::of({iter(0), iter(1)}));
  EXPECT_EQ(boundary_shape(relation, 5), Shape({2, 3, 4, 8}));
  EXPECT_EQ(boundary_shape(relation, 6), Shape({2, 3, 2, 8}));
}

TEST(RoPE, V80_V82_cost_counts_the_rows_of_the_caches_that_are_read) {
  const Cost cost = cost_of(rope(), types());
  EXPECT_EQ(cost.flops, (std::map<DType, std::int64_t>{{DType::f32, 3 * (192 + 96)}}));
  const std::int64_t rows = 6 * 8 * 4;
  EXPECT_EQ(cost.traffic, (std::vector<TrafficBytes>{
                              {768, 0}, {384, 0}, {rows, 0}, {rows, 0}, {24, 0}, {0, 768 + 384}}));
}

}  // namespace
}  // namespace tilefoundry
