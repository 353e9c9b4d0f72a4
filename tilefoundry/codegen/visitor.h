// Emission of statements and expressions through a target's registry.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "tilefoundry/codegen/context.h"
#include "tilefoundry/codegen/targets.h"

namespace tilefoundry {

// Never recurses on the length of a chain of statements or the depth of an expression: operands are
// emitted before their users, and what a handler passes to `emit_next` is queued.
class CodegenVisitor {
 public:
  // RegistryError TF9010 for a name that no target has.
  CodegenVisitor(CodegenContext& ctx, std::string_view target)
      : CodegenVisitor(ctx, codegen_target(target)) {}
  CodegenVisitor(CodegenContext& ctx, const CodegenTarget& target);
  ~CodegenVisitor();
  CodegenVisitor(const CodegenVisitor&) = delete;
  CodegenVisitor& operator=(const CodegenVisitor&) = delete;

  // The handler of the op in an Evaluate, else of the statement's class, else the target's default
  // emission. CodegenError TF5101 for an op that has none.
  void emit_stmt(const StmtRef& stmt);
  void emit_next(const StmtRef& stmt) { queue_.push_back(stmt); }
  // CodegenError TF5101 for an op without a handler.
  std::string emit_expr(const ExprRef& expr);

 private:
  void dispatch(const Stmt& stmt);
  std::string emit_node(const Expr& expr);
  [[noreturn]] void no_handler(const OpClass& cls, const Span& span) const;

  CodegenContext& ctx_;
  const CodegenTarget& target_;
  CodegenVisitor* outer_;
  std::vector<StmtRef> queue_;
  std::unordered_map<const Expr*, std::string>* fragments_ = nullptr;
};

}  // namespace tilefoundry
