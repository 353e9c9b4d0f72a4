// Replaces variables in statements: a scalar in values, index arithmetic and loop bounds; buffers.
#pragma once

#include <unordered_map>

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

// Replaces buffers by others of the same shape.
class VarReplacer final : public StmtExprMutator {
 public:
  explicit VarReplacer(const std::unordered_map<const Var*, VarRef>& replacements)
      : replacements_(replacements) {}

 protected:
  ExprRef visit_Var(const Var& var) override {
    const auto it = replacements_.find(&var);
    return it != replacements_.end() ? ExprRef(it->second) : ExprRef(&var);
  }

 private:
  const std::unordered_map<const Var*, VarRef>& replacements_;
};

}  // namespace tilefoundry
