// What the printers of both dialects share: heads of functions and their parameters.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tilefoundry/text/script.h"

namespace tilefoundry {

// How a call of a Function is written: the callee's name as it is visible at the call.
using CalleeText = std::function<std::string(const Call&, const Function&)>;

// Appends `@func def name(...)`, every line behind `indent`.
void print_hir_function(Script& script, const Function& function, const std::string& defined_name,
                        const std::string& indent, const CalleeText& callee);

// Appends a variant below `@base_name.specialize(pattern)`.
void print_hir_variant(Script& script, const Function& variant, const std::string& base_name,
                       const std::string& defined_name, const std::string& indent,
                       const CalleeText& callee);

// The defined name of a prim function of this Module by symbol, or empty.
using SymbolText = std::function<std::string(const std::string&)>;
void print_prim_function(Script& script, const PrimFunction& function,
                         const std::string& defined_name, const std::string& indent,
                         const SymbolText& symbol);

// Parameters take their names, made valid and distinct.
FunctionNames name_params(const std::vector<VarRef>& params, NameScope& scope);
// `x: Tensor[(4,), "f32"], w: ConstTensor[...]`
std::string params_text(const std::vector<VarRef>& params, const FunctionNames& names,
                        const TextContext& context);
// The decorator's arguments that restore names which cannot be written: `name="f$1"`,
// `param_names={"up_weight": "up.weight"}`.
std::vector<std::string> renaming_arguments(const std::string& name,
                                            const std::string& defined_name,
                                            const std::vector<VarRef>& params,
                                            const FunctionNames& names);
// "@func" or "@func(...)".
std::string decorator_text(const std::string& decorator, const std::vector<std::string>& arguments);

// `DimVarRangePat("S", 1, 4)`; a pattern class from outside prints its repr.
std::string pattern_text(Script& script, const PatternRef& pattern);

// `op(args..., attr=value)`: the attributes that the op's name does not fix, by keyword.
std::string op_call_text(Script& script, const Op& op, const std::vector<ExprRef>& args,
                         const std::vector<std::string>& arg_texts, const FunctionNames& names,
                         const TextContext& context);
// Throws ValueError (TF3071) when a parameter hides a builtin that `line` calls.
void check_builtins(const std::string& line, const FunctionNames& names, const Span& span);

}  // namespace tilefoundry
