#include "tilefoundry/frontend/lexer.h"

#include <string>

#include <gtest/gtest.h>

namespace tilefoundry {
namespace {

LexedSource lex_text(std::string text) {
  return lex(make_ref<SourceBuffer>("p.py", std::move(text)));
}

// Tokens as text: layout as \n > <, errors as !, the end left out.
std::string tokens(const std::string& text) {
  const auto lexed = lex_text(text);
  std::string out;
  for (const Token& token : lexed.tokens) {
    if (token.kind == TokenKind::end_of_file) break;
    if (!out.empty()) out += ' ';
    switch (token.kind) {
      case TokenKind::newline: out += "\\n"; break;
      case TokenKind::indent: out += '>'; break;
      case TokenKind::dedent: out += '<'; break;
      case TokenKind::error: out += '!'; break;
      default: out += text.substr(token.range.begin, token.range.end - token.range.begin);
    }
  }
  return out;
}

// "CODE line:column" of every error.
std::string errors(const std::string& text) {
  std::string out;
  for (const Diagnostic& d : lex_text(text).errors) {
    const auto place = d.span.buffer->position(d.span.begin);
    out += (out.empty() ? "" : ", ") + d.code + " " + std::to_string(place.line) + ":" +
           std::to_string(place.column);
  }
  return out;
}

TEST(Lexer, blocks_become_indents_and_dedents) {
  EXPECT_EQ(tokens("if a:\n  b\n\n  # c\n  if d:\n      e\nf"),
            "if a : \\n > b \\n if d : \\n > e \\n < < f \\n");
}

TEST(Lexer, line_endings_and_marks_of_every_kind) {
  const std::string want = "if a : \\n > b \\n < c \\n";
  EXPECT_EQ(tokens("if a:\n  b\nc\n"), want);
  EXPECT_EQ(tokens("if a:\r\n  b\r\nc\r\n"), want);
  EXPECT_EQ(tokens("if a:\r  b\rc\r"), want);
  EXPECT_EQ(tokens("\xEF\xBB\xBFif a:\n  b\n\f\nc"), want);
  EXPECT_EQ(tokens("  \fif a:\n  b\nc"), want);
  EXPECT_EQ(tokens(""), "");
  EXPECT_EQ(tokens("  # only a comment"), "");
}

TEST(Lexer, brackets_and_backslashes_join_lines) {
  EXPECT_EQ(tokens("a = (b,\n# c\n      c)\nd \\\n  + e\n"), "a = ( b , c ) \\n d + e \\n");
  EXPECT_EQ(errors("a \\ b\n"), "TF1011 1:3");
  EXPECT_EQ(errors("a \\"), "TF1011 1:3");
  EXPECT_EQ(errors("a \\\r\n"), "TF1011 1:3");
}

TEST(Lexer, operators_take_the_longest_match) {
  EXPECT_EQ(tokens("a**=b//c->d:=e...f!=g>>=h<=i@=j"),
            "a **= b // c -> d := e ... f != g >>= h <= i @= j \\n");
}

TEST(Lexer, tabs_must_not_decide) {
  EXPECT_EQ(errors("if a:\n\tb\n        c\n"), "TF1003 3:1");
  EXPECT_EQ(errors("if a:\n        b\n\tc\n"), "TF1003 3:1");
  EXPECT_EQ(errors("if a:\n\tb\n\tc\n"), "");
  EXPECT_EQ(errors("if a:\n \tb\n \tc\n"), "");
}

TEST(Lexer, an_unindent_between_levels_is_reported_once) {
  EXPECT_EQ(errors("if a:\n    b\n  c\n  d\ne\n"), "TF1004 3:1");
  EXPECT_EQ(tokens("if a:\n    b\n  c\n  d\ne\n"), "if a : \\n > b \\n c \\n d \\n < e \\n");
}

TEST(Lexer, identifiers_outside_ascii) {
  EXPECT_EQ(tokens("č = ñandú_2 + 变量"), "č = ñandú_2 + 变量 \\n");
  EXPECT_EQ(errors("c\xCC\x8C = 1"), "TF1012 1:2");  // c and a combining caron
  EXPECT_EQ(errors("ﬁ = 1"), "TF1012 1:1");
  EXPECT_EQ(errors("a = “b”"), "TF1005 1:5, TF1005 1:7");
}

TEST(Lexer, numbers) {
  EXPECT_EQ(tokens("1_000 0x_fF 0o17 0b1 1. .5 1e-5 1_0.0_1e1_0 1j 00 1if x"),
            "1_000 0x_fF 0o17 0b1 1. .5 1e-5 1_0.0_1e1_0 1j 00 1 if x \\n");
  for (const char* bad : {"1_", "1__0", "0x", "0b2", "0o8", "0777", "1a", "0xg", "1e+", "1_j"}) {
    EXPECT_EQ(errors(bad), "TF1010 1:1") << bad;
  }
}

TEST(Lexer, strings) {
  EXPECT_EQ(tokens("rb'a' Rb\"b\" u'' f'{a}' '''a\n'b' ''' 'a\\\nb' '\\''"),
            "rb'a' Rb\"b\" u'' f'{a}' '''a\n'b' ''' 'a\\\nb' '\\'' \\n");
  EXPECT_EQ(tokens("ur'a'"), "ur 'a' \\n");
  EXPECT_EQ(errors("a = 'b\nc = \"d\n"), "TF1006 1:5, TF1006 2:5");
  EXPECT_EQ(errors("a = '''b\nc"), "TF1006 1:5");
}

TEST(Lexer, brackets_that_do_not_match) {
  EXPECT_EQ(errors("a = (1, 2]\nb = 3)\n"), "TF1008 1:10, TF1008 2:6");
  EXPECT_EQ(errors("a = (1,\nb = 2\n"), "TF1007 1:5");
  // A keyword that begins a statement ends the search for the missing bracket.
  EXPECT_EQ(tokens("a = (1,\ndef f"), "a = ( 1 , ! \\n def f \\n");
  EXPECT_EQ(errors("a = (1,\nreturn [2\nreturn 3"), "TF1007 1:5, TF1007 2:8");
}

TEST(Lexer, too_deep) {
  const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_EQ(errors(nested(kBracketLimit)), "");
  EXPECT_EQ(errors(nested(kBracketLimit + 1)), "TF1009 1:101");
  EXPECT_EQ(errors(nested(100000)), "TF1009 1:101");
  std::string blocks;
  for (int i = 0; i < 1000; ++i) blocks += std::string(i, ' ') + "if a:\n";
  EXPECT_EQ(errors(blocks), "TF1105 101:1");
}

TEST(Lexer, a_binary_file_is_one_diagnostic) {
  EXPECT_EQ(errors(std::string("\x7f"
                               "ELF\0\1\2\n\"",
                               9)),
            "TF1001 1:5");
  EXPECT_EQ(errors("a = 1\nb = '\xff'\n"), "TF1001 2:6");
  EXPECT_EQ(errors("# coding: latin-1\na = 'é'\n"), "TF1002 1:11");
  EXPECT_EQ(errors("# coding: utf-8\na = 'é'\n"), "");
  EXPECT_EQ(errors("a = \x01"), "TF1005 1:5");
}

TEST(Lexer, stops_after_the_limit_of_errors) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "a = $\n";
  const auto lexed = lex_text(text);
  EXPECT_EQ(lexed.errors.size(), 20u);
  EXPECT_TRUE(lexed.truncated);
}

TEST(Lexer, comments_are_kept) {
  const std::string text = "a # b\n# c\nd = '#'";
  const auto comments = lex_text(text).comments;
  ASSERT_EQ(comments.size(), 2u);
  EXPECT_EQ(comments[0], (TextRange{2, 5}));
  EXPECT_EQ(comments[1], (TextRange{6, 9}));
}

}  // namespace
}  // namespace tilefoundry
