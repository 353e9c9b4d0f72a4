// T.require: a range check that ends the call.
#include "tilefoundry/ops/require.h"

#include <fmt/format.h>

#include "tilefoundry/codegen/cpu/handlers.h"
#include "tilefoundry/codegen/cpu/types.h"
#include "tilefoundry/runtime/abi.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

void emit_require(const Evaluate& evaluate, const Require& op, CodegenContext& base) {
  CpuCodegenContext& ctx = cpu_context(base);
  ctx.can_fail = true;
  const std::string condition = strip_parens(ctx.emit_expr(evaluate.args()[0]));
  std::vector<std::string> values;
  for (std::size_t i = 1; i < evaluate.args().size(); ++i) {
    values.push_back(fmt::format("(tf_i64)({})", strip_parens(ctx.emit_expr(evaluate.args()[i]))));
  }
  const std::string run = ctx.use("tf_run");
  std::string call;
  ctx.line(fmt::format("if (!({})) {{", condition));
  ++ctx.indent;
  if (values.empty()) {
    ctx.need("tf_fail");
    call = fmt::format("tf_fail({}, {:d}, {})", run, static_cast<int>(TF_OUT_OF_RANGE),
                       c_string(op.message));
  } else {
    ctx.need("tf_fail_values");
    ctx.line(fmt::format("const tf_i64 tf_values[] = {{{}}};", join(values, ", ")));
    call = fmt::format("tf_fail_values({}, {:d}, {}, tf_values)", run,
                       static_cast<int>(TF_OUT_OF_RANGE), c_string(op.message));
  }
  if (ctx.in_body) {
    ctx.line(call + ";");
    ctx.line("return;");
  } else {
    ctx.line("return " + call + ";");
  }
  --ctx.indent;
  ctx.line("}");
}

}  // namespace

void register_cpu_require(AnalysisRegistry& registry) {
  register_codegen<Require>(registry, emit_require);
}

}  // namespace tilefoundry
