// Vectorized loops over accumulators: 64 separate lanes, folded pairwise at the end, so that a
// result depends neither on the compiler nor on the CPU.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "tilefoundry/codegen/cpu/handlers.h"
#include "tilefoundry/codegen/cpu/types.h"
#include "tilefoundry/codegen/cpu/vector_loop.h"
#include "tilefoundry/ir/tir/ops.h"

namespace tilefoundry {
namespace {

constexpr int kLanes = kAccumulatorLanes;

using Accumulator = LaneAccumulator;

// The call that an operand is, or that its name is bound to.
const Call* call_of(const ExprRef& expr, const std::unordered_map<const Var*, ExprRef>& bindings) {
  const auto* var = expr_cast<Var>(expr);
  if (var == nullptr) return expr_cast<Call>(expr);
  const auto it = bindings.find(var);
  return it == bindings.end() ? nullptr : expr_cast<Call>(it->second);
}

bool loads(const Call* call, const Var* accumulator) {
  return call != nullptr && call->op<Load>() != nullptr && call->args()[0].get() == accumulator;
}

bool is_associative(BinaryKind kind) {
  return kind == BinaryKind::add || kind == BinaryKind::mul || kind == BinaryKind::min ||
         kind == BinaryKind::max || kind == BinaryKind::logical_and ||
         kind == BinaryKind::logical_or;
}

// Loads of `accumulator` in an expression.
std::size_t count_loads(const ExprRef& root, const Var* accumulator) {
  std::size_t count = 0;
  for (const ExprRef& node : post_order({root})) {
    if (loads(expr_cast<Call>(node), accumulator)) ++count;
  }
  return count;
}

// The operation by which a straight block updates an accumulator, when it does so once, as
// `acc = acc <kind> value`, and reads it nowhere else.
std::optional<BinaryKind> update_kind(const Block& block, const Var* accumulator) {
  std::unordered_map<const Var*, ExprRef> bindings;
  std::unordered_map<const Var*, std::size_t> uses;
  const Evaluate* update = nullptr;
  std::size_t load_count = 0;
  const auto scan = [&](const ExprRef& expr) {
    load_count += count_loads(expr, accumulator);
    for (const ExprRef& node : post_order({expr})) {
      for_each_operand(*node, [&](const ExprRef& operand) {
        if (const auto* var = expr_cast<Var>(operand)) ++uses[var];
      });
    }
    if (const auto* var = expr_cast<Var>(expr)) ++uses[var];
  };
  for (const BlockItem& item : block) {
    if (item.is_let()) {
      bindings[item.var.get()] = item.value;
      scan(item.value);
      continue;
    }
    const auto* evaluate = stmt_cast<Evaluate>(item.stmt);
    for (std::size_t i = 0; i < evaluate->args().size(); ++i) {
      if (i > 0 || evaluate->op<Store>() == nullptr) scan(evaluate->args()[i]);
    }
    if (evaluate->op<Store>() != nullptr && evaluate->args()[0].get() == accumulator) {
      if (update != nullptr) return std::nullopt;
      update = evaluate;
    }
  }
  if (update == nullptr || load_count != 1) return std::nullopt;
  const Call* value = call_of(update->args()[1], bindings);
  const auto* op = value ? value->op<ScalarBinary>() : nullptr;
  if (op == nullptr || !is_associative(op->kind)) return std::nullopt;
  const bool left = loads(call_of(value->args()[0], bindings), accumulator);
  const bool right = loads(call_of(value->args()[1], bindings), accumulator);
  if (left == right) return std::nullopt;
  // What was loaded, and what is stored, go nowhere else.
  for (const ExprRef& part : {value->args()[left ? 0 : 1], update->args()[1]}) {
    const auto* var = expr_cast<Var>(part);
    if (var != nullptr && uses[var] != 1) return std::nullopt;
  }
  return op->kind;
}

}  // namespace

std::string identity_text(BinaryKind kind, DType dtype) {
  const bool real = dtype.is_float();
  const bool wide = dtype == DType::i64;
  const std::string least = wide ? "(-9223372036854775807l - 1l)" : "(-2147483647 - 1)";
  const std::string most = wide ? "9223372036854775807l" : "2147483647";
  switch (kind) {
    case BinaryKind::mul: return real ? "1.0f" : "1";
    case BinaryKind::max: return real ? "-__builtin_inff()" : least;
    case BinaryKind::min: return real ? "__builtin_inff()" : most;
    case BinaryKind::logical_and: return "true";
    case BinaryKind::logical_or: return "false";
    default: return real ? "-0.0f" : "0";  // -0.0 + x is x, also for -0.0
  }
}

// static float tf_fold_max_f32(float* lane): the lanes joined in pairs.
std::string fold_helper(CpuCodegenContext& ctx, BinaryKind kind, DType dtype) {
  const std::string name = fmt::format("tf_fold_{}_{}", enum_name(kind), dtype.name());
  std::string text =
      fmt::format("static inline {0} {1}({0}* lane) {{\n", c_value_type(dtype), name);
  for (int width = kLanes / 2; width >= 2; width /= 2) {
    text += fmt::format("  for (tf_i64 i = 0; i < {0}; i++) lane[i] = {1};\n", width,
                        strip_parens(cpu_binary_text(ctx, kind, dtype, "lane[i]",
                                                     fmt::format("lane[i + {}]", width))));
  }
  text += fmt::format("  return {};\n}}\n",
                      strip_parens(cpu_binary_text(ctx, kind, dtype, "lane[0]", "lane[1]")));
  ctx.add_helper(name, text);
  return name;
}

namespace {

// Registers that the lanes of the widest accumulator fill: as many vectors stay in registers when
// the loop over them is unrolled.
int vectors_of_lanes(const std::vector<Accumulator>& accumulators, const CpuCodegenContext& ctx) {
  const int vector = ctx.features.has("avx512f") ? 64 : ctx.features.has("avx2") ? 32 : 16;
  int widest = 4;
  for (const Accumulator& acc : accumulators) {
    if (as_tensor(acc.var->type())->dtype() == DType::i64) widest = 8;
  }
  return kLanes * widest / vector;
}

void emit_lane_loop(const For& loop, CpuCodegenContext& ctx, const std::string& first,
                    const std::string& count, const std::string& lane, int unroll) {
  ctx.line("#pragma GCC ivdep");
  if (unroll > 1) ctx.line(fmt::format("#pragma GCC unroll {}", unroll));
  ctx.line(fmt::format("for (tf_i64 {0} = 0; {0} < {1}; {0}++) {{", lane, count));
  ctx.open_block();
  const std::string name = ctx.declare(loop.var()->name(), "const tf_i64");
  ctx.line(fmt::format("const tf_i64 {} = {} + {};", name, first, lane));
  ctx.bind_var(*loop.var(), name);
  ctx.emit_stmt(loop.body());
  ctx.close_block();
  ctx.line("}");
}

}  // namespace

std::vector<const Var*> outer_accumulators(const For& loop, const CpuCodegenContext& ctx) {
  std::vector<const Var*> found;
  std::vector<StmtRef> pending{loop.body()};
  while (!pending.empty()) {
    const StmtRef stmt = std::move(pending.back());
    pending.pop_back();
    for (const BlockItem& item : block_items(stmt)) {
      if (item.is_let()) continue;
      for_each_child_stmt(*item.stmt, [&](const StmtRef& child) { pending.push_back(child); });
      const auto* evaluate = stmt_cast<Evaluate>(item.stmt);
      if (evaluate == nullptr) continue;
      for (const ExprRef& arg : evaluate->args()) {
        const auto* var = expr_cast<Var>(arg);
        // A rank-0 temporary outside the loop that the op may write.
        if (var == nullptr || !ctx.has_buffer(*var) || !ctx.is_temporary(*var)) continue;
        if (evaluate->op<Store>() != nullptr && arg != evaluate->args()[0]) continue;
        if (std::find(found.begin(), found.end(), var) == found.end()) found.push_back(var);
      }
    }
  }
  return found;
}

std::optional<std::vector<LaneAccumulator>> lane_accumulators(const For& loop,
                                                              const CpuCodegenContext& ctx) {
  const Block block = block_items(loop.body());
  for (const BlockItem& item : block) {
    if (item.is_let()) {
      const auto* call = expr_cast<Call>(item.value);
      if (call != nullptr && call->op<AllocTensor>() != nullptr) return std::nullopt;
      continue;
    }
    const auto* evaluate = stmt_cast<Evaluate>(item.stmt);
    if (evaluate == nullptr || evaluate->op<Store>() == nullptr) return std::nullopt;
  }
  std::vector<Accumulator> accumulators;
  for (const Var* var : outer_accumulators(loop, ctx)) {
    const std::optional<BinaryKind> kind = update_kind(block, var);
    if (!kind || !ctx.is_local(*var)) return std::nullopt;
    accumulators.push_back({var, *kind});
  }
  return accumulators;
}

bool emit_cpu_reduction(const For& loop, CpuCodegenContext& ctx) {
  if (!loop.step().is(1) || !ctx.lanes.empty()) return false;
  const auto found = lane_accumulators(loop, ctx);
  if (!found || found->empty()) return false;
  const std::vector<Accumulator>& accumulators = *found;

  const std::string start = ctx.dim_text(loop.start());
  const std::string stop = ctx.dim_text(loop.stop());
  const bool positive = ctx.nonnegative(loop.start());
  ctx.line("{");
  ctx.open_block();
  std::vector<std::string> lane_names;
  const std::string lane = ctx.declare_own("tf_lane", "const tf_i64");
  const std::string first = ctx.declare_own("tf_first", "const tf_i64");
  for (const Accumulator& acc : accumulators) {
    const DType dtype = as_tensor(acc.var->type())->dtype();
    lane_names.push_back(ctx.declare(acc.var->name() + "_lane", c_value_type(dtype) + "*"));
    ctx.line(fmt::format("alignas(64) {} {}[{}];", c_value_type(dtype), lane_names.back(), kLanes));
    ctx.line(fmt::format("for (tf_i64 {0} = 0; {0} < {1}; {0}++) {2}[{0}] = {3};", lane, kLanes,
                         lane_names.back(), identity_text(acc.kind, dtype)));
    ctx.lanes[acc.var] = fmt::format("{}[{}]", lane_names.back(), lane);
  }
  if (positive) ctx.nonnegative_vars.insert(loop.var().get());
  ctx.line(fmt::format("tf_i64 {} = {};", first, start));
  const Dim trips = loop.stop() - loop.start();
  if (!trips.is_static() || trips.value() >= kLanes) {
    ctx.line(fmt::format("for (; {0} + {1} <= {2}; {0} += {1}) {{", first, kLanes, stop));
    ctx.open_block();
    emit_lane_loop(loop, ctx, first, fmt::format("{}", kLanes), lane,
                   vectors_of_lanes(accumulators, ctx));
    ctx.close_block();
    ctx.line("}");
  }
  if (!trips.is_static() || trips.value() % kLanes != 0) {
    emit_lane_loop(loop, ctx, first, fmt::format("{} - {}", stop, first), lane, 1);
  }
  ctx.lanes.clear();
  for (std::size_t i = 0; i < accumulators.size(); ++i) {
    const Accumulator& acc = accumulators[i];
    const DType dtype = as_tensor(acc.var->type())->dtype();
    const std::string name = ctx.var_text(*acc.var);
    const std::string folded =
        fmt::format("{}({})", fold_helper(ctx, acc.kind, dtype), lane_names[i]);
    ctx.line(fmt::format("{} = {};", name,
                         strip_parens(cpu_binary_text(ctx, acc.kind, dtype, name, folded))));
  }
  ctx.close_block();
  ctx.line("}");
  return true;
}

}  // namespace tilefoundry
