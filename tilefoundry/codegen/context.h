// What emission handlers share (visitor-registry seed 6).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tilefoundry/ir/module.h"
#include "tilefoundry/ir/tir/stmt.h"

namespace tilefoundry {

class CodegenVisitor;

// The skeleton; what a target needs beyond it lives in the target's own derived context.
class CodegenContext {
 public:
  explicit CodegenContext(ModuleRef emitted_module = nullptr) : module(std::move(emitted_module)) {}
  virtual ~CodegenContext() = default;
  CodegenContext(const CodegenContext&) = delete;
  CodegenContext& operator=(const CodegenContext&) = delete;

  ModuleRef module;                                      // the Module being emitted
  std::vector<std::string> output;                       // accumulated lines
  std::unordered_map<VarRef, std::string> symbol_table;  // Var to emitted identifier
  int indent = 0;

  // Appends a line, indented; an empty one stays empty.
  void line(std::string_view text);

  // For handlers; valid while a visitor works on this context.
  // The fragment of an operand. Leaves `output` as it is.
  std::string emit_expr(const ExprRef& expr);
  // Emits a nested statement now.
  void emit_stmt(const StmtRef& stmt);
  // Emits a statement right after the current handler returns: the rest of a chain of any length.
  void emit_next(const StmtRef& stmt);

  // The one way a handler fails. Throws CodegenError TF5100 with "<label>: <message>".
  [[noreturn]] void error(const Expr& node, const std::string& message,
                          const std::string& hint = "") const;
  [[noreturn]] void error(const Stmt& node, const std::string& message,
                          const std::string& hint = "") const;

  // Fragments of leaves. The default for a Var is its identifier in `symbol_table`.
  virtual std::string var_text(const Var& var);
  virtual std::string constant_text(const Constant& constant);
  virtual std::string dim_text(const Dim& dim);
  virtual std::string shape_of_text(const ShapeOfExpr& expr);
  // Called before the handler of each statement, so that a target can write the program's line.
  virtual void begin_stmt(const Stmt& stmt) { (void)stmt; }

 private:
  friend class CodegenVisitor;
  CodegenVisitor& visitor() const;
  CodegenVisitor* visitor_ = nullptr;
};

// The DSL line that a statement was written on, trimmed and fit for a comment; may be empty.
std::string source_line(const Span& span);

}  // namespace tilefoundry
