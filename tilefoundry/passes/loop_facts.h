// What loop passes know about a loop: what it may do, and how its accesses move with a variable.
#pragma once

#include <optional>
#include <unordered_set>

#include "tilefoundry/passes/accesses.h"

namespace tilefoundry {

// Variables that are bound inside a statement, loop variables included.
std::unordered_set<const Var*> local_vars(const StmtRef& stmt);

// Whether nothing but bindings, loops, branches and Stores is inside; `while` where allowed.
bool only_scalar_code(const StmtRef& stmt, bool with_while = false);

// Whether the body has no loop or branch.
bool is_leaf(const For& loop);

// Whether a dimension reads a run-time scalar.
bool reads_var(const Dim& dim, const Var& var);
bool reads_any(const Dim& dim, const std::unordered_set<const Var*>& vars);

// By how much an index moves from one trip of `var` to the next; nothing when that is not one
// number.
std::optional<std::int64_t> step_of(const Dim& index, const Var& var);

// Whether every element that a trip writes outside the loop's own buffers is touched by that trip
// only.
bool independent_trips(const For& loop, const BufferAliases& aliases);

// How the address of an access moves with a variable: not at all, to the next element, or farther.
enum class Movement { none, next, far };
Movement movement(const BufferAccess& access, const Var& var);

}  // namespace tilefoundry
