#include "tilefoundry/ops/tir_rules.h"

#include <algorithm>

#include <fmt/format.h>

#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/registry/verify.h"

namespace tilefoundry {
namespace {

bool is_scalar_of(const TypeRef& type, DType dtype) {
  const TensorType* tensor = as_tensor(type);
  return tensor != nullptr && tensor->rank() == 0 && tensor->dtype() == dtype;
}

void bind(const VarRef& var, const Stmt& stmt, VerifyContext& ctx) {
  if (ctx.bound_vars.emplace(var.get(), &stmt).second) return;
  ctx.error(stmt, fmt::format("the variable {} is bound twice", var->name()),
            "every binding needs a variable of its own");
}

void verify_let(const Stmt& node, VerifyContext& ctx) {
  const auto& stmt = static_cast<const LetStmt&>(node);
  if (stmt.var()->type() != ctx.type_of(stmt.value())) {
    ctx.error(stmt, fmt::format("the type of the variable {} is not the type of its value",
                                stmt.var()->name()));
  }
  bind(stmt.var(), stmt, ctx);
}

void verify_for(const Stmt& node, VerifyContext& ctx) {
  const auto& stmt = static_cast<const For&>(node);
  const DimBounds bounds = dim_bounds(stmt.step());
  const bool nonzero = (bounds.lo && *bounds.lo > 0) || (bounds.hi && *bounds.hi < 0);
  if (!nonzero) {
    ctx.error(stmt,
              fmt::format("the step {} {}", stmt.step().text(),
                          stmt.step().is_static() ? "is 0" : "may be 0"),
              "a loop needs a step other than 0");
  }
  if (!is_scalar_of(stmt.var()->type(), DType::i64)) {
    ctx.error(stmt, fmt::format("the loop variable {} is not an i64 scalar", stmt.var()->name()));
  }
  bind(stmt.var(), stmt, ctx);
}

void check_condition(const Stmt& stmt, const ExprRef& condition, VerifyContext& ctx) {
  const TypeRef type = ctx.type_of(condition);
  if (is_scalar_of(type, DType::boolean)) return;
  const TensorType* tensor = as_tensor(type);
  ctx.error(stmt,
            fmt::format("the condition is {}, not a bool scalar",
                        tensor == nullptr ? std::string("a tuple")
                                          : fmt::format("{} of shape {}", tensor->dtype().name(),
                                                        shape_text(tensor->shape()))),
            "compare two scalars");
}

// The mesh of every ShardLayout in a type, nested ones included.
void for_each_mesh(const TypeRef& type, const std::function<void(const MeshRef&)>& visit) {
  for_each_leaf(type, [&](const TensorType& leaf) {
    LayoutRef layout = leaf.layout();
    while (layout && layout->kind() == LayoutKind::shard) {
      const auto& shard = static_cast<const ShardLayout&>(*layout);
      visit(shard.mesh());
      layout = shard.layout();
    }
  });
}

bool is_parameter_mesh(const PrimFunction* function, const MeshRef& mesh) {
  bool found = false;
  if (function == nullptr) return found;
  for (const VarRef& param : function->params()) {
    for_each_mesh(param->type(), [&](const MeshRef& each) { found = found || each == mesh; });
  }
  return found;
}

void check_scope(const Stmt& stmt, const Expr& expr, const TypeRef& type, VerifyContext& ctx) {
  for_each_mesh(type, [&](const MeshRef& mesh) {
    const auto& stack = ctx.mesh_stack;
    if (std::find(stack.begin(), stack.end(), mesh) != stack.end()) return;
    if (is_parameter_mesh(ctx.function.get(), mesh)) return;
    ctx.error(stmt, fmt::format("{} is sharded over a mesh that is not in scope", node_label(expr)),
              "use it inside `with mesh as name:` of that mesh");
  });
}

void check_bound(const Stmt& stmt, const Var& var, const VerifyContext& ctx) {
  if (!ctx.function || ctx.bound_vars.contains(&var)) return;
  ctx.error(stmt, fmt::format("the variable {} is used before it is bound", var.name()));
}

void check_dim(const Stmt& stmt, const Dim& dim, const VerifyContext& ctx) {
  for_each_dim_atom(dim, [&](const DimNode& node) {
    const auto* var = dynamic_cast<const Var*>(node.as_atom());
    if (var != nullptr) check_bound(stmt, *var, ctx);
  });
}

void check_expr(const Stmt& stmt, const ExprRef& root, VerifyContext& ctx) {
  const bool bound_here = stmt.kind() == StmtKind::let;
  for (const ExprRef& expr : post_order({root})) {
    if (const auto* var = expr_cast<Var>(expr)) check_bound(stmt, *var, ctx);
    if (const auto* value = expr_cast<DimValue>(expr)) check_dim(stmt, value->dim(), ctx);
    if (const auto* call = expr_cast<Call>(expr)) {
      if (call->op<AllocTensor>() != nullptr && !(bound_here && expr == root)) {
        ctx.error(stmt, "a buffer is allocated inside another expression",
                  "bind the new buffer to a name first");
      }
    }
    check_scope(stmt, *expr, ctx.type_of(expr), ctx);
  }
}

void verify_every(const Stmt& stmt, VerifyContext& ctx) {
  for_each_stmt_expr(stmt, [&](const ExprRef& expr) { check_expr(stmt, expr, ctx); });
  if (const auto* loop = stmt_cast<For>(stmt)) {
    for (const Dim& dim : {loop->start(), loop->stop(), loop->step()}) check_dim(stmt, dim, ctx);
  }
}

}  // namespace

void register_tir_rules() {
  AnalysisRegistry& registry = verify_stmt_registry();
  registry.add<VerifyFn>(PrimFunction::function_class(), verify_every);
  registry.add<VerifyFn>(stmt_class_of(StmtKind::let), verify_let);
  registry.add<VerifyFn>(stmt_class_of(StmtKind::for_loop), verify_for);
  registry.add<VerifyFn>(stmt_class_of(StmtKind::if_else),
                         [](const Stmt& stmt, VerifyContext& ctx) {
                           check_condition(stmt, static_cast<const If&>(stmt).cond(), ctx);
                         });
  registry.add<VerifyFn>(stmt_class_of(StmtKind::while_loop),
                         [](const Stmt& stmt, VerifyContext& ctx) {
                           check_condition(stmt, static_cast<const While&>(stmt).cond(), ctx);
                         });
}

}  // namespace tilefoundry
