// Rules that tile ops share: operands of an `Evaluate`, and their expansion into loop nests.
#pragma once

#include <string>
#include <vector>

#include "tilefoundry/ops/common.h"
#include "tilefoundry/passes/loop_nest.h"
#include "tilefoundry/registry/verify.h"

namespace tilefoundry {

Fail fail_at(const TypeInferContext& ctx, const Stmt& node);

// The type of an argument of a tile op, which must be a named buffer. A scalar constant stands for
// a rank-0 buffer where `constant_allowed`.
const TensorType& tile_operand(const Evaluate& evaluate, std::size_t argument, VerifyContext& ctx,
                               bool constant_allowed = false);
// Every argument but the last one broadcasts to exactly the shape of the last.
void verify_broadcast(const Evaluate& evaluate, VerifyContext& ctx);
void verify_dtype(const Evaluate& evaluate, std::size_t argument, DType wanted, VerifyContext& ctx);
void verify_shape(const Evaluate& evaluate, std::size_t argument, const Shape& wanted,
                  VerifyContext& ctx);

// An argument as a buffer name.
VarRef tile_buffer(const Evaluate& evaluate, std::size_t argument);
// The nest over the last argument's shape that stores `body` of one element of each other one.
StmtRef expand_pointwise(const Evaluate& evaluate, const ScalarBody& body);

// Adds `count` as a scalar of `dtype` to the block: a constant, or computed from the dimension.
ExprRef count_scalar(ScalarBuilder& builder, DType dtype, const Dim& count);
// `acc = acc <kind> value` on a rank-0 accumulator.
void accumulate(ScalarBuilder& builder, const VarRef& acc, BinaryKind kind, ExprRef value);
// Binds a new rank-0 accumulator that holds `initial`.
VarRef make_accumulator(ScalarBuilder& builder, ExprRef initial);

}  // namespace tilefoundry
