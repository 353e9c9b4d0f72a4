#include "tilefoundry/registry/typeinfer.h"

#include <fmt/format.h>

#include "tilefoundry/registry/loop_typing.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

std::string with_binding(std::string label, const std::string& name) {
  return name.empty() ? label : fmt::format("{} '{}'", label, name);
}

[[noreturn]] void raise(const std::string& label, const Span& span, const std::string& message,
                        const std::string& hint) {
  throw VerifyError(Diagnostic{.code = "TF3100",
                               .message = fmt::format("{}: {}", label, message),
                               .span = span,
                               .hint = hint});
}

}  // namespace

std::string node_label(const Expr& expr) {
  std::string label(expr.class_name());
  if (const auto* call = expr_cast<Call>(expr)) {
    const Callable& target = *call->target();
    const bool op = target.node_class().node_kind() == NodeClassKind::op;
    label += fmt::format("[{}]", op ? target.node_class().name() : callable_name(target));
  }
  return with_binding(std::move(label), expr.name());
}

std::string node_label(const Stmt& stmt) {
  std::string label = stmt.class_name();
  if (const auto* evaluate = stmt_cast<Evaluate>(stmt)) {
    label += fmt::format("[{}]", evaluate->callable() ? evaluate->callable()->op_class().name()
                                                      : evaluate->callee()->symbol());
  }
  std::string binding = stmt.meta().name;
  if (const auto* let = stmt_cast<LetStmt>(stmt)) binding = let->var()->name();
  if (const auto* loop = stmt_cast<For>(stmt)) binding = loop->var()->name();
  return with_binding(std::move(label), binding);
}

void TypeInferContext::error(const Expr& node, const std::string& message,
                             const std::string& hint) const {
  raise(node_label(node), node.span(), message, hint);
}

void TypeInferContext::error(const Stmt& node, const std::string& message,
                             const std::string& hint) const {
  raise(node_label(node), node.span(), message, hint);
}

TypeRef TypeInferContext::type_of(const ExprRef& expr) {
  const auto it = cache.find(expr.get());
  if (it != cache.end()) return it->second;
  keep_alive.push_back(expr);
  return TypeInferVisitor(*this).visit(expr);
}

const TensorType& TypeInferContext::tensor_type_of(const ExprRef& expr, const Expr& user,
                                                   std::string_view what) {
  const TypeRef type = type_of(expr);
  const TensorType* tensor = as_tensor(type);
  if (tensor == nullptr) error(user, fmt::format("{} must be a tensor, not a tuple", what));
  return *tensor;
}

AnalysisRegistry& typeinfer_registry() {
  static auto* registry = new AnalysisRegistry("typeinfer", RegistryKeys::ops);
  return *registry;
}

AnalysisRegistry& type_relation_registry() {
  static auto* registry = new AnalysisRegistry("type_relation", RegistryKeys::ops);
  return *registry;
}

AnalysisRegistry& access_relation_registry() {
  static auto* registry = new AnalysisRegistry("access_relation", RegistryKeys::ops);
  return *registry;
}

TypeRef TypeInferVisitor::generic_visit(const Expr& expr) {
  ctx_.error(expr, fmt::format("expressions of kind {} have no type rule", expr.class_name()));
}

TypeRef TypeInferVisitor::visit_Call(const Call& call) {
  const NodeClass& cls = call.target()->node_class();
  const auto* handler = registry_.find<TypeInferFn>(cls);
  if (handler == nullptr) {
    ctx_.error(call, fmt::format("no typeinfer rule is registered for {}", cls.name()));
  }
  return (*handler)(call, ctx_);
}

TypeRef TypeInferVisitor::visit_Tuple(const Tuple& tuple) {
  std::vector<TypeRef> fields;
  for (const ExprRef& element : tuple.elements()) fields.push_back(ctx_.type_of(element));
  return TupleType::make(std::move(fields));
}

TypeRef TypeInferVisitor::visit_GridRegionExpr(const GridRegionExpr& loop) {
  return infer_loop(loop, ctx_);
}

const TypeRef* TypeInferVisitor::find_result(const Expr& expr) const {
  const auto it = ctx_.cache.find(&expr);
  return it == ctx_.cache.end() ? nullptr : &it->second;
}

void TypeInferVisitor::store_result(const Expr& expr, TypeRef result) {
  ctx_.cache.insert_or_assign(&expr, std::move(result));
}

std::optional<AccessRelationResult> build_relation(const Call& call,
                                                   const std::vector<TypeRef>& input_types,
                                                   TypeInferContext& ctx) {
  const auto* handler = type_relation_registry().find<TypeRelationFn>(call.target()->node_class());
  if (handler == nullptr) return std::nullopt;
  return (*handler)(call, input_types, ctx);
}

CallRef make_call(TypeInferContext& ctx, CallableRef target, std::vector<ExprRef> args,
                  Metadata meta, ScopeRef scope) {
  const CallRef untyped = Call::make(std::move(target), std::move(args), nullptr, meta, scope);
  TypeRef type;
  try {
    type = TypeInferVisitor(ctx).visit(untyped);
  } catch (...) {
    ctx.cache.erase(untyped.get());
    throw;
  }
  ctx.cache.erase(untyped.get());
  CallRef call =
      Call::make(untyped->target(), untyped->args(), type, std::move(meta), std::move(scope));
  ctx.cache.emplace(call.get(), std::move(type));
  ctx.keep_alive.push_back(call);
  return call;
}

namespace {

// Rebuilds nodes whose stored type is not the inferred one, a region at a time.
class Retyper final {
 public:
  explicit Retyper(TypeInferContext& ctx) : ctx_(ctx) {}

  ExprRef run(const ExprRef& root) {
    for (const ExprRef& node : region_order({root})) retype_node(node);
    return at(root);
  }

 private:
  ExprRef at(const ExprRef& expr) const {
    const auto it = done_.find(expr.get());
    return it == done_.end() ? expr : it->second;
  }

  std::vector<ExprRef> all(const std::vector<ExprRef>& exprs) const {
    std::vector<ExprRef> out;
    for (const ExprRef& expr : exprs) out.push_back(at(expr));
    return out;
  }

  void retype_node(const ExprRef& expr) {
    if (done_.contains(expr.get())) return;
    done_.emplace(expr.get(), retyped(expr));
  }

  ExprRef retyped(const ExprRef& expr) {
    if (const auto* call = expr_cast<Call>(expr)) {
      std::vector<ExprRef> args = all(call->args());
      const bool same = args == call->args();
      const ExprRef rebuilt = same ? expr
                                   : ExprRef(Call::make(call->target(), args, call->type(),
                                                        call->meta(), call->scope()));
      const TypeRef type = ctx_.type_of(rebuilt);
      if (type == rebuilt->type()) return rebuilt;
      return keep(Call::make(call->target(), std::move(args), type, call->meta(), call->scope()),
                  type);
    }
    if (const auto* tuple = expr_cast<Tuple>(expr)) {
      std::vector<ExprRef> elements = all(tuple->elements());
      const ExprRef rebuilt =
          elements == tuple->elements() ? expr : Tuple::make(elements, nullptr, tuple->meta());
      const TypeRef type = ctx_.type_of(rebuilt);
      if (type == rebuilt->type()) return rebuilt;
      return keep(Tuple::make(std::move(elements), type, tuple->meta()), type);
    }
    if (const auto* loop = expr_cast<GridRegionExpr>(expr)) return retyped_loop(*loop);
    ctx_.type_of(expr);
    return expr;
  }

  // The variables stay unless an initial value got another type; then the body is made anew.
  // Recurses on the nesting of loops.
  ExprRef retyped_loop(const GridRegionExpr& loop) {
    GridRegionParts parts = loop.parts();
    parts.init_args = all(loop.init_args());
    std::unordered_map<const Expr*, ExprRef> fresh;
    for (std::size_t i = 0; i < parts.init_args.size(); ++i) {
      const VarRef old = parts.carried_args[i];
      const TypeRef type = ctx_.type_of(parts.init_args[i]);
      if (fits_carry(type, old->type())) continue;
      parts.carried_args[i] = Var::make(old->name(), carried_type(type), false, old->span());
      fresh.emplace(old.get(), parts.carried_args[i]);
    }
    if (!fresh.empty()) {
      fresh.insert(done_.begin(), done_.end());
      LoopCloner cloner(ctx_, std::move(fresh));
      cloner.clone(loop.body());
      for (ExprRef& value : parts.yield_values) value = cloner.at(value);
      return make_loop(ctx_, std::move(parts), loop.meta());
    }
    for (const ExprRef& node : loop.body()) retype_node(node);
    parts.yield_values = all(loop.yield_values());
    if (parts.init_args == loop.init_args() && parts.yield_values == loop.yield_values()) {
      ctx_.type_of(ExprRef(&loop));
      return ExprRef(&loop);
    }
    return make_loop(ctx_, std::move(parts), loop.meta());
  }

  ExprRef keep(ExprRef expr, const TypeRef& type) {
    ctx_.cache.emplace(expr.get(), type);
    ctx_.keep_alive.push_back(expr);
    return expr;
  }

  TypeInferContext& ctx_;
  std::unordered_map<const Expr*, ExprRef> done_;
};

}  // namespace

FunctionRef retype(const FunctionRef& function, const ModuleRef& module) {
  if (function->is_prototype()) {
    std::vector<FunctionRef> variants;
    bool changed = false;
    for (const FunctionRef& variant : function->variants()) {
      variants.push_back(variant->is_prototype() ? variant : retype(variant, module));
      changed = changed || variants.back() != variant;
    }
    return changed ? function->with_variants(std::move(variants)) : function;
  }
  TypeInferContext ctx(module);
  ExprRef body = Retyper(ctx).run(function->body());
  const bool same_type = function->is_variant() || body->type() == function->return_type();
  if (body == function->body() && same_type) return function;
  return function->with_body(std::move(body));
}

}  // namespace tilefoundry
