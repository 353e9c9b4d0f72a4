// The recursive-descent parser behind parse_source. Internal to this folder.
//
// A method that reads a construct starts at its first token and ends after its last. A failure
// reports once and throws `Abandon`, which parse_statement catches: it skips to the next statement.
// Binary operators run on an explicit stack (parse_operators.cc), so that one level of brackets
// costs few and small frames. Sources: parser.cc (tokens, errors, recovery), parse_statements.cc
// (simple statements), parse_blocks.cc (compound statements), parse_operators.cc, parse_atoms.cc,
// parse_calls.cc (calls, subscripts, parameters).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tilefoundry/frontend/lexer.h"
#include "tilefoundry/frontend/parser.h"

namespace tilefoundry {

// What may be assigned to, for messages and rules.
enum class TargetUse : std::uint8_t { assign, loop, with_item, del };

// Binding strength, weakest first. A prefix operator has the level of its result.
enum class OperatorLevel : std::uint8_t {
  logical_or = 1,
  logical_and,
  logical_not,
  compare,
  bit_or,
  bit_xor,
  bit_and,
  shift,
  sum,
  product,
  prefix,
  power
};

class Parser {
 public:
  Parser(SyntaxTree& tree, const LexedSource& lexed, std::vector<Diagnostic>& errors,
         std::size_t error_limit);

  void parse_file();

 private:
  struct Abandon {};

  // Counts one level of nesting while it lives.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) { parser.enter(); }
    ~Nesting() { --parser_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  // --- tokens (parser.cc) ---
  const Token& current() const { return tokens_[at_]; }
  const Token& peek(std::size_t ahead = 1) const;
  bool at(TokenKind kind) const { return current().kind == kind; }
  bool at_word(std::string_view word) const;
  bool accept(TokenKind kind);
  void advance();
  std::uint32_t begin() const { return current().range.begin; }
  std::uint32_t previous_end() const { return at_ == 0 ? 0 : tokens_[at_ - 1].range.end; }
  TextRange since(std::uint32_t begin) const { return {begin, previous_end()}; }
  std::string_view text(TextRange range) const { return tree_.text(range); }
  void enter();

  // --- errors (parser.cc) ---
  // Texts are views, and formatted elsewhere, so that the frames of the callers stay small.
  void report(const char* code, TextRange range, std::string_view message,
              std::string_view hint = {});
  [[noreturn]] void fail(const char* code, TextRange range, std::string_view message,
                         std::string_view hint = {});
  // "expected <wanted>, found <the current token>"
  [[noreturn]] void fail_expected(std::string_view wanted, std::string_view hint = {});
  void expect(TokenKind kind, std::string_view wanted);
  // Accepts the colon after `owner`, the head of a compound statement.
  void expect_colon(std::string_view owner);
  // Refuses the current keyword, which begins a statement in the wrong place.
  [[noreturn]] void fail_misplaced_keyword();
  [[noreturn]] void fail_statement_end();
  std::string describe(const Token& token) const;
  std::string keyword_hint() const;
  [[noreturn]] void fail_no_expression();
  TextRange place_of_current() const;
  bool line_has_lexer_error() const;
  void recover();
  void parse_orphan_block(std::vector<const StmtSyntax*>& out);
  Identifier parse_identifier(std::string_view what);

  // --- statements ---
  void parse_statement(std::vector<const StmtSyntax*>& out);
  void parse_statement_unguarded(std::vector<const StmtSyntax*>& out);
  void parse_simple_line(std::vector<const StmtSyntax*>& out);
  const StmtSyntax* parse_simple_statement();
  const StmtSyntax* parse_keyword_statement();
  const StmtSyntax* parse_expression_statement();
  void check_single_target(const ExprSyntax* target);
  const StmtSyntax* parse_annotated(const ExprSyntax* target, std::uint32_t begin);
  const StmtSyntax* parse_assignment(const ExprSyntax* first, std::uint32_t begin);
  const StmtSyntax* parse_augmented(const ExprSyntax* target, std::uint32_t begin);
  const StmtSyntax* parse_return();
  const StmtSyntax* parse_raise();
  const StmtSyntax* parse_assert();
  const StmtSyntax* parse_delete();
  const StmtSyntax* parse_scope(StmtSyntaxKind kind);
  const StmtSyntax* parse_import();
  const StmtSyntax* parse_import_from();
  const StmtSyntax* parse_type_alias();
  std::vector<ImportNameSyntax> parse_imported_names();
  Identifier parse_dotted_name();
  const ExprSyntax* parse_right_side();

  const StmtSyntax* parse_compound();
  SyntaxBlock parse_block(std::string_view owner, TextRange header);
  // Reads the colon and the block.
  SyntaxBlock parse_body(std::string_view owner, std::uint32_t begin);
  const StmtSyntax* parse_decorated();
  const StmtSyntax* parse_async();
  const StmtSyntax* parse_function(std::span<const ExprSyntax* const> decorators,
                                   std::uint32_t decorators_begin, std::uint32_t begin,
                                   bool is_async);
  const StmtSyntax* parse_class(std::span<const ExprSyntax* const> decorators,
                                std::uint32_t decorators_begin);
  const StmtSyntax* parse_if();
  const StmtSyntax* parse_while();
  const StmtSyntax* parse_for(std::uint32_t begin, bool is_async);
  const StmtSyntax* parse_with(std::uint32_t begin, bool is_async);
  bool parse_parenthesized_with_items(std::vector<WithItemSyntax>& items);
  WithItemSyntax parse_with_item();
  const StmtSyntax* parse_try();
  ExceptSyntax parse_except(bool first, bool& is_star);
  void parse_handlers(TrySyntax& node);
  SyntaxBlock parse_else(std::string_view owner);
  bool at_match_statement() const;
  const StmtSyntax* parse_match();

  // --- expressions ---
  const ExprSyntax* parse_expression();        // ternary, lambda and what binds tighter
  const ExprSyntax* parse_named_expression();  // with `name := value`
  const ExprSyntax* parse_star_element(bool named);
  const ExprSyntax* parse_star_expressions();  // a tuple without parentheses, or one expression
  const ExprSyntax* finish_tuple(const ExprSyntax* first, std::uint32_t begin, bool named);
  const ExprSyntax* parse_conditional(const ExprSyntax* then_value, std::uint32_t begin);
  const ExprSyntax* parse_lambda();
  const ExprSyntax* parse_yield();
  const ExprSyntax* parse_target_list(TargetUse use);
  void check_target(const ExprSyntax* target, TargetUse use);
  [[noreturn]] void fail_target(const ExprSyntax* target, TargetUse use);
  bool at_expression_end() const;

  // parse_operators.cc
  struct Operand {
    const ExprSyntax* node;
    TextRange range;  // parentheses included
  };
  struct Operator {
    OperatorLevel level;
    bool is_prefix;
    std::uint8_t code;  // the enumerator of the operator's own enum
    TextRange range;
  };
  const ExprSyntax* parse_operators(OperatorLevel weakest);
  bool parse_prefix(std::size_t base);
  bool parse_infix(OperatorLevel weakest, std::size_t base);
  void push_operator(const Operator& op);
  void reduce_top(std::size_t base);
  void reduce_prefix();
  void reduce_binary();
  void reduce_boolean(std::size_t base);
  void reduce_compare(std::size_t base);
  void replace_operands(std::size_t count, const ExprSyntax* node);
  std::size_t count_of_level(OperatorLevel level, std::size_t base) const;

  // parse_atoms.cc
  const ExprSyntax* parse_primary();
  const ExprSyntax* parse_atom();
  const ExprSyntax* parse_number();
  const ExprSyntax* parse_strings();
  const ExprSyntax* parse_group();
  const ExprSyntax* parse_list();
  const ExprSyntax* parse_braces();
  // `entries` are those that were read already.
  const ExprSyntax* parse_dict(std::uint32_t begin, std::vector<DictEntrySyntax> entries);
  const ExprSyntax* parse_set(std::uint32_t begin, const ExprSyntax* first);
  DictEntrySyntax parse_dict_entry();
  // Reads the clauses; the caller closes the bracket and sets the end of the range.
  ComprehensionSyntax* parse_comprehension(ExprSyntaxKind kind, std::uint32_t begin,
                                           const ExprSyntax* element, const ExprSyntax* value);
  std::span<const ComprehensionClause> parse_clauses();
  bool at_comprehension() const;
  void expect_close(TokenKind close, std::string_view wanted);
  const ExprSyntax* parse_plain(ExprSyntaxKind kind);

  // parse_calls.cc
  const ExprSyntax* parse_call(const ExprSyntax* callee, std::uint32_t begin);
  const ExprSyntax* parse_attribute(const ExprSyntax* value, std::uint32_t begin);
  const ExprSyntax* parse_subscript(const ExprSyntax* value, std::uint32_t begin);
  const ExprSyntax* parse_slice();
  // `generator_allowed` is false for the head of a class.
  std::vector<ArgumentSyntax> parse_arguments(bool generator_allowed);
  ArgumentSyntax parse_argument();
  void parse_generator_argument(ArgumentSyntax& argument, std::uint32_t open, bool allowed);
  void check_argument_order(const ArgumentSyntax& argument, ArgumentKind seen);
  std::span<const ParameterSyntax> parse_parameters(TokenKind close, bool annotations);
  ParameterSyntax parse_parameter(ParameterKind kind, bool annotations);
  void check_slash(std::vector<ParameterSyntax>& parameters);

  template <class T>
  T* make(ExprSyntaxKind kind, TextRange range) {
    T* node = tree_.arena().make<T>();
    node->kind = kind;
    node->range = range;
    return node;
  }
  template <class T>
  T* make(StmtSyntaxKind kind, TextRange range) {
    T* node = tree_.arena().make<T>();
    node->kind = kind;
    node->range = range;
    return node;
  }
  template <class T>
  std::span<const T> keep(const std::vector<T>& items) {
    return tree_.arena().copy(items);
  }

  SyntaxTree& tree_;
  const std::vector<Token>& tokens_;
  std::vector<Diagnostic>& errors_;
  std::size_t error_limit_;
  std::size_t trusted_;  // tokens from here on only close what the lexer left open
  std::size_t at_ = 0;
  std::size_t nesting_ = 0;
  // Stacks of parse_operators; a nested call works above the entries of the outer one.
  std::vector<Operand> operands_;
  std::vector<Operator> operators_;
};

}  // namespace tilefoundry
