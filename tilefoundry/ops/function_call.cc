#include "tilefoundry/ops/function_call.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "tilefoundry/analysis/specialize.h"
#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/evaluate/evaluator.h"
#include "tilefoundry/ir/hir/dispatch.h"
#include "tilefoundry/ir/hir/loop_trips.h"
#include "tilefoundry/passes/core_lowering.h"
#include "tilefoundry/registry/call_dims.h"
#include "tilefoundry/registry/cost.h"
#include "tilefoundry/registry/loop_typing.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

// Binds argument types to parameters, one tensor leaf at a time.
class ParameterBinder {
 public:
  ParameterBinder(const TypeInferContext& ctx, const Expr& call, const Function& callee)
      : ctx_(ctx), call_(call), callee_(callee) {}

  // The type that every parameter has in the called instance. A prototype's dimensions are what
  // the arguments make them.
  std::vector<TypeRef> bind(const std::vector<TypeRef>& arg_types) const {
    check_callable();
    const std::vector<VarRef> inputs = callee_.inputs();
    const bool all = arg_types.size() == callee_.params().size();
    if (!all && arg_types.size() != inputs.size()) {
      ctx_.error(call_, fmt::format("{} takes {} arguments{}, got {}", callee_.name(),
                                    callee_.params().size(), weights_text(inputs.size()),
                                    arg_types.size()));
    }
    const CallDims dims = callee_.is_prototype() ? bound_dims(arg_types, all) : CallDims();
    std::vector<TypeRef> types;
    std::size_t next = 0;
    for (const VarRef& param : callee_.params()) {
      const bool given = all || !param->is_const();
      const TypeRef wanted = dims.apply(param->type());
      types.push_back(given ? bound(*param, wanted, arg_types[next++]) : wanted);
    }
    return types;
  }

  // The type of a call of a prototype: its declared one at the dimensions of the arguments.
  TypeRef prototype_result(const std::vector<TypeRef>& arg_types) const {
    return bound_dims(arg_types, arg_types.size() == callee_.params().size())
        .apply(callee_.return_type());
  }

 private:
  void check_callable() const {
    if (callee_.is_variant()) {
      ctx_.error(
          call_,
          fmt::format("{} is a variant of {}",
                      callee_.label().empty() ? "the callee" : callee_.label(), callee_.name()),
          fmt::format("call {}, which picks the variant", callee_.name()));
    }
    if (callee_.is_prototype() && callee_.variants().empty()) {
      check_partition(callee_, call_.span());
    }
  }

  CallDims bound_dims(const std::vector<TypeRef>& arg_types, bool all) const {
    CallDims dims;
    std::size_t next = 0;
    for (const VarRef& param : callee_.params()) {
      if (!all && param->is_const()) continue;
      const TypeRef& given = arg_types[next++];
      if (dims.bind(param->type(), given)) continue;
      const TensorType* have = as_tensor(given);
      const TensorType* want = as_tensor(param->type());
      if (have == nullptr || want == nullptr) continue;  // another structure, refused later
      refuse(
          *param,
          fmt::format("shape {}, wanted {}", shape_text(have->shape()), shape_text(want->shape())),
          "one dimension of a prototype has one extent in a call");
    }
    return dims;
  }

  std::string weights_text(std::size_t inputs) const {
    return inputs == callee_.params().size() ? ""
                                             : fmt::format(" ({} without its weights)", inputs);
  }

  TypeRef bound(const Var& param, const TypeRef& wanted, const TypeRef& got) const {
    if (wanted == got) return wanted;
    const TupleType* tuple = as_tuple(wanted);
    const TupleType* given = as_tuple(got);
    if (tuple != nullptr && given != nullptr && tuple->fields().size() == given->fields().size()) {
      std::vector<TypeRef> fields;
      for (std::size_t i = 0; i < tuple->fields().size(); ++i) {
        fields.push_back(bound(param, tuple->fields()[i], given->fields()[i]));
      }
      return TupleType::make(std::move(fields));
    }
    const TensorType* want = as_tensor(wanted);
    const TensorType* have = as_tensor(got);
    if (want == nullptr || have == nullptr) {
      refuse(param, "another structure (a tensor where a tuple is wanted, or the reverse)", "");
    }
    return bound_tensor(param, *want, *have);
  }

  TypeRef bound_tensor(const Var& param, const TensorType& want, const TensorType& have) const {
    if (want.dtype() != have.dtype()) {
      refuse(param, fmt::format("dtype {}, wanted {}", have.dtype().name(), want.dtype().name()),
             fmt::format("cast the argument: cast(..., dtype=\"{}\")", want.dtype().name()));
    }
    if (want.shape() != have.shape()) {
      refuse(param,
             fmt::format("shape {}, wanted {}", shape_text(have.shape()), shape_text(want.shape())),
             "a call does not broadcast, and its dimensions are those of the parameter");
    }
    if (want.layout() && !(want.layout() == have.layout())) {
      refuse(param, "another layout than the one that the parameter states",
             "reshard the argument to exactly the parameter's layout");
    }
    const bool open = have.storage() == StorageKind::umat;
    return TensorType::make(want.shape(), want.dtype(), have.layout(),
                            open ? want.storage() : have.storage());
  }

  [[noreturn]] void refuse(const Var& param, const std::string& what,
                           const std::string& hint) const {
    ctx_.error(call_,
               fmt::format("the argument for {} of {} has {}", param.name(), callee_.name(), what),
               hint);
  }

  const TypeInferContext& ctx_;
  const Expr& call_;
  const Function& callee_;
};

bool same_types(const std::vector<VarRef>& params, const std::vector<TypeRef>& types) {
  return std::equal(params.begin(), params.end(), types.begin(), types.end(),
                    [](const VarRef& param, const TypeRef& type) { return param->type() == type; });
}

std::vector<TypeRef> types_of(TypeInferContext& ctx, const std::vector<ExprRef>& exprs) {
  std::vector<TypeRef> types;
  for (const ExprRef& expr : exprs) types.push_back(ctx.type_of(expr));
  return types;
}

}  // namespace

bool FunctionInstances::Less::operator()(const Key& a, const Key& b) const {
  if (a.first != b.first) return std::less<>()(a.first, b.first);
  return std::lexicographical_compare(
      a.second.begin(), a.second.end(), b.second.begin(), b.second.end(),
      [](const TypeRef& x, const TypeRef& y) { return std::less<>()(x.get(), y.get()); });
}

// Rebuilds callees, the innermost first, on a work list of its own.
class Elaboration {
 public:
  Elaboration(TypeInferContext& ctx, FunctionInstances& memo) : ctx_(ctx), memo_(memo) {}

  FunctionRef run(const FunctionRef& callee, const std::vector<TypeRef>& arg_types,
                  const Expr& call) {
    try {
      FunctionRef result = find(callee, arg_types, call);
      while (!stack_.empty()) {
        if (advance()) result = finish();
      }
      return result;
    } catch (...) {
      for (const Frame& frame : stack_) memo_.entries_.erase(frame.key);
      throw;
    }
  }

 private:
  struct Frame {
    FunctionInstances::Key key;
    FunctionRef callee;
    std::vector<VarRef> params;
    std::unordered_map<const Expr*, ExprRef> rewritten;
    std::vector<ExprRef> order;
    std::size_t next = 0;
    std::unordered_map<const Var*, const GridRegionExpr*> binders;  // of the loops in `order`
  };

  // The instance, or null after it was put on the work list.
  FunctionRef find(const FunctionRef& callee, const std::vector<TypeRef>& arg_types,
                   const Expr& call) {
    std::vector<TypeRef> types = ParameterBinder(ctx_, call, *callee).bind(arg_types);
    if (!callee->body() || same_types(callee->params(), types)) return callee;
    FunctionInstances::Key key(callee.get(), std::move(types));
    const auto it = memo_.entries_.find(key);
    if (it != memo_.entries_.end()) {
      if (!it->second.result) ctx_.error(call, fmt::format("{} calls itself", callee->name()));
      return it->second.result;
    }
    memo_.entries_.emplace(key, FunctionInstances::Entry{callee, nullptr});
    Frame frame{std::move(key), callee, {}, {}, post_order({callee->body()}), 0, {}};
    for (const ExprRef& expr : frame.order) {
      const auto* loop = expr_cast<GridRegionExpr>(expr);
      if (loop == nullptr) continue;
      frame.binders.emplace(loop->induction_var().get(), loop);
      for (const VarRef& var : loop->carried_args()) frame.binders.emplace(var.get(), loop);
    }
    for (std::size_t i = 0; i < callee->params().size(); ++i) {
      const Var& old = *callee->params()[i];
      frame.params.push_back(
          Var::make(old.name(), frame.key.second[i], old.is_const(), old.span()));
      frame.rewritten.emplace(&old, frame.params.back());
    }
    stack_.push_back(std::move(frame));
    return nullptr;
  }

  // Rewrites nodes until the frame is done (true) or another callee must be made first.
  bool advance() {
    const std::size_t depth = stack_.size();
    while (stack_.back().next < stack_.back().order.size()) {
      const ExprRef expr = stack_.back().order[stack_.back().next];
      ExprRef result = rewrite(expr);
      if (stack_.size() != depth) return false;
      Frame& frame = stack_.back();
      frame.rewritten.emplace(expr.get(), std::move(result));
      ++frame.next;
    }
    return true;
  }

  FunctionRef finish() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    const Function& callee = *frame.callee;
    ExprRef body = frame.rewritten.at(callee.body().get());
    TypeRef type = ctx_.type_of(body);
    FunctionRef result = callee.copy(std::move(frame.params), std::move(body), std::move(type),
                                     callee.origin() ? callee.origin() : frame.callee);
    memo_.entries_.at(frame.key).result = result;
    return result;
  }

  ExprRef rewrite(const ExprRef& expr) {
    switch (expr->kind()) {
      case ExprKind::call: return rewrite_call(static_cast<const Call&>(*expr));
      case ExprKind::tuple: {
        const auto& tuple = static_cast<const Tuple&>(*expr);
        return Tuple::make(rewritten(tuple.elements()), nullptr, tuple.meta());
      }
      case ExprKind::dim_value: {
        const auto& value = static_cast<const DimValue&>(*expr);
        return DimValue::make(renamed(value.dim()), value.meta());
      }
      case ExprKind::var: return rewrite_var(static_cast<const Var&>(*expr));
      case ExprKind::grid_region: return rewrite_loop(static_cast<const GridRegionExpr&>(*expr));
      default: return expr;
    }
  }

  // The variables of loops are made anew, a carried one with its new initial value's type: that
  // value stands earlier in the order.
  ExprRef rewrite_var(const Var& var) {
    Frame& frame = stack_.back();
    const auto known = frame.rewritten.find(&var);
    if (known != frame.rewritten.end()) return known->second;
    const auto binder = frame.binders.find(&var);
    if (binder == frame.binders.end()) return ExprRef(&var);
    const GridRegionExpr& loop = *binder->second;
    TypeRef type = var.type();
    for (std::size_t i = 0; i < loop.carried_args().size(); ++i) {
      if (loop.carried_args()[i].get() != &var) continue;
      const TypeRef init = ctx_.type_of(frame.rewritten.at(loop.init_args()[i].get()));
      if (!fits_carry(init, type)) type = carried_type(init);
    }
    const ExprRef fresh = Var::make(var.name(), std::move(type), false, var.span());
    frame.rewritten.emplace(&var, fresh);
    return fresh;
  }

  Dim renamed(const Dim& dim) {
    return substitute(dim, [&](const Ref<const DimNode>& node) {
      if (node->as_var() != nullptr) return Dim(node);
      const auto* var = dynamic_cast<const Var*>(node->as_atom());
      return var == nullptr ? Dim(node) : static_cast<const Var&>(*rewrite_var(*var)).dim();
    });
  }

  ExprRef rewrite_loop(const GridRegionExpr& loop) {
    GridRegionParts parts = loop.parts();
    const auto variable = [&](VarRef& var) { var = static_ref_cast<Var>(rewrite_var(*var)); };
    variable(parts.induction_var);
    for (VarRef& var : parts.carried_args) variable(var);
    parts.init_args = rewritten(parts.init_args);
    parts.yield_values = rewritten(parts.yield_values);
    for (Dim* bound : {&parts.start, &parts.extent, &parts.step}) *bound = renamed(*bound);
    return make_loop(ctx_, std::move(parts), loop.meta());
  }

  ExprRef rewrite_call(const Call& call) {
    std::vector<ExprRef> args = rewritten(call.args());
    CallableRef target = call.target();
    if (const Function* callee = as_function(*target)) {
      target = find(FunctionRef(callee), types_of(ctx_, args), call);
      if (!target) return nullptr;
    }
    target = substitute_attributes(
        target, [&](const Ref<const DimNode>& node) { return renamed(Dim(node)); });
    return make_call(ctx_, std::move(target), std::move(args), call.meta(), call.scope());
  }

  std::vector<ExprRef> rewritten(const std::vector<ExprRef>& exprs) const {
    std::vector<ExprRef> out;
    for (const ExprRef& expr : exprs) out.push_back(stack_.back().rewritten.at(expr.get()));
    return out;
  }

  TypeInferContext& ctx_;
  FunctionInstances& memo_;
  std::vector<Frame> stack_;
};

FunctionRef FunctionInstances::instance(TypeInferContext& ctx, const FunctionRef& callee,
                                        const std::vector<TypeRef>& arg_types, const Expr& call) {
  return Elaboration(ctx, *this).run(callee, arg_types, call);
}

FunctionRef elaborate(TypeInferContext& ctx, const FunctionRef& callee,
                      const std::vector<TypeRef>& arg_types, const Expr& call) {
  FunctionInstances memo;
  return memo.instance(ctx, callee, arg_types, call);
}

namespace {

const Function& callee_of(const Call& call) { return static_cast<const Function&>(*call.target()); }

TypeRef infer(const Call& call, TypeInferContext& ctx) {
  const FunctionRef callee(&callee_of(call));
  const std::vector<TypeRef> types = types_of(ctx, call.args());
  const FunctionRef instance = elaborate(ctx, callee, types, call);
  if (!instance->return_type()) {
    ctx.error(call, fmt::format("{} declares no return type", callee->name()));
  }
  if (instance->is_prototype()) {
    return ParameterBinder(ctx, call, *instance).prototype_result(types);
  }
  return instance->return_type();
}

// What a body costs, by parameter: the traffic of every other value counts for the result.
struct BodyCost {
  Cost cost;  // traffic: of results only
  std::unordered_map<const Var*, TrafficBytes> params;
};

void add(TrafficBytes& to, const TrafficBytes& more) {
  to.read = checked_add(to.read, more.read);
  to.write = checked_add(to.write, more.write);
}

void add_work(Cost& to, const Cost& more, std::int64_t times) {
  for (const auto& [dtype, count] : more.flops) {
    to.flops[dtype] = checked_add(to.flops[dtype], checked_mul(count, times));
  }
  for (const auto& [kind, count] : more.service) {
    to.service[kind] = checked_add(to.service[kind], checked_mul(count, times));
  }
}

using BodyCosts = std::unordered_map<const Function*, BodyCost>;

// One entry per argument, then the result, from what the callee's body costs.
Cost cost_of_call(const Call& call, const BodyCost& body) {
  const Function& callee = callee_of(call);
  const bool all = call.args().size() == callee.params().size();
  Cost cost = body.cost;
  TrafficBytes rest = body.cost.traffic.front();
  cost.traffic.clear();
  for (const VarRef& param : callee.params()) {
    const auto it = body.params.find(param.get());
    const TrafficBytes traffic = it == body.params.end() ? TrafficBytes{} : it->second;
    if (all || !param->is_const()) {
      cost.traffic.push_back(traffic);
    } else {
      add(rest, traffic);
    }
  }
  cost.traffic.push_back(rest);
  return cost;
}

// Costs every op call of a body once; the callees' costs are known.
class BodyEvaluator final : public CostEvaluator {
 public:
  BodyEvaluator(CostContext& ctx, const BodyCosts& known) : CostEvaluator(ctx), known_(known) {}

 protected:
  Cost visit_Call(const Call& call) override {
    const Function* callee = as_function(*call.target());
    if (callee == nullptr) return CostEvaluator::visit_Call(call);
    return cost_of_call(call, known_.at(callee));
  }

 private:
  const BodyCosts& known_;
};

BodyCost cost_of_body(const Function& function, const ModuleRef& module, const BodyCosts& known) {
  BodyCost total;
  total.cost.traffic.resize(1);
  if (!function.body()) return total;
  CostContext ctx(module);
  const LoopTrips trips =
      count_trips(function.body(), [](const Ref<const DimNode>& node) { return Dim(node); });
  const DimSubstitution sizes =
      trips.substitution([](const Ref<const DimNode>& node) { return Dim(node); });
  const std::vector<ExprRef> order = post_order({function.body()});
  // The extents of windows that change from trip to trip: those of the middle one.
  for (const ExprRef& expr : order) {
    TypeRef type = substitute_dims(expr->type(), sizes);
    if (type == expr->type()) continue;
    ctx.cache.emplace(expr.get(), std::move(type));
    ctx.keep_alive.push_back(expr);
  }
  BodyEvaluator evaluator(ctx, known);
  for (const ExprRef& expr : order) {
    const auto* call = expr_cast<Call>(expr);
    if (call == nullptr) continue;
    Cost cost = evaluator.visit(expr);
    const std::int64_t times = trips.times_of(*expr);
    add_work(total.cost, cost, times);
    for (TrafficBytes& entry : cost.traffic) {
      entry.read = checked_mul(entry.read, times);
      entry.write = checked_mul(entry.write, times);
    }
    for (std::size_t i = 0; i < cost.traffic.size(); ++i) {
      const auto* var = i < call->args().size() ? expr_cast<Var>(call->args()[i]) : nullptr;
      add(var != nullptr ? total.params[var] : total.cost.traffic.front(), cost.traffic[i]);
    }
  }
  return total;
}

std::vector<const Function*> callees(const Function& function) {
  std::vector<const Function*> out;
  if (!function.body()) return out;
  for (const ExprRef& expr : post_order({function.body()})) {
    const auto* call = expr_cast<Call>(expr);
    const Function* callee = call != nullptr ? as_function(*call->target()) : nullptr;
    if (callee != nullptr) out.push_back(callee);
  }
  return out;
}

// The call with every prototype below it replaced by the variant that its extents pick.
CallRef dispatched_call(const Call& call) {
  const Function& callee = callee_of(call);
  if (!is_dispatched(callee)) return CallRef(&call);
  const bool all = call.args().size() == callee.params().size();
  CallDims dims;
  std::size_t next = 0;
  for (const VarRef& param : callee.params()) {
    if (all || !param->is_const()) dims.bind(param->type(), call.args()[next++]->type());
  }
  const DimExtents extents =
      static_extents(callee, [&](const Ref<const DimNode>& node) { return dims.apply(Dim(node)); });
  return Call::make(specialize_function(FunctionRef(&callee), extents), call.args(), call.type(),
                    call.meta(), call.scope());
}

Cost cost(const Call& written, CostContext& ctx) {
  const CallRef resolved = dispatched_call(written);
  const Call& call = *resolved;
  BodyCosts known;
  std::unordered_set<const Function*> opened;
  std::vector<const Function*> stack{&callee_of(call)};
  while (!stack.empty()) {
    const Function* function = stack.back();
    if (known.contains(function)) {
      stack.pop_back();
    } else if (opened.insert(function).second) {
      for (const Function* callee : callees(*function)) stack.push_back(callee);
    } else {
      stack.pop_back();
      known.emplace(function, cost_of_body(*function, ctx.module, known));
    }
  }
  return cost_of_call(call, known.at(&callee_of(call)));
}

}  // namespace

void register_function_call() {
  const NodeClass& cls = Function::function_class();
  typeinfer_registry().add<TypeInferFn>(cls, infer);
  cost_evaluator_registry().add<CostFn>(cls, cost);
  evaluator_registry().add<EvaluateFn>(
      cls, [](const Call& call, const std::vector<HostValue>& args, EvaluateContext& ctx) {
        return ctx.call(callee_of(call), args);
      });
  hir_lowering_registry().add<HirLoweringFn>(
      cls, [](LoweringContext& ctx, const Callable&, const Call& call) {
        return core_lowering(ctx).call_function(call);
      });
}

}  // namespace tilefoundry
