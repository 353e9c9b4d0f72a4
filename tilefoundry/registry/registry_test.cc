#include <gtest/gtest.h>

#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/registry/cost.h"
#include "tilefoundry/registry/typeinfer.h"
#include "tilefoundry/registry/verify.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

static_assert(std::is_base_of_v<ExprVisitor<TypeRef>, TypeInferVisitor>);  // V6
static_assert(std::is_base_of_v<ExprVisitor<Cost>, CostEvaluator>);
static_assert(std::is_base_of_v<StmtVisitor, VerifyVisitor>);
static_assert(std::is_base_of_v<TypeInferContext, VerifyContext>);
static_assert(std::is_base_of_v<TypeInferContext, CostContext>);

const OpClass& new_op(const std::string& name) {
  return DynamicOpClassBuilder(name, Dialect::tf, "test")
      .input({"x", InputPattern::any, false, true})
      .build();
}

TensorTypeRef f32(Shape shape) { return TensorType::make(std::move(shape), DType::f32); }

CallRef call_of(const OpClass& cls, std::vector<ExprRef> args, Metadata meta = {}) {
  return Call::make(cls.make({}), std::move(args), nullptr, std::move(meta));
}

using Handler = int(int);

TEST(AnalysisRegistry, V16_V18_one_type_with_a_name_answers_misses_without_raising) {
  AnalysisRegistry registry("alias");
  EXPECT_EQ(registry.name(), "alias");
  const OpClass& cls = new_op("V18");
  EXPECT_EQ(registry.find<Handler>(cls), nullptr);
  EXPECT_FALSE(registry.has(cls));
  registry.add<Handler>(cls, [](int x) { return x + 1; });
  ASSERT_NE(registry.find<Handler>(cls), nullptr);
  EXPECT_EQ((*registry.find<Handler>(cls))(1), 2);
  EXPECT_TRUE(registry.has(cls));
}

TEST(AnalysisRegistry, V17_a_second_registration_raises_and_keeps_the_first) {
  AnalysisRegistry registry("twice");
  const OpClass& cls = new_op("V17");
  registry.add<Handler>(cls, [](int) { return 1; });
  try {
    registry.add<Handler>(cls, [](int) { return 2; });
    FAIL() << "no error";
  } catch (const RegistryError& error) {
    const std::string text = error.what();
    const std::size_t first = text.find("registry_test.cc:");
    ASSERT_NE(first, std::string::npos);
    EXPECT_NE(text.find("registry_test.cc:", first + 1), std::string::npos) << text;
  }
  EXPECT_EQ((*registry.find<Handler>(cls))(0), 1);
  registry.replace<Handler>(cls, [](int) { return 3; });
  EXPECT_EQ((*registry.find<Handler>(cls))(0), 3);
}

TEST(AnalysisRegistry, V14_statement_classes_are_refused_where_ops_are_keys) {
  for (AnalysisRegistry* registry : {&typeinfer_registry(), &type_relation_registry(),
                                     &access_relation_registry(), &cost_evaluator_registry()}) {
    EXPECT_THROW(registry->add<Handler>(stmt_class_of(StmtKind::for_loop), [](int) { return 0; }),
                 RegistryError)
        << registry->name();
  }
}

TEST(TypeInfer, V22_a_shared_node_is_inferred_once_and_children_are_asked_for) {
  const OpClass& cls = new_op("V22");
  int runs = 0;
  typeinfer_registry().add<TypeInferFn>(cls, [&](const Call& call, TypeInferContext& ctx) {
    ++runs;
    return ctx.type_of(call.args()[0]);
  });
  const VarRef x = Var::make("x", f32({4}));
  const CallRef shared = call_of(cls, {x});
  const CallRef root = call_of(cls, {call_of(cls, {shared, shared}), shared, shared});
  TypeInferContext ctx;
  EXPECT_EQ(ctx.type_of(root), x->type());
  EXPECT_EQ(ctx.type_of(shared), x->type());
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(ctx.cache.at(root.get()), x->type());  // V21
}

TEST(TypeInfer, V22_V34_a_chain_of_ten_and_of_a_hundred_thousand_gives_the_root_type) {
  const OpClass& cls = new_op("V22Chain");
  typeinfer_registry().add<TypeInferFn>(
      cls, [](const Call& call, TypeInferContext& ctx) { return ctx.type_of(call.args()[0]); });
  ExprRef x = Var::make("x", f32({4, 2}));
  const TypeRef wanted = x->type();
  for (int i = 0; i < 100000; ++i) x = call_of(cls, {x});
  TypeInferContext ctx;
  EXPECT_EQ(ctx.type_of(x), wanted);
  const auto* handler = typeinfer_registry().find<TypeInferFn>(cls);
  ASSERT_NE(handler, nullptr);
  EXPECT_EQ((*handler)(*call_of(cls, {x}), ctx), wanted);
}

TEST(TypeInfer, V25_variables_and_constants_have_their_own_type) {
  TypeInferContext ctx;
  const VarRef x = Var::make("x", f32({4}));
  const auto c = Constant::scalar(DType::f16, 1);
  EXPECT_EQ(ctx.type_of(x), x->type());
  EXPECT_EQ(ctx.type_of(c), c->type());
}

TEST(TypeInfer, V26_a_tuple_types_by_its_elements_and_not_by_its_stored_type) {
  TypeInferContext ctx;
  const VarRef x = Var::make("x", f32({4}));
  const auto tuple = Tuple::make({x, x}, TupleType::make({f32({9})}));
  EXPECT_EQ(ctx.type_of(tuple), TypeRef(TupleType::make({x->type(), x->type()})));
}

class Mystery final : public UserExpr {
 public:
  explicit Mystery(TypeRef type) : UserExpr(std::move(type), {}) {}
  std::vector<ExprRef> operands() const override { return {}; }
  std::string_view class_name() const noexcept override { return "Mystery"; }
};

TEST(TypeInfer, V23_V29_a_kind_without_a_rule_fails_whatever_type_it_stores) {
  TypeInferContext ctx;
  const ExprRef mystery(new Mystery(f32({4})));
  EXPECT_THROW(ctx.type_of(mystery), VerifyError);
}

TEST(TypeInfer, V31_V20_an_op_without_a_handler_fails_by_its_class_name) {
  TypeInferContext ctx;
  try {
    ctx.type_of(call_of(new_op("V31Unknown"), {}));
    FAIL() << "no error";
  } catch (const VerifyError& error) {
    EXPECT_NE(std::string(error.what()).find("V31Unknown"), std::string::npos);
  }
}

TEST(TypeInfer, V30_another_registry_changes_only_the_calls_it_is_asked_for) {
  const OpClass& cls = new_op("V30");
  AnalysisRegistry registry("private");
  registry.add<TypeInferFn>(cls, [](const Call&, TypeInferContext&) -> TypeRef {
    return TensorType::make({7}, DType::i32);
  });
  TypeInferContext ctx;
  const VarRef x = Var::make("x", f32({4}));
  TypeInferVisitor visitor(ctx, registry);
  EXPECT_EQ(visitor.visit(Tuple::make({x, call_of(cls, {x})}, f32({1}))),
            TypeRef(TupleType::make({x->type(), TensorType::make({7}, DType::i32)})));
}

TEST(TypeInfer, V1_retyping_refreshes_stale_types_and_returns_the_same_function_when_none_is) {
  const OpClass& cls = new_op("V1Same");
  typeinfer_registry().add<TypeInferFn>(
      cls, [](const Call& call, TypeInferContext& ctx) { return ctx.type_of(call.args()[0]); });
  const VarRef x = Var::make("x", TensorType::make({4}, DType::f16));
  const ExprRef stale =
      Call::make(cls.make({}), {Call::make(cls.make({}), {x}, f32({4}))}, f32({4}));
  const FunctionRef function = Function::make("f", {x}, stale);
  const FunctionRef fresh = retype(function, nullptr);
  ASSERT_NE(fresh, function);
  for (const ExprRef& expr : post_order({fresh->body()})) EXPECT_EQ(expr->type(), x->type());
  EXPECT_EQ(fresh->return_type(), x->type());
  EXPECT_EQ(retype(fresh, nullptr), fresh);
}

std::string error_text(const std::function<void()>& action) {
  try {
    action();
  } catch (const VerifyError& error) {
    return error.diagnostic().message;
  }
  return "no error";
}

TEST(Context, V88_one_stable_error_format_from_every_context) {
  const CallRef call = call_of(new_op("V88"), {}, Metadata{"y", {}});
  const VarRef var = Var::make("x", f32({4}));
  const StmtRef loop = For::make(loop_var("i"), 0, 4, 1, Return::make());
  class UserContext final : public TypeInferContext {};
  const TypeInferContext infer;
  const VerifyContext verify;
  const CostContext cost;
  const UserContext user;
  for (const TypeInferContext* ctx :
       {&infer, static_cast<const TypeInferContext*>(&verify),
        static_cast<const TypeInferContext*>(&cost), static_cast<const TypeInferContext*>(&user)}) {
    EXPECT_EQ(error_text([&] { ctx->error(*call, "bad"); }), "Call[V88] 'y': bad");
    EXPECT_EQ(error_text([&] { ctx->error(*var, "bad"); }), "Var 'x': bad");
    EXPECT_EQ(error_text([&] { ctx->error(*loop, "bad"); }), "For 'i': bad");
  }
}

TEST(Cost, V73_bytes_are_derived_from_the_traffic_of_both_directions) {
  EXPECT_EQ((TrafficBytes{3, 4}.total_bytes()), 7);
  EXPECT_EQ((Cost{{}, {{3, 4}, {0, 5}}, {}}.bytes()), 12);
}

TEST(Cost, V74_a_context_has_no_selected_types_by_default) {
  CostContext ctx;
  EXPECT_TRUE(ctx.selected_types.empty());
  EXPECT_EQ(ctx.selected_output_type, nullptr);
  const VarRef x = Var::make("x", f32({4}));
  EXPECT_EQ(ctx.type_of(x), x->type());
}

TEST(Cost, V76_V78_evaluators_are_found_by_class_and_a_missing_one_fails_with_name_and_place) {
  const OpClass& cls = new_op("V76");
  const OpClass& missing = new_op("V78Missing");
  const auto type_rule = [](const Call& call, TypeInferContext& ctx) {
    return ctx.type_of(call.args()[0]);
  };
  typeinfer_registry().add<TypeInferFn>(cls, type_rule);
  typeinfer_registry().add<TypeInferFn>(missing, type_rule);
  cost_evaluator_registry().add<CostFn>(cls, [](const Call& call, CostContext& ctx) {
    return pointwise_cost(call, ctx, 1, DType::f32);
  });
  CostContext ctx;
  const VarRef x = Var::make("x", f32({4}));
  const Cost cost = CostEvaluator(ctx).visit(call_of(cls, {x}));
  EXPECT_EQ(cost.flops.at(DType::f32), 4);
  EXPECT_EQ(cost.traffic, (std::vector<TrafficBytes>{{16, 0}, {0, 16}}));

  const auto buffer = make_ref<SourceBuffer>("program.py", "y = missing(x)\n");
  const Metadata meta{"y", Span{buffer, 4, 14}};
  const std::string text =
      error_text([&] { CostEvaluator(ctx).visit(call_of(missing, {x}, meta)); });
  EXPECT_NE(text.find("V78Missing"), std::string::npos) << text;
  EXPECT_NE(text.find("program.py:1:5"), std::string::npos) << text;
}

TEST(Cost, V84_a_report_of_the_wrong_length_fails_with_both_counts) {
  const OpClass& cls = new_op("V84");
  typeinfer_registry().add<TypeInferFn>(
      cls, [](const Call& call, TypeInferContext& ctx) { return ctx.type_of(call.args()[0]); });
  cost_evaluator_registry().add<CostFn>(
      cls, [](const Call&, CostContext&) { return Cost{{}, {{1, 0}}, {}}; });
  CostContext ctx;
  const VarRef x = Var::make("x", f32({4}));
  const std::string text = error_text([&] { CostEvaluator(ctx).visit(call_of(cls, {x, x})); });
  EXPECT_NE(text.find("V84"), std::string::npos) << text;
  EXPECT_NE(text.find("1 traffic"), std::string::npos) << text;
  EXPECT_NE(text.find("needs 3"), std::string::npos) << text;
}

// The four steps of the seed's recipe (section 10), as an outsider writes them.
class AliasContext : public TypeInferContext {
 public:
  using TypeInferContext::TypeInferContext;
  std::unordered_map<const Expr*, std::vector<const Expr*>> alias_sets;
};

AnalysisRegistry& alias_registry() {
  static AnalysisRegistry registry("alias", RegistryKeys::ops);
  return registry;
}
using AliasFn = void(const Call&, AliasContext&);

class AliasVisitor final : public ExprVisitor<void> {
 public:
  explicit AliasVisitor(AliasContext& ctx, const AnalysisRegistry& registry = alias_registry())
      : ctx_(ctx), registry_(registry) {}

 protected:
  void visit_Call(const Call& call) override {
    if (const auto* handler = registry_.find<AliasFn>(call.target()->node_class())) {
      (*handler)(call, ctx_);
    }
    for (const ExprRef& arg : call.args()) visit(arg);
  }

 private:
  AliasContext& ctx_;
  const AnalysisRegistry& registry_;
};

TEST(NewAnalysis, V11_V12_V92_V93_V94_the_four_steps_make_a_peer_of_the_built_in_analyses) {
  const OpClass& view = new_op("V93View");
  const OpClass& other = new_op("V93Other");
  std::vector<const Call*> seen;
  const AliasContext* seen_context = nullptr;
  alias_registry().add<AliasFn>(view, [&](const Call& call, AliasContext& ctx) {
    seen.push_back(&call);
    seen_context = &ctx;
    ctx.alias_sets[&call].push_back(call.args()[0].get());
  });
  const VarRef x = Var::make("x", f32({4}));
  const CallRef aliased = call_of(view, {x});
  const CallRef root = call_of(other, {aliased, aliased});
  AliasContext ctx;
  AliasVisitor(ctx).visit(root);
  EXPECT_EQ(seen, std::vector<const Call*>{aliased.get()});
  EXPECT_EQ(seen_context, &ctx);
  EXPECT_EQ(ctx.alias_sets.at(aliased.get()).front(), x.get());

  AnalysisRegistry empty("second alias");
  AliasContext untouched;
  AliasVisitor(untouched, empty).visit(root);
  EXPECT_TRUE(untouched.alias_sets.empty());
}

}  // namespace
}  // namespace tilefoundry
