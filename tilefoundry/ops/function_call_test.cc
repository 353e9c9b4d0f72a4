#include "tilefoundry/ops/function_call.h"

#include <gtest/gtest.h>

#include "tilefoundry/ops/binary.h"
#include "tilefoundry/ops/ops_test_support.h"
#include "tilefoundry/ops/unary.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

const DType f32 = DType::f32;

FunctionRef doubled(const std::string& name, const TypeRef& type) {
  TypeInferContext ctx;
  const VarRef x = Var::make("x", type);
  return Function::make(name, {x},
                        make_call(ctx, make_op(Binary{.kind = BinaryKind::add}), {x, x}));
}

LayoutRef split_layout() {
  const MeshRef mesh =
      Mesh::make({Topology::make("cta", 2)}, Layout::make(Shape{2}, Shape{1}), {"x"});
  return ShardLayout::make(Layout::make(Shape{4}, Shape{1}), {{ShardKind::split, 0, ""}}, mesh);
}

std::string call_refusal(const FunctionRef& callee, const std::vector<TypeRef>& types) {
  TypeInferContext ctx;
  std::vector<ExprRef> args;
  for (const TypeRef& type : types) args.push_back(Var::make("a", type));
  try {
    make_call(ctx, callee, std::move(args));
  } catch (const VerifyError& error) {
    return error.diagnostic().message;
  }
  return "";
}

TEST(FunctionCall, V32_a_parameter_without_layout_takes_the_arguments_layout) {
  ASSERT_TRUE(typeinfer_registry().has(Function::function_class()));
  const FunctionRef callee = doubled("g", tensor_type({4}, f32));
  const TypeRef sharded = TensorType::make({4}, f32, split_layout());
  TypeInferContext ctx;
  const CallRef call = make_call(ctx, callee, {Var::make("a", sharded)});
  EXPECT_EQ(as_tensor(call->type())->layout(), split_layout());
  FunctionInstances memo;
  const FunctionRef instance = memo.instance(ctx, callee, {sharded}, *call);
  EXPECT_EQ(instance->origin(), callee);
  EXPECT_EQ(instance->params()[0]->type(), sharded);
  EXPECT_EQ(memo.instance(ctx, callee, {sharded}, *call), instance);
  EXPECT_EQ(memo.instance(ctx, callee, {tensor_type({4}, f32)}, *call), callee);
  EXPECT_EQ(memo.instance(ctx, callee, {TensorType::umat_tensor({4}, f32)}, *call), callee);
  const FunctionRef other = doubled("g", tensor_type({4}, f32));
  EXPECT_NE(memo.instance(ctx, other, {sharded}, *call), instance);
}

TEST(FunctionCall, refusals) {
  const FunctionRef callee = doubled("g", tensor_type({4}, f32));
  EXPECT_EQ(call_refusal(callee, {tensor_type({4}, f32)}), "");
  EXPECT_NE(call_refusal(callee, {}).find("takes 1 arguments, got 0"), std::string::npos);
  EXPECT_NE(call_refusal(callee, {tensor_type({4}, DType::f16)}).find("dtype f16"),
            std::string::npos);
  EXPECT_NE(call_refusal(callee, {tensor_type({5}, f32)}).find("shape (5,)"), std::string::npos);
  EXPECT_NE(call_refusal(callee, {TupleType::make({tensor_type({4}, f32)})}), "");
  const FunctionRef strict = doubled("s", TensorType::make({4}, f32, split_layout()));
  EXPECT_NE(call_refusal(strict, {tensor_type({4}, f32)}).find("another layout"),
            std::string::npos);
}

TEST(FunctionCall, weights_may_be_left_out) {
  TypeInferContext ctx;
  const VarRef x = Var::make("x", tensor_type({4}, f32));
  const VarRef w = Var::make("w", tensor_type({4}, f32), true);
  const FunctionRef callee =
      Function::make("g", {w, x}, make_call(ctx, make_op(Binary{.kind = BinaryKind::mul}), {x, w}));
  EXPECT_EQ(call_refusal(callee, {tensor_type({4}, f32)}), "");
  EXPECT_EQ(call_refusal(callee, {tensor_type({4}, f32), tensor_type({4}, f32)}), "");
  CostContext cost;
  const CallRef short_call = make_call(ctx, callee, {Var::make("a", x->type())});
  EXPECT_EQ(CostEvaluator(cost).visit(short_call).traffic,
            (std::vector<TrafficBytes>{{16, 0}, {16, 16}}));
}

// Each function calls the one before it twice.
FunctionRef tower(int height, const TypeRef& type) {
  FunctionRef below = doubled("f0", type);
  for (int i = 1; i < height; ++i) {
    TypeInferContext ctx;
    const VarRef x = Var::make("x", type);
    const CallRef once = make_call(ctx, below, {x});
    below = Function::make("f" + std::to_string(i), {x}, make_call(ctx, below, {once}));
  }
  return below;
}

TEST(FunctionCall, thirty_levels_are_linear) {
  const FunctionRef top = tower(30, tensor_type({4}, f32));
  TypeInferContext ctx;
  CostContext cost;
  const CallRef call = make_call(ctx, top, {Var::make("a", tensor_type({4}, f32))});
  EXPECT_EQ(CostEvaluator(cost).visit(call).flops.at(f32), std::int64_t{4} << 29);
  const TypeRef sharded = TensorType::make({4}, f32, split_layout());
  EXPECT_EQ(make_call(ctx, top, {Var::make("a", sharded)})->type(), sharded);
}

TEST(FunctionCall, deep_towers_elaborate_without_recursion) {
  const FunctionRef top = tower(2'000, tensor_type({4}, f32));
  TypeInferContext ctx;
  const TypeRef sharded = TensorType::make({4}, f32, split_layout());
  const CallRef call = make_call(ctx, top, {Var::make("a", sharded)});
  EXPECT_EQ(call->type(), sharded);
}

TEST(FunctionCall, values) {
  const FunctionRef callee = tower(3, tensor_type({2}, f32));
  TypeInferContext ctx;
  const VarRef a = Var::make("a", tensor_type({2}, f32));
  const FunctionRef caller = Function::make("main", {a}, make_call(ctx, callee, {a}));
  const ModuleRef module =
      Module::make({.name = "m", .functions = {caller, callee}, .entry = "main"});
  const HostValue out = evaluate(module, *caller, {float_tensor(f32, {2}, {1, -3})});
  EXPECT_EQ(floats_of(out.tensor()), (std::vector<double>{16, -48}));
}

}  // namespace
}  // namespace tilefoundry
