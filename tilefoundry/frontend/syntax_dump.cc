#include "tilefoundry/frontend/syntax_dump.h"

#include <array>
#include <bit>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace tilefoundry {
namespace {

// A text, or a node that is still to be written; null stands for what was left out.
struct Part {
  Part(std::string words) : text(std::move(words)), is_text(true) {}  // NOLINT(*-explicit-*)
  Part(const char* words) : Part(std::string(words)) {}               // NOLINT(*-explicit-*)
  Part(const ExprSyntax* node) : expr(node) {}                        // NOLINT(*-explicit-*)
  Part(const StmtSyntax* node) : stmt(node) {}                        // NOLINT(*-explicit-*)

  std::string text;
  const ExprSyntax* expr = nullptr;
  const StmtSyntax* stmt = nullptr;
  bool is_text = false;
};

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return '"' + out + '"';
}

std::string at(TextRange range) { return fmt::format("@{}-{}", range.begin, range.end); }

// Writes a tree by a work list: a node becomes the list of its parts, texts and children.
class Dumper {
 public:
  std::string dump(SyntaxBlock statements) {
    for (std::size_t i = statements.size(); i-- > 0;) work_.emplace_back(statements[i]);
    while (!work_.empty()) {
      const Part part = std::move(work_.back());
      work_.pop_back();
      step(part);
    }
    return std::move(out_);
  }

 private:
  void step(const Part& part) {
    if (part.is_text) {
      write(part.text);
      return;
    }
    if (part.expr) {
      expand(*part.expr);
    } else if (part.stmt) {
      expand(*part.stmt);
    } else {
      write("-");
      return;
    }
    add(")");
    for (std::size_t i = parts_.size(); i-- > 0;) work_.push_back(std::move(parts_[i]));
    parts_.clear();
  }

  void write(std::string_view text) {
    const bool glued =
        out_.empty() || out_.back() == '(' || out_.back() == '[' || text == ")" || text == "]";
    if (!glued) out_ += ' ';
    out_ += text;
  }

  void add(Part part) { parts_.push_back(std::move(part)); }
  template <class Node>
  void open(std::string_view name, const Node& node) {
    add(fmt::format("({}{}", name, at(node.range)));
  }
  void name(std::string_view text) { add(text.empty() ? std::string("-") : std::string(text)); }
  template <class T>
  void list(std::span<const T* const> nodes) {
    add("[");
    for (const T* node : nodes) add(node);
    add("]");
  }

  // --- expressions ---

  void expand(const ExprSyntax& e) {
    switch (e.kind) {
      case ExprSyntaxKind::name: open("Name", e), name(e.as<NameSyntax>()->text); return;
      case ExprSyntaxKind::none_literal: open("Constant", e), add("None"); return;
      case ExprSyntaxKind::true_literal: open("Constant", e), add("True"); return;
      case ExprSyntaxKind::false_literal: open("Constant", e), add("False"); return;
      case ExprSyntaxKind::ellipsis: open("Constant", e), add("Ellipsis"); return;
      case ExprSyntaxKind::integer: {
        const auto* n = e.as<IntegerSyntax>();
        open("Int", e);
        n->too_large ? add("big") : add(std::to_string(n->magnitude));
        return;
      }
      case ExprSyntaxKind::floating:
        open("Float", e);
        add(fmt::format("{:016x}", std::bit_cast<std::uint64_t>(e.as<FloatSyntax>()->value)));
        return;
      case ExprSyntaxKind::imaginary: open("Imaginary", e); return;
      case ExprSyntaxKind::string: open("Str", e), add(hex(e.as<StringSyntax>()->value)); return;
      case ExprSyntaxKind::bytes: open("Bytes", e), add(hex(e.as<StringSyntax>()->value)); return;
      case ExprSyntaxKind::f_string: open("JoinedStr", e); return;
      case ExprSyntaxKind::tuple: open("Tuple", e), list(e.as<SequenceSyntax>()->elements); return;
      case ExprSyntaxKind::list: open("List", e), list(e.as<SequenceSyntax>()->elements); return;
      case ExprSyntaxKind::set: open("Set", e), list(e.as<SequenceSyntax>()->elements); return;
      case ExprSyntaxKind::dict: expand_dict(*e.as<DictSyntax>()); return;
      case ExprSyntaxKind::list_comprehension:
      case ExprSyntaxKind::set_comprehension:
      case ExprSyntaxKind::dict_comprehension:
      case ExprSyntaxKind::generator: expand_comprehension(*e.as<ComprehensionSyntax>()); return;
      default: expand_operation(e);
    }
  }

  void expand_operation(const ExprSyntax& e) {
    switch (e.kind) {
      case ExprSyntaxKind::unary: {
        const auto* n = e.as<UnarySyntax>();
        open("UnaryOp", e), name(operator_text(n->op)), add(n->operand);
        return;
      }
      case ExprSyntaxKind::binary: {
        const auto* n = e.as<BinarySyntax>();
        open("BinOp", e), name(operator_text(n->op)), add(n->left), add(n->right);
        return;
      }
      case ExprSyntaxKind::boolean: {
        const auto* n = e.as<BooleanSyntax>();
        open("BoolOp", e), name(n->is_and ? "and" : "or"), list(n->operands);
        return;
      }
      case ExprSyntaxKind::compare: expand_compare(*e.as<CompareSyntax>()); return;
      case ExprSyntaxKind::conditional: {
        const auto* n = e.as<ConditionalSyntax>();
        open("IfExp", e), add(n->condition), add(n->then_value), add(n->else_value);
        return;
      }
      case ExprSyntaxKind::lambda: {
        const auto* n = e.as<LambdaSyntax>();
        open("Lambda", e), parameters(n->parameters), add(n->body);
        return;
      }
      case ExprSyntaxKind::call: {
        const auto* n = e.as<CallSyntax>();
        open("Call", e), add(n->callee), arguments(n->arguments);
        return;
      }
      case ExprSyntaxKind::attribute: {
        const auto* n = e.as<AttributeSyntax>();
        open("Attribute", e), add(n->value), name(n->name.text);
        return;
      }
      case ExprSyntaxKind::subscript: {
        const auto* n = e.as<SubscriptSyntax>();
        open("Subscript", e), add(n->value), add(n->index);
        return;
      }
      case ExprSyntaxKind::slice: {
        const auto* n = e.as<SliceSyntax>();
        open("Bounds", e), add(n->lower), add(n->upper), add(n->step);
        return;
      }
      case ExprSyntaxKind::named: {
        const auto* n = e.as<NamedSyntax>();
        open("NamedExpr", e), add(n->target), add(n->value);
        return;
      }
      case ExprSyntaxKind::starred: open("Starred", e), add(e.as<WrapperSyntax>()->value); return;
      case ExprSyntaxKind::await: open("Await", e), add(e.as<WrapperSyntax>()->value); return;
      case ExprSyntaxKind::yield: open("Yield", e), add(e.as<WrapperSyntax>()->value); return;
      default: open("YieldFrom", e), add(e.as<WrapperSyntax>()->value); return;
    }
  }

  void expand_dict(const DictSyntax& dict) {
    open("Dict", dict);
    add("[");
    for (const DictEntrySyntax& entry : dict.entries) add(entry.key), add(entry.value);
    add("]");
  }

  void expand_comprehension(const ComprehensionSyntax& node) {
    static constexpr std::array<std::string_view, 4> kNames = {"ListComp", "SetComp", "DictComp",
                                                               "GeneratorExp"};
    const auto first = static_cast<std::size_t>(ExprSyntaxKind::list_comprehension);
    open(kNames[static_cast<std::size_t>(node.kind) - first], node);
    add(node.element);
    if (node.value) add(node.value);
    add("[");
    for (const ComprehensionClause& clause : node.clauses) {
      add(clause.is_async ? "(async" : "(for");
      add(clause.target), add(clause.iterable), list(clause.conditions), add(")");
    }
    add("]");
  }

  void expand_compare(const CompareSyntax& node) {
    open("Compare", node);
    add(node.first);
    add("[");
    for (const CompareStep& step : node.steps) name(operator_text(step.op)), add(step.operand);
    add("]");
  }

  void arguments(std::span<const ArgumentSyntax> items) {
    add("[");
    for (const ArgumentSyntax& item : items) {
      const bool star = item.kind == ArgumentKind::star;
      const bool plain = item.kind == ArgumentKind::positional;
      if (plain) {
        add(item.value);
        continue;
      }
      open(star ? "Starred" : "keyword", item);
      if (!star) name(item.name.text);
      add(item.value), add(")");
    }
    add("]");
  }

  void parameters(std::span<const ParameterSyntax> items) {
    static constexpr std::array<std::string_view, 5> kKinds = {"posonly", "arg", "vararg", "kwonly",
                                                               "kwarg"};
    add("[");
    for (const ParameterSyntax& item : items) {
      add(fmt::format("({}", kKinds[static_cast<std::size_t>(item.kind)]));
      name(item.name.text), add(item.annotation), add(item.default_value), add(")");
    }
    add("]");
  }

  // --- statements ---

  void expand(const StmtSyntax& s) {
    switch (s.kind) {
      case StmtSyntaxKind::expression: open("Expr", s), add(s.as<ValueStmtSyntax>()->value); return;
      case StmtSyntaxKind::return_statement:
        open("Return", s), add(s.as<ValueStmtSyntax>()->value);
        return;
      case StmtSyntaxKind::pass_statement: open("Pass", s); return;
      case StmtSyntaxKind::break_statement: open("Break", s); return;
      case StmtSyntaxKind::continue_statement: open("Continue", s); return;
      case StmtSyntaxKind::assign: {
        const auto* n = s.as<AssignSyntax>();
        open("Assign", s), list(n->targets), add(n->value);
        return;
      }
      case StmtSyntaxKind::annotated_assign: {
        const auto* n = s.as<AnnotatedAssignSyntax>();
        open("AnnAssign", s), add(n->target), add(n->annotation), add(n->value);
        return;
      }
      case StmtSyntaxKind::augmented_assign: {
        const auto* n = s.as<AugmentedAssignSyntax>();
        open("AugAssign", s), name(operator_text(n->op)), add(n->target), add(n->value);
        return;
      }
      case StmtSyntaxKind::raise_statement: {
        const auto* n = s.as<RaiseSyntax>();
        open("Raise", s), add(n->exception), add(n->cause);
        return;
      }
      case StmtSyntaxKind::assert_statement: {
        const auto* n = s.as<AssertSyntax>();
        open("Assert", s), add(n->condition), add(n->message);
        return;
      }
      case StmtSyntaxKind::delete_statement:
        open("Delete", s), list(s.as<DeleteSyntax>()->targets);
        return;
      case StmtSyntaxKind::global_statement:
      case StmtSyntaxKind::nonlocal_statement: {
        open(s.kind == StmtSyntaxKind::global_statement ? "Global" : "Nonlocal", s);
        for (const Identifier& item : s.as<ScopeSyntax>()->names) name(item.text);
        return;
      }
      case StmtSyntaxKind::import_statement:
        open("Import", s), imported(s.as<ImportSyntax>()->names);
        return;
      case StmtSyntaxKind::import_from: {
        const auto* n = s.as<ImportFromSyntax>();
        open("ImportFrom", s), add(std::to_string(n->level)), name(n->module.text);
        n->is_star ? add("*") : imported(n->names);
        return;
      }
      case StmtSyntaxKind::type_alias: {
        const auto* n = s.as<TypeAliasSyntax>();
        open("TypeAlias", s), name(n->name.text), add(n->value);
        return;
      }
      default: expand_compound(s);
    }
  }

  void imported(std::span<const ImportNameSyntax> names) {
    add("[");
    for (const ImportNameSyntax& item : names) name(item.name.text), name(item.alias.text);
    add("]");
  }

  void expand_compound(const StmtSyntax& s) {
    switch (s.kind) {
      case StmtSyntaxKind::function: {
        const auto* n = s.as<FunctionSyntax>();
        open(n->is_async ? "AsyncFunctionDef" : "FunctionDef", s);
        name(n->name.text), list(n->decorators), parameters(n->parameters), add(n->returns);
        list(n->body);
        return;
      }
      case StmtSyntaxKind::class_definition: {
        const auto* n = s.as<ClassSyntax>();
        open("ClassDef", s), name(n->name.text), list(n->decorators), arguments(n->arguments);
        list(n->body);
        return;
      }
      case StmtSyntaxKind::if_statement: {
        const auto* n = s.as<IfSyntax>();
        open("If", s), add("[");
        for (const IfBranchSyntax& branch : n->branches) add(branch.condition), list(branch.body);
        add("]"), list(n->else_body);
        return;
      }
      case StmtSyntaxKind::while_statement: {
        const auto* n = s.as<WhileSyntax>();
        open("While", s), add(n->condition), list(n->body), list(n->else_body);
        return;
      }
      case StmtSyntaxKind::for_statement: {
        const auto* n = s.as<ForSyntax>();
        open(n->is_async ? "AsyncFor" : "For", s), add(n->target), add(n->iterable);
        list(n->body), list(n->else_body);
        return;
      }
      case StmtSyntaxKind::with_statement: {
        const auto* n = s.as<WithSyntax>();
        open(n->is_async ? "AsyncWith" : "With", s), add("[");
        for (const WithItemSyntax& item : n->items) add(item.context), add(item.target);
        add("]"), list(n->body);
        return;
      }
      case StmtSyntaxKind::try_statement: expand_try(*s.as<TrySyntax>()); return;
      default: open("Match", s), add(s.as<MatchSyntax>()->subject); return;
    }
  }

  void expand_try(const TrySyntax& node) {
    open(node.is_star ? "TryStar" : "Try", node);
    list(node.body);
    add("[");
    for (const ExceptSyntax& handler : node.handlers) {
      open("except", handler), add(handler.type), name(handler.name.text), list(handler.body);
      add(")");
    }
    add("]");
    list(node.else_body), list(node.final_body);
  }

  std::string out_;
  std::vector<Part> work_;
  std::vector<Part> parts_;
};

}  // namespace

std::string dump_syntax(const SyntaxTree& tree) { return Dumper().dump(tree.statements()); }

}  // namespace tilefoundry
