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

// Rebuilds nodes whose stored type is not the inferred one.
class Retyper final : public ExprMutator {
 public:
  explicit Retyper(TypeInferContext& ctx) : ctx_(ctx) {}

 protected:
  ExprRef visit_Call(const Call& call) override {
    const ExprRef rewritten = ExprMutator::visit_Call(call);
    const TypeRef type = ctx_.type_of(rewritten);
    if (type == rewritten->type()) return rewritten;
    const auto& same = static_cast<const Call&>(*rewritten);
    return keep(Call::make(same.target(), same.args(), type, same.meta(), same.scope()), type);
  }
  ExprRef visit_Tuple(const Tuple& tuple) override {
    const ExprRef rewritten = ExprMutator::visit_Tuple(tuple);
    const TypeRef type = ctx_.type_of(rewritten);
    if (type == rewritten->type()) return rewritten;
    const auto& same = static_cast<const Tuple&>(*rewritten);
    return keep(Tuple::make(same.elements(), type, same.meta()), type);
  }
  // The variables stay unless an initial value got another type; then the body is made anew.
  ExprRef visit_GridRegionExpr(const GridRegionExpr& loop) override {
    const ExprRef rewritten = ExprMutator::visit_GridRegionExpr(loop);
    const auto& same = static_cast<const GridRegionExpr&>(*rewritten);
    std::unordered_map<const Expr*, ExprRef> known;
    GridRegionParts parts = same.parts();
    for (std::size_t i = 0; i < parts.init_args.size(); ++i) {
      const VarRef old = parts.carried_args[i];
      const TypeRef type = ctx_.type_of(parts.init_args[i]);
      if (fits_carry(type, old->type())) continue;
      parts.carried_args[i] = Var::make(old->name(), carried_type(type), false, old->span());
      known.emplace(old.get(), parts.carried_args[i]);
    }
    if (known.empty()) {
      ctx_.type_of(rewritten);
      return rewritten;
    }
    LoopCloner cloner(ctx_, std::move(known));
    cloner.clone(same.body());
    for (ExprRef& value : parts.yield_values) value = cloner.at(value);
    return make_loop(ctx_, std::move(parts), same.meta());
  }

 private:
  ExprRef keep(ExprRef expr, const TypeRef& type) {
    ctx_.cache.emplace(expr.get(), type);
    ctx_.keep_alive.push_back(expr);
    return expr;
  }

  TypeInferContext& ctx_;
};

}  // namespace

FunctionRef retype(const FunctionRef& function, const ModuleRef& module) {
  if (!function->body()) return function;
  TypeInferContext ctx(module);
  ExprRef body = Retyper(ctx).visit(function->body());
  if (body == function->body() && body->type() == function->return_type()) return function;
  return function->with_body(std::move(body));
}

}  // namespace tilefoundry
