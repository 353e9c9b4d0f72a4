// The abstract compilation target as a value; concrete ones live in target/ and in plugins.
#pragma once

#include <string>

#include "tilefoundry/support/ref.h"

namespace tilefoundry {

class Target : public RefCounted {
 public:
  // Selects code generation: "cpu", "cuda".
  virtual const std::string& name() const = 0;
  // A constructor expression of the language that rebuilds an equal value: `CpuTarget()`.
  virtual std::string repr() const = 0;
  // The module that provides the concrete class: "tilefoundry.target".
  virtual std::string provider() const = 0;
  // The concrete class's name, as `repr` calls it.
  virtual std::string class_name() const = 0;
  virtual bool equals(const Target& other) const = 0;
};
using TargetRef = Ref<const Target>;

// Value equality; two nulls are equal.
inline bool same_target(const TargetRef& a, const TargetRef& b) {
  if (!a || !b) return a == b;
  return a == b || a->equals(*b);
}

}  // namespace tilefoundry
