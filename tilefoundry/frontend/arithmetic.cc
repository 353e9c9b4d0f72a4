#include "tilefoundry/frontend/arithmetic.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/frontend/sema.h"

namespace tilefoundry {
namespace {

[[noreturn]] void refuse_operands(std::string_view op, const Value& a, const Value& b,
                                  const Span& place) {
  refuse("TF2030", place,
         fmt::format("'{}' does not take {} and {}", op, describe(a), describe(b)));
}

[[noreturn]] void refuse_overflow(std::string_view op, const Span& place) {
  refuse("TF2032", place, fmt::format("the result of '{}' needs more than 64 bits", op));
}

[[noreturn]] void refuse_zero(std::string_view op, const Span& place) {
  refuse("TF2031", place, fmt::format("'{}' divides by zero", op));
}

// A bool counts as 0 or 1.
std::optional<std::int64_t> as_integer(const Value& value) {
  if (const auto* integer = value.as<std::int64_t>()) return *integer;
  if (const auto* flag = value.as<bool>()) return *flag ? 1 : 0;
  return std::nullopt;
}

std::optional<double> as_float(const Value& value) {
  if (const auto integer = as_integer(value)) return static_cast<double>(*integer);
  return as_float_value(value);
}

Value integer_power(std::int64_t base, std::int64_t exponent, const Span& place) {
  if (exponent < 0) {
    if (base == 0) refuse_zero("**", place);
    return std::pow(static_cast<double>(base), static_cast<double>(exponent));
  }
  if (base == 0 || base == 1) return exponent == 0 ? std::int64_t{1} : base;
  if (base == -1) return exponent % 2 == 0 ? std::int64_t{1} : std::int64_t{-1};
  std::int64_t result = 1;
  for (std::int64_t i = 0; i < exponent; ++i) {
    if (__builtin_mul_overflow(result, base, &result)) refuse_overflow("**", place);
  }
  return result;
}

Value shift_left(std::int64_t a, std::int64_t b, const Span& place) {
  if (b < 0) refuse("TF2030", place, "a shift needs a count that is not negative");
  std::int64_t result = 0;
  if (a == 0) return result;
  if (b > 62 || __builtin_mul_overflow(a, std::int64_t{1} << b, &result)) {
    refuse_overflow("<<", place);
  }
  return result;
}

Value integer_binary(BinaryOperator op, std::int64_t a, std::int64_t b, const Value& left,
                     const Value& right, const Span& place) {
  const std::string_view text = operator_text(op);
  std::int64_t result = 0;
  switch (op) {
    case BinaryOperator::add:
      if (__builtin_add_overflow(a, b, &result)) refuse_overflow(text, place);
      return result;
    case BinaryOperator::subtract:
      if (__builtin_sub_overflow(a, b, &result)) refuse_overflow(text, place);
      return result;
    case BinaryOperator::multiply:
      if (__builtin_mul_overflow(a, b, &result)) refuse_overflow(text, place);
      return result;
    case BinaryOperator::divide:
      if (b == 0) refuse_zero(text, place);
      return static_cast<double>(a) / static_cast<double>(b);
    case BinaryOperator::floor_divide:
      if (b == 0) refuse_zero(text, place);
      if (a == INT64_MIN && b == -1) refuse_overflow(text, place);
      return python_floordiv(a, b);
    case BinaryOperator::modulo:
      if (b == 0) refuse_zero(text, place);
      return b == -1 ? std::int64_t{0} : python_mod(a, b);
    case BinaryOperator::power: return integer_power(a, b, place);
    case BinaryOperator::left_shift: return shift_left(a, b, place);
    case BinaryOperator::right_shift:
      if (b < 0) refuse("TF2030", place, "a shift needs a count that is not negative");
      return a >> std::min<std::int64_t>(b, 63);
    case BinaryOperator::bit_and: result = a & b; break;
    case BinaryOperator::bit_or: result = a | b; break;
    case BinaryOperator::bit_xor: result = a ^ b; break;
    case BinaryOperator::matmul: refuse_operands(text, left, right, place);
  }
  if (left.is<bool>() && right.is<bool>()) return result != 0;
  return result;
}

double float_mod(double a, double b) {
  double rest = std::fmod(a, b);
  if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
  return rest == 0 ? std::copysign(0.0, b) : rest;
}

// Python computes the quotient from the remainder, so that both agree.
double float_floordiv(double a, double b) {
  double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1.0;
  if (quotient == 0) return std::copysign(0.0, a / b);
  const double floored = std::floor(quotient);
  return quotient - floored > 0.5 ? floored + 1.0 : floored;
}

Value float_binary(BinaryOperator op, double a, double b, const Value& left, const Value& right,
                   const Span& place) {
  const std::string_view text = operator_text(op);
  switch (op) {
    case BinaryOperator::add: return a + b;
    case BinaryOperator::subtract: return a - b;
    case BinaryOperator::multiply: return a * b;
    case BinaryOperator::divide:
      if (b == 0) refuse_zero(text, place);
      return a / b;
    case BinaryOperator::floor_divide:
      if (b == 0) refuse_zero(text, place);
      return float_floordiv(a, b);
    case BinaryOperator::modulo:
      if (b == 0) refuse_zero(text, place);
      return float_mod(a, b);
    case BinaryOperator::power:
      if (a == 0 && b < 0) refuse_zero(text, place);
      if (a < 0 && std::isfinite(b) && b != std::floor(b)) {
        refuse("TF2030", place, "a negative number to a broken power is complex");
      }
      return std::pow(a, b);
    default: refuse_operands(text, left, right, place);
  }
}

Value dim_binary(BinaryOperator op, const Dim& a, const Dim& b, const Value& left,
                 const Value& right, const Span& place) {
  switch (op) {
    case BinaryOperator::add: return Value::dim(a + b);
    case BinaryOperator::subtract: return Value::dim(a - b);
    case BinaryOperator::multiply: return Value::dim(a * b);
    case BinaryOperator::floor_divide:
      if (b.is(0)) refuse_zero("//", place);
      return Value::dim(floordiv(a, b));
    case BinaryOperator::modulo:
      if (b.is(0)) refuse_zero("%", place);
      return Value::dim(mod(a, b));
    case BinaryOperator::power:
      if (b.is_static() && b.value() >= 0 && b.value() <= 64) {
        Dim result(1);
        for (std::int64_t i = 0; i < b.value(); ++i) result = result * a;
        return Value::dim(std::move(result));
      }
      break;
    case BinaryOperator::divide:
      refuse("TF2030", place, "dimensions have no true division", "write '//' or ceildiv(a, b)");
    default: break;
  }
  refuse_operands(operator_text(op), left, right, place);
}

constexpr std::size_t kLongestSequence = 1'000'000;

std::optional<Value> sequence_binary(BinaryOperator op, const Value& a, const Value& b,
                                     const Span& place) {
  const auto* left = a.as<SequenceValue>();
  if (op == BinaryOperator::add) {
    const auto* right = b.as<SequenceValue>();
    if (left == nullptr || right == nullptr || left->is_list != right->is_list) return std::nullopt;
    std::vector<Value> items = *left->items;
    items.insert(items.end(), right->items->begin(), right->items->end());
    return left->is_list ? Value::list(std::move(items)) : Value::tuple(std::move(items));
  }
  if (op != BinaryOperator::multiply) return std::nullopt;
  if (left == nullptr) {
    return b.is<SequenceValue>() ? sequence_binary(op, b, a, place) : std::nullopt;
  }
  const auto count = as_integer(b);
  if (!count) return std::nullopt;
  const auto times = static_cast<std::size_t>(std::max<std::int64_t>(*count, 0));
  if (times > kLongestSequence / std::max<std::size_t>(left->items->size(), 1)) {
    refuse("TF2032", place, "the sequence is too long",
           fmt::format("at most {} items", kLongestSequence));
  }
  std::vector<Value> items;
  for (std::size_t i = 0; i < times; ++i) {
    items.insert(items.end(), left->items->begin(), left->items->end());
  }
  return left->is_list ? Value::list(std::move(items)) : Value::tuple(std::move(items));
}

template <class T>
bool ordered(CompareOperator op, const T& a, const T& b) {
  switch (op) {
    case CompareOperator::less: return a < b;
    case CompareOperator::less_equal: return a <= b;
    case CompareOperator::greater: return a > b;
    default: return a >= b;
  }
}

bool contains(const Value& item, const Value& sequence, const Span& place) {
  const std::vector<Value>* items = sequence.items();
  if (items == nullptr) refuse_operands("in", item, sequence, place);
  for (const Value& candidate : *items) {
    const std::optional<bool> equal = static_equal(item, candidate);
    if (!equal) {
      refuse("TF2033", place, "whether these are equal is known at run time only");
    }
    if (*equal) return true;
  }
  return false;
}

}  // namespace

Value static_unary(UnaryOperator op, const Value& x, const Span& place) {
  if (op == UnaryOperator::logical_not) return !static_truth(x, place);
  if (const auto* number = x.as<double>()) {
    if (op == UnaryOperator::plus) return *number;
    if (op == UnaryOperator::minus) return -*number;
  } else if (const auto integer = as_integer(x)) {
    if (op == UnaryOperator::plus) return *integer;
    if (op == UnaryOperator::invert) return ~*integer;
    if (*integer == INT64_MIN) refuse_overflow("-", place);
    return -*integer;
  } else if (const auto dim = as_dim_value(x)) {
    if (op == UnaryOperator::plus) return x;
    if (op == UnaryOperator::minus) return Value::dim(Dim(0) - *dim);
  }
  refuse("TF2030", place, fmt::format("'{}' does not take {}", operator_text(op), describe(x)));
}

Value static_binary(BinaryOperator op, const Value& a, const Value& b, const Span& place) {
  const auto left_int = as_integer(a);
  const auto right_int = as_integer(b);
  if (left_int && right_int) return integer_binary(op, *left_int, *right_int, a, b, place);
  const auto left_float = as_float(a);
  const auto right_float = as_float(b);
  if (left_float && right_float) return float_binary(op, *left_float, *right_float, a, b, place);
  const auto left_dim = as_dim_value(a);
  const auto right_dim = as_dim_value(b);
  if (left_dim && right_dim) return dim_binary(op, *left_dim, *right_dim, a, b, place);
  if (op == BinaryOperator::add && a.is<std::string>() && b.is<std::string>()) {
    return *a.as<std::string>() + *b.as<std::string>();
  }
  if (auto sequence = sequence_binary(op, a, b, place)) return std::move(*sequence);
  if (op == BinaryOperator::matmul && b.is<MeshAxisValue>()) {
    refuse("TF2102", place, "layout sugar is not supported yet: 'extent @ mesh.axis'",
           "write ShardLayout(layout=Layout(shape, strides), attrs=(...), mesh=...)");
  }
  refuse_operands(operator_text(op), a, b, place);
}

std::optional<bool> static_equal(const Value& a, const Value& b) {
  const auto left = as_float(a);
  const auto right = as_float(b);
  if (left && right) {
    const auto left_int = as_integer(a);
    const auto right_int = as_integer(b);
    return left_int && right_int ? *left_int == *right_int : *left == *right;
  }
  const auto left_dim = as_dim_value(a);
  const auto right_dim = as_dim_value(b);
  if (left_dim && right_dim) {
    if (*left_dim == *right_dim) return true;
    return std::nullopt;
  }
  const std::vector<Value>* left_items = a.items();
  const std::vector<Value>* right_items = b.items();
  if (left_items != nullptr && right_items != nullptr) {
    if (a.as<SequenceValue>()->is_list != b.as<SequenceValue>()->is_list) return false;
    if (left_items->size() != right_items->size()) return false;
    for (std::size_t i = 0; i < left_items->size(); ++i) {
      const std::optional<bool> equal = static_equal((*left_items)[i], (*right_items)[i]);
      if (!equal || !*equal) return equal;
    }
    return true;
  }
  if (a.storage().index() != b.storage().index()) return false;
  if (a.is<NoneValue>() || a.is<EllipsisValue>()) return true;
  if (const auto* text = a.as<std::string>()) return *text == *b.as<std::string>();
  if (const auto* dtype = a.as<DType>()) return *dtype == *b.as<DType>();
  if (const auto* kind = a.as<StorageKind>()) return *kind == *b.as<StorageKind>();
  if (const auto* type = a.as<TypeValue>()) return type->type == b.as<TypeValue>()->type;
  if (const auto* layout = a.as<LayoutRef>()) return *layout == *b.as<LayoutRef>();
  if (const auto* attr = a.as<ShardAttr>()) return *attr == *b.as<ShardAttr>();
  if (const auto* level = a.as<Ref<const Topology>>())
    return *level == *b.as<Ref<const Topology>>();
  if (const auto* mesh = a.as<MeshRef>()) return *mesh == *b.as<MeshRef>();
  if (const auto* target = a.as<TargetRef>()) return same_target(*target, *b.as<TargetRef>());
  if (const auto* member = a.as<EnumMember>()) {
    const auto* other = b.as<EnumMember>();
    return member->enum_name == other->enum_name && member->name == other->name;
  }
  return std::nullopt;
}

bool static_compare(CompareOperator op, const Value& a, const Value& b, const Span& place) {
  switch (op) {
    case CompareOperator::is:
    case CompareOperator::is_not: {
      if (!a.is<NoneValue>() && !b.is<NoneValue>()) {
        refuse("TF2030", place, fmt::format("'{}' is for None only", operator_text(op)),
               op == CompareOperator::is ? "write '=='" : "write '!='");
      }
      const bool same = a.is<NoneValue>() && b.is<NoneValue>();
      return same == (op == CompareOperator::is);
    }
    case CompareOperator::in: return contains(a, b, place);
    case CompareOperator::not_in: return !contains(a, b, place);
    case CompareOperator::equal:
    case CompareOperator::not_equal: {
      const std::optional<bool> equal = static_equal(a, b);
      if (!equal) {
        refuse("TF2033", place,
               fmt::format("whether {} equals {} is not known at compile time", describe(a),
                           describe(b)));
      }
      return *equal == (op == CompareOperator::equal);
    }
    default: break;
  }
  const auto left_int = as_integer(a);
  const auto right_int = as_integer(b);
  if (left_int && right_int) return ordered(op, *left_int, *right_int);
  const auto left = as_float(a);
  const auto right = as_float(b);
  if (left && right) return ordered(op, *left, *right);
  const auto* left_text = a.as<std::string>();
  const auto* right_text = b.as<std::string>();
  if (left_text != nullptr && right_text != nullptr) return ordered(op, *left_text, *right_text);
  if (as_dim_value(a) && as_dim_value(b)) {
    refuse("TF2033", place, "the order of symbolic dimensions is not known at compile time");
  }
  refuse_operands(operator_text(op), a, b, place);
}

bool static_truth(const Value& value, const Span& place) {
  if (value.is<NoneValue>()) return false;
  if (const auto number = as_float(value)) return *number != 0;
  if (const auto* text = value.as<std::string>()) return !text->empty();
  if (const std::vector<Value>* items = value.items()) return !items->empty();
  refuse("TF2033", place,
         fmt::format("whether {} counts as true is not known at compile time", describe(value)));
}

}  // namespace tilefoundry
