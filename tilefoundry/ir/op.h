// Op values: an op class with its attributes.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "tilefoundry/ir/op_class.h"
#include "tilefoundry/support/ref.h"

namespace tilefoundry {

// Whatever can be a `Call.target` or stand in an `Evaluate`: an op, a Function, a SymbolRef's name.
class Callable : public RefCounted {
 public:
  const NodeClass& node_class() const noexcept { return *class_; }

 protected:
  explicit Callable(const NodeClass& cls) noexcept : class_(&cls) {}

 private:
  const NodeClass* class_;
};
using CallableRef = Ref<const Callable>;

class Op : public Callable {
 public:
  const OpClass& op_class() const noexcept { return static_cast<const OpClass&>(node_class()); }
  virtual AttrValue attr(std::size_t index) const = 0;
  // By declared name, which exists.
  AttrValue attr(std::string_view name) const;

 protected:
  explicit Op(const OpClass& cls) noexcept : Callable(cls) {}
};
using OpRef = Ref<const Op>;

bool op_equal(const Op& a, const Op& b);
// The first alias that fixes attributes and whose fixed attributes `op` has; null when none does.
const OpAlias* matching_alias(const Op& op);

// An op whose attributes are the fields of the struct `T`.
template <class T>
class TypedOp final : public Op {
 public:
  TypedOp(const OpClass& cls, T value) : Op(cls), value_(std::move(value)) {}
  const T& value() const noexcept { return value_; }
  AttrValue attr(std::size_t index) const override { return T::field_getters()[index](value_); }

 private:
  T value_;
};

// The fields of a call's op when its class is T's, else null.
template <class T>
const T* op_cast(const Callable& callable) noexcept {
  if (&callable.node_class() != &T::op_class()) return nullptr;
  return &static_cast<const TypedOp<T>&>(callable).value();
}

template <class T>
OpRef make_op(T value) {
  return OpRef(new TypedOp<T>(T::op_class(), std::move(value)));
}

// Base of op structs: `struct Clamp : OpFields<Clamp> { double min_val = 0; ... }`. The struct has
// `static const OpClass& op_class()`, made by an `OpClassBuilder<Clamp>`.
template <class T>
struct OpFields {
  using Getter = AttrValue (*)(const T&);
  using Setter = void (*)(T&, const AttrValue&);
  static std::vector<Getter>& field_getters() {
    static std::vector<Getter> getters;
    return getters;
  }
  static std::vector<Setter>& field_setters() {
    static std::vector<Setter> setters;
    return setters;
  }
};

template <class T>
class OpClassBuilder : private OpClassBuilderBase {
 public:
  OpClassBuilder(std::string name, Dialect dialect, std::string category)
      : OpClassBuilderBase(std::move(name), dialect, std::move(category)) {}

  OpClassBuilder& dsl(std::string name) { return set_dsl_name(std::move(name)), *this; }
  OpClassBuilder& summary(std::string text) { return set_summary(std::move(text)), *this; }
  OpClassBuilder& effect() { return set_effect(), *this; }
  OpClassBuilder& input(std::string name, InputPattern pattern = InputPattern::tensor) {
    inputs().push_back({std::move(name), pattern, false, false});
    return *this;
  }
  OpClassBuilder& optional_input(std::string name, InputPattern pattern = InputPattern::tensor) {
    inputs().push_back({std::move(name), pattern, true, false});
    return *this;
  }
  OpClassBuilder& variadic_input(std::string name, InputPattern pattern = InputPattern::tensor) {
    inputs().push_back({std::move(name), pattern, false, true});
    return *this;
  }
  // A required attribute stored in the field `Member`.
  template <auto Member>
  OpClassBuilder& attr(std::string name) {
    return add_attr<Member>(std::move(name), true);
  }
  // An attribute whose default is the field's initializer.
  template <auto Member>
  OpClassBuilder& attr_with_default(std::string name) {
    return add_attr<Member>(std::move(name), false);
  }
  OpClassBuilder& alias(std::string name,
                        std::vector<std::pair<std::string, AttrValue>> fixed = {}) {
    aliases().push_back({std::move(name), std::move(fixed)});
    return *this;
  }
  OpClassBuilder& lacks(std::string column, std::string reason) {
    return add_exemption(std::move(column), std::move(reason)), *this;
  }
  const OpClass& build() {
    set_make([](const OpClass& cls, std::vector<AttrValue>& values) {
      T fields{};
      for (std::size_t i = 0; i < values.size(); ++i) T::field_setters()[i](fields, values[i]);
      return OpRef(new TypedOp<T>(cls, std::move(fields)));
    });
    return finish();
  }

 private:
  template <class C, class F>
  static F field_type(F C::*);
  template <class F>
  struct IsOptional : std::false_type {};
  template <class F>
  struct IsOptional<std::optional<F>> : std::true_type {};

  template <auto Member>
  OpClassBuilder& add_attr(std::string name, bool required) {
    using Field = decltype(field_type(Member));
    using Traits = AttrTraits<Field>;
    T::field_getters().push_back([](const T& op) { return Traits::to(op.*Member); });
    T::field_setters().push_back(
        [](T& op, const AttrValue& value) { op.*Member = Traits::from(value); });
    attrs().push_back({std::move(name), Traits::kind, required, IsOptional<Field>::value,
                       required ? AttrValue() : Traits::to(T{}.*Member), Traits::choices()});
    return *this;
  }
};

// An op defined at run time, from Python or a plugin: attributes in a vector.
class DynamicOp final : public Op {
 public:
  DynamicOp(const OpClass& cls, std::vector<AttrValue> values)
      : Op(cls), values_(std::move(values)) {}
  using Op::attr;
  AttrValue attr(std::size_t index) const override { return values_[index]; }

 private:
  std::vector<AttrValue> values_;
};

class DynamicOpClassBuilder : private OpClassBuilderBase {
 public:
  DynamicOpClassBuilder(std::string name, Dialect dialect, std::string category)
      : OpClassBuilderBase(std::move(name), dialect, std::move(category)) {}
  DynamicOpClassBuilder& dsl(std::string name) { return set_dsl_name(std::move(name)), *this; }
  DynamicOpClassBuilder& summary(std::string text) { return set_summary(std::move(text)), *this; }
  DynamicOpClassBuilder& effect() { return set_effect(), *this; }
  DynamicOpClassBuilder& provider(std::string module) {
    return set_provider(std::move(module)), *this;
  }
  DynamicOpClassBuilder& input(OpInput input) {
    return inputs().push_back(std::move(input)), *this;
  }
  DynamicOpClassBuilder& attr(OpAttr attr) { return attrs().push_back(std::move(attr)), *this; }
  DynamicOpClassBuilder& alias(OpAlias alias) {
    return aliases().push_back(std::move(alias)), *this;
  }
  const OpClass& build();
};

}  // namespace tilefoundry
