// Reshape, Transpose, Slice, Concat, Split and TupleGetItem. Expected values are NumPy's.
#include <numeric>

#include <gtest/gtest.h>

#include "tilefoundry/ops/binary.h"
#include "tilefoundry/ops/concat.h"
#include "tilefoundry/ops/ops_test_support.h"
#include "tilefoundry/ops/reshape.h"
#include "tilefoundry/ops/slice.h"
#include "tilefoundry/ops/split.h"
#include "tilefoundry/ops/transpose.h"
#include "tilefoundry/ops/tuple_get_item.h"
#include "tilefoundry/passes/lowerer.h"
#include "tilefoundry/registry/verify.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

const DType f32 = DType::f32;
const Dim S = dim_var("S", 1, 64);
const Dim N = dim_var("N", 2, 64);

HostTensor counted(std::vector<std::int64_t> shape) {
  HostTensor out(f32, std::move(shape));
  for (std::int64_t i = 0; i < out.numel(); ++i) out.set_float(i, static_cast<double>(i));
  return out;
}

ExprRef starts_of(const Shape& starts) {
  std::vector<ExprRef> elements;
  for (const Dim& start : starts) elements.push_back(DimValue::make(start));
  return Tuple::make(std::move(elements));
}

// Builds a function of one parameter x.
struct Program {
  explicit Program(Shape shape) : x(Var::make("x", tensor_type(std::move(shape), f32))) {}
  CallRef call(const OpRef& op, std::vector<ExprRef> args) {
    return make_call(ctx, op, std::move(args));
  }
  CallRef slice(const ExprRef& of, const Shape& starts, Shape sizes, AttrInts strides = {}) {
    if (strides.empty()) strides.assign(sizes.size(), 1);
    return call(make_op(Slice{.sizes = std::move(sizes), .strides = std::move(strides)}),
                {of, starts_of(starts)});
  }
  CallRef reshape(const ExprRef& of, Shape shape) {
    return call(make_op(Reshape{.new_shape = std::move(shape)}), {of});
  }
  TypeInferContext ctx;
  VarRef x;
};

// By the evaluator and by the lowered code, which must verify and agree.
HostTensor run(const VarRef& x, const ExprRef& body, const HostTensor& input) {
  const FunctionRef function = Function::make("f", {x}, body);
  const HostTensor wanted = evaluate(nullptr, *function, {input}).tensor();
  const ModuleRef module = Module::make({.name = "m", .functions = {function}});
  const PrimFunctionRef prim = Lowerer(*module, *function).run();
  EXPECT_EQ(verify_prim_function(prim, nullptr), prim);
  std::map<const Var*, HostTensor> buffers{{prim->params()[0].get(), input}};
  buffers.emplace(prim->params()[1].get(), HostTensor(wanted.dtype(), wanted.shape()));
  std::map<std::string, std::int64_t> dims;
  const Shape& shape = as_tensor(x->type())->shape();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!shape[axis].is_static() && shape[axis].node()->as_var() != nullptr) {
      dims[shape[axis].node()->as_var()->name] = input.shape()[axis];
    }
  }
  run_statements(prim->body(), buffers, dims);
  const HostTensor& got = buffers.at(prim->params()[1].get());
  EXPECT_EQ(got.shape(), wanted.shape());
  EXPECT_EQ(floats_of(got), floats_of(wanted));
  return wanted;
}

Shape shape_of(const ExprRef& expr) { return as_tensor(expr->type())->shape(); }

std::string slice_refusal(const Shape& shape, const Shape& starts, Shape sizes, AttrInts strides) {
  Program program(shape);
  try {
    program.slice(program.x, starts, std::move(sizes), std::move(strides));
  } catch (const VerifyError& error) {
    return error.diagnostic().message;
  }
  return "";
}

TEST(Reshape, shapes) {
  const auto result = [](Shape from, Shape to) {
    return result_type(make_op(Reshape{.new_shape = std::move(to)}),
                       {tensor_type(std::move(from), f32)})
        ->shape();
  };
  EXPECT_EQ(result({4, 6}, {8, 3}), (Shape{8, 3}));
  EXPECT_EQ(result({4, 6}, {2, -1}), (Shape{2, 12}));
  EXPECT_EQ(result({S, 12}, {S, 3, 4}), (Shape{S, 3, 4}));
  EXPECT_EQ(result({S, 12}, {-1, 4}), (Shape{S * 3, 4}));
  EXPECT_EQ(result({S, N}, {-1}), (Shape{S * N}));
  EXPECT_EQ(result({S * N}, {N, S}), (Shape{N, S}));
  EXPECT_EQ(result({S * 2}, {2, -1}), (Shape{2, S}));
  EXPECT_EQ(result({1}, {}), Shape{});
  EXPECT_EQ(result({}, {1, 1}), (Shape{1, 1}));
  EXPECT_EQ(result({0, 4}, {2, 0}), (Shape{2, 0}));
}

TEST(Reshape, refusals) {
  const auto refused = [](Shape from, Shape to) {
    return refusal(make_op(Reshape{.new_shape = std::move(to)}),
                   {tensor_type(std::move(from), f32)});
  };
  EXPECT_NE(refused({4, 6}, {5, 5}).find("has 24 elements, new_shape (5, 5) has 25"),
            std::string::npos);
  EXPECT_NE(refused({4, 6}, {-1, -1}).find("-1 twice"), std::string::npos);
  EXPECT_NE(refused({4, 6}, {-1, 5}), "");
  EXPECT_NE(refused({S, 6}, {4, -1}), "");
  EXPECT_NE(refused({S}, {N}), "");
  EXPECT_NE(refused({4}, {-2, -2}), "");
  EXPECT_NE(refused({0}, {0, -1}), "");
}

TEST(Reshape, V36_V43_relation) {
  const AccessRelationResult relation =
      relation_of(make_op(Reshape{.new_shape = {2, 3, 4}}), {tensor_type({6, 4}, f32)});
  EXPECT_EQ(relation.domain(),
            IslSet::parse("{ [i, j, k] : 0 <= i < 2 and 0 <= j < 3 and 0 <= k < 4 }"));
  EXPECT_EQ(relation.maps()[0],
            IslMap::parse("{ [i, j, k] -> [3 * i + j, k] : 0 <= i < 2 and 0 <= j < 3 and "
                          "0 <= k < 4 }"));
  const AccessRelationResult merged =
      relation_of(make_op(Reshape{.new_shape = {-1, 4}}), {tensor_type({S, 3, 4}, f32)});
  EXPECT_EQ(merged.accesses()[0].index, (Shape{floordiv(iter(0), 3), mod(iter(0), 3), iter(1)}));
}

TEST(Reshape, every_relation_is_a_bijection_on_elements) {
  const std::vector<std::pair<Shape, Shape>> cases = {
      {{4, 6}, {8, 3}}, {{2, 3, 4}, {4, 6}}, {{1, 6, 1}, {2, 1, 3}}, {{5, 4}, {20}}, {{7}, {7, 1}}};
  for (const auto& [from, to] : cases) {
    const AccessRelationResult relation =
        relation_of(make_op(Reshape{.new_shape = to}), {tensor_type(from, f32)});
    EXPECT_TRUE(relation.maps()[0].is_injective()) << shape_text(to);
    EXPECT_EQ(relation.maps()[0].range(),
              relation_of(make_op(Reshape{.new_shape = from}), {tensor_type(from, f32)}).domain());
    // The access is the row-major renumbering.
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> source;
    for (const Dim& extent : to) shape.push_back(extent.value());
    for (const Dim& extent : from) source.push_back(extent.value());
    std::vector<std::int64_t> at(shape.size(), 0);
    const auto strides = host_strides(source);
    std::int64_t number = 0;
    do {
      std::int64_t read = 0;
      for (std::size_t axis = 0; axis < source.size(); ++axis) {
        const Dim index =
            substitute(relation.accesses()[0].index[axis], [&](const Ref<const DimNode>& node) {
              return Dim(at[static_cast<std::size_t>(iter_index(*node))]);
            });
        read += index.value() * strides[axis];
      }
      EXPECT_EQ(read, number++);
    } while (next_coordinate(at, shape));
  }
}

TEST(Reshape, values) {
  Program program({2, 6});
  const HostTensor out = run(program.x, program.reshape(program.x, {3, -1}), counted({2, 6}));
  EXPECT_EQ(out.shape(), (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(out.float_at(5), 5);
}

TEST(Transpose, shapes_values_and_refusals) {
  const OpRef op = make_op(Transpose{.perm = {2, 0, -2}});
  EXPECT_EQ(result_type(op, {tensor_type({S, 3, N}, f32)})->shape(), (Shape{N, S, 3}));
  const HostTensor x = counted({2, 3, 2});
  const std::vector<double> wanted = {0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11};
  EXPECT_EQ(floats_of(evaluated(op, {x})), wanted);
  EXPECT_EQ(floats_of(lowered(op, {x})), wanted);
  EXPECT_NE(refusal(make_op(Transpose{.perm = {0}}), {tensor_type({2, 3}, f32)}), "");
  EXPECT_NE(refusal(make_op(Transpose{.perm = {0, 0}}), {tensor_type({2, 3}, f32)}), "");
  EXPECT_NE(refusal(make_op(Transpose{.perm = {0, 2}}), {tensor_type({2, 3}, f32)}), "");
  const Cost cost = cost_of(op, {tensor_type({2, 3, 2}, f32)});
  EXPECT_EQ(cost.traffic, (std::vector<TrafficBytes>{{48, 0}, {0, 48}}));
}

TEST(Transpose, a_stated_layout_is_permuted_alike) {
  const TypeRef type = TensorType::make({2, 3}, f32, Layout::make({2, 3}, Shape{8, 1}));
  EXPECT_EQ(result_type(make_op(Transpose{.perm = {1, 0}}), {type})->layout(),
            LayoutRef(Layout::make({3, 2}, Shape{1, 8})));
}

TEST(Slice, windows) {
  Program program({4, 6});
  EXPECT_EQ(floats_of(run(program.x, program.slice(program.x, {1, 2}, {2, 3}), counted({4, 6}))),
            (std::vector<double>{8, 9, 10, 14, 15, 16}));
  EXPECT_EQ(
      floats_of(run(program.x, program.slice(program.x, {0, 1}, {2, 3}, {3, 2}), counted({4, 6}))),
      (std::vector<double>{1, 3, 5, 19, 21, 23}));
  EXPECT_EQ(floats_of(run(program.x, program.slice(program.x, {3, 5}, {2, 2}, {-2, -4}),
                          counted({4, 6}))),
            (std::vector<double>{23, 19, 11, 7}));
}

TEST(Slice, a_reshape_of_a_window_copies_it_first) {
  Program program({4, 6});
  const CallRef window = program.slice(program.x, {1, 2}, {2, 3});
  EXPECT_EQ(floats_of(run(program.x, program.reshape(window, {6}), counted({4, 6}))),
            (std::vector<double>{8, 9, 10, 14, 15, 16}));
  const CallRef row = program.slice(program.x, {2, 0}, {1, 6});
  EXPECT_EQ(floats_of(run(program.x, program.reshape(row, {3, 2}), counted({4, 6}))),
            (std::vector<double>{12, 13, 14, 15, 16, 17}));
  // A window of a window keeps the strides of the buffer.
  const CallRef inner = program.slice(window, {1, 1}, {1, 2});
  EXPECT_EQ(floats_of(run(program.x, inner, counted({4, 6}))), (std::vector<double>{15, 16}));
}

TEST(Slice, symbolic_windows_are_checked_at_run_time) {
  Program program({S, 3});
  const CallRef tail = program.slice(program.x, {S - 1, 0}, {1, 3});
  EXPECT_EQ(shape_of(tail), (Shape{1, 3}));
  EXPECT_EQ(floats_of(run(program.x, tail, counted({5, 3}))), (std::vector<double>{12, 13, 14}));
  const CallRef head = program.slice(program.x, {0, 0}, {4, 3});
  EXPECT_EQ(run(program.x, head, counted({4, 3})).numel(), 12);
  EXPECT_THROW(run(program.x, head, counted({3, 3})), CallError);
  const FunctionRef function = Function::make("f", {program.x}, head);
  const ModuleRef module = Module::make({.name = "m", .functions = {function}});
  const PrimFunctionRef prim = Lowerer(*module, *function).run();
  std::map<const Var*, HostTensor> buffers{{prim->params()[0].get(), counted({3, 3})},
                                           {prim->params()[1].get(), counted({4, 3})}};
  EXPECT_THROW(run_statements(prim->body(), buffers, {{"S", 3}}), CallError);
}

TEST(Slice, refusals) {
  EXPECT_NE(slice_refusal({4}, {2}, {3}, {1}), "");
  EXPECT_NE(slice_refusal({4}, {-1}, {2}, {1}), "");
  EXPECT_NE(slice_refusal({4}, {0}, {3}, {2}), "");
  EXPECT_NE(slice_refusal({4}, {1}, {3}, {-1}), "");
  EXPECT_NE(slice_refusal({4}, {0}, {2}, {0}), "");
  EXPECT_NE(slice_refusal({4}, {0, 0}, {2}, {1}), "");
  EXPECT_NE(slice_refusal({S}, {S}, {1}, {1}), "");
  EXPECT_NE(slice_refusal({S}, {0}, {64}, {1}), "");
  EXPECT_EQ(slice_refusal({4}, {4}, {0}, {1}), "");
  EXPECT_EQ(slice_refusal({4}, {3}, {4}, {-1}), "");
  EXPECT_EQ(slice_refusal({S}, {0}, {S}, {1}), "");
}

TEST(Slice, a_start_that_an_op_computes_evaluates_and_is_refused_in_lowering) {
  TypeInferContext ctx;
  const VarRef x = Var::make("x", tensor_type({6}, f32));
  const VarRef i = Var::make("i", tensor_type({}, DType::i64));
  const CallRef next = make_call(ctx, make_op(Binary{.kind = BinaryKind::add}), {i, i});
  const CallRef window =
      make_call(ctx, make_op(Slice{.sizes = {2}, .strides = {1}}), {x, Tuple::make({next})});
  const FunctionRef function = Function::make("f", {x, i}, window);
  const auto at = [&](std::int64_t start) {
    return evaluate(nullptr, *function, {counted({6}), int_tensor(DType::i64, {}, {start})});
  };
  EXPECT_EQ(floats_of(at(2).tensor()), (std::vector<double>{4, 5}));
  EXPECT_THROW(at(3), CallError);
  const AccessRelations classes =
      (*access_relation_registry().find<AccessRelationFn>(Slice::op_class()))(*window, ctx);
  EXPECT_TRUE(std::holds_alternative<OpaqueRelation>(classes.inputs[0]));
  EXPECT_TRUE(std::holds_alternative<IslMultiAff>(classes.outputs[0]));
  const ModuleRef module = Module::make({.name = "m", .functions = {function}});
  try {
    Lowerer(*module, *function).run();
    FAIL();
  } catch (const PassError& error) {
    EXPECT_EQ(error.diagnostic().code, "TF4110");
  }
}

TEST(Concat, shapes_values_and_refusals) {
  const OpRef op = make_op(Concat{.axis = -1});
  EXPECT_EQ(result_type(op, {tensor_type({3, S}, f32), tensor_type({3, N}, f32)})->shape(),
            (Shape{3, S + N}));
  const std::vector<HostTensor> inputs = {counted({2, 2}), counted({2, 1}), counted({2, 3})};
  const std::vector<double> wanted = {0, 1, 0, 0, 1, 2, 2, 3, 1, 3, 4, 5};
  EXPECT_EQ(floats_of(evaluated(op, inputs)), wanted);
  EXPECT_EQ(floats_of(lowered(op, inputs)), wanted);
  EXPECT_EQ(floats_of(lowered(make_op(Concat{.axis = 0}), {counted({1, 2}), counted({2, 2})})),
            (std::vector<double>{0, 1, 0, 1, 2, 3}));
  EXPECT_NE(refusal(op, {tensor_type({3, 2}, f32), tensor_type({4, 2}, f32)}), "");
  EXPECT_NE(refusal(op, {tensor_type({3, 2}, f32), tensor_type({3}, f32)}), "");
  EXPECT_NE(refusal(op, {tensor_type({3, 2}, f32), tensor_type({3, 2}, DType::f16)}), "");
  EXPECT_NE(refusal(op, {}), "");
  EXPECT_NE(refusal(make_op(Concat{.axis = 2}), {tensor_type({3, 2}, f32)}), "");
  EXPECT_EQ(cost_of(op, {tensor_type({2, 2}, f32), tensor_type({2, 1}, f32)}).traffic,
            (std::vector<TrafficBytes>{{16, 0}, {8, 0}, {0, 24}}));
}

TEST(Concat, V43_V49_relation_is_guarded) {
  const AccessRelationResult relation =
      relation_of(make_op(Concat{.axis = 0}), {tensor_type({2, 3}, f32), tensor_type({4, 3}, f32)});
  EXPECT_EQ(relation.maps()[1],
            IslMap::parse("{ [i, j] -> [i - 2, j] : 2 <= i < 6 and 0 <= j < 3 }"));
  const AccessRelations classes = classify(relation, 2);
  EXPECT_TRUE(std::holds_alternative<IslMap>(classes.inputs[0]));
  EXPECT_TRUE(std::holds_alternative<IslMultiAff>(classes.outputs[0]));
  EXPECT_EQ(boundary_shape(relation, 0), (Shape{2, 3}));
  EXPECT_EQ(boundary_shape(relation, 1), (Shape{4, 3}));
}

TEST(Split, symbolic_division_and_refusals) {
  const auto field = [](const Shape& shape, std::int64_t parts) {
    const CallRef call =
        typed_call(make_op(Split{.axis = 0, .num_splits = parts}), {tensor_type(shape, f32)});
    const auto& fields = as_tuple(call->type())->fields();
    EXPECT_EQ(fields.size(), static_cast<std::size_t>(parts));
    for (const TypeRef& each : fields) EXPECT_EQ(each, fields.front());
    return as_tensor(fields.back())->shape();
  };
  EXPECT_EQ(field({6, 5}, 3), (Shape{2, 5}));
  EXPECT_EQ(field({S * 4}, 2), (Shape{S * 2}));
  EXPECT_EQ(field({S}, 2), (Shape{floordiv(S, 2)}));
  EXPECT_EQ(field({S}, 1), (Shape{S}));
  const auto refused = [](const Shape& shape, std::int64_t parts, std::int64_t axis) {
    return refusal(make_op(Split{.axis = axis, .num_splits = parts}), {tensor_type(shape, f32)});
  };
  EXPECT_NE(refused({5}, 2, 0), "");
  EXPECT_NE(refused({4}, 0, 0), "");
  EXPECT_NE(refused({4}, 2, 1), "");
}

TEST(Split, values_and_fields) {
  Program program({S, 4});
  const CallRef parts = program.call(make_op(Split{.axis = 1, .num_splits = 2}), {program.x});
  const CallRef second = program.call(make_op(TupleGetItem{.index = 1}), {parts});
  EXPECT_EQ(shape_of(second), (Shape{S, 2}));
  EXPECT_EQ(floats_of(run(program.x, second, counted({2, 4}))), (std::vector<double>{2, 3, 6, 7}));
  Program rows({S, 2});
  const CallRef halves = rows.call(make_op(Split{.axis = 0, .num_splits = 2}), {rows.x});
  const CallRef lower_half = rows.call(make_op(TupleGetItem{.index = 1}), {halves});
  EXPECT_EQ(floats_of(run(rows.x, lower_half, counted({4, 2}))), (std::vector<double>{4, 5, 6, 7}));
  EXPECT_THROW(run(rows.x, lower_half, counted({3, 2})), CallError);
}

TEST(TupleGetItem, refusals) {
  const TypeRef pair = TupleType::make({tensor_type({2}, f32), tensor_type({3}, DType::i32)});
  EXPECT_EQ(result_type(make_op(TupleGetItem{.index = 1}), {pair})->dtype(), DType(DType::i32));
  EXPECT_NE(refusal(make_op(TupleGetItem{.index = 2}), {pair}), "");
  EXPECT_NE(refusal(make_op(TupleGetItem{.index = -1}), {pair}), "");
  EXPECT_NE(refusal(make_op(TupleGetItem{.index = 0}), {tensor_type({2}, f32)}), "");
}

TEST(ShapeOps, V45_relations_read_no_result_type_and_V81_traffic_counts) {
  const std::vector<std::pair<OpRef, std::vector<TypeRef>>> calls = {
      {make_op(Reshape{.new_shape = {8}}), {tensor_type({2, 4}, f32)}},
      {make_op(Transpose{.perm = {1, 0}}), {tensor_type({2, 4}, f32)}},
      {make_op(Concat{.axis = 0}), {tensor_type({2, 4}, f32), tensor_type({1, 4}, f32)}},
      {make_op(Split{.axis = 1, .num_splits = 2}), {tensor_type({2, 4}, f32)}},
      {make_op(TupleGetItem{.index = 0}), {TupleType::make({tensor_type({2}, f32)})}}};
  for (const auto& [op, types] : calls) {
    const AccessRelationResult relation = relation_of(op, types);
    EXPECT_GE(relation.maps().size(), types.size() + 1);
    for (const IslMap& map : relation.maps()) {
      EXPECT_TRUE(map.domain().is_subset_of(relation.domain()));
    }
    EXPECT_EQ(cost_of(op, types).traffic.size(), types.size() + 1);
  }
}

}  // namespace
}  // namespace tilefoundry
