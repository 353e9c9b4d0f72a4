// Statements of the syntax tree. See syntax_expr.h for how nodes live and how deep they nest.
//
// The whole statement grammar of Python is here, so that a later step can name what the language
// does not have. The range of a decorated definition starts at `def` or `class`, as in Python;
// `decorated_range` includes the decorators.
#pragma once

#include "tilefoundry/frontend/syntax_expr.h"

namespace tilefoundry {

// clang-format off
enum class StmtSyntaxKind : std::uint8_t {
  expression, assign, annotated_assign, augmented_assign,
  function, class_definition, if_statement, while_statement, for_statement, with_statement,
  return_statement, pass_statement, break_statement, continue_statement, raise_statement,
  assert_statement, delete_statement, global_statement, nonlocal_statement, try_statement,
  match_statement, import_statement, import_from, type_alias,
};
// clang-format on

struct StmtSyntax {
  StmtSyntaxKind kind = StmtSyntaxKind::pass_statement;
  TextRange range;

  template <class T>
  const T* as() const {
    return T::has_kind(kind) ? static_cast<const T*>(this) : nullptr;
  }
};

using SyntaxBlock = std::span<const StmtSyntax* const>;

// pass, break and continue have no struct: the kind says it all.

// An expression or a `return`.
struct ValueStmtSyntax : StmtSyntax {
  static constexpr bool has_kind(StmtSyntaxKind k) {
    return k == StmtSyntaxKind::expression || k == StmtSyntaxKind::return_statement;
  }
  const ExprSyntax* value = nullptr;  // null for a bare return
};

// `target = target = value`
struct AssignSyntax : StmtSyntax {
  static constexpr bool has_kind(StmtSyntaxKind k) { return k == StmtSyntaxKind::assign; }
  std::span<const ExprSyntax* const> targets;
  const ExprSyntax* value = nullptr;
};

// `target: annotation = value`
struct AnnotatedAssignSyntax : StmtSyntax {
  static constexpr bool has_kind(StmtSyntaxKind k) { return k == StmtSyntaxKind::annotated_assign; }
  const ExprSyntax* target = nullptr;
  const ExprSyntax* annotation = nullptr;
  const ExprSyntax* value = nullptr;  // or null
};

// `target += value`
struct AugmentedAssignSyntax : StmtSyntax {
  static constexpr bool has_kind(StmtSyntaxKind k) { return k == StmtSyntaxKind::augmented_assign; }
  const ExprSyntax* target = nullptr;
  BinaryOperator op = BinaryOperator::add;
  TextRange op_range;
  const ExprSyntax* value = nullptr;
};

struct FunctionSyntax : StmtSyntax {
  static constexpr bool has_kind(StmtSyntaxKind k) { return k == StmtSyntaxKind::function; }
  bool is_async = false;
  Identifier name;
  std::span<const ExprSyntax* const> decorators;
  std::span<const ParameterSyntax> parameters;
  const ExprSyntax* returns = nullptr;  // or null
  SyntaxBlock body;
  TextRange header;           // from `def` to the colon
  TextRange decorated_range;  // from the first `@` to the end of the body
};

struct ClassSyntax : StmtSyntax {
  static constexpr bool has_kind(StmtSyntaxKind k) { return k == StmtSyntaxKind::class_definition; }
  Identifier name;
  std::span<const ExprSyntax* const> decorators;
  std::span<const ArgumentSyntax> arguments;  // bases and keywords
  SyntaxBlock body;
  TextRange header;
  TextRange decorated_range;
};

struct IfBranchSyntax {
  const ExprSyntax* condition = nullptr;
  SyntaxBlock body;
  TextRange range;  // from `if` or `elif` to the end of the body
};

// One branch for `if` and one for each `elif`.
struct IfSyntax : StmtSyntax {
  static constexpr bool has_kind(StmtSyntaxKind k) { return k == StmtSyntaxKind::if_statement; }
  std::span<const IfBranchSyntax> branches;
  SyntaxBlock else_body;
};

struct WhileSyntax : StmtSyntax {
  static constexpr bool has_kind(StmtSyntaxKind k) { return k == StmtSyntaxKind::while_statement; }
  const ExprSyntax* condition = nullptr;
  SyntaxBlock body;
  SyntaxBlock else_body;
};

struct ForSyntax : StmtSyntax {
  static constexpr bool has_kind(StmtSyntaxKind k) { return k == StmtSyntaxKind::for_statement; }
  bool is_async = false;
  const ExprSyntax* target = nullptr;
  const ExprSyntax* iterable = nullptr;
  SyntaxBlock body;
  SyntaxBlock else_body;
};

struct WithItemSyntax {
  const ExprSyntax* context = nullptr;
  const ExprSyntax* target = nullptr;  // after `as`, or null
};

struct WithSyntax : StmtSyntax {
  static constexpr bool has_kind(StmtSyntaxKind k) { return k == StmtSyntaxKind::with_statement; }
  bool is_async = false;
  std::span<const WithItemSyntax> items;
  SyntaxBlock body;
};

// `raise exception from cause`; either may be null.
struct RaiseSyntax : StmtSyntax {
  static constexpr bool has_kind(StmtSyntaxKind k) { return k == StmtSyntaxKind::raise_statement; }
  const ExprSyntax* exception = nullptr;
  const ExprSyntax* cause = nullptr;
};

struct AssertSyntax : StmtSyntax {
  static constexpr bool has_kind(StmtSyntaxKind k) { return k == StmtSyntaxKind::assert_statement; }
  const ExprSyntax* condition = nullptr;
  const ExprSyntax* message = nullptr;  // or null
};

struct DeleteSyntax : StmtSyntax {
  static constexpr bool has_kind(StmtSyntaxKind k) { return k == StmtSyntaxKind::delete_statement; }
  std::span<const ExprSyntax* const> targets;
};

// `global a, b` and `nonlocal a, b`
struct ScopeSyntax : StmtSyntax {
  static constexpr bool has_kind(StmtSyntaxKind k) {
    return k == StmtSyntaxKind::global_statement || k == StmtSyntaxKind::nonlocal_statement;
  }
  std::span<const Identifier> names;
};

struct ExceptSyntax {
  const ExprSyntax* type = nullptr;  // null for a bare `except`
  Identifier name;                   // after `as`, or empty
  SyntaxBlock body;
  TextRange range;
};

struct TrySyntax : StmtSyntax {
  static constexpr bool has_kind(StmtSyntaxKind k) { return k == StmtSyntaxKind::try_statement; }
  bool is_star = false;  // except*
  SyntaxBlock body;
  std::span<const ExceptSyntax> handlers;
  SyntaxBlock else_body;
  SyntaxBlock final_body;
};

// Its cases are read over, not parsed.
struct MatchSyntax : StmtSyntax {
  static constexpr bool has_kind(StmtSyntaxKind k) { return k == StmtSyntaxKind::match_statement; }
  const ExprSyntax* subject = nullptr;
};

struct ImportNameSyntax {
  Identifier name;   // dotted in `import a.b`, without blanks
  Identifier alias;  // after `as`, or empty
};

// `import a.b as c, d`
struct ImportSyntax : StmtSyntax {
  static constexpr bool has_kind(StmtSyntaxKind k) { return k == StmtSyntaxKind::import_statement; }
  std::span<const ImportNameSyntax> names;
};

// `from ..module import a as b, c`; a star import has `is_star` and no names.
struct ImportFromSyntax : StmtSyntax {
  static constexpr bool has_kind(StmtSyntaxKind k) { return k == StmtSyntaxKind::import_from; }
  std::uint32_t level = 0;  // leading dots
  Identifier module;        // empty in `from . import a`
  std::span<const ImportNameSyntax> names;
  bool is_star = false;
};

// `type name = value`
struct TypeAliasSyntax : StmtSyntax {
  static constexpr bool has_kind(StmtSyntaxKind k) { return k == StmtSyntaxKind::type_alias; }
  Identifier name;
  const ExprSyntax* value = nullptr;
};

}  // namespace tilefoundry
