// Demands of the visitor-registry seed, shown on built-in ops and on ops defined at run time.
#include <gtest/gtest.h>

#include "tilefoundry/ir/expr_visitor.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/ops/binary.h"
#include "tilefoundry/ops/matmul.h"
#include "tilefoundry/ops/register.h"
#include "tilefoundry/ops/slice.h"
#include "tilefoundry/registry/cost.h"
#include "tilefoundry/registry/verify.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

TensorTypeRef f32(Shape shape) { return TensorType::make(std::move(shape), DType::f32); }

const OpClass& value_op(const std::string& name) {
  return DynamicOpClassBuilder(name, Dialect::tf, "test")
      .input({"x", InputPattern::any, false, true})
      .build();
}

TypeRef first_type(const Call& call, TypeInferContext& ctx) { return ctx.type_of(call.args()[0]); }

// A replaced handler that comes back at the end of the scope.
template <class Signature>
class Replaced {
 public:
  Replaced(AnalysisRegistry& registry, const NodeClass& cls, std::function<Signature> handler)
      : registry_(registry), cls_(cls), old_(*registry.find<Signature>(cls)) {
    registry.replace<Signature>(cls, std::move(handler));
  }
  ~Replaced() { registry_.replace<Signature>(cls_, old_); }

 private:
  AnalysisRegistry& registry_;
  const NodeClass& cls_;
  std::function<Signature> old_;
};

StmtRef copy_of(Shape from, Shape to) {
  return copy(Var::make("s", f32(std::move(from))), Var::make("d", f32(std::move(to))));
}

TEST(Seed, V6_the_visitors_derive_from_the_traversal_bases) {
  EXPECT_TRUE((std::is_base_of_v<ExprVisitor<TypeRef>, TypeInferVisitor>));
  EXPECT_TRUE((std::is_base_of_v<ExprVisitor<Cost>, CostEvaluator>));
  EXPECT_TRUE((std::is_base_of_v<StmtVisitor, VerifyVisitor>));
}

TEST(Seed, V7_plain_visitors_consult_no_registry) {
  const Replaced<VerifyFn> verify(
      verify_stmt_registry(), Copy::op_class(),
      [](const Stmt&, VerifyContext&) { throw std::runtime_error("verify handler"); });
  const Replaced<TypeInferFn> typing(
      typeinfer_registry(), Binary::op_class(),
      [](const Call&, TypeInferContext&) -> TypeRef { throw std::runtime_error("type handler"); });
  class Statements final : public StmtVisitor {
   public:
    int seen = 0;

   protected:
    void generic_visit(const Stmt& stmt) override {
      ++seen;
      StmtVisitor::generic_visit(stmt);
    }
  } statements;
  statements.visit(For::make(loop_var("i"), 0, 4, 1, copy_of({4}, {4})));
  EXPECT_EQ(statements.seen, 2);
  class Expressions final : public ExprVisitor<void> {
   public:
    int seen = 0;

   protected:
    void generic_visit(const Expr&) override { ++seen; }
  } expressions;
  const VarRef x = Var::make("x", f32({4}));
  expressions.visit(Call::make(make_op(Binary{.kind = BinaryKind::add}), {x, x}, x->type()));
  EXPECT_EQ(expressions.seen, 2);
}

TEST(Seed, V8_V9_a_verify_visitor_runs_the_rules_of_the_registry_it_is_given) {
  static const StmtClass* cls = new StmtClass("SeedProbe");
  class Probe final : public UserStmt {
   public:
    Probe() : UserStmt(*cls, {}) {}
  };
  int runs = 0;
  verify_stmt_registry().add<VerifyFn>(*cls, [&](const Stmt&, VerifyContext&) { ++runs; });
  VerifyContext ctx;
  VerifyVisitor(ctx).visit(StmtRef(new Probe()));
  EXPECT_EQ(runs, 1);
  AnalysisRegistry other("other");
  int other_runs = 0;
  other.add<VerifyFn>(Copy::op_class(), [&](const Stmt&, VerifyContext&) { ++other_runs; });
  VerifyVisitor(ctx, other).visit(Sequential::make({StmtRef(new Probe()), copy_of({4}, {5})}));
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(other_runs, 1);
}

TEST(Seed, V13_statement_handlers_get_a_statement_of_exactly_their_class) {
  AnalysisRegistry registry("statements");
  std::vector<std::string> seen;
  for (const StmtKind kind : {StmtKind::for_loop, StmtKind::let}) {
    registry.add<VerifyFn>(stmt_class_of(kind), [&](const Stmt& stmt, VerifyContext&) {
      seen.push_back(stmt.class_name());
    });
  }
  const VarRef b = Var::make("b", f32({4}));
  VerifyContext ctx;
  VerifyVisitor(ctx, registry)
      .visit(LetStmt::make(b, alloc_tensor(f32({4})),
                           For::make(loop_var("i"), 0, 4, 1, Return::make())));
  EXPECT_EQ(seen, (std::vector<std::string>{"LetStmt", "For"}));
}

TEST(Seed, V19_a_handler_belongs_to_exactly_one_class) {
  // The tile op and the value op share a name and nothing else.
  AnalysisRegistry registry("exact");
  registry.add<VerifyFn>(TileMatMul::op_class(), [](const Stmt&, VerifyContext&) {});
  EXPECT_EQ(TileMatMul::op_class().name(), MatMul::op_class().name());
  EXPECT_EQ(registry.find<VerifyFn>(MatMul::op_class()), nullptr);
  EXPECT_NE(registry.find<VerifyFn>(TileMatMul::op_class()), nullptr);
}

TEST(Seed, V21_V24_a_registered_handler_types_calls_and_fills_the_cache) {
  const OpClass& cls = value_op("SeedV24");
  typeinfer_registry().add<TypeInferFn>(cls, first_type);
  EXPECT_TRUE(typeinfer_registry().has(cls));
  TypeInferContext ctx(nullptr);
  const VarRef x = Var::make("x", f32({4}));
  const CallRef call = make_call(ctx, cls.make({}), {x});
  EXPECT_EQ(call->type(), x->type());
  EXPECT_EQ(ctx.module, nullptr);
  EXPECT_EQ(ctx.cache.at(call.get()), x->type());
}

TEST(Seed, V28_every_expression_kind_of_the_ir_has_a_type_rule) {
  TypeInferContext ctx;
  const VarRef x = Var::make("x", f32({4}));
  const VarRef carry = Var::make("carry", x->type());
  const VarRef i = Var::make("i", TensorType::umat_scalar(DType::i64));
  const auto unit = CallableType::make(UnitType::make(), {});
  const std::vector<ExprRef> kinds = {x,
                                      Constant::scalar(DType::f32, 1),
                                      Call::make(make_op(Binary{.kind = BinaryKind::add}), {x, x}),
                                      Tuple::make({x}),
                                      DimValue::make(4),
                                      SymbolRef::make("f", unit),
                                      ShapeOfExpr::make(x, 0),
                                      GridRegionExpr::make({.induction_var = i,
                                                            .carried_args = {carry},
                                                            .init_args = {x},
                                                            .yield_values = {carry},
                                                            .extent = 4})};
  // `user` is the one kind whose rule is its owner's.
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(ExprKind::user));
  for (const ExprRef& expr : kinds) EXPECT_NE(ctx.type_of(expr), nullptr) << expr->class_name();
}

TEST(Seed, V35_V43_V46_the_relation_of_matmul_has_a_domain_three_maps_and_no_shape) {
  TypeInferContext ctx;
  const VarRef a = Var::make("a", f32({4, 6}));
  const VarRef b = Var::make("b", f32({6, 8}));
  const CallRef call = Call::make(make_op(MatMul{}), {a, b});
  const auto relation = build_relation(*call, {a->type(), b->type()}, ctx);
  ASSERT_TRUE(relation.has_value());
  EXPECT_EQ(relation->domain(),
            IslSet::parse("{ [m, n, k] : 0 <= m < 4 and 0 <= n < 8 and 0 <= k < 6 }"));
  ASSERT_EQ(relation->maps().size(), 3U);
  for (const IslMap& map : relation->maps()) {
    EXPECT_EQ(map.domain(), relation->domain());
    EXPECT_EQ(map.range_rank(), 2U);
  }
  EXPECT_TRUE(relation->param_map().empty());
  const CallRef unknown = Call::make(value_op("SeedV46").make({}), {a});
  EXPECT_FALSE(build_relation(*unknown, {a->type()}, ctx).has_value());
}

TEST(Seed, V44_V45_a_relation_handler_gets_the_input_types_and_never_the_result) {
  const OpClass& cls = value_op("SeedV44");
  std::vector<TypeRef> got;
  type_relation_registry().add<TypeRelationFn>(
      cls, [&](const Call& call, const std::vector<TypeRef>& types, TypeInferContext&) {
        got = types;
        EXPECT_EQ(call.type(), nullptr);
        const BoundaryAccess at = BoundaryAccess::of({iter(0)});
        return AccessRelationResult(as_tensor(types[0])->shape(), {at, at});
      });
  TypeInferContext ctx;
  const VarRef x = Var::make("x", f32({4}));
  ASSERT_TRUE(build_relation(*Call::make(cls.make({}), {x}), {x->type()}, ctx).has_value());
  EXPECT_EQ(got, std::vector<TypeRef>{x->type()});
}

TEST(Seed, V48_V54_V55_the_two_relation_registries_are_peers) {
  const OpClass& access_only = value_op("SeedAccessOnly");
  const OpClass& neither = value_op("SeedNeither");
  access_relation_registry().add<AccessRelationFn>(access_only, [](const Call&, TypeInferContext&) {
    return AccessRelations{{OPAQUE}, {OPAQUE}};
  });
  EXPECT_FALSE(type_relation_registry().has(access_only));
  TypeInferContext ctx;
  const VarRef x = Var::make("x", f32({4}));
  for (const OpClass* cls : {&access_only, &neither}) {
    typeinfer_registry().add<TypeInferFn>(*cls, first_type);
    const CallRef call = make_call(ctx, cls->make({}), {x});
    // What has no forward relation is not covered, whatever else it registers.
    EXPECT_FALSE(build_relation(*call, {x->type()}, ctx).has_value());
  }
}

TEST(Seed, V47_V50_V51_V52_an_opaque_boundary_is_a_form_of_its_own) {
  static_assert(!std::is_convertible_v<OpaqueRelation, IslMap>);
  static_assert(!std::is_convertible_v<OpaqueRelation, IslMultiAff>);
  EXPECT_EQ(OpaqueRelation(), OPAQUE);
  const AccessRelationResult relation(
      {4}, {BoundaryAccess::opaque_access(), BoundaryAccess::of({iter(0)}),
            BoundaryAccess::of({iter(0)})});
  const AccessRelations classes = classify(relation, 2);
  ASSERT_EQ(classes.inputs.size(), 2U);
  ASSERT_EQ(classes.outputs.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<OpaqueRelation>(classes.inputs[0]));
  EXPECT_TRUE(std::holds_alternative<IslMultiAff>(classes.inputs[1]));
}

TEST(Seed, V56_V57_rules_share_the_type_cache_and_fail_through_the_context) {
  static const StmtClass* cls = new StmtClass("SeedRule");
  class Rule final : public UserStmt {
   public:
    explicit Rule(std::vector<ExprRef> args) : UserStmt(*cls, std::move(args)) {}
  };
  const OpClass& op = value_op("SeedV56");
  int inferences = 0;
  typeinfer_registry().add<TypeInferFn>(op, [&](const Call& call, TypeInferContext& ctx) {
    ++inferences;
    return first_type(call, ctx);
  });
  TypeRef seen;
  verify_stmt_registry().add<VerifyFn>(*cls, [&](const Stmt& stmt, VerifyContext& ctx) {
    const auto& rule = static_cast<const UserStmt&>(stmt);
    seen = ctx.type_of(rule.args()[0]);
    if (!ctx.mesh_stack.empty()) ctx.error(stmt, "not under a mesh");
  });
  const VarRef x = Var::make("x", f32({4}));
  const ExprRef wrong = Call::make(op.make({}), {x}, f32({99}));
  VerifyContext ctx;
  EXPECT_EQ(ctx.type_of(wrong), x->type());
  const StmtRef stmt(new Rule({wrong}));
  VerifyVisitor(ctx).visit(stmt);
  EXPECT_EQ(seen, x->type());
  EXPECT_EQ(inferences, 1);
  const auto mesh = Mesh::make({Topology::make("cta", 4)}, Layout::make(Shape{4}, Shape{1}));
  EXPECT_THROW(VerifyVisitor(ctx).visit(MeshScope::make(mesh, "m", stmt)), VerifyError);
  EXPECT_TRUE(ctx.mesh_stack.empty());
}

TEST(Seed, V58_V59_both_entry_points_dispatch_an_evaluate_by_the_class_of_its_op) {
  std::vector<std::string> order;
  const auto probe = [&](const char* name) {
    return [&order, name](const Stmt&, VerifyContext&) { order.emplace_back(name); };
  };
  const Replaced<VerifyFn> on_copy(verify_stmt_registry(), Copy::op_class(), probe("copy"));
  const Replaced<VerifyFn> on_fill(verify_stmt_registry(), Fill::op_class(), probe("fill"));
  const VarRef s = Var::make("s", f32({4}));
  const VarRef d = Var::make("d", f32({4}));
  const StmtRef fill = Evaluate::make(make_op(Fill{}), {d, Constant::scalar(DType::f32, 0)});
  const StmtRef body = Sequential::make({copy(s, d), fill, copy(s, d)});
  VerifyContext ctx;
  VerifyVisitor(ctx).visit(body);
  const std::vector<std::string> wanted = {"copy", "fill", "copy"};
  EXPECT_EQ(order, wanted);
  order.clear();
  verify_prim_function(PrimFunction::make("f", {s, d}, body, 1), nullptr);
  EXPECT_EQ(order, wanted);
}

TEST(Seed, V82_V83_a_view_reads_no_elements_and_storage_does_not_change_a_cost) {
  TypeInferContext types;
  const auto cost_at = [&](StorageKind storage) {
    const VarRef x = Var::make("x", f32({1024, 8})->with_storage(storage));
    CostContext ctx;
    const CallRef sum = make_call(types, make_op(Binary{.kind = BinaryKind::add}), {x, x});
    return CostEvaluator(ctx).visit(sum);
  };
  EXPECT_EQ(cost_at(StorageKind::gmem), cost_at(StorageKind::smem));
  const VarRef x = Var::make("x", f32({1024, 8}));
  const ExprRef starts = Tuple::make({DimValue::make(8), DimValue::make(0)});
  const CallRef window =
      make_call(types, make_op(Slice{.sizes = {4, 8}, .strides = {1, 1}}), {x, starts});
  CostContext ctx;
  const Cost cost = CostEvaluator(ctx).visit(window);
  EXPECT_EQ(cost.traffic[0], (TrafficBytes{0, 0}));
  EXPECT_LT(cost.bytes(), 64);
}

TEST(Seed, V90_V91_registries_are_full_after_loading_and_registering_again_changes_nothing) {
  const std::size_t classes = registered_op_classes().size();
  EXPECT_GT(classes, 30U);
  const auto* handler = typeinfer_registry().find<TypeInferFn>(Binary::op_class());
  EXPECT_NO_THROW(register_all_ops());
  EXPECT_EQ(registered_op_classes().size(), classes);
  EXPECT_EQ(typeinfer_registry().find<TypeInferFn>(Binary::op_class()), handler);
}

}  // namespace
}  // namespace tilefoundry
