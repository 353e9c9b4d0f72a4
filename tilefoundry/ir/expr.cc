#include "tilefoundry/ir/expr.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <unordered_set>

#include <fmt/format.h>

#include "tilefoundry/ir/hir/grid_region.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/hash.h"
#include "tilefoundry/types/element.h"

namespace tilefoundry {

Expr::Expr(ExprKind kind, TypeRef type, Metadata meta)
    : kind_(kind), type_(std::move(type)), meta_(std::move(meta)) {
  static std::atomic<std::uint64_t> next{0};
  serial_ = next.fetch_add(1, std::memory_order_relaxed);
}

Var::Var(std::string name, TypeRef type, bool is_const, Span span)
    : Expr(ExprKind::var, std::move(type), Metadata{std::move(name), std::move(span)}),
      is_const_(is_const) {}

VarRef Var::make(std::string name, TypeRef type, bool is_const, Span span) {
  return VarRef(new Var(std::move(name), std::move(type), is_const, std::move(span)));
}

Constant::Constant(TensorTypeRef type, std::vector<std::byte> bytes, Metadata meta)
    : Expr(ExprKind::constant, std::move(type), std::move(meta)), bytes_(std::move(bytes)) {}

Ref<const Constant> Constant::make(TensorTypeRef type, std::vector<std::byte> bytes,
                                   Metadata meta) {
  const std::int64_t wanted = tensor_bytes(type);
  if (static_cast<std::int64_t>(bytes.size()) != wanted) {
    throw ValueError(
        Diagnostic{.code = "TF3030",
                   .message = fmt::format("a constant of {} elements needs {} bytes, got {}",
                                          numel(type), wanted, bytes.size()),
                   .span = meta.span});
  }
  return Ref<const Constant>(new Constant(std::move(type), std::move(bytes), std::move(meta)));
}

Ref<const Constant> Constant::scalar(DType dtype, double value, Metadata meta) {
  std::vector<std::byte> bytes(element_size(dtype));
  store_float(dtype, bytes.data(), value);
  return make(TensorType::umat_scalar(dtype), std::move(bytes), std::move(meta));
}

Ref<const Constant> Constant::scalar_int(DType dtype, std::int64_t value, Metadata meta) {
  std::vector<std::byte> bytes(element_size(dtype));
  store_int(dtype, bytes.data(), value);
  return make(TensorType::umat_scalar(dtype), std::move(bytes), std::move(meta));
}

double Constant::float_at(std::size_t index) const {
  const DType dtype = tensor_type().dtype();
  return load_float(dtype, bytes_.data() + index * element_size(dtype));
}

std::int64_t Constant::int_at(std::size_t index) const {
  const DType dtype = tensor_type().dtype();
  return load_int(dtype, bytes_.data() + index * element_size(dtype));
}

ScopeRef ExecutionScope::make(std::vector<MeshRef> meshes) {
  if (meshes.empty()) return nullptr;
  return intern(new ExecutionScope(std::move(meshes)));
}

std::size_t ExecutionScope::structural_hash() const { return hash_range(1, meshes_); }

Call::Call(CallableRef target, std::vector<ExprRef> args, TypeRef type, Metadata meta,
           ScopeRef scope)
    : Expr(ExprKind::call, std::move(type), std::move(meta)),
      target_(std::move(target)),
      args_(std::move(args)),
      scope_(std::move(scope)) {}

CallRef Call::make(CallableRef target, std::vector<ExprRef> args, TypeRef type, Metadata meta,
                   ScopeRef scope) {
  return CallRef(new Call(std::move(target), std::move(args), std::move(type), std::move(meta),
                          std::move(scope)));
}

Tuple::Tuple(std::vector<ExprRef> elements, TypeRef type, Metadata meta)
    : Expr(ExprKind::tuple, std::move(type), std::move(meta)), elements_(std::move(elements)) {}

Ref<const Tuple> Tuple::make(std::vector<ExprRef> elements, TypeRef type, Metadata meta) {
  if (!type) {
    std::vector<TypeRef> fields;
    for (const ExprRef& element : elements) fields.push_back(element->type());
    type = TupleType::make(std::move(fields));
  }
  return Ref<const Tuple>(new Tuple(std::move(elements), std::move(type), std::move(meta)));
}

DimValue::DimValue(Dim dim, Metadata meta)
    : Expr(ExprKind::dim_value, TensorType::umat_scalar(DType::i64), std::move(meta)),
      dim_(std::move(dim)) {}

Ref<const DimValue> DimValue::make(Dim dim, Metadata meta) {
  return Ref<const DimValue>(new DimValue(std::move(dim), std::move(meta)));
}

SymbolRef::SymbolRef(std::string symbol, Ref<const CallableType> type, Metadata meta)
    : Expr(ExprKind::symbol_ref, std::move(type), std::move(meta)), symbol_(std::move(symbol)) {}

Ref<const SymbolRef> SymbolRef::make(std::string symbol, Ref<const CallableType> type,
                                     Metadata meta) {
  return Ref<const SymbolRef>(new SymbolRef(std::move(symbol), std::move(type), std::move(meta)));
}

ShapeOfExpr::ShapeOfExpr(VarRef param, std::size_t axis, Metadata meta)
    : Expr(ExprKind::shape_of, TensorType::make({}, DType::i32), std::move(meta)),
      param_(std::move(param)),
      axis_(axis) {}

Ref<const ShapeOfExpr> ShapeOfExpr::make(VarRef param, std::size_t axis, Metadata meta) {
  const TensorType* type = as_tensor(param->type());
  TF_CHECK(type != nullptr && axis < type->rank(), "an axis that the tensor has not");
  return Ref<const ShapeOfExpr>(new ShapeOfExpr(std::move(param), axis, std::move(meta)));
}

const Dim& ShapeOfExpr::extent() const { return as_tensor(param_->type())->shape()[axis_]; }

namespace {

template <class T>
const T* cast_kind(const Expr& expr, ExprKind kind) noexcept {
  return expr.kind() == kind ? static_cast<const T*>(&expr) : nullptr;
}

}  // namespace

template <>
const Var* expr_cast<Var>(const Expr& expr) noexcept {
  return cast_kind<Var>(expr, ExprKind::var);
}
template <>
const Constant* expr_cast<Constant>(const Expr& expr) noexcept {
  return cast_kind<Constant>(expr, ExprKind::constant);
}
template <>
const Call* expr_cast<Call>(const Expr& expr) noexcept {
  return cast_kind<Call>(expr, ExprKind::call);
}
template <>
const Tuple* expr_cast<Tuple>(const Expr& expr) noexcept {
  return cast_kind<Tuple>(expr, ExprKind::tuple);
}
template <>
const DimValue* expr_cast<DimValue>(const Expr& expr) noexcept {
  return cast_kind<DimValue>(expr, ExprKind::dim_value);
}
template <>
const SymbolRef* expr_cast<SymbolRef>(const Expr& expr) noexcept {
  return cast_kind<SymbolRef>(expr, ExprKind::symbol_ref);
}
template <>
const ShapeOfExpr* expr_cast<ShapeOfExpr>(const Expr& expr) noexcept {
  return cast_kind<ShapeOfExpr>(expr, ExprKind::shape_of);
}
template <>
const UserExpr* expr_cast<UserExpr>(const Expr& expr) noexcept {
  return cast_kind<UserExpr>(expr, ExprKind::user);
}

void for_each_operand(const Expr& expr, const std::function<void(const ExprRef&)>& visit) {
  switch (expr.kind()) {
    case ExprKind::call:
      for (const ExprRef& arg : static_cast<const Call&>(expr).args()) visit(arg);
      break;
    case ExprKind::tuple:
      for (const ExprRef& element : static_cast<const Tuple&>(expr).elements()) visit(element);
      break;
    case ExprKind::grid_region: {
      const auto& loop = static_cast<const GridRegionExpr&>(expr);
      for (const ExprRef& init : loop.init_args()) visit(init);
      for (const ExprRef& value : loop.yield_values()) visit(value);
      break;
    }
    case ExprKind::shape_of: visit(static_cast<const ShapeOfExpr&>(expr).param()); break;
    case ExprKind::user:
      for (const ExprRef& operand : static_cast<const UserExpr&>(expr).operands()) visit(operand);
      break;
    case ExprKind::var:
    case ExprKind::constant:
    case ExprKind::dim_value:
    case ExprKind::symbol_ref: break;
  }
}

namespace {

bool has_operands(const Expr& expr) {
  return expr.kind() == ExprKind::call || expr.kind() == ExprKind::tuple ||
         expr.kind() == ExprKind::grid_region || expr.kind() == ExprKind::shape_of ||
         expr.kind() == ExprKind::user;
}

// Which nodes were met: a list while they are few, as in most statements, else a hash set.
class SeenNodes {
 public:
  // True for the first time.
  bool insert(const Expr* expr) {
    if (set_.empty()) {
      if (std::find(few_.begin(), few_.end(), expr) != few_.end()) return false;
      few_.push_back(expr);
      if (few_.size() > kFew) set_.insert(few_.begin(), few_.end());
      return true;
    }
    return set_.insert(expr).second;
  }
  bool contains(const Expr* expr) const {
    if (set_.empty()) return std::find(few_.begin(), few_.end(), expr) != few_.end();
    return set_.contains(expr);
  }

 private:
  static constexpr std::size_t kFew = 16;
  std::vector<const Expr*> few_;
  std::unordered_set<const Expr*> set_;
};

}  // namespace

std::vector<ExprRef> post_order(const std::vector<ExprRef>& roots) {
  if (roots.size() == 1 && !has_operands(*roots[0])) return roots;
  // Nodes stay alive through the roots.
  std::vector<ExprRef> order;
  SeenNodes seen;
  std::vector<std::pair<const Expr*, bool>> stack;  // node, whether its operands were pushed
  for (auto it = roots.rbegin(); it != roots.rend(); ++it) stack.emplace_back(it->get(), false);
  while (!stack.empty()) {
    const auto [expr, expanded] = stack.back();
    if (expanded) {
      order.emplace_back(expr);
      stack.pop_back();
      continue;
    }
    if (!seen.insert(expr)) {
      stack.pop_back();
      continue;
    }
    if (!has_operands(*expr)) {
      order.emplace_back(expr);
      stack.pop_back();
      continue;
    }
    stack.back().second = true;
    const std::size_t first = stack.size();
    for_each_operand(*expr, [&](const ExprRef& operand) {
      if (!seen.contains(operand.get())) stack.emplace_back(operand.get(), false);
    });
    std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
  }
  return order;
}

}  // namespace tilefoundry
