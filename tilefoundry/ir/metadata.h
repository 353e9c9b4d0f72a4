// What travels with a node and takes no part in equality: its name and where it was written.
#pragma once

#include <string>

#include "tilefoundry/support/source.h"

namespace tilefoundry {

struct Metadata {
  std::string name;  // the authored binding, or empty
  Span span;
};

}  // namespace tilefoundry
