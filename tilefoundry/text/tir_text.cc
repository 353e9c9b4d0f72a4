// Functions of TIR: statements in blocks, scalars as infix expressions (docs/tir-text.md).
#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/support/text.h"
#include "tilefoundry/text/function_text.h"
#include "tilefoundry/text/tir_expr_text.h"

namespace tilefoundry {
namespace {

// What is left to print of one block.
struct BlockFrame {
  Block items;
  std::size_t next = 0;
  std::size_t depth = 1;  // of indentation
  std::size_t mark = 0;   // names taken since are given back at the end
  std::string head = "";  // a line before the block, one step out
};

class TirPrinter {
 public:
  TirPrinter(Script& script, const PrimFunction& function, const std::string& defined_name,
             std::string indent, const SymbolText& symbol)
      : script_(script),
        function_(function),
        defined_name_(defined_name),
        indent_(std::move(indent)),
        scope_(&script.avoided(Dialect::T)),
        names_(name_params(function.params(), scope_)),
        context_(script.context(&names_)),
        exprs_(
            script, names_, context_, symbol,
            [this](const ExprRef& value, const std::string& text) { return bind(value, text); }) {}

  void print() {
    print_head();
    reserve_names();
    push(block_items(function_.body()), 1, scope_.mark());
    while (!frames_.empty()) {
      BlockFrame& frame = frames_.back();
      if (frame.next == 0) start(frame);
      if (frame.next == frame.items.size()) {
        scope_.release(frame.mark);
        frames_.pop_back();
        continue;
      }
      const BlockItem item = frame.items[frame.next++];
      print_item(item);
    }
  }

 private:
  void print_head() {
    std::vector<std::string> arguments =
        renaming_arguments(function_.name(), defined_name_, function_.params(), names_);
    if (function_.output_count() > 0) {
      arguments.push_back(fmt::format("outputs={}", function_.output_count()));
    }
    if (const TargetRef& target = function_.target()) {
      script_.import_name(target->provider(), target->class_name());
      arguments.push_back("target=" + target->repr());
    }
    script_.body += indent_ + decorator_text(script_.use("prim_func"), arguments) + "\n" +
                    fmt::format("{}def {}({}):\n", indent_, defined_name_,
                                params_text(function_.params(), names_, script_.context(nullptr)));
  }

  // Unnamed values must not take a name that an authored one has further down.
  void reserve_names() {
    std::vector<StmtRef> pending{function_.body()};
    while (!pending.empty()) {
      const StmtRef stmt = std::move(pending.back());
      pending.pop_back();
      if (!stmt) continue;
      if (const auto* let = stmt_cast<LetStmt>(stmt)) reserve(*let->var());
      if (const auto* loop = stmt_cast<For>(stmt)) reserve(*loop->var());
      for_each_child_stmt(*stmt, [&](const StmtRef& child) { pending.push_back(child); });
    }
  }

  void reserve(const Var& var) {
    if (!var.name().empty()) scope_.reserve(var.name());
  }

  void push(Block items, std::size_t depth, std::size_t mark, std::string head = "") {
    frames_.push_back({std::move(items), 0, depth, mark, std::move(head)});
  }

  void start(const BlockFrame& frame) {
    if (!frame.head.empty()) line(frame.depth - 1, frame.head, {});
    if (frame.items.empty()) line(frame.depth, "pass", {});
  }

  std::size_t depth() const { return frames_.back().depth; }

  void line(std::size_t depth, const std::string& text, const Span& span,
            const TypeRef& type = nullptr) {
    check_builtins(text, names_, span);
    script_.body += indent_;
    script_.body.append(4 * depth, ' ');
    script_.body += text;
    if (script_.options().show_types && type) {
      script_.body += "  # " + type_text(type, context_);
    }
    script_.body += '\n';
  }

  // Gives a shared or deeply nested part of an expression a line of its own.
  std::string bind(const ExprRef& value, const std::string& text) {
    std::string name = scope_.fresh("");
    line(depth(), fmt::format("{} = {}", name, text), value->span(), value->type());
    return name;
  }

  const std::string& name_var(const Var& var) {
    return names_.vars[&var] = scope_.fresh(var.name());
  }

  void print_item(const BlockItem& item) {
    if (item.is_let()) {
      const std::string text = exprs_.value(item.value);
      const std::string& name = name_var(*item.var);
      line(depth(), fmt::format("{} = {}", name, text), item.meta.span, item.var->type());
      return;
    }
    print_stmt(*item.stmt);
  }

  void print_stmt(const Stmt& stmt) {
    const std::size_t here = depth();
    const std::size_t mark = scope_.mark();
    switch (stmt.kind()) {
      case StmtKind::for_loop: return print_for(static_cast<const For&>(stmt));
      case StmtKind::while_loop: {
        const auto& loop = static_cast<const While&>(stmt);
        line(here, fmt::format("while {}:", exprs_.repeated(loop.cond())), stmt.span());
        return push(block_items(loop.body()), here + 1, mark);
      }
      case StmtKind::if_else: {
        const auto& branch = static_cast<const If&>(stmt);
        line(here, fmt::format("if {}:", exprs_.value(branch.cond())), stmt.span());
        const std::size_t inner = scope_.mark();
        if (branch.else_body()) push(block_items(branch.else_body()), here + 1, inner, "else:");
        return push(block_items(branch.then_body()), here + 1, inner);
      }
      case StmtKind::mesh_scope: {
        const auto& scope = static_cast<const MeshScope&>(stmt);
        line(here, fmt::format("with {} as {}:", context_.mesh_name(scope.mesh()), scope.binding()),
             stmt.span());
        return push(block_items(scope.body()), here + 1, mark);
      }
      case StmtKind::return_stmt: return line(here, "return", stmt.span());
      case StmtKind::abort: {
        const auto& abort = static_cast<const Abort&>(stmt);
        return line(
            here,
            fmt::format("{}.abort({})", script_.use("T"), python_string_literal(abort.message())),
            stmt.span());
      }
      case StmtKind::evaluate:
        return line(here, exprs_.effect(static_cast<const Evaluate&>(stmt)), stmt.span());
      case StmtKind::dispatch: return print_dispatch(static_cast<const DispatchCall&>(stmt));
      case StmtKind::user: return print_user(static_cast<const UserStmt&>(stmt));
      case StmtKind::sequential:
      case StmtKind::let: break;  // blocks hold neither
    }
  }

  void print_for(const For& loop) {
    const std::size_t here = depth();
    const std::size_t mark = scope_.mark();
    std::string bounds;
    if (!loop.start().is(0) || !loop.step().is(1)) {
      bounds += dim_text(loop.start(), context_) + ", ";
    }
    bounds += dim_text(loop.stop(), context_);
    if (!loop.step().is(1)) bounds += ", " + dim_text(loop.step(), context_);
    const std::string& name = name_var(*loop.var());
    line(here, fmt::format("for {} in {}({}):", name, range_name(loop.mode()), bounds),
         loop.span());
    push(block_items(loop.body()), here + 1, mark);
  }

  std::string range_name(ForMode mode) {
    switch (mode) {
      case ForMode::serial: return "range";
      case ForMode::parallel: return script_.use("T") + ".parallel";
      case ForMode::vectorized: return script_.use("T") + ".vectorized";
      case ForMode::unrolled: return script_.use("T") + ".unrolled";
    }
    return "range";
  }

  void print_dispatch(const DispatchCall& stmt) {
    const std::size_t here = depth();
    const std::string forms = script_.use("T");
    std::string head =
        fmt::format("with {}.dispatch({}", forms, python_string_literal(stmt.callee_name()));
    for (const ExprRef& subject : stmt.subjects()) head += ", " + exprs_.value(subject);
    line(here, head + "):", stmt.span());
    const std::size_t mark = scope_.mark();
    push(block_items(stmt.fallback()), here + 2, mark, fmt::format("with {}.fallback():", forms));
    for (std::size_t i = stmt.case_calls().size(); i-- > 0;) {
      push({BlockItem::of(stmt.case_calls()[i])}, here + 2, mark,
           fmt::format("with {}.case({}):", forms, pattern_text(script_, stmt.case_patterns()[i])));
    }
  }

  void print_user(const UserStmt& stmt) {
    const std::size_t here = depth();
    const std::string call = exprs_.call_of(stmt.class_name(), stmt.args());
    if (stmt.children().empty()) return line(here, call, stmt.span());
    line(here, fmt::format("with {}:", call), stmt.span());
    push(block_items(Sequential::make(stmt.children())), here + 1, scope_.mark());
  }

  Script& script_;
  const PrimFunction& function_;
  const std::string& defined_name_;
  std::string indent_;
  NameScope scope_;
  FunctionNames names_;
  TextContext context_;
  TirExprText exprs_;
  std::vector<BlockFrame> frames_;
};

}  // namespace

void print_prim_function(Script& script, const PrimFunction& function,
                         const std::string& defined_name, const std::string& indent,
                         const SymbolText& symbol) {
  TirPrinter(script, function, defined_name, indent, symbol).print();
}

}  // namespace tilefoundry
