// Type inference: context, registry, visitor (visitor-registry seed 4).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tilefoundry/ir/expr_visitor.h"
#include "tilefoundry/ir/module.h"
#include "tilefoundry/registry/analysis_registry.h"
#include "tilefoundry/relation/relation.h"

namespace tilefoundry {

// How a node is named in an error: "Call[MatMul] 'y'", "Var 'x'", "Evaluate[Copy]", "For".
std::string node_label(const Expr& expr);
std::string node_label(const Stmt& stmt);

class TypeInferContext {
 public:
  using Cache = std::unordered_map<const Expr*, TypeRef>;

  explicit TypeInferContext(ModuleRef checked_module = nullptr)
      : module(std::move(checked_module)) {}
  virtual ~TypeInferContext() = default;

  ModuleRef module;  // being checked; null while it is under construction
  Cache cache;       // by object identity

  // Computed on first use, memoized, recursive child queries allowed. Never recurses on depth.
  TypeRef type_of(const ExprRef& expr);
  // The type as a tensor type; fails through `error` when it is another kind. `what` names the
  // operand in the message.
  const TensorType& tensor_type_of(const ExprRef& expr, const Expr& user, std::string_view what);

  // The one way a handler fails. Throws VerifyError with the stable text "<label>: <message>".
  [[noreturn]] void error(const Expr& node, const std::string& message,
                          const std::string& hint = "") const;
  [[noreturn]] void error(const Stmt& node, const std::string& message,
                          const std::string& hint = "") const;

  // Nodes whose types are in `cache`, kept alive as long as the context.
  std::vector<ExprRef> keep_alive;
};

using TypeInferFn = TypeRef(const Call&, TypeInferContext&);
AnalysisRegistry& typeinfer_registry();

using TypeRelationFn = AccessRelationResult(const Call&, const std::vector<TypeRef>&,
                                            TypeInferContext&);
AnalysisRegistry& type_relation_registry();

using AccessRelationFn = AccessRelations(const Call&, TypeInferContext&);
AnalysisRegistry& access_relation_registry();

class TypeInferVisitor : public ExprVisitor<TypeRef> {
 public:
  explicit TypeInferVisitor(TypeInferContext& ctx,
                            const AnalysisRegistry& registry = typeinfer_registry())
      : ctx_(ctx), registry_(registry) {}

 protected:
  TypeRef generic_visit(const Expr& expr) override;
  TypeRef visit_Var(const Var& var) override { return var.type(); }
  TypeRef visit_Constant(const Constant& constant) override { return constant.type(); }
  TypeRef visit_Call(const Call& call) override;
  TypeRef visit_Tuple(const Tuple& tuple) override;
  TypeRef visit_DimValue(const DimValue& value) override { return value.type(); }
  TypeRef visit_SymbolRef(const SymbolRef& ref) override { return ref.type(); }
  TypeRef visit_GridRegionExpr(const GridRegionExpr& loop) override;
  TypeRef visit_ShapeOf(const ShapeOfExpr& expr) override { return expr.type(); }
  const TypeRef* find_result(const Expr& expr) const override;
  void store_result(const Expr& expr, TypeRef result) override;

 private:
  TypeInferContext& ctx_;
  const AnalysisRegistry& registry_;
};

// The forward relation of a call, or nothing when its op has none registered.
std::optional<AccessRelationResult> build_relation(const Call& call,
                                                   const std::vector<TypeRef>& input_types,
                                                   TypeInferContext& ctx);

// A call whose type is inferred in `ctx`.
CallRef make_call(TypeInferContext& ctx, CallableRef target, std::vector<ExprRef> args,
                  Metadata meta = {}, ScopeRef scope = nullptr);

// Infers every type of a body again and rebuilds the nodes whose stored type differs; the very same
// function when none does.
FunctionRef retype(const FunctionRef& function, const ModuleRef& module);

// Handlers that get the op's fields: `TypeRef(const Call&, const T&, TypeInferContext&)`.
template <class T, class Handler>
void register_typeinfer(Handler handler,
                        std::source_location place = std::source_location::current()) {
  typeinfer_registry().add<TypeInferFn>(
      T::op_class(),
      [handler](const Call& call, TypeInferContext& ctx) -> TypeRef {
        return handler(call, *call.op<T>(), ctx);
      },
      place);
}
template <class T, class Handler>
void register_type_relation(Handler handler,
                            std::source_location place = std::source_location::current()) {
  type_relation_registry().add<TypeRelationFn>(
      T::op_class(),
      [handler](const Call& call, const std::vector<TypeRef>& types, TypeInferContext& ctx) {
        return handler(call, *call.op<T>(), types, ctx);
      },
      place);
}
template <class T, class Handler>
void register_access_relation(Handler handler,
                              std::source_location place = std::source_location::current()) {
  access_relation_registry().add<AccessRelationFn>(
      T::op_class(),
      [handler](const Call& call, TypeInferContext& ctx) {
        return handler(call, *call.op<T>(), ctx);
      },
      place);
}

}  // namespace tilefoundry
