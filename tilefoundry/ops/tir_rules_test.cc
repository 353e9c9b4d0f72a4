// The TIR verifier: each rule refused and accepted.
#include <gtest/gtest.h>

#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/passes/loop_nest.h"
#include "tilefoundry/registry/verify.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

TensorTypeRef f32_tensor(Shape shape, LayoutRef layout = nullptr) {
  return TensorType::make(std::move(shape), DType::f32, std::move(layout));
}

MeshRef mesh_of(std::int64_t size) {
  return Mesh::make({Topology::make("cta", size)}, Layout::make(Shape{size}, Shape{1}), {"x"});
}

LayoutRef split_over(const MeshRef& mesh, std::int64_t size) {
  return ShardLayout::make(Layout::make(Shape{size}, Shape{1}), {{ShardKind::split, 0, ""}}, mesh);
}

PrimFunctionRef prim(std::vector<VarRef> params, StmtRef body) {
  return PrimFunction::make("f", std::move(params), std::move(body), 1);
}

// The message of the refusal; "" when the function is accepted.
std::string refusal(const std::vector<VarRef>& params, const StmtRef& body,
                    const ModuleRef& module = nullptr) {
  try {
    verify_prim_function(prim(params, body), module);
  } catch (const VerifyError& error) {
    return error.diagnostic().message;
  }
  return "";
}

struct Tir : testing::Test {
  VarRef a = Var::make("a", f32_tensor({4}));
  VarRef b = Var::make("b", f32_tensor({4}));
  ExprRef one = Constant::make(scalar_type(DType::f32), Constant::scalar(DType::f32, 1)->bytes());
  std::string refused(const StmtRef& body) { return refusal({a, b}, body); }
  StmtRef nest(const Dim& step) {
    const VarRef i = loop_var("i");
    return For::make(i, 0, 4, step, store(b, load(a, {i->dim()}), {i->dim()}));
  }
};

TEST_F(Tir, V63_for_step_is_not_zero) {
  EXPECT_NE(refused(nest(0)).find("the step 0 is 0"), std::string::npos);
  EXPECT_NE(refused(nest(dim_var("K", 0, 4))).find("may be 0"), std::string::npos);
  EXPECT_EQ(refused(nest(2)), "");
  EXPECT_EQ(refused(nest(dim_var("K", 1, 4))), "");
}

TEST_F(Tir, V63_conditions_are_bool_scalars) {
  const ExprRef less = scalar_binary(BinaryKind::cmp_lt, load(a, {0}), one);
  EXPECT_EQ(refused(If::make(less, copy(a, b), nullptr)), "");
  EXPECT_NE(refused(If::make(load(a, {0}), copy(a, b), nullptr)), "");
  EXPECT_NE(refused(If::make(Var::make("c", scalar_type(DType::i32)), copy(a, b), nullptr)), "");
  EXPECT_EQ(refused(While::make(less, copy(a, b))), "");
  EXPECT_NE(refused(While::make(dim_value(1), copy(a, b))), "");
}

TEST_F(Tir, V63_let_binds_a_fresh_variable_of_the_values_type) {
  const VarRef v = Var::make("v", scalar_type(DType::f32));
  const VarRef wrong = Var::make("v", scalar_type(DType::i32));
  EXPECT_EQ(refused(LetStmt::make(v, load(a, {0}), store(b, v, {0}))), "");
  EXPECT_NE(refused(LetStmt::make(wrong, load(a, {0}), Sequential::make({}))), "");
  EXPECT_NE(
      refused(LetStmt::make(v, load(a, {0}), LetStmt::make(v, load(a, {1}), store(b, v, {0}))))
          .find("bound twice"),
      std::string::npos);
  EXPECT_NE(refused(Sequential::make({LetStmt::make(v, load(a, {0}), store(b, v, {0})),
                                      LetStmt::make(v, load(a, {0}), store(b, v, {1}))})),
            "");
  EXPECT_NE(refused(store(b, v, {0})).find("before it is bound"), std::string::npos);
  EXPECT_NE(refused(store(b, one, {loop_var("i")->dim()})).find("before it is bound"),
            std::string::npos);
  EXPECT_NE(refusal({a, a}, copy(a, a)), "");
}

TEST_F(Tir, V61_a_hit_does_not_stop_the_walk) {
  const VarRef wide = Var::make("w", f32_tensor({5}));
  const VarRef i = loop_var("i");
  EXPECT_NE(refusal({wide, b}, For::make(i, 0, 4, 1, copy(wide, b))).find("src has shape (5,)"),
            std::string::npos);
  EXPECT_NE(refusal({wide, b}, MeshScope::make(mesh_of(2), "m", copy(wide, b))), "");
}

TEST_F(Tir, MemoryRules) {
  const TensorTypeRef local = TensorType::make({4}, DType::f32, nullptr, StorageKind::rmem);
  const VarRef t = Var::make("t", local);
  EXPECT_EQ(refused(LetStmt::make(t, alloc_tensor(local), copy(a, t))), "");
  EXPECT_NE(refused(copy(alloc_tensor(local), b)).find("inside another expression"),
            std::string::npos);
  const VarRef u = Var::make("u", TensorType::umat_tensor({4}, DType::f32));
  EXPECT_NE(refused(LetStmt::make(u, alloc_tensor(TensorType::umat_tensor({4}, DType::f32)),
                                  Sequential::make({}))),
            "");
  const auto view = [&](const Shape& starts, Shape shape) {
    const ExprRef value = tensor_view(a, starts, std::move(shape));
    return refused(LetStmt::make(Var::make("v", value->type()), value, Sequential::make({})));
  };
  EXPECT_EQ(view({1}, {3}), "");
  EXPECT_EQ(view({}, {2, 2}), "");
  EXPECT_NE(view({2}, {3}), "");
  EXPECT_NE(view({0, 0}, {2}), "");
  EXPECT_NE(view({}, {3, 3}), "");
  const StmtRef fill = Evaluate::make(make_op(Fill{}), {b, one});
  EXPECT_EQ(refused(fill), "");
  EXPECT_NE(refused(Evaluate::make(make_op(Fill{}), {b, dim_value(1)})), "");
  EXPECT_NE(refused(Evaluate::make(make_op(Fill{}), {b, a})), "");
  EXPECT_NE(refused(Evaluate::make(make_op(Copy{}), {a})), "");
  EXPECT_NE(refused(Evaluate::make(make_op(Copy{}), {a, one})), "");
}

TEST_F(Tir, ScalarRules) {
  EXPECT_EQ(refused(store(b, load(a, {3}), {0})), "");
  EXPECT_NE(refused(store(b, load(a, {3, 0}), {0})), "");
  EXPECT_NE(refused(store(b, load(a, {3}), {})), "");
  EXPECT_NE(refused(store(b, dim_value(1), {0})), "");
  EXPECT_NE(refused(store(b, scalar_binary(BinaryKind::add, one, dim_value(1)), {0})), "");
  EXPECT_NE(refused(store(b, scalar_unary(UnaryKind::logical_not, one), {0})), "");
  EXPECT_NE(refused(store(b, select(one, one, one), {0})), "");
  EXPECT_EQ(refused(store(b, scalar_cast(DType::f32, dim_value(3)), {0})), "");
}

TEST_F(Tir, V60_a_value_op_is_no_statement) {
  EXPECT_THROW(Evaluate::make(make_op(Load{}), {a, dim_value(0)}), VerifyError);
  const ExprRef effect = Call::make(make_op(Copy{}), {a, b}, UnitType::make());
  EXPECT_NE(refused(copy(effect, b)), "");
}

TEST_F(Tir, V1_stale_types_are_refreshed) {
  const PrimFunctionRef good = prim({a, b}, copy(a, b));
  EXPECT_EQ(verify_prim_function(good, nullptr), good);
  const ExprRef stale = Call::make(make_op(Load{}), {a, dim_value(0)}, scalar_type(DType::f16));
  const PrimFunctionRef bad = prim({a, b}, store(b, stale, {0}));
  const PrimFunctionRef refreshed = verify_prim_function(bad, nullptr);
  EXPECT_NE(refreshed, bad);
  const auto* evaluate = stmt_cast<Evaluate>(refreshed->body());
  EXPECT_EQ(evaluate->args()[1]->type(), TypeRef(scalar_type(DType::f32)));
}

TEST_F(Tir, V2_symbols_resolve_to_one_prim_function_of_their_type) {
  const PrimFunctionRef callee =
      PrimFunction::make("g", {Var::make("x", a->type())}, Sequential::make({}), 0);
  const auto caller = [&](const std::string& name, const Ref<const CallableType>& type,
                          std::vector<ExprRef> args) {
    return PrimFunction::make("f", {a},
                              Evaluate::call(SymbolRef::make(name, type), std::move(args)), 0);
  };
  const auto verify = [&](const PrimFunctionRef& function) -> std::string {
    try {
      verify_module(Module::make({.name = "m", .functions = {function, callee}, .entry = "f"}));
    } catch (const VerifyError& error) {
      return error.diagnostic().message;
    }
    return "";
  };
  const auto type = callee->callable_type();
  EXPECT_EQ(verify(caller("g", type, {a})), "");
  EXPECT_NE(verify(caller("h", type, {a})).find("has the name h"), std::string::npos);
  EXPECT_NE(verify(caller("g", CallableType::make(UnitType::make(), {}), {})), "");
  EXPECT_NE(verify(caller("g", type, {})), "");
  EXPECT_NE(verify(caller("g", type, {dim_value(1)})), "");
}

TEST(TirMesh, V3_V4_V62_sharded_values) {
  const MeshRef mesh = mesh_of(2);
  const TensorTypeRef sharded = f32_tensor({4}, split_over(mesh, 4));
  const TensorTypeRef plain = f32_tensor({4});
  const VarRef x = Var::make("x", sharded);
  const VarRef y = Var::make("y", sharded);
  const VarRef p = Var::make("p", plain);
  EXPECT_NE(refusal({x, p}, copy(x, p)).find("beside the sharded parameter"), std::string::npos);
  EXPECT_EQ(refusal({x, y}, copy(x, y)), "");
  const ExprRef view = tensor_view(p, {}, {4}, sharded->layout());
  const VarRef v = Var::make("v", view->type());
  const StmtRef body = LetStmt::make(v, view, copy(v, p));
  EXPECT_NE(refusal({p}, body).find("not in scope"), std::string::npos);
  EXPECT_EQ(refusal({p}, MeshScope::make(mesh, "m", body)), "");
  EXPECT_NE(refusal({p}, MeshScope::make(mesh_of(4), "m", body)), "");
  EXPECT_NE(refusal({p}, Sequential::make({MeshScope::make(mesh, "m", copy(p, p)), body})), "");
}

struct Counted {
  int calls = 0;
  std::vector<std::size_t> depths;
};

TEST(VerifyVisitor, V9_V58_V62_an_injected_registry_is_another_analysis) {
  const VarRef a = Var::make("a", f32_tensor({4}));
  const VarRef wide = Var::make("w", f32_tensor({5}));
  AnalysisRegistry other("other");
  Counted counted;
  other.add<VerifyFn>(Copy::op_class(), [&](const Stmt&, VerifyContext& ctx) {
    ++counted.calls;
    counted.depths.push_back(ctx.mesh_stack.size());
  });
  other.add<VerifyFn>(stmt_class_of(StmtKind::evaluate),
                      [&](const Stmt&, VerifyContext&) { counted.calls += 100; });
  const StmtRef inner = MeshScope::make(mesh_of(2), "m", copy(wide, a));
  const StmtRef body = Sequential::make(
      {copy(a, a), MeshScope::make(mesh_of(4), "n", Sequential::make({inner, copy(a, a)}))});
  VerifyContext ctx;
  VerifyVisitor(ctx, other).visit(body);
  EXPECT_EQ(counted.calls, 3);
  EXPECT_EQ(counted.depths, (std::vector<std::size_t>{0, 2, 1}));
  EXPECT_TRUE(ctx.mesh_stack.empty());
  EXPECT_THROW(VerifyVisitor(ctx).visit(body), VerifyError);
  EXPECT_TRUE(ctx.mesh_stack.empty());
}

TEST(VerifyVisitor, V15_an_empty_registry_reaches_everything) {
  AnalysisRegistry empty("empty");
  const VarRef wide = Var::make("w", f32_tensor({5}));
  VerifyContext ctx;
  VerifyVisitor(ctx, empty).visit(copy(wide, Var::make("a", f32_tensor({4}))));
}

TEST(VerifyPrimFunction, long_chains_need_no_stack) {
  const VarRef a = Var::make("a", f32_tensor({4}));
  Block block;
  for (int i = 0; i < 30'000; ++i) {
    block.push_back(BlockItem::let(Var::make("v", scalar_type(DType::f32)), load(a, {0})));
  }
  const PrimFunctionRef function = prim({a}, make_block(block));
  EXPECT_EQ(verify_prim_function(function, nullptr), function);
}

}  // namespace
}  // namespace tilefoundry
