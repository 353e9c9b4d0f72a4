// insert_slice, cache_update, index_select, repeat_interleave, stack, argmax, topk, arange,
// shape_of.
#include <gtest/gtest.h>

#include "tilefoundry/ops/arange.h"
#include "tilefoundry/ops/arg_max.h"
#include "tilefoundry/ops/cache_update.h"
#include "tilefoundry/ops/index_select.h"
#include "tilefoundry/ops/insert_slice.h"
#include "tilefoundry/ops/ops_test_support.h"
#include "tilefoundry/ops/rank.h"
#include "tilefoundry/ops/repeat_interleave.h"
#include "tilefoundry/ops/shape_of.h"
#include "tilefoundry/ops/stack.h"
#include "tilefoundry/ops/top_k.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

constexpr auto f32 = DType::f32;
const Dim S = dim_var("S", 1, 64);

CallRef insert(const Shape& dst, const Shape& update, const Shape& offsets) {
  std::vector<ExprRef> starts;
  std::vector<TypeRef> types;
  for (const Dim& offset : offsets) {
    starts.push_back(DimValue::make(offset));
    types.push_back(starts.back()->type());
  }
  TypeInferContext ctx;
  return make_call(
      ctx, make_op(InsertSlice{}),
      {Var::make("dst", tensor_type(dst, f32)), Var::make("update", tensor_type(update, f32)),
       Tuple::make(std::move(starts), TupleType::make(std::move(types)))});
}

TEST(InsertSlice, V82_traffic_counts_the_window) {
  CostContext ctx;
  const Cost cost = CostEvaluator(ctx).visit(insert({1024, 8}, {4, 8}, {8, 0}));
  EXPECT_EQ(cost.traffic, (std::vector<TrafficBytes>{{0, 128}, {128, 0}, {0, 0}, {0, 0}}));
}

TEST(InsertSlice, relation_reads_the_update_inside_its_window_only) {
  const CallRef call = insert({16, 8}, {4, 8}, {8, 0});
  TypeInferContext ctx;
  std::vector<TypeRef> types;
  for (const ExprRef& arg : call->args()) types.push_back(arg->type());
  const AccessRelationResult relation = build_relation(*call, types, ctx).value();
  EXPECT_EQ(relation.maps()[1],
            IslMap::parse("{ [i, j] -> [i - 8, j] : 8 <= i < 12 and 0 <= j < 8 }"));
  EXPECT_EQ(boundary_shape(relation, 3), (Shape{16, 8}));
}

TEST(InsertSlice, a_symbolic_window_may_fit) {
  EXPECT_EQ(as_tensor(insert({S, 8}, {1, 8}, {S - 1, 0})->type())->shape(), (Shape{S, 8}));
  EXPECT_THROW(insert({S, 8}, {1, 8}, {S, 0}), VerifyError);
  EXPECT_NO_THROW(insert({S, 8}, {4, 8}, {0, 0}));
  EXPECT_THROW(insert({S, 8}, {65, 8}, {0, 0}), VerifyError);
}

TEST(CacheUpdate, V82_traffic_counts_the_rows) {
  TypeInferContext types;
  const TypeRef cache = tensor_type({2, 64, 3, 4}, f32);
  const TypeRef rows = tensor_type({2, 4, 3, 4}, f32);
  const CallRef call =
      make_call(types, make_op(CacheUpdate{}),
                {Var::make("cache", cache), Var::make("p", tensor_type({}, DType::i32)),
                 DimValue::make(3), Var::make("n", rows)});
  CostContext ctx;
  const Cost cost = CostEvaluator(ctx).visit(call);
  const std::int64_t window = std::int64_t{2} * 3 * 3 * 4 * 4;
  EXPECT_EQ(cost.traffic,
            (std::vector<TrafficBytes>{{0, window}, {0, 0}, {0, 0}, {window, 0}, {0, 0}}));
}

TEST(IndexSelect, V50_the_data_is_opaque_and_the_index_is_not) {
  const OpRef op = make_op(IndexSelect{.dim = 1});
  const std::vector<TypeRef> types{tensor_type({4, 6, 2}, f32), tensor_type({S}, DType::i32)};
  EXPECT_EQ(result_type(op, types)->shape(), (Shape{4, S, 2}));
  TypeInferContext ctx;
  const auto* handler = access_relation_registry().find<AccessRelationFn>(IndexSelect::op_class());
  const AccessRelations classes = (*handler)(*untyped_call(op, types), ctx);
  EXPECT_TRUE(std::holds_alternative<OpaqueRelation>(classes.inputs[0]));
  EXPECT_TRUE(std::holds_alternative<IslMultiAff>(classes.inputs[1]));
  EXPECT_TRUE(std::holds_alternative<IslMultiAff>(classes.outputs[0]));
  EXPECT_NE(refusal(op, {types[0], tensor_type({2}, f32)}), "");
  EXPECT_NE(refusal(op, {types[0], tensor_type({2, 2}, DType::i64)}), "");
  EXPECT_NE(refusal(make_op(IndexSelect{.dim = 3}), types), "");
}

TEST(IndexSelect, lowered_code_checks_before_it_writes) {
  const OpRef op = make_op(IndexSelect{});
  const HostTensor x = float_tensor(f32, {3, 2}, {0, 1, 2, 3, 4, 5});
  const HostTensor at = int_tensor(DType::i64, {4}, {2, 0, 2, 1});
  const std::vector<double> wanted{4, 5, 0, 1, 4, 5, 2, 3};
  EXPECT_EQ(floats_of(evaluated(op, {x, at})), wanted);
  EXPECT_EQ(floats_of(lowered(op, {x, at})), wanted);
  for (const std::int64_t bad : {-1, 3}) {
    const HostTensor index = int_tensor(DType::i64, {3}, {0, bad, 7});
    try {
      lowered(op, {x, index});
      FAIL();
    } catch (const CallError& error) {
      EXPECT_EQ(error.diagnostic().message,
                "index " + std::to_string(bad) + " at place 1 lies outside axis 0 of extent 3");
    }
    EXPECT_THROW(evaluated(op, {x, index}), CallError);
  }
}

TEST(RepeatInterleave, relation_divides_the_index) {
  const OpRef op = make_op(RepeatInterleave{.repeats = 3, .axis = 1});
  const AccessRelationResult relation = relation_of(op, {tensor_type({S, 2, 4}, f32)});
  EXPECT_EQ(relation.accesses()[0].index, (Shape{iter(0), floordiv(iter(1), 3), iter(2)}));
  EXPECT_EQ(boundary_shape(relation, 1), (Shape{S, 6, 4}));
  const HostTensor x = float_tensor(f32, {1, 2, 2}, {1, 2, 3, 4});
  const std::vector<double> wanted{1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4};
  EXPECT_EQ(floats_of(evaluated(op, {x})), wanted);
  EXPECT_EQ(floats_of(lowered(op, {x})), wanted);
  EXPECT_NE(refusal(make_op(RepeatInterleave{.repeats = 0}), {tensor_type({2}, f32)}), "");
  EXPECT_NE(refusal(make_op(RepeatInterleave{.axis = 1}), {tensor_type({2}, f32)}), "");
}

TEST(Stack, relation_and_values) {
  const OpRef op = make_op(Stack{.axis = -1});
  const TypeRef row = tensor_type({3}, f32);
  const AccessRelationResult relation = relation_of(op, {row, row});
  EXPECT_EQ(relation.maps()[1], IslMap::parse("{ [i, j] -> [i] : 0 <= i < 3 and j = 1 }"));
  EXPECT_EQ(result_type(op, {row, row, row})->shape(), (Shape{3, 3}));
  const HostTensor a = float_tensor(f32, {2}, {1, 2});
  const HostTensor b = float_tensor(f32, {2}, {3, 4});
  EXPECT_EQ(floats_of(evaluated(op, {a, b})), (std::vector<double>{1, 3, 2, 4}));
  EXPECT_EQ(floats_of(lowered(op, {a, b})), (std::vector<double>{1, 3, 2, 4}));
  EXPECT_NE(refusal(op, {row, tensor_type({4}, f32)}), "");
  EXPECT_NE(refusal(op, {row, tensor_type({3}, DType::i32)}), "");
  EXPECT_NE(refusal(op, {}), "");
  EXPECT_NE(refusal(make_op(Stack{.axis = 2}), {row}), "");
}

TEST(ArgMax, first_of_equals_and_first_nan) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const HostTensor x = float_tensor(
      f32, {5, 4},
      {1, 3, 3, 2, -inf, -inf, -inf, -inf, nan, nan, nan, nan, 1, inf, nan, nan, 4, 4, 4, 4});
  const OpRef op = make_op(ArgMax{});
  const std::vector<std::int64_t> wanted{1, 0, 0, 2, 0};
  EXPECT_EQ(ints_of(evaluated(op, {x})), wanted);
  EXPECT_EQ(ints_of(lowered(op, {x})), wanted);
  EXPECT_EQ(result_type(op, {tensor_type({S, 4}, DType::bf16)})->dtype(), DType(DType::i64));
  EXPECT_NE(refusal(op, {tensor_type({3, 0}, f32)}), "");
  EXPECT_NE(refusal(op, {tensor_type({}, f32)}), "");
  EXPECT_THROW(evaluated(make_op(ArgMax{.axis = 0}), {HostTensor(f32, {0, 2})}), VerifyError);
  const Cost cost = cost_of(op, {tensor_type({2, 4}, f32)});
  EXPECT_EQ(cost.service.at("predicate"), 8);
  EXPECT_TRUE(cost.flops.empty());
}

TEST(TopK, types_and_refusals) {
  const Dim k = dim_var("K", 0, 8);
  const CallRef call = typed_call(make_op(TopK{.k = k, .axis = 0}), {tensor_type({S, 3}, f32)});
  const TupleType& type = *as_tuple(call->type());
  EXPECT_EQ(as_tensor(type.fields()[0])->shape(), (Shape{k, 3}));
  EXPECT_EQ(as_tensor(type.fields()[1])->dtype(), DType(DType::i64));
  EXPECT_NE(refusal(make_op(TopK{.k = 5}), {tensor_type({2, 4}, f32)}), "");
  EXPECT_NE(refusal(make_op(TopK{.k = -1}), {tensor_type({2, 4}, f32)}), "");
  EXPECT_NE(refusal(make_op(TopK{.k = 1, .axis = 2}), {tensor_type({2, 4}, f32)}), "");
  EXPECT_NE(refusal(make_op(TopK{.k = 65}), {tensor_type({S}, f32)}), "");
}

TEST(ShapeOf, V81_moves_nothing) {
  const TypeRef x = tensor_type({S, 3}, f32);
  EXPECT_EQ(result_type(make_op(ShapeOf{}), {x})->shape(), (Shape{2}));
  EXPECT_EQ(result_type(make_op(ShapeOf{}), {x})->storage(), StorageKind::umat);
  EXPECT_EQ(result_type(make_op(Rank{}), {x})->rank(), 0U);
  EXPECT_EQ(cost_of(make_op(ShapeOf{}), {x}).bytes(), 0);
  EXPECT_EQ(cost_of(make_op(Rank{}), {x}).bytes(), 0);
}

TEST(Arange, the_range_of_the_dtype_holds_it) {
  const auto refused = [](const Dim& n, DType dtype, std::int64_t start, std::int64_t step) {
    return refusal(make_op(Arange{.type = tensor_type({n}, dtype), .start = start, .step = step}),
                   {});
  };
  EXPECT_EQ(refused(4, DType::i32, 2147483644, 1), "");
  EXPECT_NE(refused(5, DType::i32, 2147483644, 1), "");
  EXPECT_NE(refused(0x7fffffffffffffff, DType::i64, 1, 2), "");
  EXPECT_NE(refused(S, DType::i32, 0, 100000000), "");
  EXPECT_NE(refused(4, DType::bf16, 0, 1), "");
}

}  // namespace
}  // namespace tilefoundry
