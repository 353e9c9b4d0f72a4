// Expressions of HIR and TIR. Immutable; sharing is pointer identity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tilefoundry/ir/metadata.h"
#include "tilefoundry/ir/op.h"
#include "tilefoundry/types/type.h"

namespace tilefoundry {

enum class ExprKind {
  var,
  constant,
  call,
  tuple,
  dim_value,
  symbol_ref,
  shape_of,
  grid_region,
  user
};

class Expr : public RefCounted {
 public:
  ExprKind kind() const noexcept { return kind_; }
  // Null until inferred.
  const TypeRef& type() const noexcept { return type_; }
  const Metadata& meta() const noexcept { return meta_; }
  const std::string& name() const noexcept { return meta_.name; }
  const Span& span() const noexcept { return meta_.span; }
  // Creation order: a node never reaches one with a greater number.
  std::uint64_t serial() const noexcept { return serial_; }
  // "Call", "Var"...
  virtual std::string_view class_name() const noexcept = 0;

 protected:
  Expr(ExprKind kind, TypeRef type, Metadata meta);

 private:
  ExprKind kind_;
  std::uint64_t serial_;
  TypeRef type_;
  Metadata meta_;
};
using ExprRef = Ref<const Expr>;

// A parameter or a TIR binding. Integer scalars can stand in dimension arithmetic.
class Var final : public Expr, public DimAtom {
 public:
  static Ref<const Var> make(std::string name, TypeRef type, bool is_const = false, Span span = {});

  // A weight (`ConstTensor`).
  bool is_const() const noexcept { return is_const_; }
  // This variable as a dimension; it is a rank-0 integer.
  Dim dim() const { return dim_atom(*this); }

  std::string_view class_name() const noexcept override { return "Var"; }
  std::string dim_name() const override { return name(); }
  std::uint64_t dim_serial() const override { return serial(); }
  const RefCounted& dim_owner() const override { return *this; }

 private:
  Var(std::string name, TypeRef type, bool is_const, Span span);
  bool is_const_;
};
using VarRef = Ref<const Var>;

// A literal tensor. Bytes are little-endian elements in C order; bool takes a byte.
class Constant final : public Expr {
 public:
  // Throws ValueError (TF3030) when the byte count does not fit the type.
  static Ref<const Constant> make(TensorTypeRef type, std::vector<std::byte> bytes,
                                  Metadata meta = {});
  // A rank-0 umat constant of f32, f16, bf16, i32, i64 or bool, rounded to the dtype.
  static Ref<const Constant> scalar(DType dtype, double value, Metadata meta = {});
  static Ref<const Constant> scalar_int(DType dtype, std::int64_t value, Metadata meta = {});

  const TensorType& tensor_type() const noexcept { return static_cast<const TensorType&>(*type()); }
  const std::vector<std::byte>& bytes() const noexcept { return bytes_; }
  // Element as a float64 / int64; the element exists.
  double float_at(std::size_t index) const;
  std::int64_t int_at(std::size_t index) const;

  std::string_view class_name() const noexcept override { return "Constant"; }

 private:
  Constant(TensorTypeRef type, std::vector<std::byte> bytes, Metadata meta);
  std::vector<std::byte> bytes_;
};

// The meshes of the enclosing `with` scopes, outermost first. Interned; null means none.
class ExecutionScope final : public Interned<ExecutionScope> {
 public:
  static Ref<const ExecutionScope> make(std::vector<MeshRef> meshes);
  const std::vector<MeshRef>& meshes() const noexcept { return meshes_; }
  std::size_t structural_hash() const;
  bool structural_equal(const ExecutionScope& other) const { return meshes_ == other.meshes_; }

 private:
  explicit ExecutionScope(std::vector<MeshRef> meshes) : meshes_(std::move(meshes)) {}
  std::vector<MeshRef> meshes_;
};
using ScopeRef = Ref<const ExecutionScope>;

class Call final : public Expr {
 public:
  // The type may be null; `make_call` (registry/) infers it.
  static Ref<const Call> make(CallableRef target, std::vector<ExprRef> args, TypeRef type = nullptr,
                              Metadata meta = {}, ScopeRef scope = nullptr);

  const CallableRef& target() const noexcept { return target_; }
  const std::vector<ExprRef>& args() const noexcept { return args_; }
  const ScopeRef& scope() const noexcept { return scope_; }
  // The op's fields when the target is of class T, else null.
  template <class T>
  const T* op() const noexcept {
    return op_cast<T>(*target_);
  }
  std::string_view class_name() const noexcept override { return "Call"; }

 private:
  Call(CallableRef target, std::vector<ExprRef> args, TypeRef type, Metadata meta, ScopeRef scope);
  CallableRef target_;
  std::vector<ExprRef> args_;
  ScopeRef scope_;
};
using CallRef = Ref<const Call>;

class Tuple final : public Expr {
 public:
  static Ref<const Tuple> make(std::vector<ExprRef> elements, TypeRef type = nullptr,
                               Metadata meta = {});
  const std::vector<ExprRef>& elements() const noexcept { return elements_; }
  std::string_view class_name() const noexcept override { return "Tuple"; }

 private:
  Tuple(std::vector<ExprRef> elements, TypeRef type, Metadata meta);
  std::vector<ExprRef> elements_;
};

// A dimension used as a value: a rank-0 i64 umat scalar. Starts of slices and indices are these.
class DimValue final : public Expr {
 public:
  static Ref<const DimValue> make(Dim dim, Metadata meta = {});
  const Dim& dim() const noexcept { return dim_; }
  std::string_view class_name() const noexcept override { return "DimValue"; }

 private:
  DimValue(Dim dim, Metadata meta);
  Dim dim_;
};

// A function of the module by name; the type is the callee's CallableType.
class SymbolRef final : public Expr {
 public:
  static Ref<const SymbolRef> make(std::string symbol, Ref<const CallableType> type,
                                   Metadata meta = {});
  const std::string& symbol() const noexcept { return symbol_; }
  const CallableType& callable_type() const noexcept {
    return static_cast<const CallableType&>(*type());
  }
  std::string_view class_name() const noexcept override { return "SymbolRef"; }

 private:
  SymbolRef(std::string symbol, Ref<const CallableType> type, Metadata meta);
  std::string symbol_;
};

// The run-time extent of a tensor's axis as a rank-0 i32. Of a parameter it is the function's
// hidden scalar `<param>_shape_<axis>`. (The HIR op `shape_of` is another thing.)
class ShapeOfExpr final : public Expr {
 public:
  // `axis` is one of the tensor's.
  static Ref<const ShapeOfExpr> make(VarRef param, std::size_t axis, Metadata meta = {});
  const ExprRef& param() const noexcept { return param_; }
  const Var& var() const noexcept { return static_cast<const Var&>(*param_); }
  std::size_t axis() const noexcept { return axis_; }
  // The extent as the tensor's type states it.
  const Dim& extent() const;
  std::string_view class_name() const noexcept override { return "ShapeOf"; }

 private:
  ShapeOfExpr(VarRef param, std::size_t axis, Metadata meta);
  ExprRef param_;
  std::size_t axis_;
};

// Base of expression kinds that outsiders define; they are typed by their visitor's own rule.
class UserExpr : public Expr {
 public:
  virtual std::vector<ExprRef> operands() const = 0;

 protected:
  UserExpr(TypeRef type, Metadata meta) : Expr(ExprKind::user, std::move(type), std::move(meta)) {}
};

// The node as a T when its kind is T's, else null.
template <class T>
const T* expr_cast(const Expr& expr) noexcept;
template <>
const Var* expr_cast<Var>(const Expr& expr) noexcept;
template <>
const Constant* expr_cast<Constant>(const Expr& expr) noexcept;
template <>
const Call* expr_cast<Call>(const Expr& expr) noexcept;
template <>
const Tuple* expr_cast<Tuple>(const Expr& expr) noexcept;
template <>
const DimValue* expr_cast<DimValue>(const Expr& expr) noexcept;
template <>
const SymbolRef* expr_cast<SymbolRef>(const Expr& expr) noexcept;
template <>
const ShapeOfExpr* expr_cast<ShapeOfExpr>(const Expr& expr) noexcept;
template <>
const UserExpr* expr_cast<UserExpr>(const Expr& expr) noexcept;
template <class T>
const T* expr_cast(const ExprRef& expr) noexcept {
  return expr ? expr_cast<T>(*expr) : nullptr;
}

// Calls `visit` for every operand, in order; those of a loop are its initial values, then the
// values that it yields (ir/hir/grid_region.h).
void for_each_operand(const Expr& expr, const std::function<void(const ExprRef&)>& visit);
// All nodes reachable from `roots`, operands before users, each once.
std::vector<ExprRef> post_order(const std::vector<ExprRef>& roots);

}  // namespace tilefoundry
