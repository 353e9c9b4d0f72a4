// Reads paths from standard input, one a line, and answers with one line each: "ok " and the dump
// of the file's syntax tree, or "error " and its diagnostics' codes and places.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "tilefoundry/frontend/parser.h"
#include "tilefoundry/frontend/syntax_dump.h"

int main() {
  using namespace tilefoundry;
  std::string path;
  while (std::getline(std::cin, path)) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    DiagnosticSink sink;
    const SyntaxTree tree = parse_source(make_ref<SourceBuffer>(path, text.str()), sink);
    if (!sink.has_errors()) {
      std::cout << "ok " << dump_syntax(tree) << std::endl;
      continue;
    }
    std::cout << "error";
    for (const Diagnostic& d : sink.diagnostics()) {
      const auto place = d.span.buffer->position(d.span.begin);
      std::cout << ' ' << d.code << ' ' << place.line << ':' << place.column << ' ' << d.message
                << ';';
    }
    std::cout << std::endl;
  }
}
