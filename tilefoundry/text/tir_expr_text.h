// Expressions of TIR as text (docs/tir-text.md): loads as subscripts, scalar arithmetic infix.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tilefoundry/ir/tir/stmt.h"
#include "tilefoundry/text/function_text.h"

namespace tilefoundry {

class TirExprText {
 public:
  // Emits `name = text` before the current statement and returns the name.
  using Bind = std::function<std::string(const ExprRef&, const std::string&)>;

  TirExprText(Script& script, const FunctionNames& names, const TextContext& context,
              const SymbolText& symbol, Bind bind)
      : script_(script),
        names_(names),
        context_(context),
        symbol_(symbol),
        bind_(std::move(bind)) {}

  // The value of a statement that evaluates it once. Parts that are shared or nest too deep are
  // bound first.
  std::string value(const ExprRef& root);
  // A condition that is evaluated again and again: nothing is bound, shared parts repeat.
  std::string repeated(const ExprRef& root);
  // `x[i] = v`, `T.copy(a, b)`, `kernel(a, b)`.
  std::string effect(const Evaluate& stmt);
  // `name(args)`
  std::string call_of(const std::string& name, const std::vector<ExprRef>& args);

 private:
  struct Text {
    std::string text;
    int precedence;
    int depth;
  };
  using Texts = std::unordered_map<const Expr*, Text>;

  void prepare(const std::vector<ExprRef>& roots, bool may_bind);
  Text expr_text(const Expr& expr);
  Text call_text(const Call& call);
  Text infix_text(const Call& call, std::string_view symbol, int precedence);
  Text prefix_text(const Call& call, std::string_view symbol, int precedence);
  std::string op_text(const Op& op, const std::vector<ExprRef>& args);
  std::vector<std::string> operand_texts(const Op& op, const std::vector<ExprRef>& args);
  std::string operand(const ExprRef& arg, int least);
  std::string subscript(const ExprRef& tensor, const std::vector<ExprRef>& args, std::size_t first);
  std::string index_text(const ExprRef& index);
  int depth_of(const std::vector<ExprRef>& args) const;

  Script& script_;
  const FunctionNames& names_;
  const TextContext& context_;
  const SymbolText& symbol_;
  Bind bind_;
  Texts texts_;  // of the current statement's calls
};

}  // namespace tilefoundry
