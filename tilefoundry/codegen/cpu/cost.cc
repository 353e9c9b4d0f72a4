// A rough estimate of a loop's work, to decide where threads pay.
#include <fmt/format.h>

#include "tilefoundry/codegen/cpu/handlers.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ops/matmul.h"

namespace tilefoundry {
namespace {

// Units of 1/50 ns.
constexpr int kVectorOp = 4;
constexpr int kScalarOp = 20;
constexpr int kMathOp = 10;  // times the cost of an operation

bool is_math(const Call& call) {
  const auto* unary = call.op<ScalarUnary>();
  const auto* binary = call.op<ScalarBinary>();
  return (unary != nullptr && unary->kind >= UnaryKind::exp) ||
         (binary != nullptr && binary->kind == BinaryKind::pow);
}

std::int64_t expr_weight(const ExprRef& expr) {
  std::int64_t weight = 0;
  for (const ExprRef& node : post_order({expr})) {
    const auto* call = expr_cast<Call>(node);
    if (call != nullptr) weight += is_math(*call) ? kMathOp : 1;
  }
  return weight;
}

// Loop variables are not in scope where the estimate stands: an upper bound stands for each.
struct Nest {
  std::unordered_map<const Var*, Dim> bounds;
  std::unordered_map<const Var*, Dim> starts;
  static Dim at(const std::unordered_map<const Var*, Dim>& values, const Dim& dim) {
    return substitute(dim, [&](const Ref<const DimNode>& node) -> Dim {
      const auto* var = node->as_atom() ? dynamic_cast<const Var*>(node->as_atom()) : nullptr;
      const auto it = var ? values.find(var) : values.end();
      return it == values.end() ? Dim(node) : it->second;
    });
  }
  // What grows with a variable is largest at its end, what is left of a range at its start.
  Dim bounded(const Dim& dim) const {
    const Dim last = at(bounds, dim);
    const Dim first = at(starts, dim);
    return first == last ? last : dim_max(first, last);
  }
};

Dim elements(const ExprRef& arg) {
  const TensorType* type = as_tensor(arg->type());
  return type == nullptr ? Dim(1) : dim_product(type->shape());
}

Dim evaluate_weight(const Evaluate& evaluate, std::int64_t unit, const Nest& nest) {
  if (evaluate.op<Store>() != nullptr) {
    return Dim(unit * (1 + expr_weight(evaluate.args()[1])));
  }
  if (evaluate.op<TileMatMul>() != nullptr) {
    // A product of 32 multiply-adds a nanosecond.
    const Shape& lhs = as_tensor(evaluate.args()[0]->type())->shape();
    return nest.bounded(elements(evaluate.args()[2]) * lhs.back()) * 2;
  }
  Dim total = 0;
  for (const ExprRef& arg : evaluate.args()) total = total + elements(arg);
  return nest.bounded(total) * Dim(kVectorOp);
}

}  // namespace

std::string cpu_trip_cost(const std::vector<const For*>& loops, CpuCodegenContext& ctx) {
  struct Item {
    StmtRef stmt;
    Dim trips;
    std::int64_t unit;
  };
  Nest nest;
  for (const For* loop : loops) {
    nest.bounds[loop->var().get()] = loop->stop();
    nest.starts[loop->var().get()] = loop->start();
  }
  std::vector<Item> pending{{loops.back()->body(), 1, kScalarOp}};
  Dim total = 1;
  while (!pending.empty()) {
    const Item at = std::move(pending.back());
    pending.pop_back();
    for (const BlockItem& item : block_items(at.stmt)) {
      if (item.is_let()) {
        total = total + at.trips * Dim(at.unit * expr_weight(item.value));
        continue;
      }
      if (const auto* inner = stmt_cast<For>(item.stmt)) {
        const bool vector = inner->mode() == ForMode::vectorized;
        const Dim start = nest.at(nest.starts, inner->start());
        const Dim stop = nest.bounded(inner->stop());
        nest.bounds[inner->var().get()] = stop;
        nest.starts[inner->var().get()] = start;
        const Dim step = inner->step().is_static() ? inner->step() : Dim(1);
        const Dim trips =
            step.value() > 0 ? ceildiv(stop - start, step) : ceildiv(start - stop, Dim(0) - step);
        pending.push_back({inner->body(), at.trips * trips, vector ? kVectorOp : at.unit});
      } else if (const auto* evaluate = stmt_cast<Evaluate>(item.stmt)) {
        total = total + at.trips * evaluate_weight(*evaluate, at.unit, nest);
      } else {
        for_each_child_stmt(*item.stmt, [&](const StmtRef& child) {
          pending.push_back({child, at.trips, at.unit});
        });
      }
    }
  }
  return ctx.dim_text(total);
}

}  // namespace tilefoundry
