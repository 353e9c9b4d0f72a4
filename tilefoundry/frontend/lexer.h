// Splits a file into tokens the way Python does.
//
// Lines and blocks become `newline`, `indent` and `dedent` tokens; lines are joined inside brackets
// and after a backslash; blank lines and comments leave no token. Tabs count as in Python, and
// indentation whose meaning depends on the width of a tab is refused.
#pragma once

#include <cstddef>
#include <vector>

#include "tilefoundry/frontend/token.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

// Brackets may be nested this deep.
inline constexpr std::size_t kBracketLimit = 100;

struct LexedSource {
  // Ends with one `end_of_file`; every logical line ends with a `newline`; every `indent` has its
  // `dedent`, also in a file with errors. An `error` token marks a place that `errors` is about.
  std::vector<Token> tokens;
  // Every comment from its `#` to the end of its line, in order.
  std::vector<TextRange> comments;
  // In the order of the file.
  std::vector<Diagnostic> errors;
  // Lexing stopped before the end of the file, at the last `error` token: after `error_limit`
  // errors, or one that makes the rest unreadable.
  bool truncated = false;
};

// A file that is not UTF-8 text gives one diagnostic and no tokens but the last one.
LexedSource lex(const Ref<const SourceBuffer>& source, std::size_t error_limit = 20);

}  // namespace tilefoundry
