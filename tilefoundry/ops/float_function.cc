#include "tilefoundry/ops/float_function.h"

#include <fmt/format.h>

namespace tilefoundry {

TypeRef float_function_type(const Call& call, TypeInferContext& ctx) {
  const DType dtype = operand_dtype(call, 0, ctx);
  if (!dtype.is_float()) {
    const auto& op = static_cast<const Op&>(*call.target());
    ctx.error(call,
              fmt::format("{} is not defined on {}, the dtype of {}", op.op_class().dsl_name(),
                          dtype.name(), operand_name(call, 0)),
              cast_hint(operand_name(call, 0), DType::f32));
  }
  return pointwise_type(call, dtype, ctx);
}

Cost float_function_cost(const Call& call, CostContext& ctx) {
  Cost cost = pointwise_cost(call, ctx, 1, DType::f32);
  add_service(cost, "special", ctx.local_output_numel(call));
  return cost;
}

HostValue evaluate_float_function(const HostTensor& x,
                                  const std::function<double(double)>& function) {
  HostTensor result(x.dtype(), x.shape());
  for (std::int64_t i = 0; i < result.numel(); ++i) {
    result.set_float(i, static_cast<float>(function(x.float_at(i))));
  }
  return result;
}

VarRef lower_float_function(LoweringContext& ctx, const Call& call, const FloatFunction& function) {
  const DType dtype = as_tensor(call.type())->dtype();
  return lower_pointwise(
      ctx, call, [&](ScalarBuilder& builder, const std::vector<ExprRef>& operands) {
        return builder.cast(dtype, function(builder, builder.cast(DType::f32, operands[0])));
      });
}

}  // namespace tilefoundry
