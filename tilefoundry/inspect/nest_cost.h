// What a statement of TIR must do: floating-point operations, and the bytes of the buffers around
// it that it touches, each once. Counted for given extents, whatever the code that runs it does.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tilefoundry/ir/tir/stmt.h"

namespace tilefoundry {

struct NestCost {
  std::map<DType, double> flops;  // as the cost registry counts them: 1 an operation, 2 a product
  double bytes_read = 0;
  double bytes_written = 0;
  std::vector<std::string> written;  // names of the buffers written, in order of the first write

  double all_flops() const;
};

// `extents` gives a value to every dimension. A loop whose bounds follow an outer loop is counted
// trip by trip; both bytes and flops are upper bounds where a run-time value decides.
NestCost nest_cost(const StmtRef& stmt, const DimSubstitution& extents);

}  // namespace tilefoundry
