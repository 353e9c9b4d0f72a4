#include "tilefoundry/codegen/context.h"

#include "tilefoundry/codegen/visitor.h"
#include "tilefoundry/registry/typeinfer.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

void CodegenContext::line(std::string_view text) {
  std::string out;
  if (!text.empty()) out.assign(static_cast<std::size_t>(indent) * 2, ' ');
  out += text;
  output.push_back(std::move(out));
}

CodegenVisitor& CodegenContext::visitor() const {
  TF_CHECK(visitor_ != nullptr, "no visitor works on this context");
  return *visitor_;
}

std::string CodegenContext::emit_expr(const ExprRef& expr) { return visitor().emit_expr(expr); }
void CodegenContext::emit_stmt(const StmtRef& stmt) { visitor().emit_stmt(stmt); }
void CodegenContext::emit_next(const StmtRef& stmt) { visitor().emit_next(stmt); }

void CodegenContext::error(const Expr& node, const std::string& message,
                           const std::string& hint) const {
  throw CodegenError(Diagnostic{.code = "TF5100",
                                .message = node_label(node) + ": " + message,
                                .span = node.span(),
                                .hint = hint});
}

void CodegenContext::error(const Stmt& node, const std::string& message,
                           const std::string& hint) const {
  throw CodegenError(Diagnostic{.code = "TF5100",
                                .message = node_label(node) + ": " + message,
                                .span = node.span(),
                                .hint = hint});
}

std::string CodegenContext::var_text(const Var& var) {
  const auto it = symbol_table.find(VarRef(&var));
  if (it == symbol_table.end()) error(var, "is used where it is not bound");
  return it->second;
}

std::string CodegenContext::constant_text(const Constant& constant) {
  error(constant, "this target writes no constants");
}

std::string CodegenContext::dim_text(const Dim& dim) { return "(" + dim.text() + ")"; }

std::string CodegenContext::shape_of_text(const ShapeOfExpr& expr) {
  return dim_text(expr.extent());
}

std::string source_line(const Span& span) {
  if (!span) return "";
  std::string_view text = span.buffer->line(span.buffer->position(span.begin).line);
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  text = text.substr(begin);
  std::string out;
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  // A backslash at the end would join the next line to the comment.
  while (!out.empty() && (out.back() == ' ' || out.back() == '\\')) out.pop_back();
  constexpr std::size_t kLongest = 160;
  if (out.size() > kLongest) {
    std::size_t cut = kLongest;
    while ((static_cast<unsigned char>(out[cut]) & 0xc0) == 0x80) --cut;
    out = out.substr(0, cut) + "...";
  }
  return out;
}

}  // namespace tilefoundry
