// Run-time checks of values: `T.require`.
#pragma once

#include <string>
#include <vector>

#include "tilefoundry/ir/op.h"
#include "tilefoundry/ir/tir/stmt.h"

namespace tilefoundry {

// tir.control: require(condition, *values, message=). Ends the call with the status of an index
// out of range unless the bool scalar `condition` holds. Each "{}" of the message is one of
// `values`, integer scalars.
struct Require : OpFields<Require> {
  std::string message;
  static const OpClass& op_class();
};

StmtRef require(ExprRef condition, std::vector<ExprRef> values, std::string message);
// The message with its values, as the generated code prints it.
std::string require_text(const std::string& message, const std::vector<std::int64_t>& values);

void register_require();

}  // namespace tilefoundry
