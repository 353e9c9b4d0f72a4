#include "tilefoundry/ops/repeat_interleave.h"

#include <fmt/format.h>

#include "tilefoundry/ops/axes.h"
#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/views.h"

namespace tilefoundry {

const OpClass& RepeatInterleave::op_class() {
  static const OpClass& cls =
      OpClassBuilder<RepeatInterleave>("RepeatInterleave", Dialect::tf, "shape")
          .summary("Each element of an axis repeated.")
          .input("x")
          .attr<&RepeatInterleave::repeats>("repeats")
          .attr<&RepeatInterleave::axis>("axis")
          .build();
  return cls;
}

namespace {

AccessRelationResult relation(const Call& call, const RepeatInterleave& op,
                              const std::vector<TypeRef>& types, TypeInferContext& ctx) {
  Shape extents = tensor_types(call, types, ctx)[0]->shape();
  const std::size_t axis = normalize_axis(op.axis, extents.size(), fail_at(ctx, call));
  if (op.repeats < 1) {
    ctx.error(call, fmt::format("repeats is {}", op.repeats), "repeat at least once");
  }
  const Shape at = iteration_variables(extents.size());
  Shape source = at;
  source[axis] = floordiv(at[axis], Dim(op.repeats));
  extents[axis] = extents[axis] * Dim(op.repeats);
  return {std::move(extents), {BoundaryAccess::of(std::move(source)), BoundaryAccess::of(at)}};
}

TypeRef infer(const Call& call, const RepeatInterleave&, TypeInferContext& ctx) {
  Shape shape = result_shape(call, ctx);
  const TensorType& x = operand_type(call, 0, ctx);
  refuse_sharded(call, x, "x", ctx);
  return TensorType::make(std::move(shape), x.dtype(), nullptr, x.storage());
}

HostValue evaluate_repeat(const Call&, const RepeatInterleave& op,
                          const std::vector<HostValue>& args, EvaluateContext&) {
  const HostTensor& x = args[0].tensor();
  Extents shape = x.shape();
  const std::size_t axis = axis_at(op.axis, shape.size());
  std::int64_t inner = 1;
  for (std::size_t k = axis + 1; k < shape.size(); ++k) inner *= shape[k];
  const std::int64_t rows = inner == 0 ? 0 : x.numel() / inner;
  shape[axis] *= op.repeats;
  HostTensor result(x.dtype(), shape);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t k = 0; k < op.repeats; ++k) {
      copy_elements(x, row * inner, result, (row * op.repeats + k) * inner, inner);
    }
  }
  return result;
}

// Nothing but another index: the loops fuse with those of the value's readers.
VarRef lower(LoweringContext& ctx, const RepeatInterleave& op, const Call& call) {
  if (op.repeats == 1) return ctx.lower(call.args()[0]);
  return lower_pointwise(
      ctx, call, [](ScalarBuilder&, const std::vector<ExprRef>& operands) { return operands[0]; });
}

}  // namespace

void register_repeat_interleave() {
  register_op_class(RepeatInterleave::op_class());
  register_typeinfer<RepeatInterleave>(infer);
  register_type_relation<RepeatInterleave>(relation);
  register_access_relation<RepeatInterleave>(
      [](const Call& call, const RepeatInterleave&, TypeInferContext& ctx) {
        return relation_boundaries(call, ctx);
      });
  register_cost_evaluator<RepeatInterleave>(
      [](const Call& call, const RepeatInterleave&, CostContext& ctx) {
        return pointwise_cost(call, ctx, 0, DType::f32);
      });
  register_evaluator<RepeatInterleave>(evaluate_repeat);
  register_hir_lowering<RepeatInterleave>(lower);
}

}  // namespace tilefoundry
