// The exported side of a CPU library.
#pragma once

#include <string>

#include "tilefoundry/codegen/cpu/context.h"

namespace tilefoundry {

// "tf_f"; a name that would meet the library's own is encoded.
std::string cpu_entry_symbol(const std::string& name);
// `int32_t tf_f(const TfCall*)`: checks the call, reads the dimensions, gets memory, runs.
std::string cpu_entry_text(const PrimFunction& entry, const std::string& symbol,
                           CpuCodegenContext& ctx);
// The description that `tf_abi` returns (runtime/abi.h).
std::string cpu_abi_json(const PrimFunction& entry, const std::string& symbol,
                         const CpuFeatures& features);

}  // namespace tilefoundry
