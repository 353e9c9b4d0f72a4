// Vectorized loops as explicit vectors.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tilefoundry/codegen/cpu/handlers.h"

namespace tilefoundry {

// Lanes of an accumulator: so many partial results, folded in pairs at the end, whatever the width
// of vectors, so that a result depends neither on the compiler nor on the CPU.
constexpr int kAccumulatorLanes = 64;

// Outputs from this size on are not kept in caches.
constexpr std::int64_t kCpuFarBytes = std::int64_t{4} << 20;

struct LaneAccumulator {
  const Var* var;
  BinaryKind kind;
};

// The accumulators of a leaf loop; nothing when one is updated in another way than by one
// associative operation, or the body is not straight.
std::optional<std::vector<LaneAccumulator>> lane_accumulators(const For& loop,
                                                              const CpuCodegenContext& ctx);
// The value that changes nothing.
std::string identity_text(BinaryKind kind, DType dtype);
// The name of the function that folds the lanes.
std::string fold_helper(CpuCodegenContext& ctx, BinaryKind kind, DType dtype);

// How a scalar op is written on vectors; empty where it has no such form.
std::string vector_binary_text(CpuCodegenContext& ctx, BinaryKind kind, DType dtype,
                               const std::string& a, const std::string& b);
std::string vector_unary_text(CpuCodegenContext& ctx, UnaryKind kind, DType dtype,
                              const std::string& x);
std::string vector_cast_text(CpuCodegenContext& ctx, DType from, DType to, const std::string& x);
bool has_vector_binary(BinaryKind kind, DType dtype);
bool has_vector_unary(UnaryKind kind, DType dtype);
bool has_vector_cast(DType from, DType to);
// Loads of the first leaf loop in the body around `loop`, when `loop` is the next one over the same
// trips: what they read in the next trip of the loop around can be on its way meanwhile.
struct AheadLoad {
  ExprRef buffer;
  Shape index;  // in the next trip of the loop around, over the variable of `loop`
};
std::vector<AheadLoad> loads_ahead(const For& loop, CpuCodegenContext& ctx);
// By how many elements an address moves from one trip of a loop to the next; nothing when that is
// not one number.
std::optional<std::int64_t> address_step(const CpuBuffer& buffer, const Shape& index,
                                         const Var& var);
// The index one trip of a loop later.
Shape index_ahead(const Shape& index, const Var& var);

// "f32": the suffix of tf_get_* and tf_put_*; empty for a dtype that is not held in vectors.
std::string vector_element(DType dtype);
// "tf_f32v" or "tf_i32v".
std::string vector_type(DType dtype);
// Elements in a vector; 0 where the CPU has no vectors that this back end writes.
int vector_width(const CpuFeatures& features);

}  // namespace tilefoundry
