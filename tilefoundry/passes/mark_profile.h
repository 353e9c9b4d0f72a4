// `mark_profile`: brackets the outermost loops and ops of every function by ProfileMark pairs.
#pragma once

#include <string>
#include <vector>

#include "tilefoundry/passes/pass.h"

namespace tilefoundry {

// Numbers the sites through the whole tree. Calls are left out, since the callee's statements are
// marked; so are functions that loops call, whose time belongs to the loop.
class MarkProfilePass final : public ModulePass {
 public:
  const std::string& name() const override;
  ModuleRef run(const ModuleRef& module) override;
};

// What stands between a pair of marks.
struct ProfileSite {
  std::string function;
  StmtRef stmt;
};
// The sites of a marked module, by number.
std::vector<ProfileSite> profile_sites(const ModuleRef& module);

}  // namespace tilefoundry
