#include "tilefoundry/ops/tile.h"

#include <fmt/format.h>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

std::string tile_operand_name(const Evaluate& evaluate, std::size_t argument) {
  return evaluate.callable()->op_class().input_name(argument);
}

}  // namespace

Fail fail_at(const TypeInferContext& ctx, const Stmt& node) {
  return [&ctx, &node](const std::string& message, const std::string& hint) {
    ctx.error(node, message, hint);
  };
}

const TensorType& tile_operand(const Evaluate& evaluate, std::size_t argument, VerifyContext& ctx,
                               bool constant_allowed) {
  const std::string name = tile_operand_name(evaluate, argument);
  if (argument >= evaluate.args().size()) {
    ctx.error(evaluate, fmt::format("the argument {} is missing; got {} arguments", name,
                                    evaluate.args().size()));
  }
  const ExprRef& arg = evaluate.args()[argument];
  const bool named = expr_cast<Var>(arg) != nullptr;
  if (!named && !(constant_allowed && expr_cast<Constant>(arg) != nullptr)) {
    ctx.error(evaluate,
              fmt::format("{} must be the name of a buffer, not a {}", name, arg->class_name()),
              "bind it to a name first");
  }
  const TypeRef type = ctx.type_of(arg);
  const TensorType* tensor = as_tensor(type);
  if (tensor == nullptr) ctx.error(evaluate, fmt::format("{} must be a tensor", name));
  if (!named && tensor->rank() != 0) {
    ctx.error(evaluate, fmt::format("{} is a constant of shape {}; only scalar constants stand "
                                    "without a buffer",
                                    name, shape_text(tensor->shape())));
  }
  return *tensor;
}

void verify_broadcast(const Evaluate& evaluate, VerifyContext& ctx) {
  const std::size_t last = evaluate.args().size() - 1;
  std::vector<NamedShape> shapes;
  for (std::size_t i = 0; i < last; ++i) {
    shapes.push_back({evaluate.callable()->op_class().inputs()[i].name,
                      &tile_operand(evaluate, i, ctx, true).shape()});
  }
  verify_shape(evaluate, last, broadcast_shape(shapes, fail_at(ctx, evaluate)), ctx);
}

void verify_dtype(const Evaluate& evaluate, std::size_t argument, DType wanted,
                  VerifyContext& ctx) {
  const DType got = tile_operand(evaluate, argument, ctx, true).dtype();
  if (got == wanted) return;
  ctx.error(evaluate,
            fmt::format("{} has dtype {}, wanted {}", tile_operand_name(evaluate, argument),
                        got.name(), wanted.name()),
            "convert with T.cast into a buffer of the wanted dtype");
}

void verify_shape(const Evaluate& evaluate, std::size_t argument, const Shape& wanted,
                  VerifyContext& ctx) {
  const Shape& got = tile_operand(evaluate, argument, ctx).shape();
  if (got == wanted) return;
  ctx.error(evaluate,
            fmt::format("{} has shape {}, wanted {}", tile_operand_name(evaluate, argument),
                        shape_text(got), shape_text(wanted)));
}

VarRef tile_buffer(const Evaluate& evaluate, std::size_t argument) {
  const Var* var = expr_cast<Var>(evaluate.args()[argument]);
  TF_CHECK(var != nullptr, "a tile op's buffer has no name");
  return VarRef(var);
}

StmtRef expand_pointwise(const Evaluate& evaluate, const ScalarBody& body) {
  const std::size_t last = evaluate.args().size() - 1;
  const VarRef dst = tile_buffer(evaluate, last);
  const Shape& extents = as_tensor(dst->type())->shape();
  return make_nest(extents, [&](const Shape& at) {
    ScalarBuilder builder;
    std::vector<ExprRef> operands;
    for (std::size_t i = 0; i < last; ++i) {
      const ExprRef& arg = evaluate.args()[i];
      if (const auto* constant = expr_cast<Constant>(arg)) {
        operands.push_back(
            Constant::make(scalar_type(constant->tensor_type().dtype()), constant->bytes()));
        continue;
      }
      const Shape& shape = as_tensor(arg->type())->shape();
      operands.push_back(
          builder.load(tile_buffer(evaluate, i), broadcast_index(shape, extents, at)));
    }
    builder.store(dst, body(builder, operands), at);
    return builder.take();
  });
}

ExprRef count_scalar(ScalarBuilder& builder, DType dtype, const Dim& count) {
  if (count.is_static()) return builder.constant(dtype, static_cast<double>(count.value()));
  return builder.cast(dtype, dim_value(count));
}

VarRef make_accumulator(ScalarBuilder& builder, ExprRef initial) {
  const TensorTypeRef type = scalar_type(as_tensor(initial->type())->dtype());
  VarRef acc = Var::make("acc", type);
  builder.append(BlockItem::let(acc, alloc_tensor(type)));
  builder.store(acc, std::move(initial), {});
  return acc;
}

void accumulate(ScalarBuilder& builder, const VarRef& acc, BinaryKind kind, ExprRef value) {
  ExprRef before = builder.load(acc, {});
  builder.store(acc, builder.binary(kind, std::move(before), std::move(value)), {});
}

}  // namespace tilefoundry
