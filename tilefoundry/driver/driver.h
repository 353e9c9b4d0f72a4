// The public verbs: lower, build, compile (passes seed 6).
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "tilefoundry/driver/options.h"
#include "tilefoundry/ir/module.h"
#include "tilefoundry/passes/pass_manager.h"
#include "tilefoundry/runtime/loader.h"

namespace tilefoundry {

// Runs the default pipeline, or the one that the options name, and returns a Module of TIR that
// owns its target. At an undeclared root the explicit target, else `default_target()`, is attached
// before any pass runs. PassError TF4301 when an explicit target differs from the declared one.
// `timings`, when given, receives what each pass took, `remarks` what the passes have to say.
ModuleRef lower(const ModuleRef& module, const CompilerOptions& options = {},
                std::vector<PassTiming>* timings = nullptr,
                std::vector<std::string>* remarks = nullptr);

// The generated source of a lowered Module's entry unit. PassError TF4302 when the Module owns no
// target.
std::string generate_source(const ModuleRef& lowered, const CompilerOptions& options = {});
// The compiler's assembly of that source.
std::string generate_assembly(const ModuleRef& lowered, const CompilerOptions& options = {});

struct BuiltLibrary {
  std::filesystem::path folder;
  std::filesystem::path library;
  std::filesystem::path source;
  bool cached = false;  // found in the build cache
};
// Generates, compiles and links a lowered Module through the build cache.
BuiltLibrary build_library(const ModuleRef& lowered, const CompilerOptions& options = {});
// The same into a folder of the caller's, published by one rename.
BuiltLibrary build_into(const ModuleRef& lowered, const std::filesystem::path& folder,
                        const CompilerOptions& options = {});

// Builds a lowered Module and loads it.
std::shared_ptr<const RuntimeModule> build(const ModuleRef& lowered,
                                           const CompilerOptions& options = {});
// build(lower(module)), with what `tilefoundry tune` kept for the module on this machine unless the
// options choose blocks or passes themselves (driver/tuning.h).
std::shared_ptr<const RuntimeModule> compile(const ModuleRef& module,
                                             const CompilerOptions& options = {});

}  // namespace tilefoundry
