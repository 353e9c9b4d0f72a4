#include "tilefoundry/evaluate/evaluator.h"

#include <unordered_map>

#include <fmt/format.h>

#include "tilefoundry/evaluate/bind_inputs.h"
#include "tilefoundry/ir/hir/dispatch.h"
#include "tilefoundry/ir/hir/grid_region.h"
#include "tilefoundry/registry/typeinfer.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

AnalysisRegistry& evaluator_registry() {
  static auto* registry = new AnalysisRegistry("evaluator", RegistryKeys::ops);
  return *registry;
}

std::int64_t EvaluateContext::extent(const Dim& dim) const { return extent_under(dim, dims); }

std::vector<std::int64_t> EvaluateContext::extents(const Shape& shape) const {
  std::vector<std::int64_t> out;
  for (const Dim& dim : shape) out.push_back(extent(dim));
  return out;
}

HostTensor EvaluateContext::zeros_like(const TypeRef& type) const {
  const TensorType* tensor = as_tensor(type);
  TF_CHECK(tensor != nullptr, "zeros_like of a tuple");
  return {tensor->dtype(), extents(tensor->shape())};
}

void EvaluateContext::error(const Call& call, const std::string& message) const {
  throw CallError(Diagnostic{.code = "TF6019",
                             .message = fmt::format("{}: {}", node_label(call), message),
                             .span = call.span()});
}

namespace {

using Values = std::unordered_map<const Expr*, HostValue>;

[[noreturn]] void refuse(const Expr& expr, const std::string& message, const std::string& hint) {
  throw CallError(Diagnostic{.code = "TF6020",
                             .message = fmt::format("{}: {}", node_label(expr), message),
                             .span = expr.span(),
                             .hint = hint});
}

HostValue value_of_call(const Call& call, std::vector<HostValue> args, EvaluateContext& ctx) {
  const NodeClass& cls = call.target()->node_class();
  const auto* handler = evaluator_registry().find<EvaluateFn>(cls);
  if (handler == nullptr) {
    refuse(call, fmt::format("no value rule is registered for {}", cls.name()),
           "add one with register_evaluator");
  }
  return (*handler)(call, args, ctx);
}

HostValue run_loop(const GridRegionExpr& loop, const Values& outer, EvaluateContext& ctx);

// The value of one node whose operands are in `values`.
HostValue value_of(const Expr& expr, const Values& values, EvaluateContext& ctx) {
  if (const auto* loop = expr_cast<GridRegionExpr>(expr)) return run_loop(*loop, values, ctx);
  std::vector<HostValue> operands;
  for_each_operand(expr,
                   [&](const ExprRef& operand) { operands.push_back(values.at(operand.get())); });
  switch (expr.kind()) {
    case ExprKind::call:
      return value_of_call(static_cast<const Call&>(expr), std::move(operands), ctx);
    case ExprKind::tuple: return operands;
    case ExprKind::constant: {
      const auto& constant = static_cast<const Constant&>(expr);
      const TensorType& type = constant.tensor_type();
      return HostTensor(type.dtype(), ctx.extents(type.shape()), constant.bytes());
    }
    case ExprKind::dim_value: {
      HostTensor scalar(DType::i64, {});
      scalar.set_int(0, ctx.extent(static_cast<const DimValue&>(expr).dim()));
      return scalar;
    }
    case ExprKind::var:
      refuse(expr, "the name is no parameter of the function that is evaluated",
             "pass the value as a parameter");
    default: refuse(expr, "expressions of this kind have no value rule", "");
  }
}

// Computes the nodes of a region in order; a value goes when its last user has run.
void run_nodes(const std::vector<ExprRef>& order, const std::vector<ExprRef>& results,
               Values& values, EvaluateContext& ctx) {
  std::unordered_map<const Expr*, std::size_t> uses;
  for (const ExprRef& result : results) ++uses[result.get()];
  for (const ExprRef& expr : order) {
    for_each_region_operand(*expr, [&](const ExprRef& operand) { ++uses[operand.get()]; });
  }
  for (const ExprRef& expr : order) {
    if (!values.contains(expr.get())) values.emplace(expr.get(), value_of(*expr, values, ctx));
    for_each_region_operand(*expr, [&](const ExprRef& operand) {
      if (--uses[operand.get()] == 0) values.erase(operand.get());
    });
  }
}

void set_scalar(const Var& var, const HostValue& value, EvaluateContext& ctx) {
  const TensorType* type = as_tensor(var.type());
  if (type == nullptr || type->rank() != 0 || !type->dtype().is_integer()) return;
  ctx.dims[binding_name(*var.dim().node())] = value.tensor().int_at(0);
}

// Trip by trip: every next value is computed from the old carried ones. Recurses on the nesting of
// loops.
HostValue run_loop(const GridRegionExpr& loop, const Values& outer, EvaluateContext& ctx) {
  std::vector<HostValue> carried;
  for (const ExprRef& init : loop.init_args()) carried.push_back(outer.at(init.get()));
  const std::int64_t stop = ctx.extent(loop.extent());
  const std::int64_t step = ctx.extent(loop.step());
  if (step < 1) {
    throw CallError(Diagnostic{
        .code = "TF6400",
        .message = fmt::format("{}: the step of the loop is {} here", node_label(loop), step),
        .span = loop.span(),
        .hint = "a loop counts upwards: its step is at least 1"});
  }
  std::int64_t at = ctx.extent(loop.start());
  while (at < stop) {
    Values values;
    for (const ExprRef& capture : loop.captures()) {
      values.emplace(capture.get(), outer.at(capture.get()));
    }
    HostTensor number(DType::i64, {});
    number.set_int(0, at);
    set_scalar(*loop.induction_var(), number, ctx);
    values.emplace(loop.induction_var().get(), number);
    for (std::size_t i = 0; i < carried.size(); ++i) {
      set_scalar(*loop.carried_args()[i], carried[i], ctx);
      values.emplace(loop.carried_args()[i].get(), std::move(carried[i]));
    }
    run_nodes(loop.body(), loop.yield_values(), values, ctx);
    for (std::size_t i = 0; i < carried.size(); ++i) {
      carried[i] = values.at(loop.yield_values()[i].get());
    }
    if (__builtin_add_overflow(at, step, &at)) break;
  }
  return carried.size() == 1 ? std::move(carried.front()) : HostValue(std::move(carried));
}

HostValue run_body(const ExprRef& body, Values values, EvaluateContext& ctx) {
  run_nodes(region_order({body}), {body}, values, ctx);
  return values.at(body.get());
}

[[noreturn]] void refuse_prototype(const Function& function) {
  throw CallError(Diagnostic{.code = "TF6021",
                             .message = fmt::format("{} has no body to evaluate", function.name()),
                             .span = function.meta().span});
}

// What runs for these inputs, which were checked: the variant that holds the extent, for a
// prototype.
FunctionRef implementation(const Function& function, const std::vector<HostValue>& values) {
  if (!function.is_prototype()) return FunctionRef(&function);
  if (function.variants().empty()) refuse_prototype(function);
  for (const FunctionRef& variant : function.variants()) {
    if (variant_range(*variant) != nullptr) continue;
    throw CallError(
        Diagnostic{.code = "TF6420",
                   .message = fmt::format("the pattern {} of a variant of {} has no value rule",
                                          variant->specializations()[0]->repr(), function.name()),
                   .span = variant->meta().span,
                   .hint = "variants are picked by DimVarRangePat(name, lo, hi)"});
  }
  const CanonicalAxis axis = dispatch_axis(function);
  const std::int64_t extent = values[axis.param].tensor().shape()[axis.axis];
  if (FunctionRef variant = variant_for(function, extent)) return variant;
  throw CallError(Diagnostic{
      .code = "TF6421",
      .message =
          fmt::format("no variant of {} takes the extent {} of {} (axis {})", function.name(),
                      extent, function.params()[axis.param]->name(), axis.axis),
      .span = function.meta().span,
      .hint = fmt::format("{} is in [{}, {}); the variants' ranges are {}", axis.dim.name,
                          axis.dim.lo, axis.dim.hi, ranges_text(function))});
}

// Runs `function` on one value per parameter. `dims` holds its dimensions.
HostValue run_function(const Function& function, const std::vector<HostValue>& values,
                       EvaluateContext& ctx) {
  if (!function.body()) refuse_prototype(function);
  Values bound;
  for (std::size_t i = 0; i < values.size(); ++i) {
    bound.emplace(function.params()[i].get(), values[i]);
  }
  return run_body(function.body(), std::move(bound), ctx);
}

std::vector<Parameter> parameters_of(const Function& function) {
  std::vector<Parameter> params;
  for (const VarRef& var : function.params()) {
    params.push_back({var->name(), var->type(), var.get()});
  }
  return params;
}

}  // namespace

HostValue EvaluateContext::call(const Function& function, const std::vector<HostValue>& args) {
  const ModuleRef child = owner != nullptr ? child_of_entry(*owner, function) : nullptr;
  EvaluateContext inner(module);
  inner.owner = child ? child.get() : owner;
  inner.path_prefix = child ? path_prefix + child->name() + "." : path_prefix;

  // A call of a child's entry may leave its weights out.
  std::vector<HostValue> values = args;
  if (args.size() < function.params().size()) {
    values.clear();
    std::size_t next = 0;
    for (const VarRef& param : function.params()) {
      if (!param->is_const()) {
        TF_CHECK(next < args.size(), "a call has too few arguments");
        values.push_back(args[next++]);
        continue;
      }
      const auto weight = weights.find(inner.path_prefix + param->name());
      TF_CHECK(weight != weights.end(), "a weight of the tree has no value");
      values.push_back(weight->second);
    }
  }
  inner.dims = bind_parameters(parameters_of(function), values, dims);
  const FunctionRef runs = implementation(function, values);
  if (runs.get() != &function) inner.dims = bind_parameters(parameters_of(*runs), values, dims);
  // The weights are lent for the call, not copied.
  std::swap(inner.weights, weights);
  try {
    HostValue result = run_function(*runs, values, inner);
    std::swap(inner.weights, weights);
    return result;
  } catch (...) {
    std::swap(inner.weights, weights);
    throw;
  }
}

HostValue evaluate(const ModuleRef& module, const Function& function,
                   const std::vector<HostTensor>& inputs) {
  std::vector<Parameter> params = parameters_of(function);
  if (module) {
    for (const TreeWeight& weight : tree_weights(*module, function)) {
      params.push_back({weight.path, weight.param->type(), nullptr});
    }
  }
  if (inputs.size() != params.size()) {
    std::string names;
    for (const Parameter& param : params) names += (names.empty() ? "" : ", ") + param.name;
    throw CallError(Diagnostic{
        .code = "TF6012",
        .message = fmt::format("{} takes {} inputs, got {}", function.name(), params.size(),
                               inputs.size()),
        .hint = params.empty() ? "call it without inputs" : fmt::format("pass {}", names)});
  }
  std::vector<HostValue> values(inputs.begin(), inputs.end());
  EvaluateContext ctx(module);
  ctx.owner = module.get();
  ctx.dims = bind_parameters(params, values, {});
  for (std::size_t i = function.params().size(); i < params.size(); ++i) {
    ctx.weights.emplace(params[i].name, inputs[i]);
  }
  values.resize(function.params().size());
  const FunctionRef runs = implementation(function, values);
  if (runs.get() != &function) ctx.dims = bind_parameters(parameters_of(*runs), values, {});
  return run_function(*runs, values, ctx);
}

}  // namespace tilefoundry
