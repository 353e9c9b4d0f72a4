#include "tilefoundry/passes/lowering_error.h"

#include "tilefoundry/registry/typeinfer.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

void lowering_error(const Call& call, std::string code, const std::string& message,
                    std::string hint) {
  throw PassError(Diagnostic{.code = std::move(code),
                             .message = node_label(call) + ": " + message,
                             .span = call.span(),
                             .hint = std::move(hint)});
}

}  // namespace tilefoundry
