#include "tilefoundry/registry/verify.h"

#include <fmt/format.h>

#include "tilefoundry/registry/call_dims.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {

AnalysisRegistry& verify_stmt_registry() {
  static auto* registry = new AnalysisRegistry("verify_stmt", RegistryKeys::ops_and_stmts);
  return *registry;
}

namespace {

// The key of a statement's rule: an op in statement position stands for itself.
const NodeClass& rule_class(const Stmt& stmt) {
  const auto* evaluate = stmt_cast<Evaluate>(stmt);
  if (evaluate != nullptr && evaluate->callable()) return evaluate->callable()->op_class();
  return stmt.stmt_class();
}

}  // namespace

void VerifyVisitor::apply_rule(const Stmt& stmt) {
  const NodeClass& every = PrimFunction::function_class();
  if (const auto* rule = registry_.find<VerifyFn>(every)) (*rule)(stmt, ctx_);
  if (const auto* rule = registry_.find<VerifyFn>(rule_class(stmt))) (*rule)(stmt, ctx_);
}

void VerifyVisitor::generic_visit(const Stmt& stmt) {
  apply_rule(stmt);
  queue_children(stmt);
}

void VerifyVisitor::visit_MeshScope(const MeshScope& stmt) {
  apply_rule(stmt);
  struct Pop {
    std::vector<MeshRef>& stack;
    ~Pop() { stack.pop_back(); }
  };
  ctx_.mesh_stack.push_back(stmt.mesh());
  const Pop pop{ctx_.mesh_stack};
  visit(stmt.body());
}

namespace {

bool is_sharded(const TypeRef& type) {
  bool sharded = false;
  for_each_leaf(type, [&](const TensorType& leaf) {
    sharded = sharded || (leaf.layout() && leaf.layout()->kind() == LayoutKind::shard);
  });
  return sharded;
}

// Each parameter once; tensors all sharded or all plain.
void check_params(const PrimFunction& function, VerifyContext& ctx) {
  const Var* sharded = nullptr;
  const Var* plain = nullptr;
  for (const VarRef& param : function.params()) {
    if (!ctx.bound_vars.emplace(param.get(), nullptr).second) {
      ctx.error(*param, fmt::format("is a parameter of {} twice", function.name()));
    }
    const TensorType* tensor = as_tensor(param->type());
    if (tensor == nullptr || tensor->rank() == 0) continue;
    (is_sharded(param->type()) ? sharded : plain) = param.get();
  }
  if (sharded == nullptr || plain == nullptr) return;
  ctx.error(*plain,
            fmt::format("is a plain parameter of {} beside the sharded parameter {}",
                        function.name(), sharded->name()),
            "give every tensor parameter a ShardLayout, or none");
}

// A function of the tree by its path below `module`.
CallableRef find_symbol(const Module& module, const std::string& symbol) {
  ModuleRef at(&module);
  std::size_t first = 0;
  for (std::size_t dot = symbol.find('.'); dot != std::string::npos;
       dot = symbol.find('.', first)) {
    at = at->find_child(symbol.substr(first, dot - first));
    if (!at) return nullptr;
    first = dot + 1;
  }
  return at->find_function(symbol.substr(first));
}

std::vector<std::string> prim_names(const Module& module) {
  std::vector<std::string> names;
  for (const CallableRef& member : module.functions()) {
    if (as_prim_function(*member) != nullptr) names.push_back(callable_name(*member));
  }
  return names;
}

void check_callee(const Evaluate& stmt, VerifyContext& ctx) {
  const SymbolRef& callee = *stmt.callee();
  const CallableRef found = find_symbol(*ctx.module, callee.symbol());
  if (!found) {
    const std::vector<std::string> names = prim_names(*ctx.module);
    const std::string close = closest_match(callee.symbol(), names);
    ctx.error(stmt,
              fmt::format("no function of {} has the name {}", ctx.module->name(), callee.symbol()),
              close.empty() ? "" : fmt::format("did you mean {}?", close));
  }
  const PrimFunction* function = as_prim_function(*found);
  if (function == nullptr) {
    ctx.error(stmt, fmt::format("{} is not a prim function", callee.symbol()),
              "lower the module first");
  }
  if (TypeRef(function->callable_type()) != callee.type()) {
    ctx.error(stmt, fmt::format("the type stated for {} is not the type of that function",
                                callee.symbol()));
  }
}

void check_call_args(const Evaluate& stmt, VerifyContext& ctx) {
  const std::vector<TypeRef>& wanted = stmt.callee()->callable_type().parameters();
  if (wanted.size() != stmt.args().size()) {
    ctx.error(stmt, fmt::format("{} takes {}, got {}", stmt.callee()->symbol(),
                                counted(wanted.size(), "argument"), stmt.args().size()));
  }
  std::vector<TypeRef> types;
  for (const ExprRef& arg : stmt.args()) types.push_back(ctx.type_of(arg));
  if (call_types_fit(wanted, types)) return;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (types[i] == wanted[i]) continue;
    ctx.error(stmt, fmt::format("argument {} of {} has another type than the parameter", i,
                                stmt.callee()->symbol()));
  }
}

// The walk over a whole function: beyond the rules, it types every expression again and resolves
// symbols.
class FunctionVerifier final : public VerifyVisitor {
 public:
  explicit FunctionVerifier(VerifyContext& ctx) : VerifyVisitor(ctx), ctx_(ctx) {}
  // Whether an expression carries another type than the inferred one.
  bool stale() const noexcept { return stale_; }

 protected:
  void generic_visit(const Stmt& stmt) override {
    for_each_stmt_expr(stmt, [&](const ExprRef& expr) { refresh(expr); });
    const auto* evaluate = stmt_cast<Evaluate>(stmt);
    if (evaluate != nullptr && evaluate->callee()) {
      if (ctx_.module) check_callee(*evaluate, ctx_);
      check_call_args(*evaluate, ctx_);
    }
    VerifyVisitor::generic_visit(stmt);
  }

 private:
  void refresh(const ExprRef& root) {
    ctx_.type_of(root);
    for (const ExprRef& expr : post_order({root})) {
      stale_ = stale_ || ctx_.type_of(expr) != expr->type();
    }
  }

  VerifyContext& ctx_;
  bool stale_ = false;
};

// Restates the inferred type on every expression.
class TypeRefresher final : public StmtExprMutator {
 public:
  explicit TypeRefresher(TypeInferContext& ctx) : ctx_(ctx) {}

 protected:
  ExprRef visit_Call(const Call& call) override {
    const ExprRef rewritten = ExprMutator::visit_Call(call);
    const TypeRef type = ctx_.type_of(ExprRef(&call));
    if (type == rewritten->type()) return rewritten;
    const auto& same = static_cast<const Call&>(*rewritten);
    return Call::make(same.target(), same.args(), type, same.meta(), same.scope());
  }
  ExprRef visit_Tuple(const Tuple& tuple) override {
    const ExprRef rewritten = ExprMutator::visit_Tuple(tuple);
    const TypeRef type = ctx_.type_of(ExprRef(&tuple));
    if (type == rewritten->type()) return rewritten;
    return Tuple::make(static_cast<const Tuple&>(*rewritten).elements(), type, tuple.meta());
  }

 private:
  TypeInferContext& ctx_;
};

}  // namespace

PrimFunctionRef verify_prim_function(const PrimFunctionRef& function, const ModuleRef& module) {
  VerifyContext ctx(module);
  ctx.function = function;
  check_params(*function, ctx);
  FunctionVerifier verifier(ctx);
  verifier.visit(function->body());
  if (!verifier.stale()) return function;
  return function->with_body(TypeRefresher(ctx).mutate(function->body()));
}

void verify_module(const ModuleRef& root) {
  std::vector<ModuleRef> pending{root};
  while (!pending.empty()) {
    const ModuleRef module = pending.back();
    pending.pop_back();
    for (const CallableRef& member : module->functions()) {
      if (const PrimFunction* function = as_prim_function(*member)) {
        verify_prim_function(PrimFunctionRef(function), module);
      }
    }
    pending.insert(pending.end(), module->children().rbegin(), module->children().rend());
  }
}

}  // namespace tilefoundry
