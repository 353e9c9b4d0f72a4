#include "tilefoundry/ir/tir/ops.h"

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

constexpr auto kValue = InputPattern::tensor;
constexpr auto kScalar = InputPattern::scalar;

}  // namespace

const OpClass& AllocTensor::op_class() {
  static const OpClass& cls = OpClassBuilder<AllocTensor>("AllocTensor", Dialect::T, "memory")
                                  .summary("A new buffer of exactly the stated type.")
                                  .attr<&AllocTensor::tensor_type>("tensor_type")
                                  .build();
  return cls;
}

const OpClass& TensorView::op_class() {
  static const OpClass& cls = OpClassBuilder<TensorView>("TensorView", Dialect::T, "memory")
                                  .summary("A window of a buffer at absolute element starts.")
                                  .input("memory", kValue)
                                  .variadic_input("coords", kScalar)
                                  .attr_with_default<&TensorView::layout>("layout")
                                  .attr_with_default<&TensorView::shape>("shape")
                                  .build();
  return cls;
}

const OpClass& PtrOf::op_class() {
  static const OpClass& cls = OpClassBuilder<PtrOf>("PtrOf", Dialect::T, "memory")
                                  .summary("The address of a buffer.")
                                  .input("x", kValue)
                                  .build();
  return cls;
}

const OpClass& MemorySpan::op_class() {
  static const OpClass& cls = OpClassBuilder<MemorySpan>("MemorySpan", Dialect::T, "memory")
                                  .summary("The memory that a buffer covers.")
                                  .input("x", kValue)
                                  .build();
  return cls;
}

const OpClass& Copy::op_class() {
  static const OpClass& cls = OpClassBuilder<Copy>("Copy", Dialect::T, "memory")
                                  .summary("Copies equal shapes element by element.")
                                  .input("src", kValue)
                                  .input("dst", kValue)
                                  .effect()
                                  .build();
  return cls;
}

const OpClass& Fill::op_class() {
  static const OpClass& cls = OpClassBuilder<Fill>("Fill", Dialect::T, "memory")
                                  .summary("Writes one value to every element.")
                                  .input("tensor", kValue)
                                  .input("value", kScalar)
                                  .effect()
                                  .build();
  return cls;
}

const OpClass& Load::op_class() {
  static const OpClass& cls = OpClassBuilder<Load>("Load", Dialect::T, "scalar")
                                  .summary("Reads one element.")
                                  .input("tensor", kValue)
                                  .variadic_input("indices", kScalar)
                                  .build();
  return cls;
}

const OpClass& Store::op_class() {
  static const OpClass& cls = OpClassBuilder<Store>("Store", Dialect::T, "scalar")
                                  .summary("Writes one element.")
                                  .input("tensor", kValue)
                                  .input("value", kScalar)
                                  .variadic_input("indices", kScalar)
                                  .effect()
                                  .build();
  return cls;
}

const OpClass& ScalarBinary::op_class() {
  static const OpClass& cls = []() -> const OpClass& {
    OpClassBuilder<ScalarBinary> builder("ScalarBinary", Dialect::T, "scalar");
    builder.summary("Arithmetic on two scalars of one dtype.")
        .input("lhs", kScalar)
        .input("rhs", kScalar)
        .attr<&ScalarBinary::kind>("kind");
    for (const std::string_view name : EnumNames<BinaryKind>::names) {
      builder.alias("scalar_" + std::string(name), {{"kind", std::string(name)}});
    }
    return builder.build();
  }();
  return cls;
}

const OpClass& ScalarUnary::op_class() {
  static const OpClass& cls = []() -> const OpClass& {
    OpClassBuilder<ScalarUnary> builder("ScalarUnary", Dialect::T, "scalar");
    builder.summary("A function of one scalar.")
        .input("x", kScalar)
        .attr<&ScalarUnary::kind>("kind");
    for (const std::string_view name : EnumNames<UnaryKind>::names) {
      builder.alias("scalar_" + std::string(name), {{"kind", std::string(name)}});
    }
    return builder.build();
  }();
  return cls;
}

const OpClass& ScalarCast::op_class() {
  static const OpClass& cls = OpClassBuilder<ScalarCast>("ScalarCast", Dialect::T, "scalar")
                                  .summary("Converts a scalar to another dtype.")
                                  .input("x", kScalar)
                                  .attr<&ScalarCast::dtype>("dtype")
                                  .build();
  return cls;
}

const OpClass& Select::op_class() {
  static const OpClass& cls = OpClassBuilder<Select>("Select", Dialect::T, "scalar")
                                  .summary("One of two scalars by a bool.")
                                  .input("condition", kScalar)
                                  .input("if_true", kScalar)
                                  .input("if_false", kScalar)
                                  .build();
  return cls;
}

const OpClass& ProfileMark::op_class() {
  static const OpClass& cls = OpClassBuilder<ProfileMark>("ProfileMark", Dialect::T, "profile")
                                  .summary("Start or end of a stretch that a profile times.")
                                  .attr<&ProfileMark::site>("site")
                                  .attr<&ProfileMark::sites>("sites")
                                  .attr_with_default<&ProfileMark::end>("end")
                                  .effect()
                                  .build();
  return cls;
}

TensorTypeRef scalar_type(DType dtype) {
  return TensorType::make({}, dtype, nullptr, StorageKind::rmem);
}

namespace {

DType dtype_of(const ExprRef& expr) {
  const TensorType* type = as_tensor(expr->type());
  TF_CHECK(type != nullptr, "a scalar operand is not a tensor");
  return type->dtype();
}

std::vector<ExprRef> with_indices(std::vector<ExprRef> args, const Shape& index) {
  for (const Dim& dim : index) args.push_back(dim_value(dim));
  return args;
}

}  // namespace

ExprRef alloc_tensor(TensorTypeRef type) {
  TypeRef result = type;
  return Call::make(make_op(AllocTensor{.tensor_type = std::move(type)}), {}, std::move(result));
}

ExprRef load(const VarRef& tensor, const Shape& index) {
  return Call::make(make_op(Load{}), with_indices({tensor}, index), scalar_type(dtype_of(tensor)));
}

ExprRef scalar_binary(BinaryKind kind, ExprRef lhs, ExprRef rhs) {
  const DType dtype = is_predicate(kind) ? DType(DType::boolean) : dtype_of(lhs);
  return Call::make(make_op(ScalarBinary{.kind = kind}), {std::move(lhs), std::move(rhs)},
                    scalar_type(dtype));
}

ExprRef scalar_unary(UnaryKind kind, ExprRef x) {
  const DType dtype = dtype_of(x);
  return Call::make(make_op(ScalarUnary{.kind = kind}), {std::move(x)}, scalar_type(dtype));
}

ExprRef scalar_cast(DType dtype, ExprRef x) {
  return Call::make(make_op(ScalarCast{.dtype = dtype}), {std::move(x)}, scalar_type(dtype));
}

ExprRef select(ExprRef condition, ExprRef if_true, ExprRef if_false) {
  const DType dtype = dtype_of(if_true);
  return Call::make(make_op(Select{}),
                    {std::move(condition), std::move(if_true), std::move(if_false)},
                    scalar_type(dtype));
}

ExprRef dim_value(const Dim& dim) { return DimValue::make(dim); }

StmtRef store(const VarRef& tensor, ExprRef value, const Shape& index) {
  return Evaluate::make(make_op(Store{}), with_indices({tensor, std::move(value)}, index));
}

StmtRef copy(ExprRef src, ExprRef dst) {
  return Evaluate::make(make_op(Copy{}), {std::move(src), std::move(dst)});
}

ExprRef tensor_view(ExprRef memory, const Shape& starts, Shape shape, LayoutRef layout) {
  const TensorType* type = as_tensor(memory->type());
  TF_CHECK(type != nullptr, "tensor_view of a tuple");
  TypeRef result = TensorType::make(shape, type->dtype(), layout, type->storage());
  TensorView view;
  if (layout) view.layout = std::move(layout);
  view.shape = std::move(shape);
  return Call::make(make_op(std::move(view)), with_indices({std::move(memory)}, starts),
                    std::move(result));
}

VarRef loop_var(const std::string& name) { return Var::make(name, scalar_type(DType::i64)); }

Dim as_dim(const ExprRef& index) {
  if (const auto* value = expr_cast<DimValue>(index)) return value->dim();
  if (const auto* var = expr_cast<Var>(index)) return var->dim();
  const auto* constant = expr_cast<Constant>(index);
  TF_CHECK(constant != nullptr, "an index is neither a dimension nor an integer scalar");
  return Dim(constant->int_at(0));
}

Shape index_dims(const std::vector<ExprRef>& args, std::size_t first) {
  Shape out;
  for (std::size_t i = first; i < args.size(); ++i) out.push_back(as_dim(args[i]));
  return out;
}

void register_framework_ops() {
  for (const OpClass* cls :
       {&AllocTensor::op_class(), &TensorView::op_class(), &PtrOf::op_class(),
        &MemorySpan::op_class(), &Copy::op_class(), &Fill::op_class(), &Load::op_class(),
        &Store::op_class(), &ScalarBinary::op_class(), &ScalarUnary::op_class(),
        &ScalarCast::op_class(), &Select::op_class(), &ProfileMark::op_class()}) {
    register_op_class(*cls);
  }
}

}  // namespace tilefoundry
