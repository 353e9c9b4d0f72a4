// Calls of the module's other functions.
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
  ctx.emit_status_check(fmt::format("{}({})", cpu_function_symbol(symbol), join(all, ", ")));
}

}  // namespace tilefoundry
