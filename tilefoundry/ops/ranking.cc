#include "tilefoundry/ops/ranking.h"

#include <cmath>

#include <fmt/format.h>

namespace tilefoundry {

DType ranking_dtype(DType dtype) {
  if (dtype.is_float()) return DType::f32;
  return dtype.is_bool() ? DType(DType::i32) : dtype;
}

void check_ranked(const Call& call, DType dtype, TypeInferContext& ctx) {
  if (dtype.is_float() || dtype.is_integer() || dtype.is_bool()) return;
  ctx.error(call, fmt::format("elements of {}, the dtype of x, are not compared", dtype.name()),
            cast_hint("x", DType::f32));
}

Cost ranking_cost(const Call& call, CostContext& ctx) {
  Cost cost = pointwise_cost(call, ctx, 0, DType::f32);
  add_service(cost, "predicate", ctx.local_numel(call.args()[0]));
  return cost;
}

bool ranks_before(const HostTensor& x, std::int64_t a, std::int64_t b, bool largest) {
  if (!x.dtype().is_float()) {
    const std::int64_t left = x.int_at(a);
    const std::int64_t right = x.int_at(b);
    return largest ? left > right : left < right;
  }
  const double left = x.float_at(a);
  const double right = x.float_at(b);
  if (std::isnan(left) || std::isnan(right)) {
    const bool above = std::isnan(left) && !std::isnan(right);
    const bool below = !std::isnan(left) && std::isnan(right);
    return largest ? above : below;
  }
  return largest ? left > right : left < right;
}

}  // namespace tilefoundry
