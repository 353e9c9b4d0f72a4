#include "tilefoundry/ops/where.h"

#include <cstring>

#include <fmt/format.h>

#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/passes/loop_nest.h"

namespace tilefoundry {

const OpClass& Where::op_class() {
  static const OpClass& cls = OpClassBuilder<Where>("Where", Dialect::tf, "tensor")
                                  .summary("One of two values by a condition, broadcast.")
                                  .input("condition")
                                  .input("input")
                                  .input("other")
                                  .build();
  return cls;
}

namespace {

TypeRef infer(const Call& call, const Where&, TypeInferContext& ctx) {
  const DType condition = operand_dtype(call, 0, ctx);
  if (!condition.is_bool()) {
    ctx.error(call, fmt::format("condition has dtype {}, wanted bool", condition.name()),
              "compare first: cmp_ne(condition, 0)");
  }
  return pointwise_type(call, common_dtype(call, 1, ctx), ctx);
}

Cost cost(const Call& call, const Where&, CostContext& ctx) {
  Cost cost = pointwise_cost(call, ctx, 0, DType::f32);
  add_service(cost, "select", ctx.local_output_numel(call));
  return cost;
}

HostValue evaluate_where(const Call&, const Where&, const std::vector<HostValue>& args,
                         EvaluateContext&) {
  const auto operands = host_operands(args);
  const DType dtype = operands[1]->dtype();
  const auto size = static_cast<std::int64_t>(element_size(dtype));
  HostTensor result(dtype, broadcast_extents(operands));
  for_each_broadcast(result.shape(), operands, [&](std::int64_t i, const Extents& at) {
    const std::size_t chosen = operands[0]->int_at(at[0]) != 0 ? 1 : 2;
    std::memcpy(result.mutable_data() + i * size, operands[chosen]->data() + at[chosen] * size,
                static_cast<std::size_t>(size));
  });
  return result;
}

VarRef lower_where(LoweringContext& ctx, const Where&, const Call& call) {
  return lower_pointwise(ctx, call,
                         [](ScalarBuilder& builder, const std::vector<ExprRef>& operands) {
                           return builder.select(operands[0], operands[1], operands[2]);
                         });
}

}  // namespace

void register_where() {
  register_op_class(Where::op_class());
  register_typeinfer<Where>(infer);
  register_type_relation<Where>(
      [](const Call& call, const Where&, const std::vector<TypeRef>& types, TypeInferContext& ctx) {
        return broadcast_relation(call, types, ctx);
      });
  register_access_relation<Where>([](const Call& call, const Where&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<Where>(cost);
  register_evaluator<Where>(evaluate_where);
  register_hir_lowering<Where>(lower_where);
}

}  // namespace tilefoundry
