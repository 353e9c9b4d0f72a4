#include "tilefoundry/ir/attr.h"

#include <bit>

#include "tilefoundry/support/hash.h"

namespace tilefoundry {

std::string_view attr_kind_name(AttrKind kind) {
  switch (kind) {
    case AttrKind::boolean: return "bool";
    case AttrKind::integer: return "int";
    case AttrKind::number: return "float";
    case AttrKind::string: return "str";
    case AttrKind::choice: return "str";
    case AttrKind::dtype: return "dtype";
    case AttrKind::storage: return "storage";
    case AttrKind::dim: return "dimension";
    case AttrKind::shape: return "tuple of dimensions";
    case AttrKind::ints: return "tuple of ints";
    case AttrKind::type: return "Tensor[...]";
    case AttrKind::layout: return "layout";
    case AttrKind::mesh: return "Mesh";
  }
  return "";
}

bool attr_equal(const AttrValue& a, const AttrValue& b) {
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  if (x != nullptr && y != nullptr) {
    return std::bit_cast<std::uint64_t>(*x) == std::bit_cast<std::uint64_t>(*y);
  }
  return a == b;
}

namespace {

struct Hasher {
  std::size_t operator()(std::monostate) const { return 0; }
  std::size_t operator()(double value) const {
    return hash_values(std::bit_cast<std::uint64_t>(value));
  }
  std::size_t operator()(StorageKind value) const { return static_cast<std::size_t>(value); }
  std::size_t operator()(const Shape& value) const { return hash_shape(value); }
  std::size_t operator()(const AttrInts& value) const { return hash_range(5, value); }
  template <class T>
  std::size_t operator()(const T& value) const {
    return hash_values(value);
  }
};

}  // namespace

std::size_t attr_hash(const AttrValue& value) {
  return hash_mix(value.index(), std::visit(Hasher(), value));
}

}  // namespace tilefoundry
