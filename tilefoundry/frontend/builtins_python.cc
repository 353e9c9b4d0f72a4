// The functions of Python that work on compile-time values.

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "tilefoundry/frontend/arithmetic.h"
#include "tilefoundry/frontend/builtins.h"

namespace tilefoundry {
namespace {

using Bound = std::vector<const CallArg*>;

constexpr std::int64_t kLongestRange = 1'000'000;

Value make_float(const Bound& args, const CallArgs&, const BuiltinContext&) {
  const CallArg& arg = *args[0];
  if (const auto number = as_float_value(arg.value)) return *number;
  if (const auto* flag = arg.value.as<bool>()) return *flag ? 1.0 : 0.0;
  const auto* text = arg.value.as<std::string>();
  if (text == nullptr) refuse_argument(arg, "a number or a string");
  char* end = nullptr;
  const bool hexadecimal = text->find_first_of("xX(") != std::string::npos;
  const double value = std::strtod(text->c_str(), &end);
  if (text->empty() || *end != '\0' || hexadecimal) refuse_argument(arg, "the text of a float");
  return value;
}

Value make_int(const Bound& args, const CallArgs&, const BuiltinContext&) {
  const CallArg& arg = *args[0];
  if (arg.value.is<std::int64_t>() || arg.value.is<Dim>()) return arg.value;
  if (const auto* flag = arg.value.as<bool>()) return std::int64_t{*flag ? 1 : 0};
  const auto* number = arg.value.as<double>();
  if (number == nullptr) refuse_argument(arg, "a number");
  if (!(std::fabs(*number) < 9223372036854775808.0)) refuse_argument(arg, "a float within int64");
  return static_cast<std::int64_t>(*number);
}

Value make_bool(const Bound& args, const CallArgs&, const BuiltinContext&) {
  return static_truth(args[0]->value, args[0]->span);
}

Value length(const Bound& args, const CallArgs&, const BuiltinContext&) {
  if (const auto* text = args[0]->value.as<std::string>()) {
    return static_cast<std::int64_t>(text->size());
  }
  return static_cast<std::int64_t>(sequence_argument(*args[0]).size());
}

Value make_tuple(const Bound& args, const CallArgs&, const BuiltinContext&) {
  return args[0] == nullptr ? Value::tuple({}) : Value::tuple(sequence_argument(*args[0]));
}

Value make_list(const Bound& args, const CallArgs&, const BuiltinContext&) {
  return args[0] == nullptr ? Value::list({}) : Value::list(sequence_argument(*args[0]));
}

Value make_range(const Bound& args, const CallArgs& all, const BuiltinContext&) {
  const std::int64_t first = int_argument(*args[0]);
  const std::int64_t start = args[1] == nullptr ? 0 : first;
  const std::int64_t stop = args[1] == nullptr ? first : int_argument(*args[1]);
  const std::int64_t step = args[2] == nullptr ? 1 : int_argument(*args[2]);
  if (step == 0) refuse("TF2042", args[2]->span, "the step of a range is not 0");
  std::vector<Value> items;
  for (__int128 i = start; step > 0 ? i < stop : i > stop; i += step) {
    if (items.size() == kLongestRange) {
      refuse("TF2032", all.span, "the range is too long to be listed",
             fmt::format("at most {} items", kLongestRange));
    }
    items.emplace_back(static_cast<std::int64_t>(i));
  }
  return Value::list(std::move(items));
}

Value absolute(const Bound& args, const CallArgs&, const BuiltinContext&) {
  const CallArg& arg = *args[0];
  if (const auto* number = arg.value.as<double>()) return std::fabs(*number);
  if (int_argument(arg) >= 0) return arg.value;
  return static_unary(UnaryOperator::minus, arg.value, arg.span);
}

Value sum(const Bound& args, const CallArgs&, const BuiltinContext&) {
  Value total = std::int64_t{0};
  for (const Value& item : sequence_argument(*args[0])) {
    total = static_binary(BinaryOperator::add, total, item, args[0]->span);
  }
  return total;
}

// The least or greatest argument; symbolic dimensions make a symbolic result.
Value extreme(const CallArgs& all, bool least) {
  if (!all.keywords.empty()) {
    refuse("TF2041", all.keywords[0].name_span, "this takes no argument by name");
  }
  std::vector<Value> items;
  for (const CallArg& arg : all.positional) items.push_back(arg.value);
  if (items.size() == 1) items = sequence_argument(all.positional[0]);
  if (items.empty()) refuse("TF2041", all.span, "this needs at least one value");
  Value best = items[0];
  for (std::size_t i = 1; i < items.size(); ++i) {
    const auto a = as_dim_value(best);
    const auto b = as_dim_value(items[i]);
    if (a && b) {
      best = Value::dim(least ? dim_min(*a, *b) : dim_max(*a, *b));
      continue;
    }
    const CompareOperator op = least ? CompareOperator::less : CompareOperator::greater;
    if (static_compare(op, items[i], best, all.span)) best = items[i];
  }
  return best;
}

Value least(const Bound&, const CallArgs& all, const BuiltinContext&) { return extreme(all, true); }
Value greatest(const Bound&, const CallArgs& all, const BuiltinContext&) {
  return extreme(all, false);
}

}  // namespace

void add_python_builtins(std::vector<Builtin>& table) {
  constexpr auto kFunction = BuiltinKind::function;
  table.push_back({"float", kFunction, {"x"}, make_float});
  table.push_back({"int", kFunction, {"x"}, make_int});
  table.push_back({"bool", kFunction, {"x"}, make_bool});
  table.push_back({"len", kFunction, {"x"}, length});
  table.push_back({"tuple", kFunction, {"items=()"}, make_tuple});
  table.push_back({"list", kFunction, {"items=()"}, make_list});
  table.push_back({"range", kFunction, {"stop", "stop=", "step=1"}, make_range});
  table.push_back({"abs", kFunction, {"x"}, absolute});
  table.push_back({"sum", kFunction, {"items"}, sum});
  table.push_back({"min", kFunction, {"*items"}, least});
  table.push_back({"max", kFunction, {"*items"}, greatest});
}

}  // namespace tilefoundry
