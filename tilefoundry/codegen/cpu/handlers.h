// The pieces of the CPU target: who registers what.
#pragma once

#include <string>
#include <vector>

#include "tilefoundry/codegen/cpu/context.h"
#include "tilefoundry/codegen/targets.h"
#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/scalar_kinds.h"

namespace tilefoundry {

void register_cpu_scalar(AnalysisRegistry& registry);
void register_cpu_memory(AnalysisRegistry& registry);
void register_cpu_copy_fill(AnalysisRegistry& registry);
void register_cpu_matmul(AnalysisRegistry& registry);
void register_cpu_require(AnalysisRegistry& registry);
void register_cpu_profile(AnalysisRegistry& registry);

// The default emission of statements.
void emit_cpu_stmt(const Stmt& stmt, CodegenContext& ctx);
// By class.
void emit_cpu_let(const LetStmt& let, CpuCodegenContext& ctx);
void emit_cpu_for(const For& loop, CpuCodegenContext& ctx);
void emit_cpu_call(const Evaluate& evaluate, CpuCodegenContext& ctx);
void emit_cpu_dispatch(const DispatchCall& dispatch, CpuCodegenContext& ctx);

// `for (...) {` up to, not including, the body; the loop variable is declared in an open block.
void open_cpu_loop(const For& loop, CpuCodegenContext& ctx);
// A vectorized loop over accumulators, in lanes; false when the loop has none or another form.
bool emit_cpu_reduction(const For& loop, CpuCodegenContext& ctx);
// A vectorized leaf loop in explicit vectors; false when a part of it has no such form.
bool emit_cpu_vector_loop(const For& loop, CpuCodegenContext& ctx);
// Two loops that do nothing but copy what the outer one runs along to where the inner one does, as
// a transposition; false for others.
bool emit_cpu_transpose(const For& loop, CpuCodegenContext& ctx);
// The loop's body as a function that the caller's threads run; false when it must run here.
bool emit_cpu_parallel(const For& loop, CpuCodegenContext& ctx);

// A fragment, in parentheses where it is an infix expression. Operands are values of `dtype`.
std::string cpu_binary_text(CpuCodegenContext& ctx, BinaryKind kind, DType dtype,
                            const std::string& a, const std::string& b);

// The rank-0 accumulators outside a loop that its body writes.
std::vector<const Var*> outer_accumulators(const For& loop, const CpuCodegenContext& ctx);

// Emits one function; its text goes to `ctx.functions`.
void emit_cpu_function(const PrimFunction& function, CpuCodegenContext& ctx);
// "tf_fn_f" and "tf_scratch_f".
std::string cpu_function_symbol(const std::string& name);
std::string cpu_scratch_symbol(const std::string& name);
// The DimVars of the types of a function's parameters, in order of first appearance.
std::vector<DimVar> function_dims(const PrimFunction& function);
// "const float*", "tf_u16*".
std::string cpu_pointer_type(DType dtype, bool read_only);

// What one trip of perfectly nested loops costs, as a C expression in units of 1/50 ns; never 0.
std::string cpu_trip_cost(const std::vector<const For*>& loops, CpuCodegenContext& ctx);

}  // namespace tilefoundry
