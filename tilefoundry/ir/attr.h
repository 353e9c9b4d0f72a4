// Attribute values of ops, and how C++ field types map to them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tilefoundry/layout/layout.h"
#include "tilefoundry/types/type.h"

namespace tilefoundry {

using AttrInts = std::vector<std::int64_t>;

// `monostate` is None. An enumeration travels as its name.
using AttrValue = std::variant<std::monostate, bool, std::int64_t, double, std::string, DType,
                               StorageKind, Dim, Shape, AttrInts, TypeRef, LayoutRef, MeshRef>;

enum class AttrKind {
  boolean,
  integer,
  number,  // float64
  string,
  choice,  // one of a closed set of names
  dtype,
  storage,
  dim,
  shape,  // tuple of dimensions
  ints,   // tuple of ints
  type,
  layout,
  mesh,
};

std::string_view attr_kind_name(AttrKind kind);
// Bitwise for numbers: nan equals nan, -0.0 differs from 0.0.
bool attr_equal(const AttrValue& a, const AttrValue& b);
std::size_t attr_hash(const AttrValue& value);

// Specialize for an enumeration that is an attribute: `static constexpr std::array names`, in
// enumerator order from 0.
template <class E>
struct EnumNames;

template <class E>
std::string_view enum_name(E value) {
  return EnumNames<E>::names[static_cast<std::size_t>(value)];
}

template <class E>
std::optional<E> enum_from_name(std::string_view name) {
  for (std::size_t i = 0; i < EnumNames<E>::names.size(); ++i) {
    if (EnumNames<E>::names[i] == name) return static_cast<E>(i);
  }
  return std::nullopt;
}

// Field type to attribute kind and back. `from` gets a value of the right kind.
template <class T>
struct AttrTraits {
  static_assert(std::is_enum_v<T>, "no attribute kind for this field type");
  static constexpr AttrKind kind = AttrKind::choice;
  static AttrValue to(T value) { return std::string(enum_name(value)); }
  static T from(const AttrValue& value) { return *enum_from_name<T>(std::get<std::string>(value)); }
  static std::vector<std::string> choices() {
    return {EnumNames<T>::names.begin(), EnumNames<T>::names.end()};
  }
};

template <class T, AttrKind K>
struct PlainAttrTraits {
  static constexpr AttrKind kind = K;
  static AttrValue to(const T& value) { return value; }
  static T from(const AttrValue& value) { return std::get<T>(value); }
  static std::vector<std::string> choices() { return {}; }
};
template <>
struct AttrTraits<bool> : PlainAttrTraits<bool, AttrKind::boolean> {};
template <>
struct AttrTraits<std::int64_t> : PlainAttrTraits<std::int64_t, AttrKind::integer> {};
template <>
struct AttrTraits<double> : PlainAttrTraits<double, AttrKind::number> {};
template <>
struct AttrTraits<std::string> : PlainAttrTraits<std::string, AttrKind::string> {};
template <>
struct AttrTraits<DType> : PlainAttrTraits<DType, AttrKind::dtype> {};
template <>
struct AttrTraits<StorageKind> : PlainAttrTraits<StorageKind, AttrKind::storage> {};
template <>
struct AttrTraits<Dim> : PlainAttrTraits<Dim, AttrKind::dim> {};
template <>
struct AttrTraits<Shape> : PlainAttrTraits<Shape, AttrKind::shape> {};
template <>
struct AttrTraits<AttrInts> : PlainAttrTraits<AttrInts, AttrKind::ints> {};
template <>
struct AttrTraits<TypeRef> : PlainAttrTraits<TypeRef, AttrKind::type> {};
template <>
struct AttrTraits<LayoutRef> : PlainAttrTraits<LayoutRef, AttrKind::layout> {};
template <>
struct AttrTraits<MeshRef> : PlainAttrTraits<MeshRef, AttrKind::mesh> {};

template <class T>
struct AttrTraits<std::optional<T>> {
  static constexpr AttrKind kind = AttrTraits<T>::kind;
  static AttrValue to(const std::optional<T>& value) {
    return value ? AttrTraits<T>::to(*value) : AttrValue();
  }
  static std::optional<T> from(const AttrValue& value) {
    if (std::holds_alternative<std::monostate>(value)) return std::nullopt;
    return AttrTraits<T>::from(value);
  }
  static std::vector<std::string> choices() { return AttrTraits<T>::choices(); }
};

}  // namespace tilefoundry
