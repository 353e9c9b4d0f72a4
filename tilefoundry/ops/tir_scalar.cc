#include "tilefoundry/ops/tir_scalar.h"

#include <fmt/format.h>

#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/tile.h"

namespace tilefoundry {
namespace {

DType scalar_dtype(const Call& call, std::size_t argument, TypeInferContext& ctx) {
  const TensorType& type = operand_type(call, argument, ctx);
  if (type.rank() != 0) {
    ctx.error(call,
              fmt::format("{} has shape {}, wanted a scalar", operand_name(call, argument),
                          shape_text(type.shape())),
              "load one element first");
  }
  return type.dtype();
}

// One integer scalar per axis of the tensor.
void check_indices(const std::vector<ExprRef>& args, std::size_t first, const TensorType& tensor,
                   TypeInferContext& ctx, const Fail& fail) {
  if (args.size() - first != tensor.rank()) {
    fail(fmt::format("{} indices for a tensor of shape {}", args.size() - first,
                     shape_text(tensor.shape())),
         "give one index per axis");
  }
  for (std::size_t i = first; i < args.size(); ++i) {
    const TypeRef type = ctx.type_of(args[i]);
    const TensorType* index = as_tensor(type);
    if (index != nullptr && index->rank() == 0 && index->dtype().is_integer()) continue;
    fail(fmt::format("the index of axis {} is not an integer scalar", i - first), "");
  }
}

TypeRef infer_load(const Call& call, const Load&, TypeInferContext& ctx) {
  const TensorType& tensor = operand_type(call, 0, ctx);
  check_indices(call.args(), 1, tensor, ctx, fail_at(ctx, call));
  return scalar_type(tensor.dtype());
}

TypeRef infer_binary(const Call& call, const ScalarBinary& op, TypeInferContext& ctx) {
  const DType lhs = scalar_dtype(call, 0, ctx);
  const DType rhs = scalar_dtype(call, 1, ctx);
  if (lhs != rhs) {
    ctx.error(call, fmt::format("lhs has dtype {}, rhs has dtype {}", lhs.name(), rhs.name()),
              "cast one of them first");
  }
  if (!binary_accepts(op.kind, lhs)) {
    ctx.error(call, fmt::format("{} is not defined on {}", enum_name(op.kind), lhs.name()));
  }
  return scalar_type(is_predicate(op.kind) ? DType(DType::boolean) : lhs);
}

TypeRef infer_unary(const Call& call, const ScalarUnary& op, TypeInferContext& ctx) {
  const DType dtype = scalar_dtype(call, 0, ctx);
  if (!unary_accepts(op.kind, dtype)) {
    ctx.error(call, fmt::format("{} is not defined on {}", enum_name(op.kind), dtype.name()));
  }
  return scalar_type(dtype);
}

TypeRef infer_cast(const Call& call, const ScalarCast& op, TypeInferContext& ctx) {
  scalar_dtype(call, 0, ctx);
  return scalar_type(op.dtype);
}

TypeRef infer_select(const Call& call, const Select&, TypeInferContext& ctx) {
  const DType condition = scalar_dtype(call, 0, ctx);
  if (!condition.is_bool()) {
    ctx.error(call, fmt::format("condition has dtype {}, wanted bool", condition.name()));
  }
  const DType if_true = scalar_dtype(call, 1, ctx);
  const DType if_false = scalar_dtype(call, 2, ctx);
  if (if_true != if_false) {
    ctx.error(
        call,
        fmt::format("if_true has dtype {}, if_false has dtype {}", if_true.name(), if_false.name()),
        "cast one of them first");
  }
  return scalar_type(if_true);
}

void verify_store(const Evaluate& stmt, const Store&, VerifyContext& ctx) {
  const Fail fail = fail_at(ctx, stmt);
  if (stmt.args().size() < 2) fail("needs a tensor and a value", "");
  const TensorType& tensor = tile_operand(stmt, 0, ctx);
  const TypeRef type = ctx.type_of(stmt.args()[1]);
  const TensorType* value = as_tensor(type);
  if (value == nullptr || value->rank() != 0) fail("value is not a scalar", "");
  if (value->dtype() != tensor.dtype()) {
    fail(fmt::format("value has dtype {}, the tensor {}", value->dtype().name(),
                     tensor.dtype().name()),
         "cast the value first");
  }
  check_indices(stmt.args(), 2, tensor, ctx, fail);
}

}  // namespace

void register_tir_scalar() {
  register_typeinfer<Load>(infer_load);
  register_typeinfer<ScalarBinary>(infer_binary);
  register_typeinfer<ScalarUnary>(infer_unary);
  register_typeinfer<ScalarCast>(infer_cast);
  register_typeinfer<Select>(infer_select);
  register_verify_op<Store>(verify_store);
}

}  // namespace tilefoundry
