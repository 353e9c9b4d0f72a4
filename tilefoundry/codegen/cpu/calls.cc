// Calls of the module's other functions.
#include <algorithm>

#include <fmt/format.h>

#include "tilefoundry/codegen/cpu/handlers.h"
#include "tilefoundry/codegen/cpu/types.h"
#include "tilefoundry/codegen/symbols.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

// The value of a dimension of the callee, read off the argument that shows it as a bare extent.
Dim callee_dim(const Evaluate& evaluate, const PrimFunction& callee, const DimVar& dim,
               CpuCodegenContext& ctx) {
  for (std::size_t i = 0; i < callee.params().size(); ++i) {
    const Shape& shape = as_tensor(callee.params()[i]->type())->shape();
    const Shape& actual = as_tensor(evaluate.args()[i]->type())->shape();
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const DimVar* var = shape[axis].node() ? shape[axis].node()->as_var() : nullptr;
      if (var != nullptr && *var == dim) return actual[axis];
    }
  }
  ctx.error(evaluate, fmt::format("cannot tell the dimension {} of {}: no parameter has it as an "
                                  "extent",
                                  dim.name, callee.name()));
}

// The extent that a hidden scalar of the callee stands for, read off the argument.
std::string hidden_text(const Evaluate& evaluate, const HiddenShape& hidden,
                        const PrimFunction& callee, CpuCodegenContext& ctx) {
  const auto at = std::find(callee.params().begin(), callee.params().end(), hidden.param);
  const ExprRef& arg = evaluate.args()[static_cast<std::size_t>(at - callee.params().begin())];
  if (const auto* var = expr_cast<Var>(arg)) {
    return ctx.shape_of_text(*ShapeOfExpr::make(VarRef(var), hidden.axis));
  }
  return fmt::format("(tf_i32)({})", ctx.dim_text(as_tensor(arg->type())->shape()[hidden.axis]));
}

std::string argument_text(const Evaluate& evaluate, std::size_t i, const PrimFunction& callee,
                          CpuCodegenContext& ctx) {
  const ExprRef& arg = evaluate.args()[i];
  const VarRef& param = callee.params()[i];
  const TensorType& type = *as_tensor(param->type());
  const auto* var = expr_cast<Var>(arg);
  const bool memory =
      (var != nullptr && ctx.has_buffer(*var)) || arg->kind() == ExprKind::call || type.rank() != 0;
  if (memory && as_tensor(arg->type()) != nullptr) {
    const CpuBuffer buffer = ctx.buffer(arg);
    const bool same_layout = type.layout() == as_tensor(arg->type())->layout();
    if (!buffer.local) {
      if (!type.layout() && !buffer.contiguous()) {
        ctx.error(evaluate,
                  fmt::format("passes a window that is not contiguous as {}", param->name()),
                  "copy it to a buffer of its own first");
      }
      if (type.layout() && !same_layout) {
        ctx.error(evaluate, fmt::format("passes {} with another layout", param->name()));
      }
      return strip_parens(buffer.pointer);
    }
  }
  // A scalar value: in memory for the time of the call.
  const std::string pointer_type = cpu_pointer_type(type.dtype(), true);
  const std::string name = ctx.declare_own("tf_argument", pointer_type);
  ctx.line(fmt::format("{} {}[1];", c_storage_type(type.dtype()), name));
  CpuBuffer slot{name, type.dtype(), {}, {}};
  ctx.line(ctx.store_text(slot, name + "[0]", ctx.emit_expr(arg)));
  return name;
}

}  // namespace

void emit_cpu_call(const Evaluate& evaluate, CpuCodegenContext& ctx) {
  TF_CHECK(evaluate.callee(), "an op without a handler is refused before");
  const PrimFunctionRef callee =
      find_symbol(ctx.module, ctx.symbol_prefix + evaluate.callee()->symbol());
  if (!callee) {
    ctx.error(evaluate, fmt::format("calls {}, which is no function of the module",
                                    evaluate.callee()->symbol()));
  }
  if (callee->params().size() != evaluate.args().size()) {
    ctx.error(evaluate, fmt::format("calls {} with {} arguments, wanted {}", callee->name(),
                                    evaluate.args().size(), callee->params().size()));
  }
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < evaluate.args().size(); ++i) {
    arguments.push_back(argument_text(evaluate, i, *callee, ctx));
  }
  std::vector<std::string> dims;
  for (const DimVar& dim : function_dims(*callee)) {
    const Dim value = callee_dim(evaluate, *callee, dim, ctx);
    for_each_dim_atom(value, [&](const DimNode& atom) {
      if (atom.as_var() != nullptr) return;
      ctx.error(evaluate, fmt::format("gives {} the extent {}, which is known only inside a loop",
                                      callee->name(), value.text()));
    });
    dims.push_back(ctx.dim_text(value));
  }
  const std::string symbol = symbol_of(ctx.module, *callee);
  std::vector<std::string> sized{ctx.in_body ? "1" : "tf_workers"};
  sized.insert(sized.end(), dims.begin(), dims.end());
  const std::string scratch =
      ctx.call_scratch(fmt::format("{}({})", cpu_scratch_symbol(symbol), join(sized, ", ")));
  std::vector<std::string> all{ctx.run_text(), scratch};
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.insert(all.end(), dims.begin(), dims.end());
  for (const HiddenShape& hidden : callee->hidden_shapes()) {
    all.push_back(hidden_text(evaluate, hidden, *callee, ctx));
  }
  ctx.emit_status_check(fmt::format("{}({})", cpu_function_symbol(symbol), join(all, ", ")));
}

void emit_cpu_dispatch(const DispatchCall& dispatch, CpuCodegenContext& ctx) {
  const std::string extent = ctx.declare_own("tf_extent", "const tf_i32");
  ctx.line(fmt::format("const tf_i32 {} = {};", extent,
                       strip_parens(ctx.emit_expr(dispatch.subjects()[0]))));
  const auto block = [&ctx](const StmtRef& stmt) {
    ctx.open_block();
    ctx.emit_stmt(stmt);
    ctx.close_block();
  };
  const char* start = "if";
  for (std::size_t i = 0; i < dispatch.case_calls().size(); ++i) {
    const DimVarRangePat* range = as_range(dispatch.case_patterns()[i]);
    if (range == nullptr) {
      ctx.error(dispatch,
                fmt::format("the pattern {} has no code", dispatch.case_patterns()[i]->repr()));
    }
    ctx.line(
        fmt::format("{0} ({1} >= {2} && {1} < {3}) {{", start, extent, range->lo(), range->hi()));
    block(dispatch.case_calls()[i]);
    start = "} else if";
  }
  if (dispatch.case_calls().empty()) return ctx.emit_stmt(dispatch.fallback());
  ctx.line("} else {");
  block(dispatch.fallback());
  ctx.line("}");
}

}  // namespace tilefoundry
