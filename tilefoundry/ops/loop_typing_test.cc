#include "tilefoundry/registry/loop_typing.h"

#include <gtest/gtest.h>

#include "tilefoundry/ir/structural.h"
#include "tilefoundry/ops/binary.h"
#include "tilefoundry/ops/cast.h"
#include "tilefoundry/ops/function_call.h"
#include "tilefoundry/ops/ops_test_support.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

ExprRef sum(TypeInferContext& ctx, const ExprRef& a, const ExprRef& b) {
  return make_call(ctx, make_op(Binary{.kind = BinaryKind::add}), {a, b});
}

VarRef number(const char* name) { return Var::make(name, TensorType::umat_scalar(DType::i64)); }

// for i in range(4): acc = step(acc)
template <class Step>
GridRegionRef loop_over(TypeInferContext& ctx, const ExprRef& init, const Step& step) {
  const VarRef acc = Var::make("acc", init->type());
  return make_loop(ctx, {.induction_var = number("i"),
                         .carried_args = {acc},
                         .init_args = {init},
                         .yield_values = {step(acc)},
                         .extent = 4});
}

// A loop inside of a loop, both carrying `init`.
ExprRef nested(TypeInferContext& ctx, const ExprRef& init) {
  return loop_over(ctx, init, [&](const VarRef& outer) -> ExprRef {
    return loop_over(ctx, outer, [&](const VarRef& acc) { return sum(ctx, acc, init); });
  });
}

TEST(LoopTyping, V1_types_in_loops_follow_a_change_above) {
  TypeInferContext ctx;
  const VarRef x = Var::make("x", tensor_type({4}, DType::f32));
  const auto program = [&](DType now, DType claimed) {
    const ExprRef honest = make_call(ctx, make_op(Cast{.dtype = claimed}), {x});
    const ExprRef body = nested(ctx, honest);
    if (now == claimed) return Function::make("f", {x}, body);
    // The cast is exchanged, and the types above stay as they were.
    class Exchange final : public ExprMutator {
     public:
      explicit Exchange(DType dtype) : dtype_(dtype) {}

     protected:
      ExprRef visit_Call(const Call& call) override {
        if (call.op<Cast>() == nullptr) return ExprMutator::visit_Call(call);
        return Call::make(make_op(Cast{.dtype = dtype_}), call.args(), call.type());
      }

     private:
      DType dtype_;
    } exchange(now);
    return Function::make("f", {x}, exchange.visit(body));
  };
  const FunctionRef fresh = retype(program(DType::f16, DType::f32), nullptr);
  std::size_t loops = 0;
  for (const ExprRef& node : post_order({fresh->body()})) {
    loops += node->kind() == ExprKind::grid_region ? 1 : 0;
    if (node == x) continue;
    EXPECT_EQ(as_tensor(node->type())->dtype(), DType::f16) << node->class_name();
  }
  EXPECT_EQ(loops, 2U);
  EXPECT_FALSE(structural_difference(fresh, program(DType::f16, DType::f16)));
  EXPECT_EQ(retype(fresh, nullptr), fresh);
}

TEST(LoopTyping, V32_a_called_loop_takes_the_layout_of_its_argument) {
  TypeInferContext ctx;
  const VarRef x = Var::make("x", tensor_type({4}, DType::f32));
  const FunctionRef callee = Function::make("g", {x}, nested(ctx, x));
  const MeshRef mesh =
      Mesh::make({Topology::make("cta", 2)}, Layout::make(Shape{2}, Shape{1}), {"x"});
  const LayoutRef layout =
      ShardLayout::make(Layout::make(Shape{4}, Shape{1}), {{ShardKind::split, 0, ""}}, mesh);
  const TypeRef sharded = TensorType::make({4}, DType::f32, layout);
  const FunctionRef instance =
      elaborate(ctx, callee, {sharded}, *Call::make(callee, {Var::make("a", sharded)}));
  EXPECT_EQ(instance->return_type(), sharded);
  for (const ExprRef& node : post_order({instance->body()})) EXPECT_EQ(node->type(), sharded);
  // The callee is as it was.
  EXPECT_EQ(callee->return_type(), x->type());
}

TEST(LoopTyping, V27_counts_and_bounds_of_parts_are_checked) {
  const VarRef x = Var::make("x", tensor_type({4}, DType::f32));
  const VarRef acc = Var::make("acc", x->type());
  const VarRef i = number("i");
  const GridRegionParts good{.induction_var = i,
                             .carried_args = {acc},
                             .init_args = {x},
                             .yield_values = {acc},
                             .extent = 4};
  EXPECT_NO_THROW(GridRegionExpr::make(good));
  const auto refused = [&](auto change) {
    GridRegionParts parts = good;
    change(parts);
    EXPECT_THROW(GridRegionExpr::make(parts), ValueError);
  };
  refused([](GridRegionParts& parts) { parts.yield_values.clear(); });
  refused([](GridRegionParts& parts) { parts.carried_args.clear(); });
  refused([](GridRegionParts& parts) { parts.step = 0; });
  refused([&](GridRegionParts& parts) { parts.extent = i->dim(); });
  refused([&](GridRegionParts& parts) { parts.induction_var = x; });
  refused([](GridRegionParts& parts) {
    parts.form = LoopForm::tile;
    parts.start = 2;
  });
}

}  // namespace
}  // namespace tilefoundry
