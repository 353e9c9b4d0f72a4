// Rules that many ops share: operands, broadcasting, result storage and layout, relations.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tilefoundry/registry/cost.h"
#include "tilefoundry/registry/typeinfer.h"

namespace tilefoundry {

// Raises the error of the node at hand: a message and a hint. Never returns.
using Fail = std::function<void(const std::string& message, const std::string& hint)>;
Fail fail_at(const TypeInferContext& ctx, const Expr& node);

// The declared name of an argument: "lhs".
std::string operand_name(const Call& call, std::size_t argument);
// The type of an argument, which must be a tensor.
const TensorType& operand_type(const Call& call, std::size_t argument, TypeInferContext& ctx);
// The same from the types that a relation handler gets.
std::vector<const TensorType*> tensor_types(const Call& call, const std::vector<TypeRef>& types,
                                            const TypeInferContext& ctx);

// `value` in the range of a Python axis or index of `rank`; fails naming the axis otherwise.
std::size_t normalize_axis(std::int64_t axis, std::size_t rank, const Fail& fail);

struct NamedShape {
  std::string_view name;
  const Shape* shape;
};
// Right-aligned broadcast. Extents agree when they are one dimension, or when one of them is 1.
Shape broadcast_shape(const std::vector<NamedShape>& operands, const Fail& fail);
// How an operand is read at an element of the broadcast result.
Shape broadcast_index(const Shape& operand, const Shape& result, const Shape& at);
// The first `rank` iteration variables.
Shape iteration_variables(std::size_t rank);

// The forward relation of a call whose result element reads one element of each argument.
AccessRelationResult broadcast_relation(const Call& call, const std::vector<TypeRef>& types,
                                        const TypeInferContext& ctx);
// The access relation that follows from the call's forward relation.
AccessRelations relation_boundaries(const Call& call, TypeInferContext& ctx);
// The shape of the single result, read from the call's forward relation.
Shape result_shape(const Call& call, TypeInferContext& ctx);

// The concrete storages of the arguments must agree; umat abstains; all umat gives umat.
StorageKind merge_storage(const Call& call, TypeInferContext& ctx);
// The one dtype of the arguments from `first` on.
DType common_dtype(const Call& call, std::size_t first, TypeInferContext& ctx);
// The type of a pointwise result: shape by the forward relation, merged storage, and the sharding
// that all arguments of the result's shape share. Strides are not kept: the result is a buffer of
// its own, in C order.
TypeRef pointwise_type(const Call& call, DType dtype, TypeInferContext& ctx);

// "bf16 or f32": what a parameter of an op on x may be.
std::string dtype_or_f32(DType x);
// "cast x first: cast(x, dtype=\"f32\")"
std::string cast_hint(const std::string& name, DType dtype);

// Counts under "special" in the cost.
void add_service(Cost& cost, const char* kind, std::int64_t count);
// The dtype of an argument.
DType operand_dtype(const Call& call, std::size_t argument, TypeInferContext& ctx);

}  // namespace tilefoundry
