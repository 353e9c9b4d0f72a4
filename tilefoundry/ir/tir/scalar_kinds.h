// The kinds of scalar arithmetic, shared by the value ops of HIR and the scalar ops of TIR.
// Semantics: one rounding to the dtype per operation; integers wrap; division of integers by zero
// gives 0; floor_div and mod follow Python's signs; min and max propagate nan.
#pragma once

#include <array>
#include <string_view>

#include "tilefoundry/ir/attr.h"

namespace tilefoundry {

enum class BinaryKind {
  add,
  sub,
  mul,
  div,
  floor_div,
  mod,
  min,
  max,
  cmp_eq,
  cmp_ne,
  cmp_lt,
  cmp_le,
  cmp_gt,
  cmp_ge,
  logical_and,
  logical_or,
  pow
};

template <>
struct EnumNames<BinaryKind> {
  static constexpr std::array<std::string_view, 17> names = {
      "add",    "sub",    "mul",         "div",        "floor_div", "mod",
      "min",    "max",    "cmp_eq",      "cmp_ne",     "cmp_lt",    "cmp_le",
      "cmp_gt", "cmp_ge", "logical_and", "logical_or", "pow"};
};

enum class UnaryKind {
  neg,
  abs,
  logical_not,
  rsqrt,
  relu,
  square,
  exp,
  log,
  ceil,
  floor,
  round,
  exp2,
  log2,
  log1p,
  sqrt,
  sin,
  cos,
  erf,
  tanh,
  sigmoid,
  softplus,
  normcdf  // the distribution function of the standard normal distribution
};

template <>
struct EnumNames<UnaryKind> {
  static constexpr std::array<std::string_view, 22> names = {
      "neg",  "abs",   "logical_not", "rsqrt",   "relu",     "square", "exp",  "log",
      "ceil", "floor", "round",       "exp2",    "log2",     "log1p",  "sqrt", "sin",
      "cos",  "erf",   "tanh",        "sigmoid", "softplus", "normcdf"};
};

// cmp_*, logical_*: the result is bool.
constexpr bool is_predicate(BinaryKind kind) {
  return kind >= BinaryKind::cmp_eq && kind <= BinaryKind::logical_or;
}

// Which dtypes a kind is defined on (before the result becomes bool).
bool binary_accepts(BinaryKind kind, DType dtype);
bool unary_accepts(UnaryKind kind, DType dtype);

}  // namespace tilefoundry
