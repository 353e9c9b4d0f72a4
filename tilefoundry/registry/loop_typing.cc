#include "tilefoundry/registry/loop_typing.h"

#include <fmt/format.h>

#include "tilefoundry/text/type_text.h"

namespace tilefoundry {

TypeRef carried_type(const TypeRef& value) {
  if (const TensorType* tensor = as_tensor(value)) {
    const bool plain = tensor->layout() && tensor->layout()->kind() != LayoutKind::shard;
    return plain ? tensor->with_layout(nullptr) : value;
  }
  const TupleType* tuple = as_tuple(value);
  if (tuple == nullptr) return value;
  std::vector<TypeRef> fields;
  for (const TypeRef& field : tuple->fields()) fields.push_back(carried_type(field));
  return TupleType::make(std::move(fields));
}

namespace {

// `type` with the storage of `other` where its own is undecided; null when they differ otherwise.
TypeRef joined(const TypeRef& type, const TypeRef& other) {
  if (type == other) return type;
  const TensorType* a = as_tensor(type);
  const TensorType* b = as_tensor(other);
  if (a != nullptr && b != nullptr) {
    if (a->storage() == StorageKind::umat && a->with_storage(b->storage()) == other) return other;
    if (b->storage() == StorageKind::umat && b->with_storage(a->storage()) == type) return type;
    return nullptr;
  }
  const TupleType* x = as_tuple(type);
  const TupleType* y = as_tuple(other);
  if (x == nullptr || y == nullptr || x->fields().size() != y->fields().size()) return nullptr;
  std::vector<TypeRef> fields;
  for (std::size_t i = 0; i < x->fields().size(); ++i) {
    fields.push_back(joined(x->fields()[i], y->fields()[i]));
    if (!fields.back()) return nullptr;
  }
  return TupleType::make(std::move(fields));
}

void require_fit(const ExprRef& value, const Var& carried, const char* role,
                 TypeInferContext& ctx) {
  const TypeRef type = ctx.type_of(value);
  if (fits_carry(type, carried.type())) return;
  ctx.error(*value,
            fmt::format("{} of the carried value '{}' has the type {}, which is carried as {}",
                        role, carried.name(), type_text(type), type_text(carried.type())),
            "a carried value keeps its type from trip to trip: give it the same shape and dtype "
            "before the loop and in it");
}

}  // namespace

bool fits_carry(const TypeRef& type, const TypeRef& carried) {
  return joined(carried_type(type), carried) != nullptr;
}

TypeRef infer_loop(const GridRegionExpr& loop, TypeInferContext& ctx) {
  for (std::size_t i = 0; i < loop.carried_args().size(); ++i) {
    require_fit(loop.init_args()[i], *loop.carried_args()[i], "the initial value", ctx);
    require_fit(loop.yield_values()[i], *loop.carried_args()[i], "the next value", ctx);
  }
  return loop.type();
}

GridRegionRef make_loop(TypeInferContext& ctx, GridRegionParts parts, Metadata meta) {
  GridRegionRef loop = GridRegionExpr::make(std::move(parts), std::move(meta));
  // A storage once decided stays so, and there are as many decisions as tensors.
  while (true) {
    std::unordered_map<const Expr*, ExprRef> known;
    GridRegionParts next = loop->parts();
    for (std::size_t i = 0; i < next.carried_args.size(); ++i) {
      const VarRef old = next.carried_args[i];
      const TypeRef decided = joined(old->type(), carried_type(ctx.type_of(next.yield_values[i])));
      if (!decided || decided == old->type()) continue;
      next.carried_args[i] = Var::make(old->name(), decided, false, old->span());
      known.emplace(old.get(), next.carried_args[i]);
    }
    if (known.empty()) break;
    LoopCloner cloner(ctx, std::move(known));
    cloner.clone(loop->body());
    for (ExprRef& value : next.yield_values) value = cloner.at(value);
    loop = GridRegionExpr::make(std::move(next), loop->meta());
  }
  ctx.cache.emplace(loop.get(), infer_loop(*loop, ctx));
  ctx.keep_alive.push_back(loop);
  return loop;
}

ExprRef LoopCloner::at(const ExprRef& expr) const {
  const auto it = known_.find(expr.get());
  return it == known_.end() ? expr : it->second;
}

std::vector<ExprRef> LoopCloner::all(const std::vector<ExprRef>& exprs) const {
  std::vector<ExprRef> out;
  for (const ExprRef& expr : exprs) out.push_back(at(expr));
  return out;
}

void LoopCloner::clone(const std::vector<ExprRef>& nodes) {
  for (const ExprRef& node : nodes) {
    if (!known_.contains(node.get())) known_.emplace(node.get(), copy(*node));
  }
}

Dim LoopCloner::renamed(const Dim& dim) const {
  return substitute(dim, [&](const Ref<const DimNode>& node) {
    if (node->as_var() != nullptr) return Dim(node);
    const auto* var = dynamic_cast<const Var*>(node->as_atom());
    const auto scalar = scalars_.find(var);
    if (scalar != scalars_.end()) return scalar->second->dim();
    const auto it = known_.find(var);
    return it == known_.end() ? Dim(node) : static_cast<const Var&>(*it->second).dim();
  });
}

ExprRef LoopCloner::copy(const Expr& expr) {
  const auto rename = [&](const Ref<const DimNode>& node) { return renamed(Dim(node)); };
  if (const auto* call = expr_cast<Call>(expr)) {
    return make_call(ctx_, substitute_attributes(call->target(), rename), all(call->args()),
                     call->meta(), call->scope());
  }
  if (const auto* tuple = expr_cast<Tuple>(expr)) {
    return Tuple::make(all(tuple->elements()), nullptr, tuple->meta());
  }
  if (const auto* value = expr_cast<DimValue>(expr)) {
    return DimValue::make(renamed(value->dim()), value->meta());
  }
  if (const auto* loop = expr_cast<GridRegionExpr>(expr)) return copy_loop(*loop);
  return ExprRef(&expr);
}

// Recurses on the nesting of loops.
ExprRef LoopCloner::copy_loop(const GridRegionExpr& loop) {
  GridRegionParts parts = loop.parts();
  const auto fresh = [&](VarRef& var, const TypeRef& type) {
    VarRef copy = Var::make(var->name(), type, false, var->span());
    known_.insert_or_assign(var.get(), copy);
    var = std::move(copy);
  };
  fresh(parts.induction_var, parts.induction_var->type());
  parts.init_args = all(loop.init_args());
  for (std::size_t i = 0; i < parts.carried_args.size(); ++i) {
    const TypeRef old = parts.carried_args[i]->type();
    const TypeRef now = joined(carried_type(ctx_.type_of(parts.init_args[i])), old);
    fresh(parts.carried_args[i], now ? now : carried_type(ctx_.type_of(parts.init_args[i])));
  }
  clone(loop.body());
  parts.yield_values = all(loop.yield_values());
  for (Dim* bound : {&parts.start, &parts.extent, &parts.step}) *bound = renamed(*bound);
  return make_loop(ctx_, std::move(parts), loop.meta());
}

}  // namespace tilefoundry
