#include "tilefoundry/runtime/compile_error.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "tilefoundry/support/files.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

namespace fs = std::filesystem;

struct CompilerMessage {
  std::string file;
  std::uint32_t line = 0;    // 0: none
  std::uint32_t column = 0;  // 0: none
  std::string text;
};

// Takes ":123" off the end.
std::optional<std::uint32_t> take_number(std::string_view* text) {
  const std::size_t colon = text->rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::uint32_t number = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data() + colon + 1, end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  *text = text->substr(0, colon);
  return number;
}

std::optional<CompilerMessage> parse_line(std::string_view line) {
  std::size_t at = line.find(": error: ");
  std::size_t length = 9;
  if (at == std::string_view::npos) {
    at = line.find(": fatal error: ");
    length = 15;
  }
  if (at == std::string_view::npos) return std::nullopt;
  CompilerMessage message;
  message.text = std::string(line.substr(at + length));
  std::string_view place = line.substr(0, at);
  const std::optional<std::uint32_t> last = take_number(&place);
  const std::optional<std::uint32_t> first = last ? take_number(&place) : std::nullopt;
  message.line = first ? *first : last.value_or(0);
  message.column = first ? *last : 0;
  message.file = std::string(place);
  return message;
}

struct Summary {
  CompilerMessage first;
  std::size_t errors = 0;
};

// How much a line without a place in a source says: linkers and drivers have forms of their own.
int telling(std::string_view line) {
  if (line.find("undefined") != std::string_view::npos) return 3;
  if (line.find("error: ") != std::string_view::npos) return 2;
  return line.empty() ? 0 : 1;
}

Summary summarize(const std::string& messages) {
  Summary summary;
  std::string_view fallback;
  std::size_t begin = 0;
  while (begin < messages.size()) {
    const std::size_t end = std::min(messages.find('\n', begin), messages.size());
    const std::string_view line = std::string_view(messages).substr(begin, end - begin);
    begin = end + 1;
    const std::optional<CompilerMessage> message = parse_line(line);
    if (message && message->line > 0) {
      if (summary.errors++ == 0) summary.first = *message;
    } else if (telling(line) > telling(fallback)) {
      fallback = line;
    }
  }
  if (summary.errors == 0) summary.first.text = std::string(fallback);
  return summary;
}

Span line_span(const std::string& name, const std::string& text, std::uint32_t line,
               std::uint32_t column) {
  auto buffer = make_ref<SourceBuffer>(name, text);
  if (line == 0 || line > buffer->line_count()) return {};
  const std::string_view content = buffer->line(line);
  const auto start = static_cast<std::uint32_t>(content.data() - buffer->text().data());
  const auto length = static_cast<std::uint32_t>(content.size());
  // Compilers count columns in bytes.
  const std::uint32_t skip = column == 0 ? 0 : std::min(column - 1, length);
  return {buffer, start + skip, start + std::min(skip + 1, length)};
}

// The nearest comment above a line of generated code: the program's own line.
std::string comment_above(const SourceBuffer& buffer, std::uint32_t line) {
  constexpr std::uint32_t kFar = 200;
  for (std::uint32_t n = line; n > 0 && line - n < kFar; --n) {
    const std::string_view text = buffer.line(n);
    const std::size_t start = text.find_first_not_of(' ');
    if (start != std::string_view::npos && text.substr(start, 3) == "// ") {
      return std::string(text.substr(start + 3));
    }
  }
  return "";
}

}  // namespace

Diagnostic compile_diagnostic(const std::string& messages, int exit_code,
                              const std::string& command, const std::vector<fs::path>& sources,
                              const std::vector<fs::path>& kept) {
  const Summary summary = summarize(messages);
  Diagnostic diagnostic;
  diagnostic.code = "TF5002";
  diagnostic.message = fmt::format(
      "the C++ compiler failed: {}",
      summary.first.text.empty() ? fmt::format("exit code {}", exit_code) : summary.first.text);
  if (summary.errors > 1) {
    diagnostic.message += fmt::format(" (and {} more)", counted(summary.errors - 1, "error"));
  }
  fs::path shown = kept.empty() ? fs::path() : kept.front();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (fs::path(summary.first.file).filename() != sources[i].filename()) continue;
    shown = kept[i];
    try {
      diagnostic.span =
          line_span(shown.string(), read_file(shown), summary.first.line, summary.first.column);
    } catch (const FileError&) {
      // Without the text the message still has its place.
    }
  }
  if (messages.find("No space left on device") != std::string::npos) {
    diagnostic.code = "TF5007";
    diagnostic.message = "the C++ compiler failed: no space left on device";
    diagnostic.hint = "free some space, or set TMPDIR and TILEFOUNDRY_CACHE_DIR to another disk";
    return diagnostic;
  }
  if (diagnostic.span) {
    const std::string comment = comment_above(*diagnostic.span.buffer, summary.first.line);
    if (!comment.empty()) diagnostic.notes.push_back({"generated for: " + comment, {}});
  }
  diagnostic.notes.push_back({"the command was: " + command, {}});
  diagnostic.hint = fmt::format(
      "the generated source is kept at {}; if no flag or compiler of yours is to blame, please "
      "report it",
      shown.string());
  return diagnostic;
}

}  // namespace tilefoundry
