// Copy and Fill.
#include <fmt/format.h>

#include "tilefoundry/codegen/cpu/handlers.h"
#include "tilefoundry/codegen/cpu/types.h"
#include "tilefoundry/ir/tir/ops.h"

namespace tilefoundry {
namespace {

// Loops over a shape around one line; the innermost runs in vectors.
template <class Body>
void emit_loops(CpuCodegenContext& ctx, const Shape& extents, const Body& body) {
  Shape index;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const VarRef var = loop_var(fmt::format("i{}", d));
    const std::string extent = ctx.dim_text(extents[d]);
    ctx.open_block();
    const std::string name = ctx.declare(var->name(), "const tf_i64");
    ctx.bind_var(*var, name);
    ctx.nonnegative_vars.insert(var.get());
    --ctx.indent;
    if (d + 1 == extents.size()) ctx.line("#pragma GCC ivdep");
    ctx.line(fmt::format("for (tf_i64 {0} = 0; {0} < {1}; {0}++) {{", name, extent));
    ++ctx.indent;
    index.push_back(var->dim());
  }
  ctx.line(body(index));
  for (std::size_t d = 0; d < extents.size(); ++d) {
    ctx.close_block();
    ctx.line("}");
  }
}

void emit_copy(const Evaluate& evaluate, const Copy&, CodegenContext& base) {
  CpuCodegenContext& ctx = cpu_context(base);
  const CpuBuffer src = ctx.buffer(evaluate.args()[0]);
  const CpuBuffer dst = ctx.buffer(evaluate.args()[1]);
  if (src.contiguous() && dst.contiguous() && !src.local && !dst.local && src.shape.size() > 0) {
    const Dim bytes = dim_product(dst.shape) * Dim(c_storage_size(dst.dtype));
    ctx.line(fmt::format("__builtin_memcpy({}, {}, {});", strip_parens(dst.pointer),
                         strip_parens(src.pointer), ctx.dim_text(bytes)));
    return;
  }
  emit_loops(ctx, dst.shape, [&](const Shape& index) {
    const std::string from = ctx.element_at(src, index);
    const std::string to = ctx.element_at(dst, index);
    // Equal stored forms need no conversion.
    if (!src.local && !dst.local) return fmt::format("{} = {};", to, from);
    return ctx.store_text(dst, to, ctx.load_text(src, from));
  });
}

void emit_fill(const Evaluate& evaluate, const Fill&, CodegenContext& base) {
  CpuCodegenContext& ctx = cpu_context(base);
  const std::string value = ctx.emit_expr(evaluate.args()[1]);
  const CpuBuffer dst = ctx.buffer(evaluate.args()[0]);
  emit_loops(ctx, dst.shape, [&](const Shape& index) {
    return ctx.store_text(dst, ctx.element_at(dst, index), value);
  });
}

}  // namespace

void register_cpu_copy_fill(AnalysisRegistry& registry) {
  register_codegen<Copy>(registry, emit_copy);
  register_codegen<Fill>(registry, emit_fill);
}

}  // namespace tilefoundry
