// Evaluates expressions of the language. Compile-time values are computed here; what an expression
// over IR values means is for the subclass of the dialect to say.
//
// Chains of operators, attributes, subscripts and calls are walked with loops; all other nesting is
// bounded by the parser.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tilefoundry/frontend/builtins.h"
#include "tilefoundry/frontend/name_resolver.h"
#include "tilefoundry/frontend/sema.h"
#include "tilefoundry/frontend/syntax_expr.h"

namespace tilefoundry {

class Evaluator {
 public:
  // `names` outlives the evaluator.
  Evaluator(Sema& sema, const NameResolver& names) : sema_(sema), names_(&names) {}
  virtual ~Evaluator() = default;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // Throws ParseError for what is refused and PoisonedUse for a use of a refused definition.
  Value evaluate(const ExprSyntax& node);
  // The levels that a string may name; null outside of a Module.
  void set_topologies(const Topologies* topologies) { topologies_ = topologies; }

 protected:
  // What operators, calls and subscripts mean when an operand is an IR value. The base refuses.
  virtual Value runtime_unary(const UnarySyntax& node, const Value& x);
  // `node` is the whole operation.
  virtual Value runtime_binary(const BinarySyntax& node, const Value& a, const Value& b);
  virtual Value runtime_compare(const CompareSyntax& node, const std::vector<Value>& operands);
  virtual Value runtime_logic(const BooleanSyntax& node, const std::vector<Value>& operands);
  virtual Value runtime_subscript(const SubscriptSyntax& node, const ExprRef& base);
  virtual Value runtime_attribute(const AttributeSyntax& node, const Value& base);
  virtual Value call_op(const CallSyntax& node, const OpGroup& group, const CallArgs& args);
  virtual Value call_form(const CallSyntax& node, const Builtin& form, const CallArgs& args);
  virtual Value call_function(const CallSyntax& node, const Value& callee, const CallArgs& args);
  // An argument of a call.
  virtual Value evaluate_argument(const ExprSyntax& node) { return evaluate(node); }
  // A part of a type, or an argument of a constructor: dimensions rather than operands.
  virtual Value evaluate_type_part(const ExprSyntax& node) { return evaluate(node); }
  // A name's value as this place sees it.
  virtual Value use_name(const NameSyntax& node, Value value);

  // A name that nothing defines: refuses it.
  [[noreturn]] void undefined_name(const NameSyntax& node);

  Value lookup(const NameSyntax& node);
  // Replaces the names in force; returns those before.
  const NameResolver* exchange_names(const NameResolver* names) {
    return std::exchange(names_, names);
  }
  Span span(const ExprSyntax& node) const { return sema_.span(node); }
  [[noreturn]] void refuse_here(const char* code, const ExprSyntax& node, std::string message,
                                std::string hint = "") const {
    refuse(code, span(node), std::move(message), std::move(hint));
  }
  enum class ArgumentKindWanted { operands, compile_time };
  // `group`, if any, says which positions hold coordinates, which are dimensions.
  CallArgs evaluate_arguments(const CallSyntax& node, ArgumentKindWanted wanted,
                              const OpGroup* group = nullptr);
  const NameResolver& names() const noexcept { return *names_; }

  Sema& sema_;

 private:
  Value evaluate_unary(const UnarySyntax& node);
  Value evaluate_binary(const BinarySyntax& node);
  Value evaluate_boolean(const BooleanSyntax& node);
  Value evaluate_compare(const CompareSyntax& node);
  Value evaluate_conditional(const ConditionalSyntax& node);
  Value evaluate_postfix(const ExprSyntax& node);
  Value evaluate_attribute(const AttributeSyntax& node, const Value& base);
  Value evaluate_subscript(const SubscriptSyntax& node, const Value& base);
  Value evaluate_call(const CallSyntax& node, const Value& callee);
  Value evaluate_sequence(const SequenceSyntax& node);
  Value evaluate_comprehension(const ComprehensionSyntax& node);
  Value subscript_sequence(const SubscriptSyntax& node, const SequenceValue& base);
  [[noreturn]] void refuse_kind(const ExprSyntax& node);

  const NameResolver* names_;
  const Topologies* topologies_ = nullptr;
};

// Binds the parts of `value` to a target of an assignment, a loop or a comprehension: a name or a
// nested tuple of names. Throws ParseError when they do not fit.
void bind_target(Sema& sema, const ExprSyntax& target, const Value& value, Scope& scope);
// Every name in a target.
void for_each_target_name(const ExprSyntax& target,
                          const std::function<void(const NameSyntax&)>& visit);

}  // namespace tilefoundry
