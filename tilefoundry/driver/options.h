// Compiler options: everything besides the program that decides what is built.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tilefoundry/ir/target.h"

namespace tilefoundry {

struct CompilerOptions {
  TargetRef target;                       // null: the module's, else default_target()
  std::string passes;                     // a pipeline text; empty: the default pipeline
  std::set<std::string> disabled_passes;  // of the default pipeline

  bool profile = false;                        // generated code counts the time of every nest
  std::map<std::string, std::int64_t> blocks;  // sizes of block loops by name (`tile_regions`)

  int threads = 0;  // of a call that does not say; 0: as many as there are cores

  // Deterministic text of all options, one `key = value` a line; part of every cache key.
  std::string canonical_text() const;
};

}  // namespace tilefoundry
