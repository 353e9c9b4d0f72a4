// Buffers and their elements: tir.memory.*, Load and Store, and the bindings of LetStmt.
#include <fmt/format.h>

#include "tilefoundry/codegen/cpu/handlers.h"
#include "tilefoundry/codegen/cpu/types.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

std::string cpu_pointer_type(DType dtype, bool read_only) {
  return fmt::format("{}{}*", read_only ? "const " : "", c_storage_type(dtype));
}

namespace {

// Bytes of a buffer as an expression.
std::string bytes_text(CpuCodegenContext& ctx, const TensorType& type, const Shape& strides,
                       const Expr& node) {
  Dim extent = 1;
  if (strides == c_order_strides(type.shape())) {
    extent = dim_product(type.shape());
  } else {
    for (std::size_t i = 0; i < strides.size(); ++i) {
      extent = extent + (type.shape()[i] - 1) * strides[i];
    }
  }
  for_each_dim_atom(extent, [&](const DimNode& atom) {
    if (atom.as_var() == nullptr) {
      ctx.error(node,
                fmt::format("has the extent {}, which is known only inside a loop", extent.text()),
                "allocate the largest extent and take a view of it");
    }
  });
  return ctx.dim_text(extent * Dim(c_storage_size(type.dtype())));
}

void declare_stack(const LetStmt& let, const TensorType& type, const std::string& identifier,
                   std::int64_t elements, CpuCodegenContext& ctx) {
  ctx.line(fmt::format("alignas(64) {} {}[{}];", c_storage_type(type.dtype()), identifier,
                       std::max<std::int64_t>(elements, 1)));
  (void)let;
}

void emit_alloc(const LetStmt& let, CpuCodegenContext& ctx) {
  const TensorType& type = *as_tensor(let.var()->type());
  const DType dtype = type.dtype();
  if (c_storage_type(dtype).empty()) {
    ctx.error(*let.var(),
              fmt::format("has the packed dtype {}, which CPU code has not yet", dtype.name()));
  }
  const Shape strides = ctx.type_strides(type, *let.var());
  CpuBuffer buffer{"", dtype, type.shape(), strides};
  buffer.local = type.rank() == 0 && ctx.in_memory.count(let.var().get()) == 0;
  if (buffer.local) {
    buffer.pointer = ctx.declare(let.var()->name(), c_value_type(dtype));
    ctx.line(fmt::format("{} {} = 0;", c_value_type(dtype), buffer.pointer));
    return ctx.set_buffer(*let.var(), std::move(buffer));
  }
  const std::string pointer_type = cpu_pointer_type(dtype, false);
  const std::string bytes = bytes_text(ctx, type, strides, *let.var());
  const std::int64_t size =
      bytes.find_first_not_of("0123456789") == std::string::npos ? std::stoll(bytes) : -1;
  if (size >= 0 && ctx.take_stack(size)) {
    buffer.pointer = ctx.declare(let.var()->name(), pointer_type);
    declare_stack(let, type, buffer.pointer, size / c_storage_size(dtype), ctx);
  } else {
    const std::string memory = ctx.scratch(bytes);
    buffer.pointer = ctx.declare(let.var()->name(), pointer_type + " const");
    ctx.line(
        fmt::format("{} const {} = ({}){};", pointer_type, buffer.pointer, pointer_type, memory));
  }
  ctx.set_buffer(*let.var(), std::move(buffer));
}

// Whether a binding names memory rather than a scalar value.
bool is_memory_value(const Expr& value) {
  if (const auto* call = expr_cast<Call>(value)) {
    return call->op<TensorView>() != nullptr || call->op<PtrOf>() != nullptr ||
           call->op<MemorySpan>() != nullptr;
  }
  const auto* constant = expr_cast<Constant>(value);
  return constant != nullptr && constant->tensor_type().rank() != 0;
}

std::string load_element(const Call& call, const Load&, CodegenContext& base) {
  CpuCodegenContext& ctx = cpu_context(base);
  const CpuBuffer buffer = ctx.buffer(call.args()[0]);
  if (buffer.local) {
    const auto* var = expr_cast<Var>(call.args()[0]);
    const auto lane = var ? ctx.lanes.find(var) : ctx.lanes.end();
    return lane == ctx.lanes.end() ? buffer.pointer : lane->second;
  }
  return ctx.load_text(buffer, ctx.element(buffer, call.args(), 1));
}

void store_element(const Evaluate& evaluate, const Store&, CodegenContext& base) {
  CpuCodegenContext& ctx = cpu_context(base);
  const std::string value = ctx.emit_expr(evaluate.args()[1]);
  const CpuBuffer buffer = ctx.buffer(evaluate.args()[0]);
  std::string element;
  const auto* var = expr_cast<Var>(evaluate.args()[0]);
  const auto lane = var ? ctx.lanes.find(var) : ctx.lanes.end();
  element = lane == ctx.lanes.end() ? ctx.element(buffer, evaluate.args(), 2) : lane->second;
  ctx.line(ctx.store_text(buffer, element, value));
}

std::string pointer_fragment(const Call& call, CodegenContext& base) {
  return cpu_context(base).buffer(ExprRef(&call)).pointer;
}

}  // namespace

void emit_cpu_let(const LetStmt& let, CpuCodegenContext& ctx) {
  const auto* call = expr_cast<Call>(let.value());
  if (call != nullptr && call->op<AllocTensor>() != nullptr) {
    emit_alloc(let, ctx);
    return ctx.emit_next(let.body());
  }
  const auto* alias = expr_cast<Var>(let.value());
  const TensorType* type = as_tensor(let.var()->type());
  if (type == nullptr) ctx.error(*let.var(), "is not a tensor");
  if (is_memory_value(*let.value()) || (alias != nullptr && ctx.has_buffer(*alias))) {
    CpuBuffer buffer = ctx.buffer(let.value());
    if (!buffer.local) {
      const std::string c_type = cpu_pointer_type(buffer.dtype, buffer.read_only) + " const";
      const std::string pointer = strip_parens(buffer.pointer);
      buffer.pointer = ctx.declare(let.var()->name(), c_type);
      ctx.line(fmt::format("{} {} = {};", c_type, buffer.pointer, pointer));
    }
    ctx.set_buffer(*let.var(), std::move(buffer));
    return ctx.emit_next(let.body());
  }
  if (type->rank() != 0) ctx.error(*let.var(), "is a tensor that no buffer holds");
  const std::string value = strip_parens(ctx.emit_expr(let.value()));
  const std::string c_type = "const " + c_value_type(type->dtype());
  const std::string identifier = ctx.declare(let.var()->name(), c_type);
  ctx.line(fmt::format("{} {} = {};", c_type, identifier, value));
  ctx.bind_var(*let.var(), identifier);
  ctx.emit_next(let.body());
}

void register_cpu_memory(AnalysisRegistry& registry) {
  register_codegen<TensorView>(
      registry, [](const Call& call, const TensorView&, CodegenContext& ctx) -> std::string {
        return pointer_fragment(call, ctx);
      });
  register_codegen<PtrOf>(registry,
                          [](const Call& call, const PtrOf&, CodegenContext& ctx) -> std::string {
                            return pointer_fragment(call, ctx);
                          });
  register_codegen<MemorySpan>(
      registry, [](const Call& call, const MemorySpan&, CodegenContext& ctx) -> std::string {
        return pointer_fragment(call, ctx);
      });
  register_codegen<AllocTensor>(
      registry, [](const Call& call, const AllocTensor& op, CodegenContext& base) -> std::string {
        CpuCodegenContext& ctx = cpu_context(base);
        const TensorType& type = *as_tensor(op.tensor_type);
        const std::string bytes = bytes_text(ctx, type, ctx.type_strides(type, call), call);
        return fmt::format("({}){}", cpu_pointer_type(type.dtype(), false), ctx.scratch(bytes));
      });
  register_codegen<Load>(registry, load_element);
  register_codegen<Store>(registry, store_element);
}

}  // namespace tilefoundry
