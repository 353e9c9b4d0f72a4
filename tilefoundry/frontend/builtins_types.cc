// Types of the language, their constructors, and the names of decorators.

#include <fmt/format.h>

#include "tilefoundry/frontend/builtins.h"
#include "tilefoundry/frontend/op_binding.h"
#include "tilefoundry/frontend/type_syntax.h"

namespace tilefoundry {
namespace {

using Bound = std::vector<const CallArg*>;

Value make_tensor_type(const Bound& args, const CallArgs&, const BuiltinContext&) {
  TensorSlots slots{args[0], args[1], args[2], args[3]};
  return TypeValue{tensor_type_of_slots(slots), false};
}

Value make_tuple_type(const Bound& args, const CallArgs&, const BuiltinContext&) {
  std::vector<TypeRef> fields;
  for (const Value& item : sequence_argument(*args[0])) {
    const auto* type = item.as<TypeValue>();
    if (type == nullptr) refuse_argument(CallArg{item, args[0]->span}, "a type");
    fields.push_back(type->type);
  }
  return TypeValue{TupleType::make(std::move(fields)), false};
}

// `Constant(1.0, "f32")`: a scalar of a stated dtype and storage.
Value make_constant(const Bound& args, const CallArgs& all, const BuiltinContext&) {
  if (!args[0]->value.is_number()) refuse_argument(*args[0], "a number");
  const std::optional<DType> dtype = as_dtype_value(args[1]->value);
  if (!dtype) refuse_argument(*args[1], "a dtype");
  ExprRef scalar = constant_of_number(*args[0], *dtype);
  if (args[2] == nullptr) return scalar;
  const std::optional<StorageKind> storage = as_storage_value(args[2]->value);
  if (!storage) refuse_argument(*args[2], "a storage");
  const auto& constant = static_cast<const Constant&>(*scalar);
  return ExprRef(Constant::make(constant.tensor_type().with_storage(*storage), constant.bytes(),
                                {"", all.span}));
}

// `DimValue(n + 1)`: a dimension as a scalar operand.
Value make_dim_value(const Bound& args, const CallArgs& all, const BuiltinContext&) {
  return ExprRef(DimValue::make(dim_argument(*args[0]), {"", all.span}));
}

Value not_callable_here(const Bound&, const CallArgs& all, const BuiltinContext&) {
  refuse("TF2044", all.span, "this cannot be called here");
}

}  // namespace

void add_type_builtins(std::vector<Builtin>& table) {
  const auto special = [&](const char* name, BuiltinKind kind) {
    table.push_back({name, kind, {"*arguments"}, not_callable_here});
  };
  special("func", BuiltinKind::func);
  special("prim_func", BuiltinKind::prim_func);
  special("module", BuiltinKind::module);
  special("intrinsic", BuiltinKind::intrinsic);
  special("Tensor", BuiltinKind::tensor_type);
  special("ConstTensor", BuiltinKind::const_tensor_type);
  special("Tuple", BuiltinKind::tuple_type);
  special("DType", BuiltinKind::dtype_class);
  special("StorageKind", BuiltinKind::storage_class);
  special("tile", BuiltinKind::tile);
  special("where", BuiltinKind::where);
  for (const char* form : {"parallel", "vectorized", "unrolled", "abort", "call", "symbol",
                           "dispatch", "case", "fallback", "shape_of"}) {
    special(form, BuiltinKind::tir_form);
  }
  table.push_back({"TensorType",
                   BuiltinKind::function,
                   {"shape", "dtype", "layout=None", "storage=\"gmem\""},
                   make_tensor_type});
  table.push_back(
      {"Constant", BuiltinKind::function, {"value", "dtype", "storage=\"umat\""}, make_constant});
  table.push_back({"DimValue", BuiltinKind::function, {"dim"}, make_dim_value});
  table.push_back({"TupleType", BuiltinKind::function, {"fields"}, make_tuple_type});
}

}  // namespace tilefoundry
