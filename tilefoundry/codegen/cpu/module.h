// The CPU target: a module as one C++ source.
#pragma once

#include <vector>

#include "tilefoundry/codegen/generator.h"

namespace tilefoundry {

// Adds the handlers of the TIR ops.
void register_cpu_handlers(AnalysisRegistry& registry);
// The default emission of statements.
void emit_cpu_stmt(const Stmt& stmt, CodegenContext& ctx);
LinkableModule generate_cpu(const ModuleRef& module, const TargetRef& target,
                            const std::vector<PrimFunctionRef>& functions);

}  // namespace tilefoundry
