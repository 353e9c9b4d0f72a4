// Statements that the language does not have, and small questions about syntax.
#pragma once

#include <functional>
#include <string_view>

#include "tilefoundry/frontend/sema.h"

namespace tilefoundry {

// Throws ParseError with the message of the statement's kind: "'try' cannot stand in @func".
[[noreturn]] void refuse_foreign_statement(Sema& sema, const StmtSyntax& stmt,
                                           std::string_view place);
// "'try'", "an assignment", "the function 'f'".
std::string statement_words(const StmtSyntax& stmt);

bool is_docstring(const StmtSyntax& stmt);
// `name(...)`
bool is_call_of(const ExprSyntax& node, std::string_view name);
// Whether an expression is refused whatever its parts are.
bool refuses_by_kind(const ExprSyntax& node);
// Every name that a statement binds, in nested blocks too.
void for_each_bound_name(const StmtSyntax& stmt,
                         const std::function<void(std::string_view)>& visit);

}  // namespace tilefoundry
