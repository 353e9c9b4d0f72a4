// Expressions of the syntax tree: what is written, before any name has a meaning.
//
// Nodes are plain structs in the arena of their SyntaxTree. Strings are views into the file or the
// arena. Depth: `BinarySyntax::left`, `AttributeSyntax::value`, `SubscriptSyntax::value` and
// `CallSyntax::callee` form chains of any length, which a walk must follow with a loop or a work
// list. All other nesting is held to kNestingLimit (parser.h), so a walk may recurse on it.
//
// Ranges are those of Python's ast: parentheses around an expression are outside of its range,
// those of a tuple are inside.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tilefoundry/frontend/token.h"

namespace tilefoundry {

// clang-format off
enum class ExprSyntaxKind : std::uint8_t {
  name, none_literal, true_literal, false_literal, ellipsis,
  integer, floating, imaginary, string, bytes, f_string,
  tuple, list, set, dict, list_comprehension, set_comprehension, dict_comprehension, generator,
  unary, binary, boolean, compare, conditional, lambda,
  call, attribute, subscript, slice, starred, named, await, yield, yield_from,
};
// clang-format on

struct ExprSyntax {
  ExprSyntaxKind kind = ExprSyntaxKind::name;
  TextRange range;

  // The node as `T` if it is one, else null.
  template <class T>
  const T* as() const {
    return T::has_kind(kind) ? static_cast<const T*>(this) : nullptr;
  }
};

// An identifier with its place.
struct Identifier {
  std::string_view text;
  TextRange range;
};

// The kinds none_literal, true_literal, false_literal, ellipsis and f_string have no struct: the
// kind says it all. (What is inside an f-string is not parsed.)

struct NameSyntax : ExprSyntax {
  static constexpr bool has_kind(ExprSyntaxKind k) { return k == ExprSyntaxKind::name; }
  std::string_view text;
};

struct IntegerSyntax : ExprSyntax {
  static constexpr bool has_kind(ExprSyntaxKind k) { return k == ExprSyntaxKind::integer; }
  std::string_view text;        // as written
  std::uint64_t magnitude = 0;  // meaningless if too_large
  bool too_large = false;       // needs more than 64 bits

  // The value if it fits; `negate` is for the operand of a unary minus, so that the least int64
  // can be written.
  std::optional<std::int64_t> as_int64(bool negate = false) const {
    const std::uint64_t limit = std::uint64_t{INT64_MAX} + (negate ? 1 : 0);
    if (too_large || magnitude > limit) return std::nullopt;
    return static_cast<std::int64_t>(negate ? ~magnitude + 1 : magnitude);
  }
};

struct FloatSyntax : ExprSyntax {
  static constexpr bool has_kind(ExprSyntaxKind k) { return k == ExprSyntaxKind::floating; }
  std::string_view text;  // as written
  double value = 0;
};

// A number with a `j`.
struct ImaginarySyntax : ExprSyntax {
  static constexpr bool has_kind(ExprSyntaxKind k) { return k == ExprSyntaxKind::imaginary; }
  std::string_view text;
};

// A string or bytes literal: adjacent ones joined, escapes decoded.
struct StringSyntax : ExprSyntax {
  static constexpr bool has_kind(ExprSyntaxKind k) {
    return k == ExprSyntaxKind::string || k == ExprSyntaxKind::bytes;
  }
  std::string_view value;
};

// A tuple (with or without parentheses), list or set.
struct SequenceSyntax : ExprSyntax {
  static constexpr bool has_kind(ExprSyntaxKind k) {
    return k == ExprSyntaxKind::tuple || k == ExprSyntaxKind::list || k == ExprSyntaxKind::set;
  }
  std::span<const ExprSyntax* const> elements;
};

struct DictEntrySyntax {
  const ExprSyntax* key = nullptr;  // null for `**value`
  const ExprSyntax* value = nullptr;
};

struct DictSyntax : ExprSyntax {
  static constexpr bool has_kind(ExprSyntaxKind k) { return k == ExprSyntaxKind::dict; }
  std::span<const DictEntrySyntax> entries;
};

// `for target in iterable if condition ...`
struct ComprehensionClause {
  bool is_async = false;
  const ExprSyntax* target = nullptr;
  const ExprSyntax* iterable = nullptr;
  std::span<const ExprSyntax* const> conditions;
};

struct ComprehensionSyntax : ExprSyntax {
  static constexpr bool has_kind(ExprSyntaxKind k) {
    return k >= ExprSyntaxKind::list_comprehension && k <= ExprSyntaxKind::generator;
  }
  const ExprSyntax* element = nullptr;  // the key in a dict comprehension
  const ExprSyntax* value = nullptr;    // only in a dict comprehension
  std::span<const ComprehensionClause> clauses;
};

enum class UnaryOperator : std::uint8_t { plus, minus, invert, logical_not };
enum class BinaryOperator : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power,
  matmul,
  left_shift,
  right_shift,
  bit_and,
  bit_or,
  bit_xor
};
enum class CompareOperator : std::uint8_t {
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  is,
  is_not,
  in,
  not_in
};

// How an operator is written: "not", "//", "is not".
std::string_view operator_text(UnaryOperator op);
std::string_view operator_text(BinaryOperator op);
std::string_view operator_text(CompareOperator op);

struct UnarySyntax : ExprSyntax {
  static constexpr bool has_kind(ExprSyntaxKind k) { return k == ExprSyntaxKind::unary; }
  UnaryOperator op = UnaryOperator::plus;
  const ExprSyntax* operand = nullptr;
};

struct BinarySyntax : ExprSyntax {
  static constexpr bool has_kind(ExprSyntaxKind k) { return k == ExprSyntaxKind::binary; }
  BinaryOperator op = BinaryOperator::add;
  TextRange op_range;
  const ExprSyntax* left = nullptr;
  const ExprSyntax* right = nullptr;
};

// `a and b and c` is one node with three operands.
struct BooleanSyntax : ExprSyntax {
  static constexpr bool has_kind(ExprSyntaxKind k) { return k == ExprSyntaxKind::boolean; }
  bool is_and = false;
  std::span<const ExprSyntax* const> operands;
};

struct CompareStep {
  CompareOperator op = CompareOperator::equal;
  TextRange op_range;
  const ExprSyntax* operand = nullptr;
};

// `a < b <= c` is one node with two steps.
struct CompareSyntax : ExprSyntax {
  static constexpr bool has_kind(ExprSyntaxKind k) { return k == ExprSyntaxKind::compare; }
  const ExprSyntax* first = nullptr;
  std::span<const CompareStep> steps;
};

// `then_value if condition else else_value`
struct ConditionalSyntax : ExprSyntax {
  static constexpr bool has_kind(ExprSyntaxKind k) { return k == ExprSyntaxKind::conditional; }
  const ExprSyntax* condition = nullptr;
  const ExprSyntax* then_value = nullptr;
  const ExprSyntax* else_value = nullptr;
};

enum class ParameterKind : std::uint8_t {
  positional_only,
  positional,
  var_positional,  // *args
  keyword_only,
  var_keyword  // **kwargs
};

struct ParameterSyntax {
  ParameterKind kind = ParameterKind::positional;
  Identifier name;
  const ExprSyntax* annotation = nullptr;     // or null
  const ExprSyntax* default_value = nullptr;  // or null
  TextRange range;  // from the stars or the name to the end of the default
};

struct LambdaSyntax : ExprSyntax {
  static constexpr bool has_kind(ExprSyntaxKind k) { return k == ExprSyntaxKind::lambda; }
  std::span<const ParameterSyntax> parameters;
  const ExprSyntax* body = nullptr;
};

enum class ArgumentKind : std::uint8_t { positional, keyword, star, double_star };

// One argument of a call, or one base or keyword of a class, in the order of the text.
struct ArgumentSyntax {
  ArgumentKind kind = ArgumentKind::positional;
  Identifier name;  // for a keyword
  const ExprSyntax* value = nullptr;
  TextRange range;  // with the name or the stars
};

struct CallSyntax : ExprSyntax {
  static constexpr bool has_kind(ExprSyntaxKind k) { return k == ExprSyntaxKind::call; }
  const ExprSyntax* callee = nullptr;
  std::span<const ArgumentSyntax> arguments;
};

struct AttributeSyntax : ExprSyntax {
  static constexpr bool has_kind(ExprSyntaxKind k) { return k == ExprSyntaxKind::attribute; }
  const ExprSyntax* value = nullptr;
  Identifier name;
};

// `value[index]`. An index of several items is a tuple; items may be slices.
struct SubscriptSyntax : ExprSyntax {
  static constexpr bool has_kind(ExprSyntaxKind k) { return k == ExprSyntaxKind::subscript; }
  const ExprSyntax* value = nullptr;
  const ExprSyntax* index = nullptr;
};

// `lower:upper:step`; a part that is left out is null.
struct SliceSyntax : ExprSyntax {
  static constexpr bool has_kind(ExprSyntaxKind k) { return k == ExprSyntaxKind::slice; }
  const ExprSyntax* lower = nullptr;
  const ExprSyntax* upper = nullptr;
  const ExprSyntax* step = nullptr;
};

// `*value`, `await value`, `yield value` (null for a bare yield), `yield from value`.
struct WrapperSyntax : ExprSyntax {
  static constexpr bool has_kind(ExprSyntaxKind k) {
    return k == ExprSyntaxKind::starred || k == ExprSyntaxKind::await ||
           k == ExprSyntaxKind::yield || k == ExprSyntaxKind::yield_from;
  }
  const ExprSyntax* value = nullptr;
};

// `target := value`
struct NamedSyntax : ExprSyntax {
  static constexpr bool has_kind(ExprSyntaxKind k) { return k == ExprSyntaxKind::named; }
  const NameSyntax* target = nullptr;
  const ExprSyntax* value = nullptr;
};

}  // namespace tilefoundry
