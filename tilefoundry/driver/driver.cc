#include "tilefoundry/driver/driver.h"

#include <unistd.h>

#include <fmt/format.h>

#include "tilefoundry/codegen/generator.h"
#include "tilefoundry/codegen/linker.h"
#include "tilefoundry/driver/tuning.h"
#include "tilefoundry/dump/dump.h"
#include "tilefoundry/passes/host_entry.h"
#include "tilefoundry/passes/pipeline.h"
#include "tilefoundry/runtime/build_cache.h"
#include "tilefoundry/runtime/cpu_topology.h"
#include "tilefoundry/runtime/digest.h"
#include "tilefoundry/runtime/toolchain.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/files.h"
#include "tilefoundry/support/version.h"
#include "tilefoundry/target/cpu_target.h"

namespace tilefoundry {
namespace {

void refuse_conflict(const ModuleRef& module, const TargetRef& wanted) {
  if (!wanted || !module->target() || same_target(wanted, module->target())) return;
  throw PassError(
      Diagnostic{.code = "TF4301",
                 .message = fmt::format("Module {} declares the target {}, and {} was asked for",
                                        module->name(), module->target()->repr(), wanted->repr()),
                 .span = module->meta().span,
                 .hint = "leave the target out, or give an equal one"});
}

LinkableModule generate_checked(const ModuleRef& lowered, const CompilerOptions& options) {
  refuse_conflict(lowered, options.target);
  if (!lowered->target()) {
    throw PassError(Diagnostic{
        .code = "TF4302",
        .message = fmt::format("Module {} owns no target, so no code can be generated for it",
                               lowered->name()),
        .span = lowered->meta().span,
        .hint = "lower the module first: lower() attaches a target"});
  }
  LinkableModule linkable = generate(insert_default_host_entry(lowered));
  dump("source." + linkable.language, linkable.source, DumpFlags::CODEGEN_SOURCE);
  return linkable;
}

// Named features are a machine of 4 threads and 1 MiB of L2 where the target does not say: what is
// made for them is the same wherever it is made.
BlockFacts block_facts(const Target& target) {
  BlockFacts facts{4, 1 << 20};
  const auto* cpu = dynamic_cast<const CpuTarget*>(&target);
  if (cpu == nullptr) return facts;
  if (cpu->features() == "native") {
    facts.threads = usable_cores(usable_cpus());
    const long bytes = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (bytes > 0) facts.l2_bytes = bytes;
  }
  if (cpu->threads() > 0) facts.threads = cpu->threads();
  return facts;
}

void refuse_unused_blocks(const PassManager& manager, const CompilerOptions& options) {
  if (options.blocks.empty()) return;
  for (const auto& pass : manager.passes()) {
    if (pass->name() == "tile_regions") return;
  }
  throw PassError(Diagnostic{
      .code = "TF4470",
      .message = fmt::format("there is no block loop \"{}\"", options.blocks.begin()->first),
      .hint = "block loops are made by the pass tile_regions, which this pipeline leaves out"});
}

// The generated source names everything about the program; the rest is what turns it into code.
std::string cache_key(const LinkableModule& linkable) {
  CacheKey key;
  key.add("version", version())
      .add("target", linkable.target->repr())
      .add("compiler", Toolchain::host().identity())
      .add("abi", linkable.abi_json)
      .add("source", linkable.source);
  for (const std::string& flag : linkable.flags) key.add("flag", flag);
  return key.hex();
}

}  // namespace

ModuleRef lower(const ModuleRef& module, const CompilerOptions& options,
                std::vector<PassTiming>* timings, std::vector<std::string>* remarks) {
  refuse_conflict(module, options.target);
  ModuleRef owned = module;
  if (!module->target()) {
    owned = module->with_target(options.target ? options.target : default_target());
  }
  const RegionOptions regions{block_facts(*owned->target()), options.blocks};
  PassManager manager = options.passes.empty() ? default_pipeline(options.disabled_passes, regions)
                                               : parse_pipeline(options.passes, regions);
  if (options.profile) manager.add(make_pass("mark_profile"));
  refuse_unused_blocks(manager, options);
  ModuleRef lowered = manager.run(owned);
  if (timings != nullptr) *timings = manager.timings();
  if (remarks != nullptr) *remarks = manager.remarks();
  return lowered;
}

std::string generate_source(const ModuleRef& lowered, const CompilerOptions& options) {
  return generate_checked(lowered, options).source;
}

std::string generate_assembly(const ModuleRef& lowered, const CompilerOptions& options) {
  return assembly_of(generate_checked(lowered, options));
}

BuiltLibrary build_library(const ModuleRef& lowered, const CompilerOptions& options) {
  const LinkableModule linkable = generate_checked(lowered, options);
  const BuildCache cache = BuildCache::user();
  const CachedBuild built = cache.get_or_build(cache_key(linkable), lowered->name(),
                                               [&](const std::filesystem::path& folder) {
                                                 link_into(linkable, folder, cache.failed_folder());
                                               });
  return {built.folder, built.library, built.source, built.hit};
}

BuiltLibrary build_into(const ModuleRef& lowered, const std::filesystem::path& folder,
                        const CompilerOptions& options) {
  const std::filesystem::path absolute = std::filesystem::absolute(folder).lexically_normal();
  // Staged first, so that a folder that cannot be written is known before anything is built.
  const TemporaryFolder staged(absolute.parent_path());
  const BuiltLibrary built = build_library(lowered, options);
  for (const std::filesystem::path& file : {built.library, built.source, built.folder / kAbiFile}) {
    write_file_atomic(staged.path() / file.filename(), read_file(file));
  }
  write_manifest(staged.path(), "", lowered->name());
  publish_folder(staged.path(), absolute, kManifestFile);
  return {folder, absolute / built.library.filename(), absolute / built.source.filename(),
          built.cached};
}

std::shared_ptr<const RuntimeModule> build(const ModuleRef& lowered,
                                           const CompilerOptions& options) {
  const BuiltLibrary built = build_library(lowered, options);
  return std::make_shared<const RuntimeModule>(RuntimeLibrary::open(built.library), lowered->name(),
                                               built.source, options.threads);
}

std::shared_ptr<const RuntimeModule> compile(const ModuleRef& module,
                                             const CompilerOptions& options) {
  const CompilerOptions chosen = tuned_options(module, options);
  return build(lower(module, chosen), chosen);
}

}  // namespace tilefoundry
