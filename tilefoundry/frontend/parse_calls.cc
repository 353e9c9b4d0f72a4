// Calls, attributes, subscripts and parameter lists.
#include <fmt/format.h>

#include "tilefoundry/frontend/parser_impl.h"

namespace tilefoundry {

const ExprSyntax* Parser::parse_attribute(const ExprSyntax* value, std::uint32_t start) {
  advance();
  const Identifier name = parse_identifier("a name after the dot");
  auto* node = make<AttributeSyntax>(ExprSyntaxKind::attribute, since(start));
  node->value = value;
  node->name = name;
  return node;
}

const ExprSyntax* Parser::parse_call(const ExprSyntax* callee, std::uint32_t start) {
  const Nesting level(*this);
  advance();
  const auto arguments = keep(parse_arguments(true));
  expect_close(TokenKind::right_paren, "',' or ')' after the argument");
  auto* node = make<CallSyntax>(ExprSyntaxKind::call, since(start));
  node->callee = callee;
  node->arguments = arguments;
  return node;
}

// --- subscripts ---

const ExprSyntax* Parser::parse_subscript(const ExprSyntax* value, std::uint32_t start) {
  const Nesting level(*this);
  advance();
  if (at(TokenKind::right_square)) fail_expected("an index");
  const std::uint32_t index_begin = begin();
  const ExprSyntax* index = parse_slice();
  if (at(TokenKind::comma) || index->kind == ExprSyntaxKind::starred) {
    std::vector<const ExprSyntax*> items = {index};
    while (accept(TokenKind::comma) && !at(TokenKind::right_square)) {
      items.push_back(parse_slice());
    }
    auto* tuple = make<SequenceSyntax>(ExprSyntaxKind::tuple, since(index_begin));
    tuple->elements = keep(items);
    index = tuple;
  }
  expect_close(TokenKind::right_square, "',' or ']' after the index");
  auto* node = make<SubscriptSyntax>(ExprSyntaxKind::subscript, since(start));
  node->value = value;
  node->index = index;
  return node;
}

// One item of an index: a slice, or any element.
const ExprSyntax* Parser::parse_slice() {
  const std::uint32_t start = begin();
  const ExprSyntax* lower = nullptr;
  if (!at(TokenKind::colon)) {
    const bool named = at(TokenKind::name) && peek().kind == TokenKind::walrus;
    lower = parse_star_element(true);
    if (!at(TokenKind::colon)) return lower;
    if (named || lower->kind == ExprSyntaxKind::starred)
      fail_expected("',' or ']' after the index");
  }
  advance();
  const auto part_follows = [this] {
    return !at(TokenKind::colon) && !at(TokenKind::comma) && !at(TokenKind::right_square);
  };
  const ExprSyntax* upper = part_follows() ? parse_expression() : nullptr;
  const bool stepped = accept(TokenKind::colon);
  const ExprSyntax* step = stepped && part_follows() ? parse_expression() : nullptr;
  auto* node = make<SliceSyntax>(ExprSyntaxKind::slice, since(start));
  node->lower = lower;
  node->upper = upper;
  node->step = step;
  return node;
}

// --- arguments ---

// Starts after the opening parenthesis and ends before the closing one.
std::vector<ArgumentSyntax> Parser::parse_arguments(bool generator_allowed) {
  std::vector<ArgumentSyntax> arguments;
  const std::uint32_t open = tokens_[at_ - 1].range.begin;
  ArgumentKind seen = ArgumentKind::positional;
  while (!at(TokenKind::right_paren)) {
    arguments.push_back(parse_argument());
    if (at_comprehension()) {
      parse_generator_argument(arguments.back(), open, generator_allowed && arguments.size() == 1);
    }
    const ArgumentSyntax& last = arguments.back();
    check_argument_order(last, seen);
    const bool stricter = last.kind == ArgumentKind::double_star ||
                          (last.kind == ArgumentKind::keyword && seen != ArgumentKind::double_star);
    if (stricter) seen = last.kind;
    if (!accept(TokenKind::comma)) break;
  }
  return arguments;
}

// A generator that is the only argument shares the parentheses of the call.
void Parser::parse_generator_argument(ArgumentSyntax& argument, std::uint32_t open, bool allowed) {
  if (argument.kind != ArgumentKind::positional) fail_expected("',' or ')' after the argument");
  auto* node = parse_comprehension(ExprSyntaxKind::generator, open, argument.value, nullptr);
  if (!allowed || !at(TokenKind::right_paren)) {
    fail("TF1107", {argument.range.begin, previous_end()},
         "a generator beside other arguments needs parentheses of its own");
  }
  node->range.end = current().range.end;
  argument.value = node;
  argument.range = node->range;
}

ArgumentSyntax Parser::parse_argument() {
  ArgumentSyntax argument;
  const std::uint32_t start = begin();
  if (accept(TokenKind::star)) {
    argument.kind = ArgumentKind::star;
    argument.value = parse_expression();
  } else if (accept(TokenKind::double_star)) {
    argument.kind = ArgumentKind::double_star;
    argument.value = parse_expression();
  } else if (at(TokenKind::name) && peek().kind == TokenKind::assign) {
    argument.kind = ArgumentKind::keyword;
    argument.name = parse_identifier("a name");
    advance();
    argument.value = parse_expression();
  } else {
    argument.value = parse_named_expression();
    if (at(TokenKind::assign)) {
      fail("TF1107", since(start), "a keyword argument needs a plain name before its '='",
           "write '==' to compare");
    }
  }
  argument.range = since(start);
  return argument;
}

// `seen` is the strictest kind of argument so far.
void Parser::check_argument_order(const ArgumentSyntax& argument, ArgumentKind seen) {
  const bool star = argument.kind == ArgumentKind::star;
  if (argument.kind != ArgumentKind::positional && !star) return;
  if (seen == ArgumentKind::double_star || (!star && seen == ArgumentKind::keyword)) {
    fail(
        "TF1107", argument.range,
        fmt::format("this {} argument follows a keyword argument", star ? "starred" : "positional"),
        "move it before the keyword arguments");
  }
}

// --- parameters ---

std::span<const ParameterSyntax> Parser::parse_parameters(TokenKind close, bool annotations) {
  std::vector<ParameterSyntax> parameters;
  ParameterKind kind = ParameterKind::positional;
  bool default_seen = false;
  while (!at(close)) {
    if (at(TokenKind::slash)) {
      check_slash(parameters);
    } else if (accept(TokenKind::double_star)) {
      parameters.push_back(parse_parameter(ParameterKind::var_keyword, annotations));
      accept(TokenKind::comma);
      if (!at(close)) fail("TF1106", current().range, "nothing may follow the '**' parameter");
      break;
    } else if (at(TokenKind::star)) {
      if (kind == ParameterKind::keyword_only) {
        fail("TF1106", current().range, "'*' may stand only once among the parameters");
      }
      kind = ParameterKind::keyword_only;
      const TextRange star = current().range;
      advance();
      if (!at(TokenKind::comma)) {
        parameters.push_back(parse_parameter(ParameterKind::var_positional, annotations));
      } else if (peek().kind != TokenKind::name) {
        fail("TF1106", star, "a parameter must follow the bare '*'");
      }
    } else {
      parameters.push_back(parse_parameter(kind, annotations));
      const ParameterSyntax& last = parameters.back();
      if (kind == ParameterKind::positional && default_seen && !last.default_value) {
        fail("TF1106", last.range, "a parameter without a default follows one that has one",
             "move it to the front, or give it a default");
      }
      default_seen = default_seen || last.default_value;
    }
    if (!accept(TokenKind::comma)) break;
  }
  return keep(parameters);
}

// `/`: what stands before it is positional only.
void Parser::check_slash(std::vector<ParameterSyntax>& parameters) {
  if (parameters.empty()) {
    fail("TF1106", current().range, "a parameter must stand before '/'");
  }
  for (ParameterSyntax& parameter : parameters) {
    if (parameter.kind != ParameterKind::positional) {
      fail("TF1106", current().range, "'/' may stand only once, and before any '*'");
    }
    parameter.kind = ParameterKind::positional_only;
  }
  advance();
}

ParameterSyntax Parser::parse_parameter(ParameterKind kind, bool annotations) {
  ParameterSyntax parameter;
  parameter.kind = kind;
  const bool stars = kind == ParameterKind::var_positional || kind == ParameterKind::var_keyword;
  std::uint32_t start = begin();
  if (stars) start = tokens_[at_ - 1].range.begin;
  parameter.name = parse_identifier("the name of a parameter");
  if (annotations && accept(TokenKind::colon)) {
    const bool unpacks = kind == ParameterKind::var_positional && at(TokenKind::star);
    parameter.annotation = unpacks ? parse_star_element(false) : parse_expression();
  }
  if (at(TokenKind::assign)) {
    if (stars) fail("TF1106", current().range, "a starred parameter cannot have a default");
    advance();
    parameter.default_value = parse_expression();
  }
  parameter.range = since(start);
  return parameter;
}

}  // namespace tilefoundry
