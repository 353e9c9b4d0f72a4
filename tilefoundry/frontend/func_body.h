// Bodies of `@func`: from statements to one expression of HIR, typed as it is built.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tilefoundry/frontend/body_evaluator.h"
#include "tilefoundry/frontend/syntax_stmt.h"
#include "tilefoundry/ir/hir/grid_region.h"
#include "tilefoundry/ops/function_call.h"
#include "tilefoundry/registry/typeinfer.h"

namespace tilefoundry {

// The place that defines a function.
struct FunctionSite {
  const NameResolver* names = nullptr;
  // The child Modules bound so far in the class that holds the function; null for a bare function.
  const std::vector<ModuleRef>* children = nullptr;
  // The levels that meshes may name by a string; null: none are declared.
  const Topologies* topologies = nullptr;
  // The memo of elaborated callees.
  FunctionInstances* instances = nullptr;
};

// What the decorator says about names that cannot be written.
struct FunctionRenaming {
  std::string name;                           // empty: the defined name
  std::map<std::string, std::string> params;  // written name to name
};

// Throws VerifyError (TF2057) when a result of type `found` is not what `declared` says; what the
// annotation leaves open is as it was found.
void check_declared_result(const TypeRef& declared, const TypeRef& found, const Span& place);

// Null after errors, which are reported to `sema`.
FunctionRef build_function(Sema& sema, const FunctionSyntax& syntax, const FunctionSite& site,
                           const FunctionRenaming& renaming);

// Variables for the parameters, in order, bound in `scope`. After an error, which is reported, the
// name is poisoned and the result is not complete.
struct Parameters {
  std::vector<VarRef> vars;
  bool complete = true;
};
Parameters build_parameters(Sema& sema, const FunctionSyntax& syntax, Evaluator& annotations,
                            const FunctionRenaming& renaming, Scope& scope);
// The type that an annotation denotes. Throws ParseError (TF2054) for anything else.
TypeValue annotation_type(Sema& sema, Evaluator& evaluator, const ExprSyntax& annotation);

class FuncBody final : public BodyEvaluator {
 public:
  // `scope` holds the parameters; its outer resolver is that of the site.
  FuncBody(Sema& sema, Scope& scope, const FunctionSite& site);

  // Runs the statements; whether there were no errors.
  bool run(SyntaxBlock body);
  // The value that `return` gave; null when there was no `return`.
  const ExprRef& result() const noexcept { return result_; }
  Span return_span() const { return return_span_; }

 private:
  Value runtime_unary(const UnarySyntax& node, const Value& x) override;
  Value runtime_binary(const BinarySyntax& node, const Value& a, const Value& b) override;
  Value runtime_compare(const CompareSyntax& node, const std::vector<Value>& operands) override;
  Value runtime_logic(const BooleanSyntax& node, const std::vector<Value>& operands) override;
  Value runtime_subscript(const SubscriptSyntax& node, const ExprRef& base) override;
  Value runtime_attribute(const AttributeSyntax& node, const Value& base) override;
  Value call_op(const CallSyntax& node, const OpGroup& group, const CallArgs& args) override;
  Value call_function(const CallSyntax& node, const Value& callee, const CallArgs& args) override;
  Value use_name(const NameSyntax& node, Value value) override;

  // Statements.
  void run_block(SyntaxBlock body);
  void run_statement(const StmtSyntax& stmt);
  void run_assign(const AssignSyntax& stmt);
  void run_annotated(const AnnotatedAssignSyntax& stmt);
  void run_return(const ValueStmtSyntax& stmt);
  void run_with(const WithSyntax& stmt);
  void run_for(const ForSyntax& stmt);
  void assign(const ExprSyntax& target, const Value& value);
  void poison_targets(const StmtSyntax& stmt);
  [[noreturn]] void refuse_statement(const StmtSyntax& stmt);

  // Loops.
  struct LoopHead {
    std::string name;
    VarRef var;
    LoopForm form = LoopForm::range;
    Dim start = 0;
    Dim extent;
    Dim step = 1;
  };
  struct CarriedName {
    std::string name;
    VarRef var;
    ExprRef init;
  };
  LoopHead loop_head(const ForSyntax& stmt);
  Dim loop_bound(const ExprSyntax& node);
  std::optional<CarriedName> carried_name(const std::string& name, const Span& place);
  ExprRef next_value(const CarriedName& carried, const Span& place);
  void bind_loop_results(const GridRegionRef& loop, const std::vector<CarriedName>& carried);
  struct AxisWindow {
    CallArg start;
    Dim size;
    std::int64_t stride = 1;
    bool dropped = false;
    bool whole = false;
  };
  std::optional<AxisWindow> tile_window(const ExprSyntax& item, const Dim& index, const Dim& extent,
                                        std::size_t axis);

  // Calls.
  ExprRef emit(CallableRef target, std::vector<ExprRef> args, Metadata meta);
  Value emit_named(std::string_view alias, const ExprSyntax& node, std::vector<CallArg> operands);
  ExprRef emit_construct(std::string_view class_name, const std::vector<KeywordArg>& attributes,
                         std::vector<ExprRef> args, Metadata meta);
  ExprRef emit_function(const FunctionRef& callee, std::vector<ExprRef> operands, Metadata meta);
  Value compare_step(const CompareSyntax& node, std::size_t step,
                     const std::vector<Value>& operands);
  Value join_logic(const ExprSyntax& node, bool is_and, const std::vector<Value>& operands);
  CallableRef child_entry(const CallSyntax& node, const ModuleRef& module);
  ExprRef as_result(const Value& value, const Span& place);
  ExprRef function_argument(const CallArg& arg, const Var& param);
  ExprRef tuple_item(const ExprRef& tuple, std::size_t index, Metadata meta);
  std::optional<Value> subscript_extents(const SubscriptSyntax& node, const ExprRef& base);
  Value subscript_tensor(const SubscriptSyntax& node, const ExprRef& base, const TensorType& type);
  Value subscript_tuple(const SubscriptSyntax& node, const ExprRef& base, const TupleType& type);

  AxisWindow axis_window(const ExprSyntax& item, const Dim& extent, std::size_t axis);
  AxisWindow slice_window(const SliceSyntax& slice, const Dim& extent, std::size_t axis);
  Value bound_of_slice(const ExprSyntax* syntax, const Dim& extent);
  Dim slice_size(const SliceSyntax& slice, const Value& start, const Dim& extent);

  Scope& scope_;
  const FunctionSite& site_;
  TypeInferContext ctx_;
  ScopeRef execution_scope_;
  std::vector<MeshRef> meshes_;
  int loop_depth_ = 0;
  std::vector<LoopHead> tiles_;  // of the loops over tiles around the statement
  bool failed_ = false;
  bool returned_ = false;
  ExprRef result_;
  Span return_span_;
};

}  // namespace tilefoundry
