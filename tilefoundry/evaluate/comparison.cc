#include "tilefoundry/evaluate/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "tilefoundry/analysis/specialize.h"
#include "tilefoundry/ir/hir/loop_trips.h"
#include "tilefoundry/registry/typeinfer.h"

namespace tilefoundry {

namespace {

// Unit roundoff of a 16-bit float; 0 for other dtypes.
double coarse_rounding(DType dtype) {
  if (dtype == DType(DType::bf16)) return 0x1p-8;
  return dtype == DType(DType::f16) ? 0x1p-11 : 0;
}

}  // namespace

ErrorBound ErrorModel::bound(DType dtype) const {
  if (!dtype.is_float()) return {0, 0};
  const auto steps = static_cast<double>(depth);
  const double ulp = std::max(coarse_rounding(dtype), rounding);
  if (ulp == 0) {
    const double largest = 0x1p-24 * (16 + 4 * steps + 4 * std::sqrt(reduction_length));
    return {largest, largest};
  }
  // The share of flipped roundings grows with what a reduction may shift before it rounds.
  const double shift = 0x1p-24 * (16 + 4 * std::sqrt(reduction_length));
  const double flips = std::min(1.0, (1 + steps) * shift / ulp);
  return {ulp * (2 + std::sqrt(steps)), ulp * std::max(0.05, 2 * std::sqrt(flips))};
}

namespace {

// Product of the iteration extents that do not reach the result.
double reduced_length(const Call& call, TypeInferContext& ctx, const DimSubstitution& extents) {
  std::vector<TypeRef> types;
  for (const ExprRef& arg : call.args()) types.push_back(arg->type());
  const auto relation = build_relation(call, types, ctx);
  if (!relation || relation->accesses().empty()) return 0;
  std::vector<bool> kept(relation->extents().size(), false);
  for (const Dim& index : relation->accesses().back().index) {
    for_each_dim_atom(index, [&](const DimNode& node) {
      const int k = iter_index(node);
      if (k >= 0) kept[static_cast<std::size_t>(k)] = true;
    });
  }
  double length = 1;
  bool reduces = false;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    if (kept[k]) continue;
    reduces = true;
    const Dim extent = substitute(relation->extents()[k], extents);
    length *= extent.is_static() ? static_cast<double>(extent.value()) : 1;
  }
  return reduces ? length : 0;
}

std::size_t tensor_count(const TypeRef& type) {
  const TupleType* tuple = as_tuple(type);
  if (tuple == nullptr) return 1;
  std::size_t count = 0;
  for (const TypeRef& field : tuple->fields()) count += tensor_count(field);
  return count;
}

// Both values together.
ErrorModel joined(const ErrorModel& a, const ErrorModel& b) {
  return {std::max(a.depth, b.depth), std::max(a.reduction_length, b.reduction_length),
          std::max(a.rounding, b.rounding)};
}

// One after the other.
ErrorModel behind(const ErrorModel& a, const ErrorModel& b) {
  return {a.depth + b.depth, a.reduction_length + b.reduction_length,
          std::max(a.rounding, b.rounding)};
}

// What the trips of a loop add: as often as it runs, what one trip adds to what it was given.
ErrorModel loop_model(const GridRegionExpr& loop, std::int64_t trips,
                      const std::unordered_map<const Expr*, ErrorModel>& added) {
  std::unordered_map<const Expr*, ErrorModel> inside;
  for (const ExprRef& node : loop.body()) {
    ErrorModel model;
    for_each_region_operand(*node, [&](const ExprRef& operand) {
      const auto it = inside.find(operand.get());
      if (it != inside.end()) model = joined(model, it->second);
    });
    inside.emplace(node.get(), behind(model, added.at(node.get())));
  }
  ErrorModel trip;
  for (const ExprRef& value : loop.yield_values()) {
    const auto it = inside.find(value.get());
    if (it != inside.end()) trip = joined(trip, it->second);
  }
  constexpr std::int64_t kMost = 1'000'000'000;
  const auto times = static_cast<double>(trips);
  trip.reduction_length *= times;
  trip.depth = static_cast<std::int64_t>(
      std::min(static_cast<double>(trip.depth) * times, static_cast<double>(kMost)));
  return trip;
}

// One model per tensor of `expr`: each element of a tuple has its own, fields of a call share one.
std::vector<ErrorModel> leaf_models(const ExprRef& expr,
                                    const std::unordered_map<const Expr*, ErrorModel>& models) {
  std::vector<ErrorModel> out;
  if (const auto* tuple = expr_cast<Tuple>(expr)) {
    for (const ExprRef& element : tuple->elements()) {
      const std::vector<ErrorModel> leaves = leaf_models(element, models);
      out.insert(out.end(), leaves.begin(), leaves.end());
    }
    return out;
  }
  out.assign(tensor_count(expr->type()), models.at(expr.get()));
  return out;
}

}  // namespace

std::vector<ErrorModel> error_models(const Function& written, const DimSubstitution& extents) {
  // What runs at these extents: prototypes are their variants.
  FunctionRef runs(&written);
  if (is_dispatched(written)) {
    runs = specialize_function(runs, static_extents(written, extents));
  }
  const Function& function = *runs;
  TypeInferContext ctx;
  std::unordered_map<const Expr*, ErrorModel> models;
  std::unordered_map<const Expr*, ErrorModel> added;  // by a node itself
  // Callees by identity, so that a function called from many places is looked at once.
  std::unordered_map<const Function*, ErrorModel> callees;
  struct Frame {
    const Function* function;
    std::vector<ExprRef> order;
    LoopTrips trips;
    std::size_t next = 0;
  };
  const auto frame_of = [&](const Function& each) {
    return Frame{&each, post_order({each.body()}), count_trips(each.body(), extents)};
  };
  std::vector<Frame> stack{frame_of(function)};
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next == frame.order.size()) {
      callees[frame.function] = models[frame.function->body().get()];
      stack.pop_back();
      continue;
    }
    const ExprRef expr = frame.order[frame.next];
    const Call* call = expr_cast<Call>(expr);
    const Function* callee = call != nullptr ? as_function(*call->target()) : nullptr;
    if (callee != nullptr && callee->body() && !callees.contains(callee)) {
      stack.push_back(frame_of(*callee));
      continue;
    }
    ++frame.next;
    ErrorModel own;
    if (callee != nullptr) {
      own = callees[callee];
    } else if (call != nullptr) {
      own.depth = 1;
      own.reduction_length = reduced_length(*call, ctx, frame.trips.substitution(extents));
      const TensorType* type = as_tensor(call->type());
      if (type != nullptr) own.rounding = coarse_rounding(type->dtype());
    } else if (const auto* loop = expr_cast<GridRegionExpr>(expr)) {
      own = loop_model(*loop, frame.trips.trips.at(loop), added);
    }
    ErrorModel model;
    for_each_region_operand(
        *expr, [&](const ExprRef& operand) { model = joined(model, models[operand.get()]); });
    model = behind(model, own);
    added[expr.get()] = own;
    models[expr.get()] = model;
  }
  return leaf_models(function.body(), models);
}

Comparison compare_tensors(const HostTensor& reference, const HostTensor& result,
                           const ErrorBound& bound) {
  Comparison out;
  const std::int64_t count = reference.numel();
  double squares = 0;
  std::int64_t finite = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = reference.float_at(i);
    if (!std::isfinite(value)) continue;
    squares += value * value;
    ++finite;
  }
  out.reference_norm = std::sqrt(squares);
  const double scale = finite > 0 ? std::sqrt(squares / static_cast<double>(finite)) : 0;
  double error_squares = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!reference.dtype().is_float()) {
      const auto difference =
          static_cast<double>(result.int_at(i)) - static_cast<double>(reference.int_at(i));
      const bool equal = result.int_at(i) == reference.int_at(i);
      out.mismatches += equal ? 0 : 1;
      out.largest_absolute = std::max(out.largest_absolute, std::fabs(difference));
      continue;
    }
    const double wanted = reference.float_at(i);
    const double got = result.float_at(i);
    if (std::isnan(wanted) && std::isnan(got)) continue;
    if (wanted == got) continue;
    const double absolute = std::fabs(wanted - got);
    const double unit = std::max(std::fabs(wanted), scale);
    const double relative = unit > 0 ? absolute / unit : absolute;
    if (!(relative <= bound.largest)) ++out.mismatches;
    if (std::isfinite(relative)) {
      out.largest_absolute = std::max(out.largest_absolute, absolute);
      out.largest_relative = std::max(out.largest_relative, relative);
      error_squares += relative * relative;
    } else {
      out.largest_absolute = std::numeric_limits<double>::infinity();
      out.largest_relative = std::numeric_limits<double>::infinity();
    }
  }
  if (count > 0) out.rms_relative = std::sqrt(error_squares / static_cast<double>(count));
  out.passed = out.mismatches == 0 && !(out.rms_relative > bound.rms);
  return out;
}

}  // namespace tilefoundry
