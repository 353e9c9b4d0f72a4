#include "tilefoundry/text/program_scan.h"

#include <algorithm>

#include "tilefoundry/ir/hir/grid_region.h"

namespace tilefoundry {

void ProgramScan::add(const Function& function) {
  add_params(function.params());
  add_type(function.return_type());
  for (const FunctionRef& variant : function.variants()) add_params(variant->params());
  add_exprs(function.bodies());
}

void ProgramScan::add(const PrimFunction& function) {
  add_params(function.params());
  std::vector<StmtRef> pending{function.body()};
  while (!pending.empty()) {
    const StmtRef stmt = std::move(pending.back());
    pending.pop_back();
    if (!stmt) continue;
    add_stmt(*stmt);
    const auto first = static_cast<std::ptrdiff_t>(pending.size());
    for_each_child_stmt(*stmt, [&](const StmtRef& child) { pending.push_back(child); });
    std::reverse(pending.begin() + first, pending.end());
  }
}

void ProgramScan::add(const Topologies& topologies) {
  for (const auto& topology : topologies) add_dim(topology->size());
}

void ProgramScan::add_params(const std::vector<VarRef>& params) {
  for (const VarRef& param : params) {
    params_.insert(param->name());
    add_type(param->type());
  }
}

void ProgramScan::add_type(const TypeRef& type) {
  if (!type || !seen_.insert(type.get()).second) return;
  for_each_leaf(type, [&](const TensorType& leaf) {
    for (const Dim& extent : leaf.shape()) add_dim(extent);
    add_layout(leaf.layout());
  });
}

void ProgramScan::add_layout(const LayoutRef& layout) {
  if (!layout || !seen_.insert(layout.get()).second) return;
  if (layout->kind() == LayoutKind::plain) {
    const auto& plain = static_cast<const Layout&>(*layout);
    for (const Dim& extent : plain.domain()) add_dim(extent);
    if (plain.strides() == nullptr) return;
    for (const Dim& stride : plain.strides()->flatten()) add_dim(stride);
  } else if (layout->kind() == LayoutKind::composed) {
    const auto& composed = static_cast<const ComposedLayout&>(*layout);
    add_layout(composed.inner());
    add_dim(composed.offset());
    add_layout(composed.outer());
  } else {
    const auto& shard = static_cast<const ShardLayout&>(*layout);
    add_layout(shard.layout());
    add_mesh(shard.mesh());
  }
}

void ProgramScan::add_mesh(const MeshRef& mesh) {
  if (!mesh || !seen_.insert(mesh.get()).second) return;
  add(mesh->topologies());
  add_layout(mesh->layout());
  meshes_.push_back(mesh);
}

void ProgramScan::add_dim(const Dim& dim) {
  for_each_dim_atom(dim, [&](const DimNode& node) {
    if (node.as_var() != nullptr && seen_.insert(&node).second) dim_vars_.emplace_back(&node);
  });
}

void ProgramScan::add_attr(const AttrValue& value) {
  if (const auto* dim = std::get_if<Dim>(&value)) add_dim(*dim);
  if (const auto* shape = std::get_if<Shape>(&value)) {
    for (const Dim& dim : *shape) add_dim(dim);
  }
  if (const auto* type = std::get_if<TypeRef>(&value)) add_type(*type);
  if (const auto* layout = std::get_if<LayoutRef>(&value)) add_layout(*layout);
  if (const auto* mesh = std::get_if<MeshRef>(&value)) add_mesh(*mesh);
}

void ProgramScan::add_op(const Op& op) {
  for (std::size_t i = 0; i < op.op_class().attrs().size(); ++i) add_attr(op.attr(i));
}

void ProgramScan::add_exprs(const std::vector<ExprRef>& roots) {
  for (const ExprRef& expr : post_order(roots)) {
    if (const auto* value = expr_cast<DimValue>(expr)) add_dim(value->dim());
    if (const auto* loop = expr_cast<GridRegionExpr>(expr)) {
      for (const Dim* bound : {&loop->start(), &loop->extent(), &loop->step()}) add_dim(*bound);
    }
    const auto* call = expr_cast<Call>(expr);
    if (call == nullptr) continue;
    if (call->target()->node_class().node_kind() == NodeClassKind::op) {
      add_op(static_cast<const Op&>(*call->target()));
    }
    if (call->scope()) {
      for (const MeshRef& mesh : call->scope()->meshes()) add_mesh(mesh);
    }
  }
}

void ProgramScan::add_stmt(const Stmt& stmt) {
  std::vector<ExprRef> exprs;
  for_each_stmt_expr(stmt, [&](const ExprRef& expr) { exprs.push_back(expr); });
  add_exprs(exprs);
  if (const auto* loop = stmt_cast<For>(stmt)) {
    add_dim(loop->start());
    add_dim(loop->stop());
    add_dim(loop->step());
  }
  if (const auto* scope = stmt_cast<MeshScope>(stmt)) add_mesh(scope->mesh());
  const auto* evaluate = stmt_cast<Evaluate>(stmt);
  if (evaluate != nullptr && evaluate->callable()) add_op(*evaluate->callable());
}

std::vector<FunctionRef> called_functions(const Function& function) {
  std::vector<FunctionRef> out;
  std::unordered_set<const Function*> seen;
  for (const ExprRef& expr : post_order(function.bodies())) {
    const auto* call = expr_cast<Call>(expr);
    const Function* callee = call != nullptr ? as_function(*call->target()) : nullptr;
    if (callee != nullptr && seen.insert(callee).second) out.emplace_back(callee);
  }
  return out;
}

FunctionRef written_function(const FunctionRef& function) {
  FunctionRef written = function;
  while (written->origin()) written = written->origin();
  return written;
}

}  // namespace tilefoundry
