// Scalar constants as numbers of the language.
#pragma once

#include <string>

#include "tilefoundry/ir/expr.h"
#include "tilefoundry/text/script.h"

namespace tilefoundry {

// The shortest number that gives the constant's bits when it is converted to the constant's dtype:
// `2`, `0.1`, `float("inf")`, `True`. Throws ValueError (TF3070) for a constant that is no scalar
// of an arithmetic dtype.
std::string number_text(const Constant& constant);
// `Constant(1.0, "f32")`, with the storage as a third argument when it is not umat.
std::string explicit_constant_text(const Constant& constant, Script& script);

// How a constant stands among the operands of one op: the bare number when the other operands agree
// on its dtype, else the explicit form.
class OperandNumbers {
 public:
  explicit OperandNumbers(const std::vector<ExprRef>& args);
  std::string text(const Constant& constant, Script& script) const;

 private:
  const TensorType* partner_ = nullptr;  // of the first operand that is no number
  bool agree_ = true;
};

}  // namespace tilefoundry
