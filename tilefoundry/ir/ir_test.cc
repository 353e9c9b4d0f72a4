#include <gtest/gtest.h>

#include "tilefoundry/ir/expr_visitor.h"
#include "tilefoundry/ir/module.h"
#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

const OpClass& test_op() {
  static const OpClass& cls = DynamicOpClassBuilder("TestIrOp", Dialect::tf, "test")
                                  .input({"x", InputPattern::any, false, true})
                                  .build();
  return cls;
}

TypeRef vector_type() { return TensorType::make({8}, DType::f32); }

ExprRef op_call(std::vector<ExprRef> args) {
  return Call::make(test_op().make({}), std::move(args), vector_type());
}

ExprRef chain(std::size_t length) {
  ExprRef x = Var::make("x", vector_type());
  for (std::size_t i = 0; i < length; ++i) x = op_call({x});
  return x;
}

TEST(Expr, A_chain_of_a_million_calls_lives_and_dies_on_a_small_stack) {
  const ExprRef end = chain(1000000);
  EXPECT_EQ(post_order({end}).size(), 1000001U);
}

TEST(Expr, Each_node_stands_once_in_the_order_however_often_it_is_used) {
  ExprRef x = Var::make("x", vector_type());
  for (int i = 0; i < 18; ++i) x = op_call({x, x});
  EXPECT_EQ(post_order({x}).size(), 19U);
}

TEST(Op, Ops_differ_by_their_attributes) {
  const OpRef a = make_op(ScalarCast{.dtype = DType::f32});
  EXPECT_TRUE(op_equal(*a, *make_op(ScalarCast{.dtype = DType::f32})));
  EXPECT_FALSE(op_equal(*a, *make_op(ScalarCast{.dtype = DType::f16})));
}

class CallCounter final : public ExprVisitor<void> {
 public:
  int calls = 0;

 protected:
  void visit_Call(const Call&) override { ++calls; }
};

TEST(ExprVisitor, V10_overriding_visit_Call_alone_counts_calls_and_shared_nodes_once) {
  ExprRef x = Var::make("x", vector_type());
  for (int i = 0; i < 64; ++i) x = op_call({x, x});
  CallCounter counter;
  counter.visit(x);
  EXPECT_EQ(counter.calls, 64);
}

TEST(ExprMutator, P12_what_does_not_change_comes_back_as_the_same_object) {
  class Nothing final : public ExprMutator {};
  const ExprRef x = chain(10);
  EXPECT_EQ(Nothing().visit(x), x);

  class Rename final : public ExprMutator {
   protected:
    ExprRef visit_Var(const Var& var) override {
      return var.name() == "a" ? ExprRef(Var::make("b", var.type())) : ExprRef(&var);
    }
  };
  const ExprRef left = op_call({Var::make("a", vector_type())});
  const ExprRef right = op_call({Var::make("c", vector_type())});
  const ExprRef both = op_call({left, right});
  const ExprRef renamed = Rename().visit(both);
  EXPECT_NE(renamed, both);
  EXPECT_EQ(expr_cast<Call>(renamed)->args()[1], right);
}

// A nest of all seven generic statements around an Evaluate.
StmtRef nest_of_seven(const StmtRef& inner) {
  const VarRef flag = Var::make("flag", scalar_type(DType::boolean));
  const auto mesh = Mesh::make({Topology::make("cta", 1)}, Layout::make(Shape{1}, Shape{1}));
  StmtRef stmt = Sequential::make({inner, Return::make()});
  stmt = MeshScope::make(mesh, "m", stmt);
  stmt = If::make(flag, stmt, nullptr);
  stmt = While::make(flag, stmt);
  stmt = For::make(loop_var("i"), 0, 4, 1, stmt);
  const VarRef buffer = Var::make("b", vector_type());
  return LetStmt::make(buffer, alloc_tensor(TensorType::make({8}, DType::f32)), stmt);
}

StmtRef copy_stmt() { return copy(Var::make("s", vector_type()), Var::make("d", vector_type())); }

TEST(StmtVisitor, V15_plain_visitors_recurse_through_the_seven_generic_statements) {
  class Counter final : public StmtVisitor {
   public:
    int copies = 0;
    int statements = 0;

   protected:
    void generic_visit(const Stmt& stmt) override {
      ++statements;
      StmtVisitor::generic_visit(stmt);
    }
    void visit_Evaluate(const Evaluate& stmt) override { copies += stmt.op<Copy>() != nullptr; }
  } counter;
  counter.visit(nest_of_seven(copy_stmt()));
  EXPECT_EQ(counter.copies, 1);
  EXPECT_EQ(counter.statements, 7);
}

TEST(StmtVisitor, Children_are_visited_in_program_order) {
  class Names final : public StmtVisitor {
   public:
    std::string text;

   protected:
    void visit_For(const For& loop) override {
      text += loop.var()->name();
      generic_visit(loop);
    }
  } names;
  const auto loop = [](const char* name, StmtRef body) {
    return StmtRef(For::make(loop_var(name), 0, 4, 1, std::move(body)));
  };
  const StmtRef leaf = Return::make();
  names.visit(Sequential::make(
      {loop("a", Sequential::make({loop("b", leaf), loop("c", leaf)})), loop("d", leaf)}));
  EXPECT_EQ(names.text, "abcd");
}

TEST(StmtVisitor, Chains_of_bindings_are_walked_without_recursion) {
  Block block;
  for (int i = 0; i < 200000; ++i) {
    const VarRef var = Var::make("v", vector_type());
    block.push_back(BlockItem::let(var, alloc_tensor(TensorType::make({8}, DType::f32))));
    block.push_back(BlockItem::of(copy(var, var)));
  }
  const StmtRef body = make_block(block);
  EXPECT_EQ(block_items(body).size(), 400000U);
  class Nothing final : public StmtExprMutator {};
  EXPECT_EQ(Nothing().mutate(body), body);
}

TEST(StmtExprMutator, P12_P13_rewriting_one_statement_keeps_its_siblings) {
  class CopyDropper final : public StmtExprMutator {
   protected:
    StmtRef visit_Evaluate(const Evaluate& stmt) override {
      if (stmt.op<Copy>() == nullptr) return StmtRef(&stmt);
      return Evaluate::make(make_op(Fill{}), {stmt.args()[1], Constant::scalar(DType::f32, 0)});
    }
  };
  const StmtRef first = nest_of_seven(Return::make());
  const StmtRef second = nest_of_seven(copy_stmt());
  const StmtRef both = Sequential::make({first, second});
  const StmtRef rewritten = CopyDropper().mutate(both);
  ASSERT_NE(rewritten, both);
  EXPECT_EQ(stmt_cast<Sequential>(rewritten)->stmts()[0], first);
  EXPECT_NE(stmt_cast<Sequential>(rewritten)->stmts()[1], second);
}

TEST(Evaluate, V60_a_value_op_is_refused_in_statement_position) {
  EXPECT_THROW(Evaluate::make(make_op(Load{}), {}), VerifyError);
  EXPECT_NO_THROW(copy_stmt());
}

FunctionRef identity(const std::string& name) {
  const VarRef x = Var::make("x", vector_type());
  const VarRef w = Var::make("w", vector_type(), true);
  return Function::make(name, {x, w}, op_call({x, w}));
}

ModuleRef child_module() {
  ModuleParts parts;
  parts.name = "Child";
  parts.entry = "forward";
  parts.functions = {identity("forward")};
  return Module::make(std::move(parts));
}

TEST(Module, I21_copies_under_two_attributes_are_two_callees) {
  const ModuleRef child = child_module();
  const ModuleRef a = attach_copy(*child, "a");
  const ModuleRef b = attach_copy(*child, "b");
  EXPECT_EQ(a->name(), "a");
  EXPECT_NE(a->entry_function(), b->entry_function());

  const VarRef x = Var::make("x", vector_type());
  const ExprRef first = Call::make(a->entry_function(), {x}, vector_type());
  const ExprRef second = Call::make(b->entry_function(), {first}, vector_type());
  const ExprRef again = Call::make(a->entry_function(), {second}, vector_type());
  ModuleParts parts;
  parts.name = "Owner";
  parts.children = {a, b};
  parts.functions = {Function::make("main", {x}, again)};
  const ModuleRef owner = Module::make(std::move(parts));
  const auto& main = static_cast<const Function&>(*owner->functions().front());
  EXPECT_EQ(child_of_entry(*owner, static_cast<const Function&>(*b->entry_function())), b);
  const auto weights = tree_weights(*owner, main);
  ASSERT_EQ(weights.size(), 2U);
  EXPECT_EQ(weights[0].path, "a.w");
  EXPECT_EQ(weights[1].path, "b.w");
}

TEST(Module, Weights_of_shared_callees_are_found_in_linear_time) {
  // Each function calls the one before it twice, 60 deep: 2^60 paths, 60 functions.
  const VarRef x = Var::make("x", vector_type());
  ModuleParts parts;
  parts.name = "Deep";
  FunctionRef previous = Function::make("f0", {x}, op_call({x}));
  parts.functions.push_back(previous);
  for (int i = 1; i < 60; ++i) {
    const ExprRef once = Call::make(previous, {x}, vector_type());
    previous =
        Function::make("f" + std::to_string(i), {x}, Call::make(previous, {once}, vector_type()));
    parts.functions.push_back(previous);
  }
  const ModuleRef module = Module::make(std::move(parts));
  EXPECT_TRUE(tree_weights(*module, *previous).empty());
}

TEST(Module, Members_and_dimensions_are_checked_when_it_is_built) {
  ModuleParts twice;
  twice.name = "M";
  twice.functions = {identity("f"), identity("f")};
  EXPECT_THROW(Module::make(twice), VerifyError);
  ModuleParts entry;
  entry.name = "M";
  entry.functions = {identity("f")};
  entry.entry = "g";
  EXPECT_THROW(Module::make(entry), VerifyError);

  const auto ranged = [](std::int64_t hi) {
    const VarRef x = Var::make("x", TensorType::make({dim_var("S", 1, hi)}, DType::f32));
    return Function::make("f" + std::to_string(hi), {x}, x);
  };
  ModuleParts ranges;
  ranges.name = "M";
  ranges.functions = {ranged(8), ranged(9)};
  EXPECT_THROW(Module::make(ranges), VerifyError);
}

}  // namespace
}  // namespace tilefoundry
