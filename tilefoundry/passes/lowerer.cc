#include "tilefoundry/passes/lowerer.h"

#include <algorithm>

#include <fmt/format.h>

#include "tilefoundry/ir/hir/dispatch.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/passes/checks.h"
#include "tilefoundry/passes/lower_dispatch.h"
#include "tilefoundry/registry/typeinfer.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

TypeRef buffer_type(const TypeRef& type) {
  if (const TensorType* tensor = as_tensor(type)) {
    if (tensor->storage() != StorageKind::umat) return type;
    return tensor->with_storage(StorageKind::gmem);
  }
  const TupleType* tuple = as_tuple(type);
  TF_CHECK(tuple != nullptr, "only tensors and tuples have buffers");
  std::vector<TypeRef> fields;
  for (const TypeRef& field : tuple->fields()) fields.push_back(buffer_type(field));
  return TupleType::make(std::move(fields));
}

Lowerer::Lowerer(const Module& owner, const Function& function, const Function* prototype)
    : owner_(owner), function_(function), prototype_(prototype) {}

std::string NamePool::unique(const std::string& hint) {
  const std::string base = hint.empty() ? "t" : hint;
  int& count = names_[base];
  const std::string name = count == 0 ? base : fmt::format("{}_{}", base, count);
  ++count;
  if (name != base && names_.contains(name)) return unique(base);
  names_.emplace(name, 1);
  return name;
}

void Lowerer::bind_parameters() {
  for (const VarRef& param : function_.params()) {
    names_.take(param->name());
    params_.push_back(param);
  }
  const Function& weighted = prototype_ != nullptr ? *prototype_ : function_;
  for (const TreeWeight& weight : tree_weights(owner_, weighted)) {
    names_.take(weight.path);
    VarRef var = Var::make(weight.path, weight.param->type(), true, weight.param->span());
    weights_.emplace(weight.path, var);
    params_.push_back(std::move(var));
  }
}

std::vector<VarRef> Lowerer::flatten(const VarRef& value) const {
  const auto it = tuples_.find(value.get());
  if (it == tuples_.end()) return {value};
  std::vector<VarRef> leaves;
  for (const VarRef& field : it->second) {
    const std::vector<VarRef> nested = flatten(field);
    leaves.insert(leaves.end(), nested.begin(), nested.end());
  }
  return leaves;
}

// The elements of a returned tuple are values, also those that are dimensions.
std::vector<VarRef> Lowerer::lower_results() {
  std::vector<VarRef> results;
  std::vector<ExprRef> pending{function_.body()};
  while (!pending.empty()) {
    const ExprRef expr = std::move(pending.back());
    pending.pop_back();
    if (const auto* tuple = expr_cast<Tuple>(expr)) {
      pending.insert(pending.end(), tuple->elements().rbegin(), tuple->elements().rend());
      continue;
    }
    const std::vector<VarRef> leaves = flatten(lower(expr));
    results.insert(results.end(), leaves.begin(), leaves.end());
  }
  return results;
}

PrimFunctionRef Lowerer::run() {
  bind_parameters();
  const std::size_t input_count = params_.size();
  const std::vector<VarRef> inputs = params_;
  const std::vector<VarRef> results = lower_results();
  std::vector<TypeRef> outputs;
  // All variants of a prototype have its outputs.
  if (prototype_ != nullptr) outputs = output_types(prototype_->return_type());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string hint = results.size() == 1 ? "out" : fmt::format("out{}", i);
    // An output is a buffer of its own: whatever view the result is, the parameter is plain.
    if (prototype_ == nullptr) outputs.push_back(output_types(results[i]->type())[0]);
    params_.push_back(Var::make(unique(hint), outputs[i]));
    emit(copy(results[i], params_.back()));
  }
  const std::string name = prototype_ != nullptr ? variant_symbol(function_) : function_.name();
  return PrimFunction::make(name, params_, make_block(hoist_checks(block_, inputs)),
                            params_.size() - input_count, nullptr, function_.meta());
}

VarRef Lowerer::lower(const ExprRef& root) {
  const auto known = lowered_.find(root.get());
  if (known != lowered_.end()) return known->second;
  // Operands first, so that a handler's own `lower` is answered at once whatever the depth.
  std::vector<std::pair<const Expr*, bool>> stack{{root.get(), false}};
  while (!stack.empty()) {
    const auto [expr, expanded] = stack.back();
    if (lowered_.contains(expr)) {
      stack.pop_back();
      continue;
    }
    if (expanded) {
      stack.pop_back();
      remember(*expr, lower_node(ExprRef(expr)));
      continue;
    }
    stack.back().second = true;
    const auto first = static_cast<std::ptrdiff_t>(stack.size());
    for_each_region_operand(*expr, [&](const ExprRef& operand) {
      // Leaves are lowered when a handler asks: many read constants in place.
      const ExprKind kind = operand->kind();
      if (kind == ExprKind::call || kind == ExprKind::tuple || kind == ExprKind::grid_region) {
        if (!lowered_.contains(operand.get())) stack.emplace_back(operand.get(), false);
      }
    });
    std::reverse(stack.begin() + first, stack.end());
  }
  return lowered_.at(root.get());
}

VarRef Lowerer::lower_node(const ExprRef& expr) {
  switch (expr->kind()) {
    case ExprKind::var: return lower_var(static_cast<const Var&>(*expr));
    case ExprKind::constant: return lower_constant(static_cast<const Constant&>(*expr));
    case ExprKind::call: return lower_call(static_cast<const Call&>(*expr));
    case ExprKind::tuple: {
      const auto& tuple = static_cast<const Tuple&>(*expr);
      // A tuple of dimensions is an address and has no buffer.
      std::vector<VarRef> fields;
      for (const ExprRef& element : tuple.elements()) {
        if (element->kind() == ExprKind::dim_value) return bind_tuple(tuple.type(), {});
        fields.push_back(lower(element));
      }
      return bind_tuple(tuple.type(), std::move(fields));
    }
    case ExprKind::dim_value: {
      const VarRef buffer = alloc(expr->type(), expr->name());
      emit(store(buffer, expr, {}));
      return buffer;
    }
    case ExprKind::grid_region: return lower_loop(static_cast<const GridRegionExpr&>(*expr));
    case ExprKind::symbol_ref:
    case ExprKind::shape_of:
    case ExprKind::user: break;
  }
  throw PassError(Diagnostic{.code = "TF4102",
                             .message = fmt::format("{} has no lowering", node_label(*expr)),
                             .span = expr->span()});
}

void Lowerer::remember(const Expr& expr, VarRef value) {
  if (lowered_.emplace(&expr, std::move(value)).second) lowered_order_.push_back(&expr);
}

// The number of a trip is an address; as a value it gets a buffer.
VarRef Lowerer::lower_var(const Var& var) {
  const bool number = std::any_of(loops_.begin(), loops_.end(),
                                  [&](const LoopBound& loop) { return loop.var.get() == &var; });
  if (!number) return VarRef(&var);
  const VarRef buffer = alloc(var.type(), var.name());
  emit(store(buffer, DimValue::make(var.dim()), {}));
  return buffer;
}

VarRef Lowerer::lower_constant(const Constant& constant) {
  const TypeRef type = buffer_type(constant.type());
  VarRef var = fresh(type, constant.name().empty() ? "c" : constant.name());
  emit_bind(var,
            Constant::make(static_ref_cast<TensorType>(type), constant.bytes(), constant.meta()));
  return var;
}

VarRef Lowerer::lower_call(const Call& call) {
  const NodeClass& cls = call.target()->node_class();
  const auto* handler = hir_lowering_registry().find<HirLoweringFn>(cls);
  if (handler == nullptr) {
    throw PassError(
        Diagnostic{.code = "TF4101",
                   .message = fmt::format("no lowering is registered for {}", cls.name()),
                   .span = call.span(),
                   .hint = fmt::format("add one with register_hir_lowering({})", cls.name())});
  }
  const Span outer = place_;
  if (call.span()) place_ = call.span();
  VarRef result = (*handler)(*this, *call.target(), call);
  place_ = outer;
  return result;
}

VarRef Lowerer::fresh(const TypeRef& type, const std::string& hint) {
  return Var::make(unique(hint), type, false, place_);
}

VarRef Lowerer::alloc(const TypeRef& type, const std::string& hint) {
  if (const TupleType* tuple = as_tuple(type)) {
    std::vector<VarRef> fields;
    for (std::size_t i = 0; i < tuple->fields().size(); ++i) {
      fields.push_back(alloc(tuple->fields()[i], fmt::format("{}_{}", hint, i)));
    }
    return bind_tuple(type, std::move(fields));
  }
  const TypeRef plain = buffer_type(type);
  for (const Dim& extent : as_tensor(plain)->shape()) {
    bool moves = false;
    for_each_scalar_of(extent, [&](const Var&) { moves = true; });
    if (moves && !loops_.empty()) return alloc_in_loop(*as_tensor(plain), hint);
  }
  VarRef var = fresh(plain, hint);
  emit_bind(var, alloc_tensor(static_ref_cast<TensorType>(plain)));
  return var;
}

// A buffer of the largest extents that any trip needs, seen as one of this trip's.
VarRef Lowerer::alloc_in_loop(const TensorType& type, const std::string& hint) {
  Shape largest;
  for (const Dim& extent : type.shape()) {
    const std::optional<Dim> most = greatest(extent, loops_);
    largest.push_back(most ? *most : extent);
  }
  const VarRef memory =
      fresh(TensorType::make(largest, type.dtype(), nullptr, type.storage()), hint + "_memory");
  emit_bind(memory, alloc_tensor(static_ref_cast<TensorType>(memory->type())));
  ExprRef view = tensor_view(memory, Shape(largest.size(), Dim(0)), type.shape(),
                             Layout::make(type.shape(), c_order_strides(largest)));
  VarRef var = fresh(view->type(), hint);
  emit_bind(var, std::move(view));
  return var;
}

void Lowerer::emit(StmtRef stmt) { block_.push_back(BlockItem::of(std::move(stmt))); }

void Lowerer::emit_bind(VarRef var, ExprRef value) {
  const auto* call = expr_cast<Call>(value);
  const bool view = call != nullptr && !call->args().empty() &&
                    (call->op<TensorView>() != nullptr || call->op<PtrOf>() != nullptr ||
                     call->op<MemorySpan>() != nullptr);
  if (view) views_.emplace(var.get(), expr_cast<Var>(call->args()[0]));
  block_.push_back(BlockItem::let(std::move(var), std::move(value), Metadata{"", place_}));
}

VarRef Lowerer::bind_tuple(const TypeRef& type, std::vector<VarRef> fields) {
  VarRef var = Var::make("tuple", type);
  tuples_.emplace(var.get(), std::move(fields));
  return var;
}

VarRef Lowerer::tuple_field(const VarRef& tuple, std::size_t index) {
  const auto it = tuples_.find(tuple.get());
  TF_CHECK(it != tuples_.end() && index < it->second.size(), "not a lowered tuple");
  return it->second[index];
}

AnalysisRegistry& strided_use_registry() {
  static auto* registry = new AnalysisRegistry("strided_use", RegistryKeys::ops);
  return *registry;
}

bool Lowerer::read_strided(const Expr& value) {
  if (!read_contiguous_) {
    read_contiguous_.emplace();
    const std::vector<ExprRef> nodes = post_order({function_.body()});
    read_contiguous_->insert(function_.body().get());
    // Users before operands: an op that passes strides on asks what its own readers need.
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      const auto* call = expr_cast<Call>(*node);
      const auto* use =
          call == nullptr ? nullptr
                          : strided_use_registry().find<StridedUseFn>(call->target()->node_class());
      if (use != nullptr && ((*use)() == StridedUse::reads || !read_contiguous_->contains(call))) {
        continue;
      }
      for_each_operand(**node,
                       [&](const ExprRef& operand) { read_contiguous_->insert(operand.get()); });
    }
  }
  return !read_contiguous_->contains(&value);
}

// A parameter without a layout is C-contiguous: a strided window is copied to a buffer of its own.
VarRef Lowerer::plain_argument(VarRef value, const Var& param) {
  const TensorType* type = as_tensor(value->type());
  const TensorType* wanted = as_tensor(param.type());
  if (type == nullptr || wanted == nullptr || !type->layout() || wanted->layout()) return value;
  VarRef plain = alloc(type->with_layout(nullptr), value->name());
  emit(copy(std::move(value), plain));
  return plain;
}

VarRef Lowerer::call_function(const Call& call) {
  const Function& callee = static_cast<const Function&>(*call.target());
  const ModuleRef child = child_of_entry(owner_, callee);
  const Module& callee_owner = child ? *child : owner_;
  const Function& defined = callee.origin() ? *callee.origin() : callee;
  const std::string prefix = child ? child->name() + "." : "";
  const std::string symbol = prefix + defined.name();

  std::vector<ExprRef> args;
  std::size_t next = 0;
  const bool weights_omitted = call.args().size() < callee.params().size();
  for (const VarRef& param : callee.params()) {
    if (weights_omitted && param->is_const()) {
      args.push_back(weights_.at(prefix + param->name()));
    } else {
      args.push_back(plain_argument(lower(call.args()[next++]), *param));
    }
  }
  for (const TreeWeight& weight : tree_weights(callee_owner, defined)) {
    args.push_back(weights_.at(prefix + weight.path));
  }
  const VarRef result = alloc(call.type(), call.name());
  for (const VarRef& leaf : flatten(result)) args.push_back(leaf);
  if (callee.is_prototype()) {
    emit_dispatch(call, prefix, callee_owner, args);
    return result;
  }
  std::vector<TypeRef> types;
  for (const ExprRef& arg : args) types.push_back(arg->type());
  const auto type = CallableType::make(UnitType::make(), std::move(types));
  emit(Evaluate::call(SymbolRef::make(symbol, type), std::move(args), Metadata{"", place_}));
  return result;
}

// `args` are one per parameter of the variants.
void Lowerer::emit_dispatch(const Call& call, const std::string& prefix, const Module& callee_owner,
                            const std::vector<ExprRef>& args) {
  const Function& callee = static_cast<const Function&>(*call.target());
  check_lowerable(callee, call.span());
  const CanonicalAxis axis = dispatch_axis(callee);
  const auto* arg = expr_cast<Var>(args[axis.param]);
  const Dim& extent = as_tensor(arg->type())->shape()[axis.axis];
  const std::vector<std::size_t> cases = reachable_cases(callee, extent, call.span());
  // A dimension of the caller is read where the caller is dispatched on it too.
  const DimVar* dim = extent.node() ? extent.node()->as_var() : nullptr;
  const auto own = dim != nullptr ? canonical_axis(params_, dim->name) : std::nullopt;
  const ExprRef subject = own ? ShapeOfExpr::make(params_[own->param], own->axis)
                              : ShapeOfExpr::make(VarRef(arg), axis.axis);
  const DispatchSite site{&callee, prefix, variant_type(callee_owner, callee), place_};
  emit(dispatch_call(site, cases, subject, args));
}

}  // namespace tilefoundry
