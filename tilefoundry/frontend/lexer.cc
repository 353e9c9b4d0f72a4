#include "tilefoundry/frontend/lexer.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/frontend/scan.h"
#include "tilefoundry/frontend/text_check.h"
#include "tilefoundry/support/unicode_identifier.h"
#include "tilefoundry/support/utf8.h"

namespace tilefoundry {
namespace {

// One level fewer than the parser takes, so that a file too deep is reported once.
constexpr std::size_t kIndentLimit = 99;
constexpr std::uint32_t kTabWidth = 8;

// Indentation is measured twice, with wide tabs and with tabs of one column. The two measures must
// order the lines of a file alike.
struct Indent {
  std::uint32_t wide = 0;
  std::uint32_t narrow = 0;
};

struct OpenBracket {
  char mark;
  std::uint32_t at;
};

char closing_bracket(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

// Keywords that begin a statement and stand in no expression. One that begins a line inside
// brackets shows that a bracket above was never closed.
bool starts_only_statements(TokenKind kind) {
  switch (kind) {
    case TokenKind::kw_def:
    case TokenKind::kw_class:
    case TokenKind::kw_return:
    case TokenKind::kw_import:
    case TokenKind::kw_while:
    case TokenKind::kw_with:
    case TokenKind::kw_pass:
    case TokenKind::kw_break:
    case TokenKind::kw_continue:
    case TokenKind::kw_raise:
    case TokenKind::kw_del:
    case TokenKind::kw_global:
    case TokenKind::kw_nonlocal:
    case TokenKind::kw_assert:
    case TokenKind::kw_try: return true;
    default: return false;
  }
}

class Lexer {
 public:
  Lexer(const Ref<const SourceBuffer>& source, std::size_t error_limit)
      : source_(source), text_(source->text()), error_limit_(error_limit) {}

  LexedSource run() {
    if (auto problem = check_source_text(source_)) {
      out_.errors.push_back(std::move(*problem));
      stopped_ = true;
    } else {
      out_.tokens.reserve(text_.size() / 4);
      if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
      while (at_ < text_.size() && !stopped_) {
        if (!line_start_ || start_line()) next_token();
      }
    }
    finish();
    return std::move(out_);
  }

 private:
  // --- output ---

  void add(TokenKind kind, std::uint32_t begin, std::uint32_t end) {
    out_.tokens.push_back({kind, {begin, end}});
    if (kind != TokenKind::indent && kind != TokenKind::dedent) last_end_ = end;
  }

  void report(const char* code, std::uint32_t begin, std::uint32_t end, std::string message,
              std::string hint = "") {
    out_.errors.push_back(
        {code, std::move(message), Span{source_, begin, end}, {}, std::move(hint)});
    if (out_.errors.size() >= error_limit_) stopped_ = true;
  }

  // Reports, leaves an `error` token and goes on after it.
  void reject(const char* code, std::uint32_t begin, std::uint32_t end, std::string message,
              std::string hint = "") {
    report(code, begin, end, std::move(message), std::move(hint));
    add(TokenKind::error, begin, end);
    at_ = end;
  }

  bool line_is_open() const {
    return !out_.tokens.empty() && out_.tokens.back().kind != TokenKind::newline &&
           out_.tokens.back().kind != TokenKind::indent &&
           out_.tokens.back().kind != TokenKind::dedent;
  }

  void end_logical_line() {
    if (line_is_open()) add(TokenKind::newline, last_end_, last_end_);
    line_start_ = true;
  }

  void finish() {
    out_.truncated = stopped_;
    if (stopped_) add(TokenKind::error, last_end_, last_end_);
    if (!brackets_.empty() && !stopped_) report_unclosed_bracket();
    end_logical_line();
    for (std::size_t i = 1; i < indents_.size(); ++i) add(TokenKind::dedent, at_, at_);
    add(TokenKind::end_of_file, last_end_, last_end_);
  }

  // --- layout ---

  void skip_comment() {
    const std::uint32_t begin = at_;
    while (at_ < text_.size() && line_ending_length(text_, at_) == 0) ++at_;
    out_.comments.push_back({begin, at_});
  }

  // Consumes a backslash and the line ending after it.
  void skip_continuation() {
    const std::uint32_t ending = line_ending_length(text_, at_ + 1);
    if (ending == 0) {
      reject("TF1011", at_, at_ + 1, "a backslash outside a string must end its line",
             "remove it, or remove what follows it on the line");
    } else if (at_ + 1 + ending >= text_.size()) {
      reject("TF1011", at_, at_ + 1, "the file ends after this backslash", "remove it");
      at_ += ending;
    } else {
      at_ += 1 + ending;
    }
  }

  // Measures the indentation of a logical line. False if the line is blank, which consumes it.
  bool start_line() {
    const std::uint32_t begin = at_;
    Indent indent;
    Indent before_continuation;
    for (; at_ < text_.size() && !stopped_; ++at_) {
      const char c = text_[at_];
      if (c == ' ') {
        ++indent.wide, ++indent.narrow;
      } else if (c == '\t') {
        indent.wide = (indent.wide / kTabWidth + 1) * kTabWidth;
        ++indent.narrow;
      } else if (c == '\f') {
        indent = {};
      } else if (c == '\\' && line_ending_length(text_, at_ + 1) > 0) {
        if (before_continuation.wide == 0) before_continuation = indent;
        skip_continuation();
        --at_;
      } else {
        break;
      }
    }
    if (at_ >= text_.size() || stopped_) return false;
    if (text_[at_] == '#') skip_comment();
    if (at_ >= text_.size()) return false;
    if (const std::uint32_t ending = line_ending_length(text_, at_); ending > 0) {
      at_ += ending;
      return false;
    }
    line_start_ = false;
    apply_indent(before_continuation.wide > 0 ? before_continuation : indent, begin);
    return true;
  }

  void apply_indent(Indent indent, std::uint32_t begin) {
    if (indent.wide > indents_.back().wide) {
      if (indent.narrow <= indents_.back().narrow) report_tabs(begin);
      indents_.push_back(indent);
      add(TokenKind::indent, begin, at_);
      if (indents_.size() > kIndentLimit + 1) {
        report("TF1105", begin, at_, "blocks are nested too deeply here",
               fmt::format("at most {} levels can be read; move the inner part into a function",
                           kIndentLimit));
        stopped_ = true;
      }
      return;
    }
    // A line between two levels is taken as a line of the deeper one, after the report.
    while (indents_.size() > 1 && indents_[indents_.size() - 2].wide >= indent.wide) {
      indents_.pop_back();
      add(TokenKind::dedent, at_, at_);
    }
    if (indents_.back().wide != indent.wide) {
      report("TF1004", begin, at_, "this indentation matches no line above",
             "indent it like the block that it belongs to");
      indents_.back() = indent;
    } else if (indents_.back().narrow != indent.narrow) {
      report_tabs(begin);
      indents_.back().narrow = indent.narrow;
    }
  }

  void report_tabs(std::uint32_t begin) {
    report("TF1003", begin, at_,
           "this indentation mixes tabs and blanks in a way that depends on "
           "the width of a tab",
           "indent with blanks only");
  }

  // --- tokens ---

  void next_token() {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\f') {
      ++at_;
    } else if (c == '#') {
      skip_comment();
    } else if (const std::uint32_t ending = line_ending_length(text_, at_); ending > 0) {
      at_ += ending;
      if (brackets_.empty()) end_logical_line();
      fresh_line_ = at_;
    } else if (c == '\\') {
      skip_continuation();
    } else if ((c >= '0' && c <= '9') || starts_fraction()) {
      add_literal(scan_number(text_, at_), "TF1010");
    } else if (string_prefix_length(text_, at_) >= 0) {
      add_string();
    } else if (const std::uint32_t end = identifier_end(text_, at_); end > at_) {
      add_name(end);
    } else {
      add_operator();
    }
  }

  bool starts_fraction() const {
    return text_[at_] == '.' && at_ + 1 < text_.size() && text_[at_ + 1] >= '0' &&
           text_[at_ + 1] <= '9';
  }

  void add_literal(ScannedLiteral literal, const char* code) {
    if (literal.problem.empty()) {
      add(literal.kind, at_, literal.end);
      at_ = literal.end;
    } else {
      reject(code, at_, literal.end, std::move(literal.problem), std::move(literal.hint));
    }
  }

  void add_string() {
    ScannedLiteral literal = scan_string(text_, at_);
    const bool tripled =
        text_.substr(at_ + string_prefix_length(text_, at_)).starts_with("\"\"\"") ||
        text_.substr(at_ + string_prefix_length(text_, at_)).starts_with("'''");
    if (!literal.problem.empty() && tripled) {
      // The place of interest is where it opens, not the rest of the file.
      const std::uint32_t begin = at_;
      reject("TF1006", begin, begin + string_prefix_length(text_, at_) + 3,
             std::move(literal.problem), std::move(literal.hint));
      at_ = literal.end;
      brackets_.clear();
      return;
    }
    add_literal(std::move(literal), "TF1006");
  }

  void add_name(std::uint32_t end) {
    const std::string_view word = text_.substr(at_, end - at_);
    const TokenKind kind = keyword_kind(word);
    if (!brackets_.empty() && starts_only_statements(kind) && first_on_line()) {
      report_unclosed_bracket();
      brackets_.clear();
      end_logical_line();
      at_ = fresh_line_;
      return;
    }
    if (kind == TokenKind::name) check_normalized(word);
    add(kind, at_, end);
    at_ = end;
  }

  bool first_on_line() const {
    const std::string_view before = text_.substr(fresh_line_, at_ - fresh_line_);
    return before.find_first_not_of(" \t\f") == std::string_view::npos;
  }

  void check_normalized(std::string_view word) {
    for (std::uint32_t i = 0; i < word.size();) {
      const auto decoded = utf8_decode(word, i);
      if (!is_normalized_identifier_character(decoded.value)) {
        report("TF1012", at_ + i, at_ + i + decoded.size,
               fmt::format("the character U+{:04X} of this name is not in its normal form",
                           decoded.value),
               "Python reads names after NFKC normalization; write this name in that form");
        return;
      }
      i += decoded.size;
    }
  }

  void add_operator() {
    const TokenKind kind = longest_operator(text_.substr(at_, 3));
    if (kind == TokenKind::error) {
      reject_character();
      return;
    }
    const auto end = at_ + static_cast<std::uint32_t>(token_spelling(kind).size());
    const char c = text_[at_];
    if (c == '(' || c == '[' || c == '{') {
      brackets_.push_back({c, at_});
      if (brackets_.size() == kBracketLimit + 1) {
        reject("TF1009", at_, end, "brackets are nested too deeply here",
               fmt::format("at most {} levels can be read; give the inner part a name",
                           kBracketLimit));
        return;
      }
    } else if (c == ')' || c == ']' || c == '}') {
      if (!close_bracket(c)) return;
    }
    add(kind, at_, end);
    at_ = end;
  }

  bool close_bracket(char c) {
    if (brackets_.empty()) {
      reject("TF1008", at_, at_ + 1, fmt::format("'{}' closes no bracket", c), "remove it");
      return false;
    }
    const OpenBracket open = brackets_.back();
    brackets_.pop_back();
    if (closing_bracket(open.mark) == c) return true;
    reject("TF1008", at_, at_ + 1, fmt::format("'{}' does not close '{}'", c, open.mark),
           fmt::format("write '{}' here", closing_bracket(open.mark)));
    out_.errors.back().notes.push_back(
        {"the bracket opens here", Span{source_, open.at, open.at + 1}});
    return false;
  }

  void report_unclosed_bracket() {
    const OpenBracket open = brackets_.back();
    report("TF1007", open.at, open.at + 1, fmt::format("'{}' is never closed", open.mark),
           fmt::format("add the missing '{}'", closing_bracket(open.mark)));
    add(TokenKind::error, last_end_, last_end_);
  }

  void reject_character() {
    const auto decoded = utf8_decode(text_, at_);
    const std::uint32_t c = decoded.value;
    std::uint32_t end = at_ + decoded.size;
    // One report for a run of characters from outside ASCII, such as a word in curly quotes.
    while (c >= 0x80 && end < text_.size()) {
      const auto next = utf8_decode(text_, end);
      if (next.value < 0x80 || is_identifier_start(next.value)) break;
      end += next.size;
    }
    const bool visible = c > 0x20 && c != 0x7F;
    std::string message = visible && c < 0x80
                              ? fmt::format("'{}' is not a character of the language",
                                            text_.substr(at_, decoded.size))
                              : fmt::format("the character U+{:04X} has no place here", c);
    reject("TF1005", at_, end, std::move(message), character_hint(c));
  }

  static std::string character_hint(std::uint32_t c) {
    if (c == '!') return "write 'not x' for negation, 'a != b' for a comparison";
    if (c >= 0x2018 && c <= 0x201F) return "write a straight quote, ' or \"";
    if (c == 0xA0 || (c >= 0x2000 && c <= 0x200B) || c == 0x3000) return "write a plain blank";
    if (c == 0xFEFF) return "remove the byte order mark";
    if (c == 0x2013 || c == 0x2014 || c == 0x2212) return "write '-'";
    if (c == 0xD7) return "write '*'";
    return "";
  }

  Ref<const SourceBuffer> source_;
  std::string_view text_;
  std::size_t error_limit_;
  std::uint32_t at_ = 0;
  std::uint32_t last_end_ = 0;    // where the last token that is not layout ends
  std::uint32_t fresh_line_ = 0;  // where the current physical line begins
  bool line_start_ = true;        // a logical line may begin here
  bool stopped_ = false;
  std::vector<Indent> indents_ = {Indent{}};
  std::vector<OpenBracket> brackets_;
  LexedSource out_;
};

}  // namespace

LexedSource lex(const Ref<const SourceBuffer>& source, std::size_t error_limit) {
  return Lexer(source, error_limit).run();
}

}  // namespace tilefoundry
