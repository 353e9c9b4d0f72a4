// From sources to a library in a folder.
#pragma once

#include <filesystem>

#include "tilefoundry/codegen/generator.h"

namespace tilefoundry {

struct LinkedModule {
  std::filesystem::path library_path;
  std::filesystem::path source;
  std::string entry;
};

// Writes source.<language>, abi.json and library.so into an existing folder. The compiler's
// failures are ToolchainErrors; the source of a failed run is copied to `keep_sources_in` when that
// is given.
LinkedModule link_into(const LinkableModule& module, const std::filesystem::path& folder,
                       const std::filesystem::path& keep_sources_in = {});

// The same as a finished folder, with a manifest, put at `destination` by one rename. A destination
// that is neither empty nor an earlier output is FileError TF7105.
LinkedModule link(const LinkableModule& module, const std::filesystem::path& destination);

// The compiler's assembly of the source.
std::string assembly_of(const LinkableModule& module);

}  // namespace tilefoundry
