// What the lowering of core ops may use beyond the public ABI: tuples and calls of functions need
// the pass's own cooperation.
#pragma once

#include <vector>

#include "tilefoundry/passes/lowering_abi.h"

namespace tilefoundry {

class CoreLoweringContext : public LoweringContext {
 public:
  // A tuple-typed name for buffers that exist already.
  virtual VarRef bind_tuple(const TypeRef& type, std::vector<VarRef> fields) = 0;
  // A field of a tuple-typed name that `lower` or `alloc` returned.
  virtual VarRef tuple_field(const VarRef& tuple, std::size_t index) = 0;
  // Lowers a call of an HIR function to an Evaluate of its symbol; the result buffers are new.
  virtual VarRef call_function(const Call& call) = 0;
  // Whether all that reads the value takes operands of any strides, so that a view will do.
  virtual bool read_strided(const Expr& value) = 0;
  // Whether 0 <= dim is certain in the loops around the place.
  virtual bool surely_nonnegative(const Dim& dim) const = 0;
};

// Ops that take operands of any strides as well as contiguous ones (`reads`), or that hand their
// operand's strides on to what reads them (`passes_on`).
enum class StridedUse { reads, passes_on };
using StridedUseFn = StridedUse();
AnalysisRegistry& strided_use_registry();

template <class T>
void register_strided_use(StridedUse use) {
  strided_use_registry().add<StridedUseFn>(T::op_class(), [use] { return use; });
}

// The context of a core op's handler as what it is.
inline CoreLoweringContext& core_lowering(LoweringContext& ctx) {
  return static_cast<CoreLoweringContext&>(ctx);
}

}  // namespace tilefoundry
