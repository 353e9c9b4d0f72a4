#include "tilefoundry/codegen/linker.h"

#include "tilefoundry/runtime/build_cache.h"
#include "tilefoundry/runtime/toolchain.h"
#include "tilefoundry/support/files.h"

namespace tilefoundry {
namespace {

namespace fs = std::filesystem;

CompileRequest request_for(const LinkableModule& module, const fs::path& source) {
  CompileRequest request;
  request.sources = {source};
  request.flags = module.flags;
  return request;
}

}  // namespace

LinkedModule link_into(const LinkableModule& module, const fs::path& folder,
                       const fs::path& keep_sources_in) {
  LinkedModule linked;
  linked.source = folder / ("source." + module.language);
  linked.library_path = folder / kLibraryFile;
  linked.entry = module.entry;
  write_file_atomic(linked.source, module.source);
  write_file_atomic(folder / kAbiFile, module.abi_json + "\n");
  CompileRequest request = request_for(module, linked.source);
  request.library = linked.library_path;
  request.keep_sources_in = keep_sources_in;
  Toolchain::host().compile_library(request);
  return linked;
}

LinkedModule link(const LinkableModule& module, const fs::path& destination) {
  const fs::path absolute = fs::absolute(destination).lexically_normal();
  TemporaryFolder staged(absolute.parent_path());
  LinkedModule linked = link_into(module, staged.path());
  write_manifest(staged.path(), "", module.entry);
  publish_folder(staged.path(), absolute, kManifestFile);
  linked.library_path = absolute / linked.library_path.filename();
  linked.source = absolute / linked.source.filename();
  return linked;
}

std::string assembly_of(const LinkableModule& module) {
  const TemporaryFolder folder;
  const fs::path source = folder.path() / ("source." + module.language);
  write_file_atomic(source, module.source);
  return Toolchain::host().compile_assembly(request_for(module, source));
}

}  // namespace tilefoundry
