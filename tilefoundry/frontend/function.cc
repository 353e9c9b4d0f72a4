// Signatures of functions, and `@func` as a whole.

#include <fmt/format.h>

#include "tilefoundry/frontend/func_body.h"
#include "tilefoundry/frontend/refusals.h"
#include "tilefoundry/frontend/type_syntax.h"
#include "tilefoundry/text/type_text.h"

namespace tilefoundry {

TypeValue annotation_type(Sema& sema, Evaluator& evaluator, const ExprSyntax& annotation) {
  if (annotation.kind == ExprSyntaxKind::string) {
    refuse("TF2054", sema.span(annotation), "an annotation in quotes is not read",
           "write the type without quotes");
  }
  const Value value = evaluator.evaluate(annotation);
  if (const auto* type = value.as<TypeValue>()) return *type;
  refuse("TF2054", sema.span(annotation),
         fmt::format("an annotation is a type, not {}", describe(value)),
         "for example Tensor[(4, 64), \"f32\"]");
}

namespace {

VarRef build_parameter(Sema& sema, const ParameterSyntax& parameter, Evaluator& annotations,
                       const std::string& name) {
  const Span place = sema.span(parameter.range);
  if (parameter.kind == ParameterKind::var_positional ||
      parameter.kind == ParameterKind::var_keyword) {
    refuse("TF2055", place,
           fmt::format("'{}' takes any number of arguments", sema.tree().text(parameter.range)),
           "name every parameter");
  }
  if (parameter.default_value != nullptr) {
    refuse("TF2055", sema.span(*parameter.default_value), "a parameter has no default",
           "pass the value in every call, or name it above the function");
  }
  if (parameter.annotation == nullptr) {
    refuse("TF2056", place, fmt::format("the parameter '{}' has no type", parameter.name.text),
           fmt::format("{}: Tensor[(4, 64), \"f32\"]", parameter.name.text));
  }
  const TypeValue type = annotation_type(sema, annotations, *parameter.annotation);
  if (as_tensor(type.type) == nullptr) {
    refuse("TF2054", sema.span(*parameter.annotation),
           fmt::format("a parameter is a tensor, not {}", type_text(type.type)),
           "take each field as a parameter of its own");
  }
  return Var::make(name, with_signature_layouts(type.type), type.is_const,
                   sema.span(parameter.name.range));
}

void check_result(const TypeRef& declared, const TypeRef& found, const Span& place,
                  const std::string& path = "") {
  if (declared == found) return;
  const TupleType* fields = as_tuple(declared);
  const TupleType* found_fields = as_tuple(found);
  if (fields != nullptr && found_fields != nullptr &&
      fields->fields().size() == found_fields->fields().size()) {
    for (std::size_t i = 0; i < fields->fields().size(); ++i) {
      check_result(fields->fields()[i], found_fields->fields()[i], place,
                   fmt::format("{} {}", path.empty() ? "result" : path, i));
    }
    return;
  }
  const TensorType* want = as_tensor(declared);
  const TensorType* have = as_tensor(found);
  if (want != nullptr && have != nullptr && want->shape() == have->shape() &&
      want->dtype() == have->dtype()) {
    // What the annotation leaves open is as the body has it.
    const bool layout = !want->layout() || want->layout() == have->layout();
    const bool storage = want->storage() == have->storage() ||
                         have->storage() == StorageKind::umat ||
                         want->storage() == StorageKind::umat;
    if (layout && storage) return;
  }
  throw VerifyError(Diagnostic{.code = "TF2057",
                               .message = fmt::format("{} is declared as {}, but the body gives {}",
                                                      path.empty() ? "the result" : path,
                                                      type_text(declared), type_text(found)),
                               .span = place,
                               .notes = {},
                               .hint = "change the annotation, or leave it out"});
}

// A body that is `pass` alone, perhaps below a docstring.
bool is_prototype(SyntaxBlock body) {
  if (!body.empty() && is_docstring(*body[0])) body = body.subspan(1);
  return body.size() == 1 && body[0]->kind == StmtSyntaxKind::pass_statement;
}

FunctionRef finish_function(Sema& sema, const FunctionSyntax& syntax, const std::string& name,
                            std::vector<VarRef> params, const FuncBody& body,
                            const TypeRef& declared) {
  const Metadata meta{name, sema.span(syntax.name.range)};
  if (!body.result()) {
    refuse("TF2123", sema.span(syntax.name.range), fmt::format("'{}' returns nothing", name),
           "end it with 'return value'");
  }
  if (declared) check_result(declared, body.result()->type(), body.return_span());
  return Function::make(name, std::move(params), body.result(), nullptr, meta);
}

}  // namespace

void check_declared_result(const TypeRef& declared, const TypeRef& found, const Span& place) {
  check_result(declared, found, place);
}

Parameters build_parameters(Sema& sema, const FunctionSyntax& syntax, Evaluator& annotations,
                            const FunctionRenaming& renaming, Scope& scope) {
  Parameters result;
  for (const ParameterSyntax& parameter : syntax.parameters) {
    const std::string written(parameter.name.text);
    try {
      if (scope.find_here(written) != nullptr) {
        refuse("TF2055", sema.span(parameter.name.range),
               fmt::format("two parameters are called '{}'", written));
      }
      const auto it = renaming.params.find(written);
      VarRef var = build_parameter(sema, parameter, annotations,
                                   it == renaming.params.end() ? written : it->second);
      scope.bind(written, Value(ExprRef(var)));
      result.vars.push_back(std::move(var));
    } catch (...) {
      result.complete = false;
      scope.bind(written, PoisonedValue{});
      sema.report_current(sema.span(parameter.range));
    }
  }
  return result;
}

FunctionRef build_function(Sema& sema, const FunctionSyntax& syntax, const FunctionSite& site,
                           const FunctionRenaming& renaming) {
  const std::string name = renaming.name.empty() ? std::string(syntax.name.text) : renaming.name;
  bool complete = true;
  try {
    if (syntax.is_async) {
      refuse("TF2130", sema.span(syntax.header), "a function cannot be asynchronous",
             "write 'def'");
    }
    Evaluator annotations(sema, *site.names);
    annotations.set_topologies(site.topologies);
    Scope scope(site.names);
    Parameters parameters = build_parameters(sema, syntax, annotations, renaming, scope);
    complete = parameters.complete;
    TypeRef declared;
    if (syntax.returns != nullptr) {
      try {
        declared = with_signature_layouts(annotation_type(sema, annotations, *syntax.returns).type);
      } catch (...) {
        complete = false;
        sema.report_current(sema.span(*syntax.returns));
      }
    }
    if (is_prototype(syntax.body)) {
      if (!complete) return nullptr;
      if (!declared) {
        refuse("TF2056", sema.span(syntax.name.range),
               fmt::format("the prototype '{}' has no return type", name),
               "a body of 'pass' needs '-> Tensor[...]'");
      }
      return Function::make(name, std::move(parameters.vars), nullptr, declared,
                            {name, sema.span(syntax.name.range)});
    }
    FuncBody body(sema, scope, site);
    if (!body.run(syntax.body) || !complete) return nullptr;
    return finish_function(sema, syntax, name, std::move(parameters.vars), body, declared);
  } catch (...) {
    sema.report_current(sema.span(syntax.header));
    return nullptr;
  }
}

}  // namespace tilefoundry
