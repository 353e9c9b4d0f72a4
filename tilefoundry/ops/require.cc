#include "tilefoundry/ops/require.h"

#include <fmt/format.h>

#include "tilefoundry/ops/tile.h"

namespace tilefoundry {

const OpClass& Require::op_class() {
  static const OpClass& cls = OpClassBuilder<Require>("Require", Dialect::T, "control")
                                  .summary("Ends the call with an error unless a condition holds.")
                                  .input("condition", InputPattern::scalar)
                                  .variadic_input("values", InputPattern::scalar)
                                  .attr<&Require::message>("message")
                                  .effect()
                                  .build();
  return cls;
}

StmtRef require(ExprRef condition, std::vector<ExprRef> values, std::string message) {
  values.insert(values.begin(), std::move(condition));
  return Evaluate::make(make_op(Require{.message = std::move(message)}), std::move(values));
}

namespace {

std::size_t count_places(const std::string& message) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = message.find("{}", at)) != std::string::npos; at += 2) ++count;
  return count;
}

void verify(const Evaluate& stmt, const Require& op, VerifyContext& ctx) {
  const auto scalar = [&](std::size_t argument) {
    const TypeRef type = ctx.type_of(stmt.args()[argument]);
    const TensorType* tensor = as_tensor(type);
    if (tensor == nullptr || tensor->rank() != 0) {
      ctx.error(stmt, fmt::format("{} is not a scalar",
                                  stmt.callable()->op_class().input_name(argument)));
    }
    return tensor->dtype();
  };
  if (stmt.args().empty()) ctx.error(stmt, "the argument condition is missing");
  const DType condition = scalar(0);
  if (!condition.is_bool()) {
    ctx.error(stmt, fmt::format("condition is {}, not bool", condition.name()),
              "compare two scalars");
  }
  for (std::size_t i = 1; i < stmt.args().size(); ++i) {
    const DType dtype = scalar(i);
    if (dtype.is_integer()) continue;
    ctx.error(stmt, fmt::format("{} is {}, not an integer",
                                stmt.callable()->op_class().input_name(i), dtype.name()));
  }
  const std::size_t places = count_places(op.message);
  if (places == stmt.args().size() - 1) return;
  ctx.error(stmt,
            fmt::format("the message has {} places for values, got {} values", places,
                        stmt.args().size() - 1),
            "write one {} for each value");
}

}  // namespace

std::string require_text(const std::string& message, const std::vector<std::int64_t>& values) {
  std::string out;
  std::size_t at = 0;
  for (const std::int64_t value : values) {
    const std::size_t place = message.find("{}", at);
    if (place == std::string::npos) break;
    out += message.substr(at, place - at) + std::to_string(value);
    at = place + 2;
  }
  return out + message.substr(at);
}

void register_require() {
  register_op_class(Require::op_class());
  register_verify_op<Require>(verify);
}

}  // namespace tilefoundry
