#include "tilefoundry/ir/tir/scalar_kinds.h"

namespace tilefoundry {

bool binary_accepts(BinaryKind kind, DType dtype) {
  switch (kind) {
    case BinaryKind::div:
    case BinaryKind::pow: return dtype.is_float();
    case BinaryKind::logical_and:
    case BinaryKind::logical_or: return dtype.is_bool();
    case BinaryKind::cmp_eq:
    case BinaryKind::cmp_ne: return dtype.is_float() || dtype.is_integer() || dtype.is_bool();
    default: return dtype.is_float() || dtype.is_integer();
  }
}

bool unary_accepts(UnaryKind kind, DType dtype) {
  switch (kind) {
    case UnaryKind::logical_not: return dtype.is_bool();
    case UnaryKind::neg:
    case UnaryKind::abs:
    case UnaryKind::relu:
    case UnaryKind::square: return dtype.is_float() || dtype.is_integer();
    default: return dtype.is_float();
  }
}

}  // namespace tilefoundry
