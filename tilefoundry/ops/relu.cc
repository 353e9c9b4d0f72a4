#include "tilefoundry/ops/relu.h"

#include <algorithm>

#include <fmt/format.h>

#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/tile.h"

namespace tilefoundry {

const OpClass& ReLU::op_class() {
  static const OpClass& cls = OpClassBuilder<ReLU>("ReLU", Dialect::tf, "nn")
                                  .dsl("relu")
                                  .summary("max(x, 0).")
                                  .input("x")
                                  .build();
  return cls;
}

const OpClass& TileReLU::op_class() {
  static const OpClass& cls = OpClassBuilder<TileReLU>("ReLU", Dialect::T, "math")
                                  .dsl("relu")
                                  .summary("dst = max(src, 0).")
                                  .input("src")
                                  .input("dst")
                                  .effect()
                                  .build();
  return cls;
}

namespace {

void check_dtype(DType dtype, const std::string& name, const Fail& fail) {
  if (unary_accepts(UnaryKind::relu, dtype)) return;
  fail(fmt::format("relu is not defined on {}, the dtype of {}", dtype.name(), name),
       cast_hint(name, DType::f32));
}

TypeRef infer(const Call& call, const ReLU&, TypeInferContext& ctx) {
  const DType dtype = operand_dtype(call, 0, ctx);
  check_dtype(dtype, "x", fail_at(ctx, call));
  return pointwise_type(call, dtype, ctx);
}

HostValue evaluate_relu(const Call&, const ReLU&, const std::vector<HostValue>& args,
                        EvaluateContext&) {
  const HostTensor& x = args[0].tensor();
  HostTensor result(x.dtype(), x.shape());
  for (std::int64_t i = 0; i < result.numel(); ++i) {
    if (x.dtype().is_float()) {
      const double value = x.float_at(i);
      result.set_float(i, value < 0 ? 0.0F : static_cast<float>(value));
    } else {
      result.set_int(i, std::max<std::int64_t>(x.int_at(i), 0));
    }
  }
  return result;
}

ExprRef scalar_relu(ScalarBuilder& builder, const std::vector<ExprRef>& operands) {
  return builder.unary(UnaryKind::relu, operands[0]);
}

void verify_tile(const Evaluate& evaluate, const TileReLU&, VerifyContext& ctx) {
  const DType dtype = tile_operand(evaluate, 0, ctx, true).dtype();
  check_dtype(dtype, "src", fail_at(ctx, evaluate));
  verify_dtype(evaluate, 1, dtype, ctx);
  verify_broadcast(evaluate, ctx);
}

}  // namespace

void register_relu() {
  register_op_class(ReLU::op_class());
  register_typeinfer<ReLU>(infer);
  register_type_relation<ReLU>(
      [](const Call& call, const ReLU&, const std::vector<TypeRef>& types, TypeInferContext& ctx) {
        return broadcast_relation(call, types, ctx);
      });
  register_access_relation<ReLU>([](const Call& call, const ReLU&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<ReLU>([](const Call& call, const ReLU&, CostContext& ctx) {
    return pointwise_cost(call, ctx, 1, operand_dtype(call, 0, ctx));
  });
  register_evaluator<ReLU>(evaluate_relu);
  register_hir_lowering<ReLU>([](LoweringContext& ctx, const ReLU&, const Call& call) {
    return lower_pointwise(ctx, call, scalar_relu);
  });

  register_op_class(TileReLU::op_class());
  register_verify_op<TileReLU>(verify_tile);
  register_tile_expansion<TileReLU>([](const Evaluate& evaluate, const TileReLU&) {
    return expand_pointwise(evaluate, scalar_relu);
  });
}

}  // namespace tilefoundry
