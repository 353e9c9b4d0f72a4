#include "tilefoundry/frontend/decorators.h"

#include <algorithm>

#include <fmt/format.h>

#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

std::vector<std::string> known_arguments(BuiltinKind kind) {
  switch (kind) {
    case BuiltinKind::module: return {"entry", "target", "topologies", "name"};
    case BuiltinKind::prim_func: return {"target", "topologies", "outputs", "name", "param_names"};
    default: return {"target", "topologies", "name", "param_names"};
  }
}

class DecoratorReader {
 public:
  DecoratorReader(Sema& sema, Evaluator& evaluator) : sema_(sema), evaluator_(evaluator) {}

  Decoration read(const ExprSyntax& decorator) {
    const auto* call = decorator.as<CallSyntax>();
    const ExprSyntax& callee = call != nullptr ? *call->callee : decorator;
    if (read_method(callee, call)) return std::move(result_);
    const Value value = evaluator_.evaluate(callee);
    const auto* builtin = value.as<const Builtin*>();
    const bool known = builtin != nullptr && (*builtin)->kind >= BuiltinKind::func &&
                       (*builtin)->kind <= BuiltinKind::intrinsic;
    if (!known) {
      refuse("TF2080", sema_.span(decorator), fmt::format("{} is no decorator", describe(value)),
             "the decorators are func, prim_func and module");
    }
    result_.kind = (*builtin)->kind;
    result_.span = sema_.span(decorator);
    result_.called = call != nullptr;
    if (result_.kind == BuiltinKind::intrinsic) {
      refuse("TF2113", result_.span, "'@intrinsic' is not supported yet");
    }
    if (call != nullptr) {
      for (const ArgumentSyntax& argument : call->arguments) read_argument(**builtin, argument);
    }
    return std::move(result_);
  }

 private:
  // `@f.specialize(...)`, `@f.converter(...)`
  bool read_method(const ExprSyntax& callee, const CallSyntax* call) {
    const auto* attribute = callee.as<AttributeSyntax>();
    if (attribute == nullptr) return false;
    const std::string_view name = attribute->name.text;
    if (name != "specialize" && name != "converter") return false;
    const Value value = evaluator_.evaluate(*attribute->value);
    if (value.is<PoisonedValue>()) throw PoisonedUse();
    if (name == "converter") {
      if (!value.is<CallableRef>()) return false;
      refuse("TF2114", sema_.span(callee), "'.converter' is not supported yet");
    }
    result_.span = sema_.span(call != nullptr ? static_cast<const ExprSyntax&>(*call) : callee);
    result_.called = call != nullptr;
    result_.base = base_of(value, sema_.span(callee));
    if (call == nullptr || call->arguments.size() != 1) refuse_patterns(result_.span);
    for (const ArgumentSyntax& argument : call->arguments) {
      const Value pattern = evaluator_.evaluate(*argument.value);
      const auto* known = pattern.as<PatternRef>();
      if (known == nullptr || argument.kind != ArgumentKind::positional) {
        refuse_patterns(sema_.span(argument.range));
      }
      result_.patterns.push_back(*known);
    }
    return true;
  }

  [[noreturn]] static void refuse_patterns(const Span& place) {
    refuse("TF2421", place, "'.specialize' takes the pattern of one variant",
           "write @base.specialize(DimVarRangePat(\"S\", lo, hi))");
  }

  static FunctionRef base_of(const Value& value, const Span& place) {
    const auto* callable = value.as<CallableRef>();
    const Function* function = callable != nullptr ? as_function(**callable) : nullptr;
    const bool base = function != nullptr && function->is_prototype() && !function->is_variant();
    if (base) return FunctionRef(function);
    const bool variant = function != nullptr && function->is_variant();
    refuse("TF2420", place,
           fmt::format("{} takes no variants: {}", describe(value),
                       variant ? "it is a variant itself" : "it is no @func whose body is 'pass'"),
           "write '@func', the signature and the body 'pass' above the variants");
  }

  void read_argument(const Builtin& builtin, const ArgumentSyntax& argument) {
    const std::vector<std::string> known = known_arguments(builtin.kind);
    const std::string name(argument.name.text);
    if (argument.kind != ArgumentKind::keyword ||
        std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string shown = argument.kind == ArgumentKind::keyword
                                    ? fmt::format("has no argument '{}'", name)
                                    : "takes its arguments by name";
      refuse("TF2081", sema_.span(argument.range), fmt::format("'@{}' {}", builtin.name, shown),
             "its arguments are " + join(known, ", "));
    }
    const Span place = sema_.span(*argument.value);
    if (name == "param_names") return read_names(*argument.value);
    const CallArg arg{evaluator_.evaluate(*argument.value), place};
    if (arg.value.is<NoneValue>() && name != "outputs") return;
    if (name == "target") {
      read_target(arg);
    } else if (name == "topologies") {
      result_.topologies = topologies_argument(arg, {});
    } else if (name == "entry") {
      result_.entry = string_argument(arg);
    } else if (name == "name") {
      result_.renaming.name = string_argument(arg);
    } else {
      const std::int64_t count = int_argument(arg);
      if (count < 0) refuse_argument(arg, "a count");
      result_.outputs = static_cast<std::size_t>(count);
    }
  }

  void read_target(const CallArg& arg) {
    const auto* target = arg.value.as<TargetRef>();
    if (target == nullptr) {
      refuse("TF2082", arg.span, fmt::format("a target is a value, not {}", describe(arg.value)),
             "write CpuTarget() or CudaTarget(), imported from tilefoundry.target");
    }
    result_.target = *target;
  }

  void read_names(const ExprSyntax& value) {
    const auto* dict = value.as<DictSyntax>();
    if (dict == nullptr) refuse("TF2081", sema_.span(value), "'param_names' is a dict of strings");
    for (const DictEntrySyntax& entry : dict->entries) {
      const auto* key = entry.key != nullptr ? entry.key->as<StringSyntax>() : nullptr;
      const auto* name = entry.value->as<StringSyntax>();
      if (key == nullptr || name == nullptr) {
        refuse("TF2081", sema_.span(value), "'param_names' is a dict of strings");
      }
      result_.renaming.params.emplace(key->value, name->value);
    }
  }

  Sema& sema_;
  Evaluator& evaluator_;
  Decoration result_;
};

}  // namespace

Decoration read_decoration(Sema& sema, Evaluator& evaluator,
                           std::span<const ExprSyntax* const> decorators) {
  if (decorators.size() > 1) {
    refuse("TF2083", sema.span(*decorators[1]), "a definition has one decorator");
  }
  return DecoratorReader(sema, evaluator).read(*decorators[0]);
}

}  // namespace tilefoundry
