#include "tilefoundry/support/diagnostic.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace tilefoundry {
namespace {

Span span_of(const std::string& text, std::string_view part) {
  const auto begin = static_cast<std::uint32_t>(text.find(part));
  return {make_ref<SourceBuffer>("a.py", text), begin,
          begin + static_cast<std::uint32_t>(part.size())};
}

TEST(Diagnostic, renders_place_code_line_and_caret) {
  const Diagnostic diagnostic{.code = "TF2001",
                              .message = "unknown name 'ad'",
                              .span = span_of("def f(x):\n    return ad(x, x)\n", "ad(x"),
                              .hint = "write 'add'"};
  EXPECT_EQ(render(diagnostic),
            "a.py:2:12: error[TF2001]: unknown name 'ad'\n"
            " 2 |     return ad(x, x)\n"
            "   |            ^~~~\n"
            "hint: write 'add'\n");
}

TEST(Diagnostic, carets_count_code_points_and_tabs_as_one_column) {
  const Diagnostic diagnostic{
      .code = "TF1", .message = "m", .span = span_of("\tč = new + 1", "new")};
  EXPECT_EQ(render(diagnostic),
            "a.py:1:6: error[TF1]: m\n"
            " 1 |  č = new + 1\n"
            "   |      ^~~\n");
}

TEST(Diagnostic, a_span_over_several_lines_marks_the_rest_of_the_first) {
  const Diagnostic diagnostic{
      .code = "TF1", .message = "m", .span = span_of("x = f(a,\n      b)\n", "f(a,\n      b)")};
  EXPECT_EQ(render(diagnostic),
            "a.py:1:5: error[TF1]: m\n"
            " 1 | x = f(a,\n"
            "   |     ^~~~\n");
}

TEST(Diagnostic, an_empty_span_at_the_end_of_the_text_has_one_caret) {
  const std::string text = "x = (";
  const Diagnostic diagnostic{
      .code = "TF1", .message = "m", .span = {make_ref<SourceBuffer>("a.py", text), 5, 5}};
  EXPECT_EQ(render(diagnostic),
            "a.py:1:6: error[TF1]: m\n"
            " 1 | x = (\n"
            "   |      ^\n");
}

TEST(Diagnostic, control_characters_of_the_source_do_not_reach_the_terminal) {
  const Diagnostic diagnostic{
      .code = "TF1", .message = "m", .span = span_of("x = \x1b[31m 1 \xFF", "1 ")};
  const std::string text = render(diagnostic);
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  EXPECT_EQ(text.find('\xFF'), std::string::npos) << text;
  EXPECT_NE(render(diagnostic, {.color = true}).find("\x1b["), std::string::npos);
}

TEST(Diagnostic, a_very_long_line_is_cut_around_the_caret) {
  const std::string line = std::string(5'000, 'a') + " here " + std::string(5'000, 'b');
  const Diagnostic diagnostic{.code = "TF1", .message = "m", .span = span_of(line, "here")};
  const std::string text = render(diagnostic);
  EXPECT_LT(text.size(), 500U);
  const auto source_begin = text.find(" 1 | ");
  const auto marks_begin = text.find("   | ", source_begin);
  ASSERT_NE(source_begin, std::string::npos);
  ASSERT_NE(marks_begin, std::string::npos);
  const auto word = text.find("here", source_begin) - source_begin;
  const auto caret = text.find("^~~~", marks_begin) - marks_begin;
  EXPECT_EQ(word, caret);
}

TEST(Diagnostic, notes_follow_with_their_own_lines) {
  Diagnostic diagnostic{.code = "TF2002", .message = "defined twice"};
  diagnostic.notes.push_back({"the first is here", span_of("x = 1\nx = 2\n", "x = 1")});
  diagnostic.notes.push_back({"nothing to show", {}});
  EXPECT_EQ(render(diagnostic),
            "error[TF2002]: defined twice\n"
            "a.py:1:1: note: the first is here\n"
            " 1 | x = 1\n"
            "   | ^~~~~\n"
            "note: nothing to show\n");
}

TEST(Diagnostic, json_has_the_same_facts) {
  Diagnostic diagnostic{.code = "TF2001",
                        .message = "bad byte \xFF",
                        .span = span_of("x = ad(1)\n", "ad"),
                        .hint = "write 'add'"};
  diagnostic.notes.push_back({"a note", {}});
  const auto json = nlohmann::json::parse(diagnostics_json({diagnostic}));
  EXPECT_EQ(json["schema"], "tilefoundry.diagnostics");
  EXPECT_EQ(json["schema_version"], 1);
  ASSERT_EQ(json["diagnostics"].size(), 1U);
  const auto& entry = json["diagnostics"][0];
  EXPECT_EQ(entry["code"], "TF2001");
  EXPECT_EQ(entry["severity"], "error");
  EXPECT_EQ(entry["file"], "a.py");
  EXPECT_EQ(entry["line"], 1);
  EXPECT_EQ(entry["column"], 5);
  EXPECT_EQ(entry["end_column"], 7);
  EXPECT_EQ(entry["hint"], "write 'add'");
  EXPECT_EQ(entry["notes"][0]["message"], "a note");
}

TEST(Diagnostic, an_error_carries_all_diagnostics_and_raises_its_own_class) {
  const Diagnostic first{.code = "TF3001", .message = "first"};
  const Diagnostic second{.code = "TF3002", .message = "second"};
  const VerifyError error({first, second});
  EXPECT_EQ(error.diagnostic().code, "TF3001");
  EXPECT_EQ(error.class_name(), "VerifyError");
  EXPECT_EQ(std::string(error.what()), "error[TF3001]: first\nerror[TF3002]: second\n");
  const Error& base = error;
  EXPECT_THROW(base.raise({second}), VerifyError);
}

TEST(Diagnostic, a_broken_invariant_names_its_place_without_a_machine_path) {
  try {
    TF_CHECK(1 + 1 == 3, "sums");
    FAIL() << "the check passed";
  } catch (const InternalError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("tilefoundry/support/diagnostic_test.cc"), std::string::npos) << text;
    EXPECT_EQ(text.find("at /"), std::string::npos) << text;
    EXPECT_NE(text.find("report"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace tilefoundry
