#include "tilefoundry/frontend/parser.h"

#include <pthread.h>

#include <chrono>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "tilefoundry/frontend/syntax_dump.h"

namespace tilefoundry {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kSmallStack = std::size_t{1} << 20;  // sanitized frames are larger
#else
constexpr std::size_t kSmallStack = std::size_t{256} << 10;
#endif

void on_small_stack(std::function<void()> work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kSmallStack), 0);
  pthread_t thread;
  const auto run = [](void* data) -> void* {
    (*static_cast<std::function<void()>*>(data))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

std::string repeat(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

SyntaxTree parse(std::string text, DiagnosticSink& sink) {
  return parse_source(make_ref<SourceBuffer>("p.py", std::move(text)), sink);
}

// "CODE line:column" of every error.
std::string errors(const std::string& text) {
  DiagnosticSink sink;
  parse(text, sink);
  std::string out;
  for (const Diagnostic& d : sink.diagnostics()) {
    const auto place = d.span.buffer->position(d.span.begin);
    out += (out.empty() ? "" : ", ") + d.code + " " + std::to_string(place.line) + ":" +
           std::to_string(place.column);
  }
  return out;
}

std::string first_message(const std::string& text) {
  DiagnosticSink sink;
  parse(text, sink);
  return sink.has_errors() ? sink.diagnostics()[0].message : "";
}

std::string dump(const std::string& text) {
  DiagnosticSink sink;
  const SyntaxTree tree = parse(text, sink);
  EXPECT_FALSE(sink.has_errors()) << sink.diagnostics()[0].message;
  return dump_syntax(tree);
}

// Structure against Python's own parser is tested by tests/python/test_parser_oracle.py.
TEST(Parser, precedence_and_ranges) {
  EXPECT_EQ(dump("-a ** (b) + c"),
            "(Expr@0-13 (BinOp@0-13 + (UnaryOp@0-9 - (BinOp@1-9 ** (Name@1-2 a) (Name@7-8 b))) "
            "(Name@12-13 c)))");
  EXPECT_EQ(dump("a < b is not c"),
            "(Expr@0-14 (Compare@0-14 (Name@0-1 a) [< (Name@4-5 b) is not (Name@13-14 c)]))");
}

TEST(Parser, a_chain_of_elif_is_flat) {
  DiagnosticSink sink;
  const SyntaxTree tree = parse("if a: b\n" + repeat("elif c: d\n", 1000) + "else: e\n", sink);
  ASSERT_FALSE(sink.has_errors());
  const auto* node = tree.statements()[0]->as<IfSyntax>();
  ASSERT_NE(node, nullptr);
  EXPECT_EQ(node->branches.size(), 1001u);
  EXPECT_EQ(node->else_body.size(), 1u);
}

TEST(Parser, the_range_of_a_definition) {
  DiagnosticSink sink;
  const std::string text = "x\n@func\ndef f(a):\n    return a  # done\n\ny\n";
  const SyntaxTree tree = parse(text, sink);
  ASSERT_EQ(tree.statements().size(), 3u);
  const auto* function = tree.statements()[1]->as<FunctionSyntax>();
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(tree.text(function->header), "def f(a):");
  EXPECT_EQ(tree.text(function->decorated_range), "@func\ndef f(a):\n    return a");
  EXPECT_EQ(tree.text(tree.comments()[0]), "# done");
  EXPECT_EQ(tree.span(*function).location(), "p.py:3:1");
}

TEST(Parser, crlf_reads_like_lf) {
  const std::string text = "def č(a):\n    \"\"\"x\n    y\"\"\"\n    return (a +\n        1)\n";
  std::string crlf;
  for (const char c : text) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const auto kinds = [](const std::string& source) {
    std::string out = dump(source);
    std::string bare;  // without the ranges
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (out[i] == '@') i = out.find_first_of(" )", i);
      bare += out[i];
    }
    return bare;
  };
  EXPECT_EQ(kinds(crlf), kinds(text));
}

TEST(Parser, every_independent_error_is_reported_in_order) {
  EXPECT_EQ(errors("x = = 1\n"
                   "def f(a)\n"
                   "    y = 2 2\n"
                   "    return a\n"
                   "z = [1 2]\n"
                   "if a:\n"
                   "    b = )\n"
                   "else\n"
                   "    pass pass\n"
                   "w = 'open\n"),
            "TF1101 1:5, TF1101 2:9, TF1101 3:11, TF1101 5:8, TF1008 7:9, TF1101 8:5, "
            "TF1101 9:10, TF1006 10:5");
}

TEST(Parser, one_mistake_is_one_report) {
  EXPECT_EQ(errors("x = foo(1, 2\ny = 3\n"), "TF1007 1:8");
  EXPECT_EQ(errors("while a\n    b\nelse:\n    c\n"), "TF1101 1:8");
  EXPECT_EQ(errors("try:\n    a\nexcept B, C:\n    d\nfinally:\n    e\n"), "TF1101 3:9");
  EXPECT_EQ(errors("    x = 1\n    y = 2\n"), "TF1102 1:1");
  EXPECT_EQ(errors("def f():\nx = 1\n"), "TF1103 1:8");
}

TEST(Parser, errors_at_the_end_of_the_file) {
  EXPECT_EQ(errors("x = 1 +"), "TF1101 1:8");
  EXPECT_EQ(errors("x = 1 +  # more\n\n\n"), "TF1101 1:8");
  EXPECT_EQ(errors("y = 1\ndef f(a):"), "TF1103 2:9");
  EXPECT_EQ(errors("y = 1\nif a:\n    b = f(\n"), "TF1007 3:10");
  EXPECT_EQ(errors("@func\n"), "TF1101 1:6");
  EXPECT_EQ(first_message("x = 1 +"), "expected an expression, found the end of the line");
}

TEST(Parser, stops_at_twenty_errors) {
  DiagnosticSink sink;
  parse(repeat("x = = 1\n", 100000), sink);
  EXPECT_EQ(sink.diagnostics().size(), 20u);
}

TEST(Parser, messages_say_what_was_wanted_and_found) {
  EXPECT_EQ(first_message("def f(x) -> y\n    pass\n"),
            "expected ':' after the signature of the function, found the end of the line");
  EXPECT_EQ(first_message("f(x) = 1"), "cannot assign to a call");
  EXPECT_EQ(first_message("class for: pass"),
            "expected the name of the class, found the keyword 'for'");
  EXPECT_EQ(first_message("a = [1 2]"),
            "expected ',' or ']' after the element, found the number 2");
}

TEST(Parser, statements_beyond_the_language_are_named_by_kind) {
  DiagnosticSink sink;
  const SyntaxTree tree =
      parse("match x:\n  case 1: pass\n  case _:\n    y\ntype A = B\nmatch = 1\nmatch (x)\n", sink);
  ASSERT_FALSE(sink.has_errors());
  ASSERT_EQ(tree.statements().size(), 4u);
  EXPECT_NE(tree.statements()[0]->as<MatchSyntax>(), nullptr);
  EXPECT_NE(tree.statements()[1]->as<TypeAliasSyntax>(), nullptr);
  EXPECT_EQ(tree.statements()[2]->kind, StmtSyntaxKind::assign);
  EXPECT_EQ(tree.statements()[3]->kind, StmtSyntaxKind::expression);
}

TEST(Parser, nesting_has_a_limit_on_a_small_stack) {
  on_small_stack([] {
    struct Case {
      const char* open;
      const char* close;
    };
    for (const Case c : {Case{"(", ")"},
                         {"[", "]"},
                         {"{1: ", "}"},
                         {"f(a, k=", ")"},
                         {"a[1:", "]"},
                         {"[b for b in ", "]"},
                         {"-", ""},
                         {"not ", ""},
                         {"2 ** ", ""},
                         {"lambda: ", ""},
                         {"a if b else ", ""}}) {
      const auto nested = [&](std::size_t n) {
        return "x = " + repeat(c.open, n) + "1" + repeat(c.close, n);
      };
      EXPECT_EQ(errors(nested(kNestingLimit)), "") << c.open;
      const std::string found = errors(nested(100000));
      EXPECT_TRUE(found.starts_with("TF1105") || found.starts_with("TF1009")) << c.open << found;
    }
  });
}

TEST(Parser, blocks_nest_up_to_a_limit_on_a_small_stack) {
  on_small_stack([] {
    for (const char* head :
         {"if a", "def f(a: b = 1)", "class A(B)", "with a as b", "for a in b"}) {
      const auto nested = [&](std::size_t n) {
        std::string out;
        for (std::size_t i = 0; i < n; ++i) out += std::string(i, ' ') + head + ":\n";
        return out + std::string(n, ' ') + "pass\n";
      };
      EXPECT_EQ(errors(nested(kNestingLimit - 1)), "") << head;
      EXPECT_TRUE(errors(nested(2000)).starts_with("TF1105")) << head;
    }
    // Heads that fail leave orphan blocks, which nest too.
    std::string orphans;
    for (std::size_t i = 0; i < 99; ++i) orphans += std::string(i, ' ') + "if a b:\n";
    EXPECT_TRUE(errors(orphans).starts_with("TF1101 1:6"));
  });
}

TEST(Parser, chains_have_no_limit_on_a_small_stack) {
  on_small_stack([] {
    constexpr std::size_t kTerms = 100000;
    for (const char* link : {" + b", " ** b if c else d\ne = f", ".b", "[0]", "(b)", " and b",
                             " < b", " @ b * c", ", b", " = b", "\nb", ";b"}) {
      DiagnosticSink sink;
      const SyntaxTree tree = parse("x = a" + repeat(link, kTerms) + "\n", sink);
      EXPECT_FALSE(sink.has_errors()) << link;
      EXPECT_GE(tree.statements().size(), 1u);
      if (link == std::string(" + b")) {
        EXPECT_GT(dump_syntax(tree).size(), kTerms);
      }
    }
  });
}

TEST(Parser, time_is_linear_in_the_text) {
  const auto seconds = [](const std::string& text) {
    const auto start = std::chrono::steady_clock::now();
    DiagnosticSink sink;
    parse(text, sink);
    EXPECT_FALSE(sink.has_errors());
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    return time.count();
  };
  const auto program = [](std::size_t n) {
    return repeat("v = add(mul(x, y), z, axis=(1, 2))\n", n);
  };
  // Generous: a quadratic step takes minutes at this size.
  EXPECT_LT(seconds(program(100000)), 10.0);
  EXPECT_LT(seconds("f(" + repeat("*a, ", 200000) + ")"), 10.0);
  EXPECT_LT(seconds("x = {" + repeat("1: [2], ", 100000) + "}"), 10.0);
  EXPECT_LT(seconds("match" + repeat("(a)", 100000) + "\n" + repeat("match(a)\n", 100000)), 10.0);
}

TEST(Parser, an_empty_file_is_an_empty_tree) {
  EXPECT_EQ(dump(""), "");
  EXPECT_EQ(dump("\n\n# nothing\n"), "");
}

}  // namespace
}  // namespace tilefoundry
