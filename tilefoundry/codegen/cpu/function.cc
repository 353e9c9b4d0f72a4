// One function of a module: its parameters, its scratch memory, its body.
#include <fmt/format.h>

#include <algorithm>

#include "tilefoundry/codegen/cpu/handlers.h"
#include "tilefoundry/codegen/cpu/types.h"
#include "tilefoundry/codegen/cpu/vector_loop.h"
#include "tilefoundry/codegen/symbols.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {

std::string cpu_function_symbol(const std::string& name) {
  const std::string plain = c_identifier(name);
  return plain.rfind("tf_n_", 0) == 0 ? "tf_fn" + plain.substr(4) + "_" : "tf_fn_" + plain;
}

std::string cpu_scratch_symbol(const std::string& name) {
  return "tf_scratch_" + cpu_function_symbol(name).substr(6);
}

std::vector<DimVar> function_dims(const PrimFunction& function) {
  std::vector<DimVar> dims;
  for (const VarRef& param : function.params()) {
    for_each_leaf(param->type(), [&](const TensorType& type) {
      for (const Dim& extent : type.shape()) {
        for_each_dim_atom(extent, [&](const DimNode& atom) {
          const DimVar* var = atom.as_var();
          if (var != nullptr && std::find(dims.begin(), dims.end(), *var) == dims.end()) {
            dims.push_back(*var);
          }
        });
      }
    });
  }
  return dims;
}

namespace {

// Rank-0 temporaries that something other than a Load or a Store of theirs names.
std::unordered_set<const Var*> addressed_vars(const StmtRef& body) {
  std::unordered_set<const Var*> found;
  const auto add = [&found](const ExprRef& expr) {
    const auto* var = expr_cast<Var>(expr);
    const TensorType* type = var ? as_tensor(var->type()) : nullptr;
    if (type != nullptr && type->rank() == 0) found.insert(var);
  };
  std::vector<StmtRef> pending{body};
  const auto scan = [&add](const ExprRef& root) {
    for (const ExprRef& node : post_order({root})) {
      const auto* call = expr_cast<Call>(node);
      if (call == nullptr) continue;
      const std::size_t first = call->op<Load>() != nullptr ? 1 : 0;
      for (std::size_t i = first; i < call->args().size(); ++i) {
        add(call->args()[i]);
      }
    }
    add(root);
  };
  while (!pending.empty()) {
    const StmtRef stmt = std::move(pending.back());
    pending.pop_back();
    for (const BlockItem& item : block_items(stmt)) {
      if (item.is_let()) {
        scan(item.value);
        continue;
      }
      for_each_child_stmt(*item.stmt, [&](const StmtRef& child) { pending.push_back(child); });
      const auto* evaluate = stmt_cast<Evaluate>(item.stmt);
      bool skip = evaluate != nullptr && evaluate->op<Store>() != nullptr;
      for_each_stmt_expr(*item.stmt, [&](const ExprRef& expr) {
        if (!skip) scan(expr);
        skip = false;
      });
    }
  }
  return found;
}

// "const TfRun* const tf_run, char* tf_scratch, const float* x, tf_i64 S"; names them in `ctx`.
std::string bind_params(const PrimFunction& function, CpuCodegenContext& ctx) {
  std::vector<std::string> params{"const TfRun* const tf_run", "char* const tf_scratch"};
  std::vector<std::string> pointers;
  for (std::size_t i = 0; i < function.params().size(); ++i) {
    const VarRef& param = function.params()[i];
    const TensorType* type = as_tensor(param->type());
    if (type == nullptr) ctx.error(*param, "is not a tensor");
    if (c_storage_type(type->dtype()).empty()) {
      ctx.error(*param, fmt::format("has the packed dtype {}, which CPU code has not yet",
                                    type->dtype().name()));
    }
    const bool read_only = i < function.input_count();
    const std::string c_type = cpu_pointer_type(type->dtype(), read_only) + " const";
    pointers.push_back(ctx.declare(param->name(), c_type));
    params.push_back(c_type + " " + pointers.back());
  }
  for (const DimVar& dim : function_dims(function)) {
    ctx.dim_names[dim.name] = ctx.declare(dim.name, "const tf_i64");
    params.push_back("const tf_i64 " + ctx.dim_names[dim.name]);
  }
  for (const HiddenShape& hidden : function.hidden_shapes()) {
    const std::string name = ctx.declare(hidden.var->name(), "const tf_i32");
    ctx.shape_names[{hidden.param.get(), hidden.axis}] = name;
    params.push_back("const tf_i32 " + name);
  }
  for (std::size_t i = 0; i < function.params().size(); ++i) {
    const VarRef& param = function.params()[i];
    const TensorType& type = *as_tensor(param->type());
    CpuBuffer buffer{pointers[i], type.dtype(), type.shape(), ctx.type_strides(type, *param)};
    buffer.read_only = i < function.input_count();
    ctx.set_buffer(*param, std::move(buffer));
  }
  return join(params, ",\n    ");
}

// The function that tells how much scratch memory its function needs.
std::string scratch_text(const PrimFunction& function, const std::string& symbol,
                         CpuCodegenContext& ctx) {
  std::vector<std::string> params{"const tf_i64 tf_workers"};
  for (const DimVar& dim : function_dims(function)) {
    params.push_back("const tf_i64 " + ctx.dim_names[dim.name]);
  }
  std::vector<std::string> sizes;
  for (const CpuSlot& slot : ctx.slots) {
    sizes.push_back(
        fmt::format("tf_pad({}){}", slot.bytes, slot.per_worker ? " * tf_workers" : ""));
  }
  if (sizes.empty()) sizes.emplace_back("0");
  std::string text = fmt::format("static tf_i64 {}({}) {{\n", symbol, join(params, ", "));
  for (const std::string& param : params) {
    text += fmt::format("  (void){};\n", param.substr(param.rfind(' ') + 1));
  }
  return text + fmt::format("  return {};\n}}\n", join(sizes, " +\n         "));
}

std::vector<std::string> prologue(const CpuCodegenContext& ctx) {
  std::vector<std::string> lines{"  (void)tf_run;", "  (void)tf_scratch;"};
  if (ctx.slots.empty()) return lines;
  lines = {"  const tf_i64 tf_workers = tf_run->workers;", "  (void)tf_workers;"};
  std::string at = "tf_scratch";
  for (const CpuSlot& slot : ctx.slots) {
    lines.push_back(fmt::format("  char* const {} = {};", slot.name, at));
    std::string size = fmt::format("tf_pad({})", slot.bytes);
    if (slot.per_worker) {
      const std::string name = "tf_b" + slot.name.substr(4);
      lines.push_back(fmt::format("  const tf_i64 {} = {};", name, size));
      size = name + " * tf_workers";
    }
    at = fmt::format("{} + {}", slot.name, size);
  }
  return lines;
}

// Large outputs of the entry that the function does nothing with but store elements.
void find_far_outputs(const PrimFunction& function, CpuCodegenContext& ctx) {
  const CallableRef entry = ctx.module->entry_function();
  if (!entry || entry.get() != &function || vector_width(ctx.features) == 0) return;
  std::unordered_set<const Var*> used;
  std::vector<StmtRef> pending{function.body()};
  const auto scan = [&used](const ExprRef& root) {
    for (const ExprRef& node : post_order({root})) {
      if (const auto* var = expr_cast<Var>(node)) used.insert(var);
    }
  };
  while (!pending.empty()) {
    const StmtRef stmt = std::move(pending.back());
    pending.pop_back();
    for (const BlockItem& item : block_items(stmt)) {
      if (item.is_let()) {
        scan(item.value);
        continue;
      }
      for_each_child_stmt(*item.stmt, [&](const StmtRef& child) { pending.push_back(child); });
      const auto* evaluate = stmt_cast<Evaluate>(item.stmt);
      bool skip = evaluate != nullptr && evaluate->op<Store>() != nullptr;
      for_each_stmt_expr(*item.stmt, [&](const ExprRef& expr) {
        if (!skip) scan(expr);
        skip = false;
      });
    }
  }
  for (std::size_t i = function.input_count(); i < function.params().size(); ++i) {
    const Var* output = function.params()[i].get();
    const TensorType& type = *as_tensor(output->type());
    if (used.contains(output) || type.layout()) continue;
    const Dim bytes = dim_product(type.shape()) * Dim(c_storage_size(type.dtype()));
    if (bytes.is_static() && bytes.value() < kCpuFarBytes) continue;
    ctx.far_outputs[output] = bytes;
  }
}

}  // namespace

void emit_cpu_function(const PrimFunction& function, CpuCodegenContext& ctx) {
  const std::string name = symbol_of(ctx.module, function);
  ctx.symbol_prefix = name.substr(0, name.rfind('.') + 1);
  ctx.begin_function(name);
  ctx.in_memory = addressed_vars(function.body());
  const std::string params = bind_params(function, ctx);
  find_far_outputs(function, ctx);
  ctx.open_block();
  ctx.emit_stmt(function.body());
  ctx.close_block();
  if (!ctx.callee_scratch.empty()) {
    std::string largest = ctx.callee_scratch[0];
    for (std::size_t i = 1; i < ctx.callee_scratch.size(); ++i) {
      if (ctx.callee_scratch[i] == largest) continue;
      ctx.need("tf_max_i64");
      largest = fmt::format("tf_max_i64({}, {})", largest, ctx.callee_scratch[i]);
    }
    ctx.slots.push_back({"tf_calls", largest, false});
  }
  if (!ctx.slots.empty()) ctx.need("tf_pad");
  const std::string head =
      fmt::format("static tf_i32 {}(\n    {})", cpu_function_symbol(name), params);
  std::string text = scratch_text(function, cpu_scratch_symbol(name), ctx) + "\n" + head + " {\n";
  for (const std::string& line : prologue(ctx)) text += line + "\n";
  for (const std::string& line : ctx.output) text += line + "\n";
  if (ctx.far_stores) text += "  __builtin_ia32_sfence();\n";
  ctx.functions.push_back(text + "  return 0;\n}\n");
  ctx.function_names.push_back(name);
}

}  // namespace tilefoundry
