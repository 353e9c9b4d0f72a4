// The isl values of a relation; built at most once, whichever thread asks first.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tilefoundry/relation/relation.h"

namespace tilefoundry {

struct AccessRelationResult::IslView {
  std::once_flag once;
  std::optional<IslSet> domain;
  std::vector<IslMap> maps;
  std::map<std::string, Dim> param_map;
};

}  // namespace tilefoundry
