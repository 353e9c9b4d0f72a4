#include "tilefoundry/ops/cast.h"

#include <fmt/format.h>

#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/tile.h"

namespace tilefoundry {

const OpClass& Cast::op_class() {
  static const OpClass& cls = OpClassBuilder<Cast>("Cast", Dialect::tf, "math")
                                  .summary("Conversion to another dtype.")
                                  .input("x")
                                  .attr<&Cast::dtype>("dtype")
                                  .build();
  return cls;
}

const OpClass& TileCast::op_class() {
  static const OpClass& cls = OpClassBuilder<TileCast>("Cast", Dialect::T, "math")
                                  .summary("dst = src in the dtype of dst.")
                                  .input("src")
                                  .input("dst")
                                  .effect()
                                  .build();
  return cls;
}

namespace {

bool is_castable(DType dtype) { return dtype.is_float() || dtype.is_integer() || dtype.is_bool(); }

void check_dtypes(DType from, DType to, const Fail& fail) {
  for (const DType dtype : {from, to}) {
    if (is_castable(dtype)) continue;
    fail(fmt::format("no cast from {} to {}", from.name(), to.name()),
         "casts are between f32, f16, bf16, i32, i64 and bool");
  }
}

TypeRef infer(const Call& call, const Cast& op, TypeInferContext& ctx) {
  check_dtypes(operand_dtype(call, 0, ctx), op.dtype, fail_at(ctx, call));
  return pointwise_type(call, op.dtype, ctx);
}

HostValue evaluate_cast(const Call&, const Cast& op, const std::vector<HostValue>& args,
                        EvaluateContext&) {
  const HostTensor& x = args[0].tensor();
  HostTensor result(op.dtype, x.shape());
  const bool floating = x.dtype().is_float();
  for (std::int64_t i = 0; i < result.numel(); ++i) {
    if (floating) {
      result.set_float(i, x.float_at(i));
    } else if (op.dtype.is_float()) {
      // 16-bit floats take the value by way of f32.
      result.set_float(i, static_cast<float>(x.int_at(i)));
    } else {
      result.set_int(i, x.int_at(i));
    }
  }
  return result;
}

void verify_tile(const Evaluate& evaluate, const TileCast&, VerifyContext& ctx) {
  check_dtypes(tile_operand(evaluate, 0, ctx, true).dtype(), tile_operand(evaluate, 1, ctx).dtype(),
               fail_at(ctx, evaluate));
  verify_broadcast(evaluate, ctx);
}

ScalarBody scalar_body(DType dtype) {
  return [dtype](ScalarBuilder& builder, const std::vector<ExprRef>& operands) {
    return builder.cast(dtype, operands[0]);
  };
}

}  // namespace

void register_cast() {
  register_op_class(Cast::op_class());
  register_typeinfer<Cast>(infer);
  register_type_relation<Cast>(
      [](const Call& call, const Cast&, const std::vector<TypeRef>& types, TypeInferContext& ctx) {
        return broadcast_relation(call, types, ctx);
      });
  register_access_relation<Cast>([](const Call& call, const Cast&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<Cast>([](const Call& call, const Cast& op, CostContext& ctx) {
    return pointwise_cost(call, ctx, 1, op.dtype);
  });
  register_evaluator<Cast>(evaluate_cast);
  register_hir_lowering<Cast>([](LoweringContext& ctx, const Cast& op, const Call& call) {
    return lower_pointwise(ctx, call, scalar_body(op.dtype));
  });

  register_op_class(TileCast::op_class());
  register_verify_op<TileCast>(verify_tile);
  register_tile_expansion<TileCast>([](const Evaluate& evaluate, const TileCast&) {
    return expand_pointwise(evaluate, scalar_body(as_tensor(evaluate.args()[1]->type())->dtype()));
  });
}

}  // namespace tilefoundry
