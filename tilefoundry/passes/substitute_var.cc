#include "tilefoundry/passes/substitute_var.h"

namespace tilefoundry {

Dim VarSubstituter::replaced(const Dim& dim) const {
  if (dim.is_static()) return dim;
  return substitute(dim, [&](const Ref<const DimNode>& node) {
    const DimAtom* atom = node->as_atom();
    return atom == static_cast<const DimAtom*>(&from_) ? to_->dim() : Dim(node);
  });
}

ExprRef VarSubstituter::visit_Var(const Var& var) {
  return &var == &from_ ? ExprRef(to_) : ExprRef(&var);
}

ExprRef VarSubstituter::visit_DimValue(const DimValue& value) {
  Dim dim = replaced(value.dim());
  return dim == value.dim() ? ExprRef(&value) : ExprRef(DimValue::make(dim, value.meta()));
}

StmtRef VarSubstituter::visit_For(const For& stmt) {
  const Dim start = replaced(stmt.start());
  const Dim stop = replaced(stmt.stop());
  const Dim step = replaced(stmt.step());
  StmtRef body = mutate(stmt.body());
  if (start == stmt.start() && stop == stmt.stop() && step == stmt.step() && body == stmt.body()) {
    return StmtRef(&stmt);
  }
  return For::make(stmt.var(), start, stop, step, std::move(body), stmt.mode(), stmt.meta());
}

}  // namespace tilefoundry
