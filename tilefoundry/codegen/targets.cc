#include "tilefoundry/codegen/targets.h"

#include <fmt/format.h>

#include <memory>
#include <mutex>

#include "tilefoundry/codegen/cpu/module.h"
#include "tilefoundry/codegen/generator.h"
#include "tilefoundry/codegen/visitor.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

// No statement has an emission for this target yet.
void refuse_cuda_stmt(const Stmt& stmt, CodegenContext&) {
  throw CodegenError(Diagnostic{
      .code = "TF5102",
      .message = fmt::format("the statement {} has no code generation for the target cuda",
                             stmt.class_name()),
      .span = stmt.span(),
      .hint = "build for CpuTarget()"});
}

// Emits into nothing: the first statement without a handler is the error.
LinkableModule generate_cuda(const ModuleRef& module, const TargetRef&,
                             const std::vector<PrimFunctionRef>& functions) {
  CodegenContext ctx(module);
  CodegenVisitor visitor(ctx, "cuda");
  for (const PrimFunctionRef& function : functions) visitor.emit_stmt(function->body());
  throw CodegenError(Diagnostic{.code = "TF5108",
                                .message = "the target cuda makes no library yet",
                                .span = module->meta().span,
                                .hint = "build for CpuTarget()"});
}

class TargetTable {
 public:
  TargetTable() {
    add({"cpu", &codegen_cpu_registry(), emit_cpu_stmt, generate_cpu});
    add({"cuda", &codegen_cuda_registry(), refuse_cuda_stmt, generate_cuda});
  }
  void add(CodegenTarget target) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& known : targets_) {
      if (known->name != target.name) continue;
      throw RegistryError(
          Diagnostic{.code = "TF9011",
                     .message = fmt::format("the target {} emits code already", target.name),
                     .hint = "choose another name, or register handlers with the existing one"});
    }
    targets_.push_back(std::make_unique<const CodegenTarget>(std::move(target)));
  }
  const CodegenTarget* find(std::string_view name) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& target : targets_) {
      if (target->name == name) return target.get();
    }
    return nullptr;
  }
  std::vector<std::string> names() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::string> out;
    for (const auto& target : targets_) out.push_back(target->name);
    return out;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<const CodegenTarget>> targets_;
};

TargetTable& target_table() {
  static auto* table = new TargetTable();
  return *table;
}

}  // namespace

const CodegenTarget& codegen_target(std::string_view name) {
  const CodegenTarget* target = target_table().find(name);
  if (target != nullptr) return *target;
  throw RegistryError(Diagnostic{
      .code = "TF9010",
      .message = fmt::format("no target named {} emits code; there are {}",
                             python_string_literal(name), join(codegen_target_names(), ", ")),
      .hint = "add one with add_codegen_target"});
}

void add_codegen_target(CodegenTarget target) { target_table().add(std::move(target)); }

std::vector<std::string> codegen_target_names() { return target_table().names(); }

AnalysisRegistry& codegen_cpu_registry() {
  static auto* registry = [] {
    auto* made = new AnalysisRegistry("codegen_cpu");
    register_cpu_handlers(*made);
    return made;
  }();
  return *registry;
}

AnalysisRegistry& codegen_cuda_registry() {
  static auto* registry = new AnalysisRegistry("codegen_cuda");
  return *registry;
}

}  // namespace tilefoundry
