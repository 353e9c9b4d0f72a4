// The targets that code can be emitted for, and the registries of their handlers.
#pragma once

#include <functional>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tilefoundry/codegen/context.h"
#include "tilefoundry/ir/module.h"
#include "tilefoundry/registry/analysis_registry.h"

namespace tilefoundry {

struct LinkableModule;

// A fragment that the enclosing statement's emitter uses as a sub-expression.
using ExprEmissionFn = std::string(const Call&, CodegenContext&);
// One or more lines in `ctx.output`.
using StmtEmissionFn = void(const Stmt&, CodegenContext&);

struct CodegenTarget {
  std::string name;
  AnalysisRegistry* registry;
  // For a statement without a handler; refuses what it does not know.
  std::function<StmtEmissionFn> default_emission;
  // The source of a whole module for one target value; its functions in source order.
  std::function<LinkableModule(const ModuleRef& module, const TargetRef& target,
                               const std::vector<PrimFunctionRef>& functions)>
      generate;
};

// RegistryError TF9010 for an unknown name, naming the known ones.
const CodegenTarget& codegen_target(std::string_view name);
// Adds a target; RegistryError TF9011 when the name is taken. It lives as long as the process.
void add_codegen_target(CodegenTarget target);
std::vector<std::string> codegen_target_names();

AnalysisRegistry& codegen_cpu_registry();
AnalysisRegistry& codegen_cuda_registry();

// `std::string(const Call&, const T&, CodegenContext&)` for an expression op, or
// `void(const Evaluate&, const T&, CodegenContext&)` for an effect op.
template <class T, class Handler>
void register_codegen(AnalysisRegistry& registry, Handler handler,
                      std::source_location place = std::source_location::current()) {
  if constexpr (std::is_invocable_r_v<std::string, Handler, const Call&, const T&,
                                      CodegenContext&>) {
    registry.add<ExprEmissionFn>(
        T::op_class(),
        [handler](const Call& call, CodegenContext& ctx) -> std::string {
          return handler(call, *call.op<T>(), ctx);
        },
        place);
  } else {
    registry.add<StmtEmissionFn>(
        T::op_class(),
        [handler](const Stmt& stmt, CodegenContext& ctx) {
          const auto& evaluate = static_cast<const Evaluate&>(stmt);
          handler(evaluate, *evaluate.op<T>(), ctx);
        },
        place);
  }
}
template <class T, class Handler>
void register_codegen_cpu(Handler handler,
                          std::source_location place = std::source_location::current()) {
  register_codegen<T>(codegen_cpu_registry(), std::move(handler), place);
}
template <class T, class Handler>
void register_codegen_cuda(Handler handler,
                           std::source_location place = std::source_location::current()) {
  register_codegen<T>(codegen_cuda_registry(), std::move(handler), place);
}
// For a statement class.
inline void register_codegen_cpu(const StmtClass& cls, std::function<StmtEmissionFn> handler,
                                 std::source_location place = std::source_location::current()) {
  codegen_cpu_registry().add<StmtEmissionFn>(cls, std::move(handler), place);
}
inline void register_codegen_cuda(const StmtClass& cls, std::function<StmtEmissionFn> handler,
                                  std::source_location place = std::source_location::current()) {
  codegen_cuda_registry().add<StmtEmissionFn>(cls, std::move(handler), place);
}

}  // namespace tilefoundry
