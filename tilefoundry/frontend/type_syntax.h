// Types written in the language: `Tensor[(4, S), "f32", layout, "smem"]`.
#pragma once

#include <vector>

#include "tilefoundry/frontend/builtins.h"

namespace tilefoundry {

// The parts of a tensor type; `layout` may hold the storage when there is no `storage`, and both
// may be null.
struct TensorSlots {
  const CallArg* shape = nullptr;
  const CallArg* dtype = nullptr;
  const CallArg* layout = nullptr;
  const CallArg* storage = nullptr;
};

// Throws ParseError (TF2050 to TF2052) for parts of the wrong kind.
TensorTypeRef tensor_type_of_slots(const TensorSlots& slots);

// The type that `head[items]` denotes; `place` is the whole subscript. `head` is a type name.
TypeValue type_of_subscript(const Builtin& head, const std::vector<CallArg>& items,
                            const Span& place);

// A layout in a signature whose strides are open is stored in C order, as one shared buffer.
TypeRef with_signature_layouts(const TypeRef& type);

}  // namespace tilefoundry
