#include "tilefoundry/support/diagnostic_sink.h"

#include <gtest/gtest.h>

namespace tilefoundry {
namespace {

TEST(DiagnosticSink, raises_nothing_when_empty) { DiagnosticSink().raise_if_errors(); }

TEST(DiagnosticSink, plain_reports_raise_a_parse_error_with_all) {
  DiagnosticSink sink;
  sink.report({"TF1000", "first"});
  sink.report({"TF1001", "second"});
  try {
    sink.raise_if_errors();
    FAIL();
  } catch (const ParseError& error) {
    ASSERT_EQ(error.diagnostics().size(), 2u);
    EXPECT_EQ(error.diagnostics()[1].message, "second");
  }
}

TEST(DiagnosticSink, keeps_the_class_of_the_first_error) {
  DiagnosticSink sink;
  try {
    throw VerifyError(Diagnostic{"TF3000", "typing"});
  } catch (...) {
    sink.report_current_exception();
  }
  sink.report({"TF1000", "syntax"});
  EXPECT_THROW(sink.raise_if_errors(), VerifyError);
}

TEST(DiagnosticSink, lets_other_exceptions_through) {
  DiagnosticSink sink;
  try {
    throw 7;
  } catch (...) {
    EXPECT_THROW(sink.report_current_exception(), int);
  }
  EXPECT_FALSE(sink.has_errors());
}

TEST(DiagnosticSink, says_that_it_dropped_some) {
  DiagnosticSink sink(2);
  for (int i = 0; i < 5; ++i) sink.report({"TF1000", "again"});
  ASSERT_EQ(sink.diagnostics().size(), 2u);
  EXPECT_EQ(sink.diagnostics().back().notes.size(), 1u);
}

}  // namespace
}  // namespace tilefoundry
