// Scalar constants as numbers of the language.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "tilefoundry/ir/expr.h"
#include "tilefoundry/text/script.h"

namespace tilefoundry {

// The shortest number that gives the constant's bits when it is converted to the constant's dtype:
// `2`, `0.1`, `float("inf")`, `True`. Throws ValueError (TF3070) for a constant that is no scalar
// of an arithmetic dtype.
std::string number_text(const Constant& constant);
// `Constant(1.0, "f32")`, with the storage as a third argument when it is not umat.
std::string explicit_constant_text(const Constant& constant, Script& script);

// How constants stand among the operands of one op: as bare numbers where the other operands decide
// the same dtype, by the rule of the front end, else in the explicit form.
class OperandNumbers {
 public:
  explicit OperandNumbers(const std::vector<ExprRef>& args);
  std::string text(const Constant& constant, Script& script) const;

 private:
  bool decided(const Constant& constant) const;

  std::vector<DType> candidates_;  // dtypes of the operands that are no bare numbers
  std::unordered_set<const Expr*> explicit_;
};

}  // namespace tilefoundry
