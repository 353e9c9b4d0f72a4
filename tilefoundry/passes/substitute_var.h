// Replaces a scalar variable in statements: in values, in index arithmetic, in loop bounds.
#pragma once

#include "tilefoundry/ir/tir/stmt_visitor.h"

namespace tilefoundry {

class VarSubstituter final : public StmtExprMutator {
 public:
  VarSubstituter(const Var& from, VarRef to) : from_(from), to_(std::move(to)) {}

 protected:
  ExprRef visit_Var(const Var& var) override;
  ExprRef visit_DimValue(const DimValue& value) override;
  StmtRef visit_For(const For& stmt) override;

 private:
  Dim replaced(const Dim& dim) const;
  const Var& from_;
  VarRef to_;
};

}  // namespace tilefoundry
