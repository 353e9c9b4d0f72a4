// Operator expressions, on an explicit stack.
//
// Operands and pending operators are pushed; an operator that binds no tighter than the pending one
// first reduces it. Chains of `and`, `or` and comparisons are reduced as a whole, because they are
// one node. Prefix operators and powers nest to the right and count as nesting.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "tilefoundry/frontend/parser_impl.h"

namespace tilefoundry {
namespace {

struct Infix {
  OperatorLevel level;
  std::uint8_t code;
  std::uint8_t tokens = 1;
};

template <class Op>
Infix infix(OperatorLevel level, Op op, std::uint8_t tokens = 1) {
  return {level, static_cast<std::uint8_t>(op), tokens};
}

// The infix operator that the tokens `kind`, `next` begin with.
std::optional<Infix> infix_operator(TokenKind kind, TokenKind next) {
  using B = BinaryOperator;
  using C = CompareOperator;
  using L = OperatorLevel;
  switch (kind) {
    case TokenKind::kw_or: return infix(L::logical_or, 0);
    case TokenKind::kw_and: return infix(L::logical_and, 0);
    case TokenKind::equal: return infix(L::compare, C::equal);
    case TokenKind::not_equal: return infix(L::compare, C::not_equal);
    case TokenKind::less: return infix(L::compare, C::less);
    case TokenKind::less_equal: return infix(L::compare, C::less_equal);
    case TokenKind::greater: return infix(L::compare, C::greater);
    case TokenKind::greater_equal: return infix(L::compare, C::greater_equal);
    case TokenKind::kw_in: return infix(L::compare, C::in);
    case TokenKind::kw_not:
      if (next != TokenKind::kw_in) return std::nullopt;
      return infix(L::compare, C::not_in, 2);
    case TokenKind::kw_is:
      if (next == TokenKind::kw_not) return infix(L::compare, C::is_not, 2);
      return infix(L::compare, C::is);
    case TokenKind::pipe: return infix(L::bit_or, B::bit_or);
    case TokenKind::caret: return infix(L::bit_xor, B::bit_xor);
    case TokenKind::ampersand: return infix(L::bit_and, B::bit_and);
    case TokenKind::left_shift: return infix(L::shift, B::left_shift);
    case TokenKind::right_shift: return infix(L::shift, B::right_shift);
    case TokenKind::plus: return infix(L::sum, B::add);
    case TokenKind::minus: return infix(L::sum, B::subtract);
    case TokenKind::star: return infix(L::product, B::multiply);
    case TokenKind::slash: return infix(L::product, B::divide);
    case TokenKind::double_slash: return infix(L::product, B::floor_divide);
    case TokenKind::percent: return infix(L::product, B::modulo);
    case TokenKind::at: return infix(L::product, B::matmul);
    case TokenKind::double_star: return infix(L::power, B::power);
    default: return std::nullopt;
  }
}

// Whether a chain of this level is one node.
bool is_flat(OperatorLevel level) {
  return level == OperatorLevel::logical_or || level == OperatorLevel::logical_and ||
         level == OperatorLevel::compare;
}

bool nests_right(OperatorLevel level) {
  return level == OperatorLevel::logical_not || level == OperatorLevel::prefix ||
         level == OperatorLevel::power;
}

}  // namespace

const ExprSyntax* Parser::parse_operators(OperatorLevel weakest) {
  const std::size_t base = operators_.size();
  do {
    while (parse_prefix(base)) {
    }
    const std::uint32_t start = begin();
    const ExprSyntax* node = parse_primary();
    operands_.push_back({node, since(start)});
  } while (parse_infix(weakest, base));
  while (operators_.size() > base) reduce_top(base);
  const ExprSyntax* result = operands_.back().node;
  operands_.pop_back();
  return result;
}

bool Parser::parse_prefix(std::size_t base) {
  Operator op{OperatorLevel::prefix, true, 0, current().range};
  switch (current().kind) {
    case TokenKind::plus: op.code = static_cast<std::uint8_t>(UnaryOperator::plus); break;
    case TokenKind::minus: op.code = static_cast<std::uint8_t>(UnaryOperator::minus); break;
    case TokenKind::tilde: op.code = static_cast<std::uint8_t>(UnaryOperator::invert); break;
    case TokenKind::kw_not:
      if (operators_.size() > base && operators_.back().level > OperatorLevel::logical_not) {
        fail("TF1101", current().range, "'not' cannot follow this operator",
             "put the negation in parentheses");
      }
      op.level = OperatorLevel::logical_not;
      op.code = static_cast<std::uint8_t>(UnaryOperator::logical_not);
      break;
    default: return false;
  }
  push_operator(op);
  advance();
  return true;
}

bool Parser::parse_infix(OperatorLevel weakest, std::size_t base) {
  const auto found = infix_operator(current().kind, peek().kind);
  if (!found || found->level < weakest) return false;
  const bool keeps_equal = is_flat(found->level) || found->level == OperatorLevel::power;
  while (operators_.size() > base) {
    const OperatorLevel top = operators_.back().level;
    if (keeps_equal ? top <= found->level : top < found->level) break;
    reduce_top(base);
  }
  const std::uint32_t start = begin();
  for (int i = 0; i < found->tokens; ++i) advance();
  push_operator({found->level, false, found->code, since(start)});
  return true;
}

void Parser::push_operator(const Operator& op) {
  if (nests_right(op.level)) enter();
  operators_.push_back(op);
}

void Parser::reduce_top(std::size_t base) {
  const Operator& op = operators_.back();
  if (nests_right(op.level)) --nesting_;
  if (op.is_prefix) {
    reduce_prefix();
  } else if (op.level == OperatorLevel::compare) {
    reduce_compare(base);
  } else if (is_flat(op.level)) {
    reduce_boolean(base);
  } else {
    reduce_binary();
  }
}

// Replaces the last operands by one node that reaches from the first to the last.
void Parser::replace_operands(std::size_t count, const ExprSyntax* node) {
  operands_.resize(operands_.size() - count, Operand{});
  operands_.push_back({node, node->range});
}

void Parser::reduce_prefix() {
  const Operator op = operators_.back();
  operators_.pop_back();
  const Operand operand = operands_.back();
  auto* node = make<UnarySyntax>(ExprSyntaxKind::unary, {op.range.begin, operand.range.end});
  node->op = static_cast<UnaryOperator>(op.code);
  node->operand = operand.node;
  replace_operands(1, node);
}

void Parser::reduce_binary() {
  const Operator op = operators_.back();
  operators_.pop_back();
  const Operand right = operands_.back();
  const Operand left = operands_[operands_.size() - 2];
  auto* node = make<BinarySyntax>(ExprSyntaxKind::binary, {left.range.begin, right.range.end});
  node->op = static_cast<BinaryOperator>(op.code);
  node->op_range = op.range;
  node->left = left.node;
  node->right = right.node;
  replace_operands(2, node);
}

// How many operators on top of the stack have this level.
std::size_t Parser::count_of_level(OperatorLevel level, std::size_t base) const {
  std::size_t count = 0;
  while (operators_.size() - count > base &&
         operators_[operators_.size() - count - 1].level == level) {
    ++count;
  }
  return count;
}

void Parser::reduce_boolean(std::size_t base) {
  const OperatorLevel level = operators_.back().level;
  const std::size_t count = count_of_level(level, base);
  std::vector<const ExprSyntax*> values;
  const std::size_t first = operands_.size() - count - 1;
  for (std::size_t i = first; i < operands_.size(); ++i) values.push_back(operands_[i].node);
  auto* node = make<BooleanSyntax>(ExprSyntaxKind::boolean,
                                   {operands_[first].range.begin, operands_.back().range.end});
  node->is_and = level == OperatorLevel::logical_and;
  node->operands = keep(values);
  operators_.resize(operators_.size() - count, Operator{});
  replace_operands(count + 1, node);
}

void Parser::reduce_compare(std::size_t base) {
  const std::size_t count = count_of_level(OperatorLevel::compare, base);
  const std::size_t first = operands_.size() - count - 1;
  std::vector<CompareStep> steps;
  for (std::size_t i = 0; i < count; ++i) {
    const Operator& op = operators_[operators_.size() - count + i];
    steps.push_back(
        {static_cast<CompareOperator>(op.code), op.range, operands_[first + 1 + i].node});
  }
  auto* node = make<CompareSyntax>(ExprSyntaxKind::compare,
                                   {operands_[first].range.begin, operands_.back().range.end});
  node->first = operands_[first].node;
  node->steps = keep(steps);
  operators_.resize(operators_.size() - count, Operator{});
  replace_operands(count + 1, node);
}

}  // namespace tilefoundry
