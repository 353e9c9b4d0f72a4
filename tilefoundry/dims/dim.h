// Symbolic dimensions: an int64, a DimVar over a half-open range, a run-time scalar, or arithmetic
// over those, kept in one normal form so that equal expressions are one object.
//
// Normal form: a polynomial over atoms with int64 coefficients. Atoms are DimVars, run-time scalars
// (by identity) and the non-polynomial expressions floordiv, mod, min, max. Ranges of DimVars never
// take part in simplification. Overflow of int64 throws ValueError (TF3001), never wraps.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tilefoundry/support/interner.h"
#include "tilefoundry/support/ref.h"

namespace tilefoundry {

// What a run-time scalar must offer to stand in dimension arithmetic. Two atoms are equal when they
// are one object. `ir/` implements it with `Var`.
class DimAtom {
 public:
  virtual std::string dim_name() const = 0;
  // Creation order; makes the order of terms reproducible.
  virtual std::uint64_t dim_serial() const = 0;
  // The counted object that this atom is part of.
  virtual const RefCounted& dim_owner() const = 0;

 protected:
  ~DimAtom() = default;
};

// Keeps an atom alive; equal means the same atom.
struct DimAtomRef {
  explicit DimAtomRef(const DimAtom& value) : owner(&value.dim_owner()), atom(&value) {}
  Ref<const RefCounted> owner;
  const DimAtom* atom;
  friend bool operator==(const DimAtomRef& a, const DimAtomRef& b) { return a.atom == b.atom; }
};

class DimNode;

class Dim {
 public:
  Dim() noexcept : value_(0) {}
  Dim(std::int64_t value) noexcept : value_(value) {}  // NOLINT(google-explicit-constructor)
  Dim(int value) noexcept : value_(value) {}           // NOLINT(google-explicit-constructor)
  explicit Dim(Ref<const DimNode> node) noexcept : node_(std::move(node)) {}
  // A bool is not a dimension.
  Dim(bool) = delete;

  bool is_static() const noexcept { return !node_; }
  // The value of a static dimension.
  std::int64_t value() const noexcept { return value_; }
  bool is(std::int64_t value) const noexcept { return !node_ && value_ == value; }
  const Ref<const DimNode>& node() const noexcept { return node_; }
  std::size_t hash() const noexcept;
  // Text of the language that reads back to the same object: `S * 2 + 1`, `ceildiv(N, 128)`.
  std::string text() const;
  // The same with other names for DimVars and run-time scalars.
  std::string text(const std::function<std::string(const DimNode&)>& atom_name) const;

  friend bool operator==(const Dim& a, const Dim& b) noexcept {
    return a.node_ == b.node_ && (a.node_ || a.value_ == b.value_);
  }

 private:
  std::int64_t value_ = 0;
  Ref<const DimNode> node_;
};

using Shape = std::vector<Dim>;

struct DimVar {
  std::string name;
  std::int64_t lo;
  std::int64_t hi;
  friend bool operator==(const DimVar&, const DimVar&) = default;
};

// coefficient * product(factors); factors are atoms in canonical order, repeated for powers.
struct DimTerm {
  std::int64_t coefficient;
  std::vector<Ref<const DimNode>> factors;
  friend bool operator==(const DimTerm&, const DimTerm&) = default;
};

struct DimSum {
  std::vector<DimTerm> terms;  // canonical order, no zero coefficients
  std::int64_t constant;
  friend bool operator==(const DimSum&, const DimSum&) = default;
};

enum class DimOp { floordiv, mod, min, max };

struct DimApply {
  DimOp op;
  std::vector<Dim> operands;  // two for floordiv and mod; two or more, sorted, for min and max
  friend bool operator==(const DimApply&, const DimApply&) = default;
};

class DimNode final : public Interned<DimNode> {
 public:
  using Payload = std::variant<DimVar, DimAtomRef, DimSum, DimApply>;
  explicit DimNode(Payload payload);

  const Payload& payload() const noexcept { return payload_; }
  const DimVar* as_var() const noexcept { return std::get_if<DimVar>(&payload_); }
  const DimSum* as_sum() const noexcept { return std::get_if<DimSum>(&payload_); }
  const DimApply* as_apply() const noexcept { return std::get_if<DimApply>(&payload_); }
  // The run-time scalar, or null.
  const DimAtom* as_atom() const noexcept;
  // Nesting of non-polynomial operations below this node.
  int depth() const noexcept { return depth_; }

  std::size_t structural_hash() const;
  bool structural_equal(const DimNode& other) const { return payload_ == other.payload_; }

 private:
  Payload payload_;
  int depth_;
};

// Interned by (name, lo, hi). Throws ValueError for an empty name or lo >= hi.
Dim dim_var(const std::string& name, std::int64_t lo, std::int64_t hi);
Dim dim_atom(const DimAtom& atom);

Dim operator+(const Dim& a, const Dim& b);
Dim operator-(const Dim& a, const Dim& b);
Dim operator*(const Dim& a, const Dim& b);
// Division and remainder by a static zero throw ValueError (TF3002). Signs follow Python.
Dim floordiv(const Dim& a, const Dim& b);
Dim mod(const Dim& a, const Dim& b);
Dim dim_min(const Dim& a, const Dim& b);
Dim dim_max(const Dim& a, const Dim& b);
// (a + b - 1) // b
Dim ceildiv(const Dim& a, const Dim& b);

// Canonical order of dimensions: total, reproducible between runs.
int dim_compare(const Dim& a, const Dim& b);

// Inclusive interval; a missing end is unknown.
struct DimBounds {
  std::optional<std::int64_t> lo;
  std::optional<std::int64_t> hi;
};
DimBounds dim_bounds(const Dim& dim);

// Replaces atoms. The function gets a DimVar or run-time scalar node and returns the replacement.
using DimSubstitution = std::function<Dim(const Ref<const DimNode>&)>;
Dim substitute(const Dim& dim, const DimSubstitution& replace);
// Calls `visit` for every DimVar and run-time scalar node, in canonical order, repeats included.
void for_each_dim_atom(const Dim& dim, const std::function<void(const DimNode&)>& visit);
// Product of the extents; 1 for rank 0.
Dim dim_product(const Shape& shape);

// "(4, S * 2)", "(4,)", "()".
std::string shape_text(const Shape& shape);
std::size_t hash_shape(const Shape& shape) noexcept;

}  // namespace tilefoundry

template <>
struct std::hash<tilefoundry::Dim> {
  std::size_t operator()(const tilefoundry::Dim& dim) const noexcept { return dim.hash(); }
};
