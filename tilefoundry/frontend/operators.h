// Where the language itself stands for an op: operators, subscripts, unpacking. The one place of
// frontend/ that names ops.
#pragma once

#include <string_view>

#include "tilefoundry/frontend/syntax_expr.h"
#include "tilefoundry/ir/op_class.h"

namespace tilefoundry {

// The DSL name of the op behind an operator, or empty when the dialect has none. Shifts and
// `^`, `is`, `in` have none. `&`, `|`, `~` and `not` stand for the logical ops.
std::string_view operator_alias(Dialect dialect, UnaryOperator op);
std::string_view operator_alias(Dialect dialect, BinaryOperator op);
std::string_view operator_alias(Dialect dialect, CompareOperator op);
std::string_view logic_alias(Dialect dialect, bool is_and);

// Class names of the ops behind constructs, with the attributes that the construct fills.
struct ConstructOp {
  std::string_view class_name;
  std::string_view attributes[2];
};
extern const ConstructOp kTupleItemOp;   // `t[0]` and unpacking: index
extern const ConstructOp kWindowOp;      // `x[a:b]`: sizes, strides
extern const ConstructOp kDropAxesOp;    // an int index: the new shape
extern const ConstructOp kExtentsOp;     // whose elements are dimensions
extern const ConstructOp kElementOp;     // TIR `x[i, j]`
extern const ConstructOp kSetElementOp;  // TIR `x[i, j] = value`

// The function of Python that an op's name stands for when every argument is a compile-time number
// or dimension; empty for most.
std::string_view compile_time_name(std::string_view op_name);

// What to write for a name of NumPy or PyTorch that the language spells otherwise; may be empty.
std::string_view usual_spelling(std::string_view name);

}  // namespace tilefoundry
