// Structural equality and hash: what a program says, not which objects say it.
//
// Variables correspond by where they are bound, so local names take no part; names of functions and
// parameters do. Metadata, origins and sharing of subexpressions take no part. Linear in the number
// of nodes, shared ones counted once; no recursion on the depth of a graph.
#pragma once

#include <optional>
#include <string>

#include "tilefoundry/ir/module.h"

namespace tilefoundry {

// The first difference: "Module Mlp / function forward / return / add.args[1] / attribute axis" and
// "0 versus 1". The middle of a very long path is left out.
struct Difference {
  std::string path;
  std::string message;
  std::string text() const { return path + ": " + message; }
};

// Nothing when the two are structurally equal. Variables that are bound outside correspond to
// themselves. In statements nested `Sequential`s count as one block.
std::optional<Difference> structural_difference(const ExprRef& a, const ExprRef& b);
std::optional<Difference> structural_difference(const StmtRef& a, const StmtRef& b);
std::optional<Difference> structural_difference(const FunctionRef& a, const FunctionRef& b);
std::optional<Difference> structural_difference(const PrimFunctionRef& a, const PrimFunctionRef& b);
std::optional<Difference> structural_difference(const ModuleRef& a, const ModuleRef& b);

template <class T>
bool structural_equal(const Ref<const T>& a, const Ref<const T>& b) {
  return !structural_difference(a, b);
}

// Equal for structurally equal values; the same within one process.
std::size_t structural_hash(const ExprRef& expr);
std::size_t structural_hash(const StmtRef& stmt);
std::size_t structural_hash(const FunctionRef& function);
std::size_t structural_hash(const PrimFunctionRef& function);
std::size_t structural_hash(const ModuleRef& module);

}  // namespace tilefoundry
