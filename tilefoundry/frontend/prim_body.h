// Bodies of `@prim_func`: from statements to TIR (docs/tir-text.md).
#pragma once

#include "tilefoundry/frontend/body_evaluator.h"
#include "tilefoundry/frontend/definitions.h"
#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/registry/typeinfer.h"

namespace tilefoundry {

// Null after errors, which are reported. Calls of symbols are not verified here, since the callee
// may stand further down: see `verify_prim_functions`.
PrimFunctionRef build_prim_function(Sema& sema, const FunctionSyntax& syntax,
                                    const DefinitionSite& site, const Decoration& decoration);

// Verifies every prim function of a Module tree, reporting to `sema`; whether all are right.
bool verify_prim_functions(Sema& sema, const ModuleRef& module, const Span& place);

class PrimBody final : public BodyEvaluator {
 public:
  PrimBody(Sema& sema, Scope& scope, const DefinitionSite& site);

  // The statements of a block, in order. Errors are reported.
  Block run(SyntaxBlock body);
  bool failed() const noexcept { return failed_; }

 private:
  Value runtime_unary(const UnarySyntax& node, const Value& x) override;
  Value runtime_binary(const BinarySyntax& node, const Value& a, const Value& b) override;
  Value runtime_compare(const CompareSyntax& node, const std::vector<Value>& operands) override;
  Value runtime_logic(const BooleanSyntax& node, const std::vector<Value>& operands) override;
  Value runtime_subscript(const SubscriptSyntax& node, const ExprRef& base) override;
  Value runtime_attribute(const AttributeSyntax& node, const Value& base) override;
  Value call_op(const CallSyntax& node, const OpGroup& group, const CallArgs& args) override;
  Value shape_of(const CallSyntax& node, const CallArgs& args);
  Value call_form(const CallSyntax& node, const Builtin& form, const CallArgs& args) override;
  Value call_function(const CallSyntax& node, const Value& callee, const CallArgs& args) override;

  void statement(const StmtSyntax& stmt, Block& block);
  void assign(const AssignSyntax& stmt, Block& block);
  void store_element(const SubscriptSyntax& target, const ExprSyntax& value, Block& block);
  void effect(const ValueStmtSyntax& stmt, Block& block);
  bool later_call(const ValueStmtSyntax& stmt, Block& block);
  void loop(const ForSyntax& stmt, Block& block);
  void repeat(const WhileSyntax& stmt, Block& block);
  void branch(const IfSyntax& stmt, std::size_t index, Block& block);
  void mesh_scope(const WithSyntax& stmt, std::size_t index, Block& block);
  // `with T.dispatch("f", T.shape_of(x, 0)):` and the blocks below it.
  void dispatch(const CallSyntax& head, const WithSyntax& stmt, Block& block);
  Ref<const Evaluate> dispatch_case(const WithSyntax& stmt);
  // The call of the form of TIR that a block is below of; null for any other.
  const CallSyntax* form_block(const StmtSyntax& stmt, std::string_view form);
  [[noreturn]] void refuse_statement(const StmtSyntax& stmt);
  // A block whose names end with it.
  StmtRef inner_block(SyntaxBlock body);
  ExprRef condition(const ExprSyntax& node);

  Value emit_named(std::string_view alias, const ExprSyntax& node, std::vector<CallArg> operands);
  // An op in value position becomes a call; an effect waits in `pending_` for its statement.
  Value emit(const ExprSyntax& node, OpRef op, std::vector<ExprRef> args);
  std::vector<CallArg> indices(const ExprSyntax& index);
  ExprRef as_operand(const CallArg& arg) const;
  Ref<const SymbolRef> symbol(const std::string& name, const std::vector<ExprRef>& args,
                              const Span& place);
  Ref<const CallableType> later_signature(std::string_view name, std::string& symbol_name);
  Metadata place_of(const StmtSyntax& stmt) const { return {"", sema_.span(stmt)}; }

  // Names of a nested block, in force for the life of this object.
  class InnerScope {
   public:
    explicit InnerScope(PrimBody& body)
        : body_(body),
          scope_(body.scope_),
          outer_(std::exchange(body.scope_, &scope_)),
          names_(body.exchange_names(&scope_)) {}
    ~InnerScope() {
      body_.exchange_names(names_);
      body_.scope_ = outer_;
    }
    InnerScope(const InnerScope&) = delete;
    InnerScope& operator=(const InnerScope&) = delete;
    Scope& scope() noexcept { return scope_; }

   private:
    PrimBody& body_;
    Scope scope_;
    Scope* outer_;
    const NameResolver* names_;
  };

  const DefinitionSite& site_;
  Scope* scope_;
  TypeInferContext ctx_;
  bool failed_ = false;
  // The call that stands alone in the statement at hand, and what it turned out to be.
  const ExprSyntax* effect_node_ = nullptr;
  StmtRef effect_;
};

}  // namespace tilefoundry
