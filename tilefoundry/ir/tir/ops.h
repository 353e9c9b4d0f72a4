// The TIR ops that the framework itself builds: memory, copy, scalar arithmetic.
//
// Value forms stand in `LetStmt.value` or inside other expressions; effect forms in `Evaluate`.
// Scalars are rank-0 values of storage `rmem`; an index is a DimValue or an integer scalar.
#pragma once

#include <optional>
#include <vector>

#include "tilefoundry/ir/expr.h"
#include "tilefoundry/ir/op.h"
#include "tilefoundry/ir/tir/scalar_kinds.h"
#include "tilefoundry/ir/tir/stmt.h"

namespace tilefoundry {

// tir.memory: alloc_tensor(tensor_type=Tensor[...]); its result has exactly that type.
struct AllocTensor : OpFields<AllocTensor> {
  TypeRef tensor_type;
  static const OpClass& op_class();
};

// tir.memory: tensor_view(memory, *coords, layout=None, shape=None). `coords` are absolute element
// starts, one per axis of memory, never multiplied by an extent; none means all zeros. The result
// has `shape` (default: memory's) and keeps memory's strides unless `layout` restates them.
struct TensorView : OpFields<TensorView> {
  std::optional<LayoutRef> layout;
  std::optional<Shape> shape;
  static const OpClass& op_class();
};

// tir.memory: ptr_of(x), memory_span(x): carry their operand's tensor type.
struct PtrOf : OpFields<PtrOf> {
  static const OpClass& op_class();
};
struct MemorySpan : OpFields<MemorySpan> {
  static const OpClass& op_class();
};

// tir.memory, effects: copy(src, dst) of equal shapes and dtypes; fill(tensor, value).
struct Copy : OpFields<Copy> {
  static const OpClass& op_class();
};
struct Fill : OpFields<Fill> {
  static const OpClass& op_class();
};

// tir.scalar: load(tensor, *indices), printed `tensor[i, j]`; store(tensor, value, *indices), an
// effect, printed `tensor[i, j] = value`. One index per axis; rank 0 takes none.
struct Load : OpFields<Load> {
  static const OpClass& op_class();
};
struct Store : OpFields<Store> {
  static const OpClass& op_class();
};
struct ScalarBinary : OpFields<ScalarBinary> {
  BinaryKind kind = BinaryKind::add;
  static const OpClass& op_class();
};
struct ScalarUnary : OpFields<ScalarUnary> {
  UnaryKind kind = UnaryKind::neg;
  static const OpClass& op_class();
};
struct ScalarCast : OpFields<ScalarCast> {
  DType dtype;
  static const OpClass& op_class();
};
// select(condition, if_true, if_false); both are evaluated.
struct Select : OpFields<Select> {
  static const OpClass& op_class();
};

// tir.profile, an effect: profile_mark(site, sites, end=False): the start or the end of the stretch
// number `site` of `sites` whose time a profile counts. Stands in pairs in one block, outside
// loops.
struct ProfileMark : OpFields<ProfileMark> {
  std::int64_t site = 0;
  std::int64_t sites = 1;
  bool end = false;
  static const OpClass& op_class();
};

// Typed builders. Operands are well-typed; types are computed here without a registry.
TensorTypeRef scalar_type(DType dtype);
ExprRef alloc_tensor(TensorTypeRef type);
ExprRef load(const VarRef& tensor, const Shape& index);
ExprRef scalar_binary(BinaryKind kind, ExprRef lhs, ExprRef rhs);
ExprRef scalar_unary(UnaryKind kind, ExprRef x);
ExprRef scalar_cast(DType dtype, ExprRef x);
ExprRef select(ExprRef condition, ExprRef if_true, ExprRef if_false);
ExprRef dim_value(const Dim& dim);
StmtRef store(const VarRef& tensor, ExprRef value, const Shape& index);
StmtRef copy(ExprRef src, ExprRef dst);
// `start`s are absolute; the view's shape is `shape`.
ExprRef tensor_view(ExprRef memory, const Shape& starts, Shape shape, LayoutRef layout = nullptr);
// A fresh i64 loop variable.
VarRef loop_var(const std::string& name);

// Indices of a Load / Store call as dimensions. An index expression that is an integer scalar Var
// is that atom.
Shape index_dims(const std::vector<ExprRef>& args, std::size_t first);
Dim as_dim(const ExprRef& index);

// Adds the classes above to the op table; called once, in order, by ops/register.cc.
void register_framework_ops();

}  // namespace tilefoundry
