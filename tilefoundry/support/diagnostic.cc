#include "tilefoundry/support/diagnostic.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tilefoundry/support/utf8.h"

namespace tilefoundry {
namespace {

constexpr std::size_t kWidestSourceLine = 160;

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::note: return "note";
  }
  return "error";
}

std::string_view severity_color(Severity severity) {
  switch (severity) {
    case Severity::error: return "\x1b[1;31m";
    case Severity::warning: return "\x1b[1;35m";
    case Severity::note: return "\x1b[1;36m";
  }
  return "";
}

std::string paint(std::string_view text, std::string_view color, const RenderOptions& options) {
  if (!options.color) return std::string(text);
  return fmt::format("{}{}\x1b[0m", color, text);
}

// A line made safe for a terminal: tabs become one blank, control characters and malformed bytes
// a replacement, one column each.
std::string printable(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size();) {
    const auto decoded = utf8_decode(line, i);
    if (decoded.value == '\t') {
      out.push_back(' ');
    } else if (decoded.value < 0x20 || decoded.value == 0x7F) {
      out.push_back('?');
    } else {
      utf8_append(out, decoded.value);
    }
    i += decoded.size;
  }
  return out;
}

std::string code_points(std::string_view text, std::size_t first, std::size_t count) {
  std::size_t i = 0;
  for (std::size_t n = 0; n < first && i < text.size(); ++n) i += utf8_decode(text, i).size;
  std::size_t j = i;
  for (std::size_t n = 0; n < count && j < text.size(); ++n) j += utf8_decode(text, j).size;
  return std::string(text.substr(i, j - i));
}

std::string excerpt(const Span& span, const RenderOptions& options) {
  if (!span) return {};
  const auto begin = span.buffer->position(span.begin);
  const auto end = span.buffer->position(std::max(span.begin, span.end));
  std::string line = printable(span.buffer->line(begin.line));
  const std::size_t length = utf8_length(line);
  std::size_t column = begin.column - 1;
  std::size_t width =
      end.line == begin.line ? end.column - begin.column : length - std::min(length, column);
  width = std::max<std::size_t>(width, 1);
  std::string lead;
  if (length > kWidestSourceLine) {
    const std::size_t first = column > kWidestSourceLine / 2 ? column - kWidestSourceLine / 2 : 0;
    line = code_points(line, first, kWidestSourceLine);
    column -= first;
    width = std::min(width, kWidestSourceLine - std::min(kWidestSourceLine, column));
    width = std::max<std::size_t>(width, 1);
  }
  const std::string number = std::to_string(begin.line);
  const std::string margin(number.size(), ' ');
  const std::string marks = "^" + std::string(width - 1, '~');
  return fmt::format(" {} | {}\n {} | {}{}\n", number, line, margin, std::string(column, ' '),
                     paint(marks, "\x1b[1;32m", options));
}

nlohmann::ordered_json span_json(const Span& span) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  if (!span) return out;
  const auto begin = span.buffer->position(span.begin);
  const auto end = span.buffer->position(std::max(span.begin, span.end));
  out["file"] = span.buffer->name();
  out["line"] = begin.line;
  out["column"] = begin.column;
  out["end_line"] = end.line;
  out["end_column"] = end.column;
  return out;
}

}  // namespace

std::string render(const Diagnostic& diagnostic, const RenderOptions& options) {
  const std::string kind =
      fmt::format("{}[{}]:", severity_name(diagnostic.severity), diagnostic.code);
  std::string out;
  if (diagnostic.span) out += diagnostic.span.location() + ": ";
  out += paint(kind, severity_color(diagnostic.severity), options);
  out += " " + diagnostic.message + "\n";
  out += excerpt(diagnostic.span, options);
  for (const DiagnosticNote& note : diagnostic.notes) {
    if (note.span) out += note.span.location() + ": ";
    out += paint("note:", severity_color(Severity::note), options) + " " + note.message + "\n";
    out += excerpt(note.span, options);
  }
  if (!diagnostic.hint.empty()) {
    out += paint("hint:", "\x1b[1;32m", options) + " " + diagnostic.hint + "\n";
  }
  return out;
}

std::string diagnostics_json(const std::vector<Diagnostic>& diagnostics) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    nlohmann::ordered_json entry = {{"code", diagnostic.code},
                                    {"severity", severity_name(diagnostic.severity)},
                                    {"message", diagnostic.message}};
    if (!diagnostic.hint.empty()) entry["hint"] = diagnostic.hint;
    entry.update(span_json(diagnostic.span));
    nlohmann::ordered_json notes = nlohmann::ordered_json::array();
    for (const DiagnosticNote& note : diagnostic.notes) {
      nlohmann::ordered_json item = {{"message", note.message}};
      item.update(span_json(note.span));
      notes.push_back(std::move(item));
    }
    entry["notes"] = std::move(notes);
    list.push_back(std::move(entry));
  }
  const nlohmann::ordered_json out = {{"schema", "tilefoundry.diagnostics"},
                                      {"schema_version", 1},
                                      {"diagnostics", std::move(list)}};
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Error::Error(Diagnostic diagnostic) : Error(std::vector<Diagnostic>{std::move(diagnostic)}) {}

Error::Error(std::vector<Diagnostic> diagnostics) : diagnostics_(std::move(diagnostics)) {
  for (const Diagnostic& diagnostic : diagnostics_) text_ += render(diagnostic);
}

void Error::raise(std::vector<Diagnostic> diagnostics) const {
  throw Error(std::move(diagnostics));
}

InternalError::InternalError(const char* file, int line, const std::string& message)
    : text_(fmt::format("internal error at {}:{}: {}\nThis is a fault of TileFoundry, not of the "
                        "program; please report it with the program that shows it.",
                        file, line, message)) {}

void internal_error(const char* file, int line, const std::string& message) {
  throw InternalError(file, line, message);
}

}  // namespace tilefoundry
