#include "tilefoundry/frontend/operators.h"

#include <array>
#include <utility>

namespace tilefoundry {
namespace {

std::string_view pick(Dialect dialect, std::string_view value, std::string_view scalar) {
  return dialect == Dialect::tf ? value : scalar;
}

}  // namespace

std::string_view operator_alias(Dialect dialect, UnaryOperator op) {
  switch (op) {
    case UnaryOperator::minus: return pick(dialect, "neg", "scalar_neg");
    case UnaryOperator::invert:
    case UnaryOperator::logical_not: return pick(dialect, "logical_not", "scalar_logical_not");
    case UnaryOperator::plus: return "";
  }
  return "";
}

std::string_view operator_alias(Dialect dialect, BinaryOperator op) {
  switch (op) {
    case BinaryOperator::add: return pick(dialect, "add", "scalar_add");
    case BinaryOperator::subtract: return pick(dialect, "sub", "scalar_sub");
    case BinaryOperator::multiply: return pick(dialect, "mul", "scalar_mul");
    case BinaryOperator::divide: return pick(dialect, "div", "scalar_div");
    case BinaryOperator::floor_divide: return pick(dialect, "floor_div", "scalar_floor_div");
    case BinaryOperator::modulo: return pick(dialect, "mod", "scalar_mod");
    case BinaryOperator::power: return pick(dialect, "pow", "scalar_pow");
    case BinaryOperator::matmul: return pick(dialect, "matmul", "");
    case BinaryOperator::bit_and: return logic_alias(dialect, true);
    case BinaryOperator::bit_or: return logic_alias(dialect, false);
    default: return "";
  }
}

std::string_view operator_alias(Dialect dialect, CompareOperator op) {
  switch (op) {
    case CompareOperator::equal: return pick(dialect, "cmp_eq", "scalar_cmp_eq");
    case CompareOperator::not_equal: return pick(dialect, "cmp_ne", "scalar_cmp_ne");
    case CompareOperator::less: return pick(dialect, "cmp_lt", "scalar_cmp_lt");
    case CompareOperator::less_equal: return pick(dialect, "cmp_le", "scalar_cmp_le");
    case CompareOperator::greater: return pick(dialect, "cmp_gt", "scalar_cmp_gt");
    case CompareOperator::greater_equal: return pick(dialect, "cmp_ge", "scalar_cmp_ge");
    default: return "";
  }
}

std::string_view logic_alias(Dialect dialect, bool is_and) {
  return is_and ? pick(dialect, "logical_and", "scalar_logical_and")
                : pick(dialect, "logical_or", "scalar_logical_or");
}

const ConstructOp kTupleItemOp{"TupleGetItem", {"index", ""}};
const ConstructOp kWindowOp{"Slice", {"sizes", "strides"}};
const ConstructOp kDropAxesOp{"Reshape", {"new_shape", ""}};
const ConstructOp kExtentsOp{"ShapeOf", {}};
const ConstructOp kElementOp{"Load", {"", ""}};
const ConstructOp kSetElementOp{"Store", {"", ""}};

std::string_view compile_time_name(std::string_view op_name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kNames{{
      {"min", "min"},
      {"max", "max"},
      {"minimum", "min"},
      {"maximum", "max"},
      {"abs", "abs"},
  }};
  for (const auto& [op, function] : kNames) {
    if (op == op_name) return function;
  }
  return "";
}

std::string_view usual_spelling(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kNames{{
      {"dot", "matmul"},
      {"mm", "matmul"},
      {"bmm", "matmul"},
      {"permute", "transpose"},
      {"view", "reshape"},
      {"astype", "cast"},
      {"subtract", "sub"},
      {"multiply", "mul"},
      {"divide", "div"},
      {"true_divide", "div"},
      {"floor_divide", "floor_div"},
      {"power", "pow"},
      {"concatenate", "concat"},
      {"cat", "concat"},
      {"sum", "reduce"},
      {"mean", "reduce"},
  }};
  for (const auto& [other, ours] : kNames) {
    if (other == name) return ours;
  }
  return "";
}

}  // namespace tilefoundry
