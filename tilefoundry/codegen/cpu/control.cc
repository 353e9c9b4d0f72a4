// The default emission of CPU statements: control flow, calls, the rest of a block.
#include <fmt/format.h>

#include "tilefoundry/codegen/cpu/handlers.h"
#include "tilefoundry/codegen/cpu/types.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

// A nested block: its names end with it.
void emit_block(const StmtRef& body, CpuCodegenContext& ctx) {
  ctx.open_block();
  ctx.emit_stmt(body);
  ctx.close_block();
}

void emit_if(const If& branch, CpuCodegenContext& ctx) {
  ctx.line(fmt::format("if ({}) {{", strip_parens(ctx.emit_expr(branch.cond()))));
  emit_block(branch.then_body(), ctx);
  if (branch.else_body()) {
    ctx.line("} else {");
    emit_block(branch.else_body(), ctx);
  }
  ctx.line("}");
}

void emit_while(const While& loop, CpuCodegenContext& ctx) {
  ctx.line(fmt::format("while ({}) {{", strip_parens(ctx.emit_expr(loop.cond()))));
  emit_block(loop.body(), ctx);
  ctx.line("}");
}

void emit_plain_for(const For& loop, CpuCodegenContext& ctx) {
  open_cpu_loop(loop, ctx);
  ctx.emit_stmt(loop.body());
  ctx.close_block();
  ctx.line("}");
}

// Whether nothing but bindings and ops is inside, and no temporary in memory carries a value from
// trip to trip: what a pragma may call independent.
bool is_independent(const For& loop, const CpuCodegenContext& ctx) {
  for (const BlockItem& item : block_items(loop.body())) {
    if (item.is_let()) continue;
    if (item.stmt->kind() != StmtKind::evaluate) return false;
  }
  for (const Var* var : outer_accumulators(loop, ctx)) {
    if (!ctx.is_local(*var)) return false;
  }
  return true;
}

}  // namespace

void open_cpu_loop(const For& loop, CpuCodegenContext& ctx) {
  const std::string start = ctx.dim_text(loop.start());
  const std::string stop = ctx.dim_text(loop.stop());
  const bool up = ctx.nonnegative(loop.step());
  if (!up && !loop.step().is_static()) {
    ctx.error(loop, fmt::format("has the step {}, whose sign is not known", loop.step().text()),
              "use a constant step, or one of a dimension");
  }
  const std::string step = loop.step().is(1) ? "++" : " += " + ctx.dim_text(loop.step());
  ctx.open_block();
  const std::string name = ctx.declare(loop.var()->name(), "const tf_i64");
  ctx.bind_var(*loop.var(), name);
  if (up && ctx.nonnegative(loop.start())) ctx.nonnegative_vars.insert(loop.var().get());
  --ctx.indent;
  if (loop.mode() == ForMode::vectorized && is_independent(loop, ctx)) {
    ctx.line("#pragma GCC ivdep");
  }
  if (loop.mode() == ForMode::unrolled) ctx.line("#pragma GCC unroll 64");
  ctx.line(fmt::format("for (tf_i64 {0} = {1}; {0} {2} {3}; {0}{4}) {{", name, start,
                       up ? '<' : '>', stop, step));
  ++ctx.indent;
}

namespace {

void emit_for(const For& loop, CpuCodegenContext& ctx) {
  if (loop.mode() == ForMode::parallel && emit_cpu_parallel(loop, ctx)) return;
  if (loop.mode() == ForMode::vectorized && emit_cpu_vector_loop(loop, ctx)) return;
  if (loop.mode() == ForMode::vectorized && emit_cpu_reduction(loop, ctx)) return;
  if (loop.mode() == ForMode::serial && emit_cpu_transpose(loop, ctx)) return;
  emit_plain_for(loop, ctx);
}

}  // namespace

void emit_cpu_for(const For& loop, CpuCodegenContext& ctx) {
  ctx.loops.push_back(&loop);
  emit_for(loop, ctx);
  ctx.loops.pop_back();
}

void emit_cpu_stmt(const Stmt& stmt, CodegenContext& base) {
  CpuCodegenContext& ctx = cpu_context(base);
  switch (stmt.kind()) {
    case StmtKind::sequential:
      for (const StmtRef& child : static_cast<const Sequential&>(stmt).stmts()) {
        ctx.emit_next(child);
      }
      return;
    case StmtKind::let: return emit_cpu_let(static_cast<const LetStmt&>(stmt), ctx);
    case StmtKind::for_loop: return emit_cpu_for(static_cast<const For&>(stmt), ctx);
    case StmtKind::while_loop: return emit_while(static_cast<const While&>(stmt), ctx);
    case StmtKind::if_else: return emit_if(static_cast<const If&>(stmt), ctx);
    case StmtKind::mesh_scope:
      // One participant runs the body of every scope.
      return ctx.emit_next(static_cast<const MeshScope&>(stmt).body());
    case StmtKind::return_stmt: return ctx.line(ctx.in_body ? "return;" : "return 0;");
    case StmtKind::evaluate: return emit_cpu_call(static_cast<const Evaluate&>(stmt), ctx);
    case StmtKind::abort: return ctx.emit_failure(4, static_cast<const Abort&>(stmt).message());
    case StmtKind::dispatch: return emit_cpu_dispatch(static_cast<const DispatchCall&>(stmt), ctx);
    case StmtKind::user: break;
  }
  throw CodegenError(Diagnostic{
      .code = "TF5102",
      .message = fmt::format("the statement {} has no code generation for the target cpu",
                             stmt.class_name()),
      .span = stmt.span(),
      .hint = "register an emission handler for it with register_codegen_cpu"});
}

}  // namespace tilefoundry
