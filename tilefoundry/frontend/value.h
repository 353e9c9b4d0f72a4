// What an expression of the language can stand for while a file is read: a compile-time value, a
// name of the language, or an IR value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tilefoundry/ir/module.h"

namespace tilefoundry {

class Value;
struct Builtin;
struct OpGroup;

struct NoneValue {};
struct EllipsisValue {};
// The name is bound, but its definition was refused; using it reports nothing more.
struct PoisonedValue {};

// A name that only the body of a loop defined, after that loop.
struct LoopLocalValue {
  Span loop;
};

// A type of the language; `is_const` for ConstTensor[...].
struct TypeValue {
  TypeRef type;
  bool is_const = false;
};

// `m.axis`
struct MeshAxisValue {
  MeshRef mesh;
  std::size_t axis = 0;
};

// A class of named constants whose members are checked where they are used, and one member.
struct EnumClassValue {
  std::string name;
};
struct EnumMember {
  std::string enum_name;
  std::string name;
};

// A public module of names: "tilefoundry.dsl.tf".
struct NamespaceValue {
  std::string path;
};

struct SequenceValue {
  bool is_list = false;
  std::shared_ptr<const std::vector<Value>> items;
};

// Something that only a host language can use: a plain function, a Python object.
class HostObject : public RefCounted {
 public:
  // "the Python function 'helper'"
  virtual std::string describe() const = 0;
  // An attribute or item as the language sees it; null when there is none.
  virtual std::optional<Value> attribute(std::string_view name) const;
  virtual std::optional<Value> item(const Value& index) const;
};
using HostObjectRef = Ref<const HostObject>;

class Value {
 public:
  using Storage =
      std::variant<NoneValue, EllipsisValue, PoisonedValue, LoopLocalValue, bool, std::int64_t,
                   double, std::string, DType, StorageKind, Dim, TypeValue, LayoutRef, ShardAttr,
                   Ref<const Topology>, MeshRef, MeshAxisValue, PatternRef, TargetRef, CallableRef,
                   ModuleRef, const OpGroup*, EnumClassValue, EnumMember, NamespaceValue,
                   const Builtin*, SequenceValue, ExprRef, HostObjectRef>;

  Value() = default;  // None
  template <class T>
    requires(!std::is_same_v<std::remove_cvref_t<T>, Value> &&
             std::is_constructible_v<Storage, std::in_place_type_t<std::remove_cvref_t<T>>, T>)
  Value(T&& value)  // NOLINT(google-explicit-constructor)
      : storage_(std::in_place_type<std::remove_cvref_t<T>>, std::forward<T>(value)) {}

  // A static dimension becomes an int.
  static Value dim(Dim dim);
  static Value tuple(std::vector<Value> items);
  static Value list(std::vector<Value> items);

  template <class T>
  const T* as() const noexcept {
    return std::get_if<T>(&storage_);
  }
  template <class T>
  bool is() const noexcept {
    return std::holds_alternative<T>(storage_);
  }
  const Storage& storage() const noexcept { return storage_; }
  // The items of a tuple or list, else null.
  const std::vector<Value>* items() const noexcept;
  bool is_number() const noexcept;  // int, float or bool
  // An IR value, or a tuple or list that holds one at any depth.
  bool is_runtime() const noexcept;

 private:
  Storage storage_;
};

// For messages: "the int 4", "a Mesh", "a value of type Tensor[(4,), \"f32\"]".
std::string describe(const Value& value);

// The value as an integer dimension: an int, a dimension, or an integer scalar variable of IR.
std::optional<Dim> as_dim_value(const Value& value);
// A tuple or list of dimensions.
std::optional<Shape> as_shape_value(const Value& value);
// An int or a nested tuple of dimensions.
std::optional<IntTuple> as_int_tuple(const Value& value);
// An int or a float.
std::optional<double> as_float_value(const Value& value);
// A dtype or its name; nothing for an unknown name.
std::optional<DType> as_dtype_value(const Value& value);
// A storage kind or its name; nothing for an unknown name.
std::optional<StorageKind> as_storage_value(const Value& value);

}  // namespace tilefoundry
