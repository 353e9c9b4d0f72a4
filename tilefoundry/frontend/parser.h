// Text to syntax tree.
#pragma once

#include <cstddef>

#include "tilefoundry/frontend/syntax.h"
#include "tilefoundry/support/diagnostic_sink.h"

namespace tilefoundry {

// Brackets, blocks, prefix operators, powers, conditionals and lambdas may nest this deep in all.
inline constexpr std::size_t kNestingLimit = 100;

// Parses a file in linear time. Every independent syntax error is reported to `sink`, in the order
// of the file and up to the sink's limit; the tree then holds the statements that could be read.
// The grammar is Python's, statements that the language refuses included. It is not checked here
// what Python itself checks after parsing: where `return` may stand, names bound twice, and so on.
SyntaxTree parse_source(const Ref<const SourceBuffer>& source, DiagnosticSink& sink);

}  // namespace tilefoundry
