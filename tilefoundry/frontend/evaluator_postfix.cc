// Attributes, subscripts and calls.

#include <algorithm>

#include <fmt/format.h>

#include "tilefoundry/frontend/evaluator.h"
#include "tilefoundry/frontend/public_names.h"
#include "tilefoundry/frontend/type_syntax.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

// The operand that a postfix form is applied to, or null for another kind.
const ExprSyntax* postfix_base(const ExprSyntax& node) {
  if (const auto* attribute = node.as<AttributeSyntax>()) return attribute->value;
  if (const auto* subscript = node.as<SubscriptSyntax>()) return subscript->value;
  if (const auto* call = node.as<CallSyntax>()) return call->callee;
  return nullptr;
}

bool all_static_scalars(const CallArgs& args) {
  if (!args.keywords.empty() || args.positional.empty()) return false;
  return std::all_of(args.positional.begin(), args.positional.end(), [](const CallArg& arg) {
    return arg.value.is_number() || arg.value.is<Dim>();
  });
}

std::optional<std::int64_t> integer_of(const Value& value) {
  const auto* integer = value.as<std::int64_t>();
  return integer == nullptr ? std::nullopt : std::optional(*integer);
}

// The first argument that is a coordinate: one of a variadic run of scalars.
std::size_t coordinates_from(const OpGroup& group) {
  const OpClass& cls = *group.candidates[0].cls;
  const bool coordinates = cls.variadic() && cls.inputs().back().pattern == InputPattern::scalar;
  return coordinates ? cls.inputs().size() - 1 : SIZE_MAX;
}

Value dtype_from_name(const std::vector<const CallArg*>& args, const CallArgs&,
                      const BuiltinContext&) {
  const std::string& name = string_argument(*args[0]);
  if (const std::optional<DType> dtype = as_dtype_value(args[0]->value)) return *dtype;
  const std::string guess = did_you_mean(name, DType::names());
  refuse("TF2051", args[0]->span, fmt::format("there is no dtype '{}'", name),
         guess.empty() ? "the dtypes are " + join(DType::names(), ", ") : guess);
}

const Builtin& from_name_builtin() {
  static const Builtin builtin{"DType.from_name", BuiltinKind::function, {"name"}, dtype_from_name};
  return builtin;
}

}  // namespace

Value Evaluator::evaluate_postfix(const ExprSyntax& node) {
  std::vector<const ExprSyntax*> spine;
  const ExprSyntax* base = &node;
  while (const ExprSyntax* inner = postfix_base(*base)) {
    spine.push_back(base);
    base = inner;
  }
  Value value = evaluate(*base);
  for (auto it = spine.rbegin(); it != spine.rend(); ++it) {
    if (const auto* attribute = (*it)->as<AttributeSyntax>()) {
      value = evaluate_attribute(*attribute, value);
    } else if (const auto* subscript = (*it)->as<SubscriptSyntax>()) {
      value = evaluate_subscript(*subscript, value);
    } else {
      value = evaluate_call(*(*it)->as<CallSyntax>(), value);
    }
  }
  return value;
}

Value Evaluator::evaluate_attribute(const AttributeSyntax& node, const Value& base) {
  const std::string_view name = node.name.text;
  if (const auto* space = base.as<NamespaceValue>()) {
    if (std::optional<Value> value = public_name(sema_, space->path, name)) {
      return std::move(*value);
    }
    refuse("TF2002", sema_.span(node.name.range),
           fmt::format("'{}' has no name '{}'", space->path, name),
           did_you_mean(name, public_names(space->path)));
  }
  if (const auto* builtin = base.as<const Builtin*>()) {
    const Value key{std::string(name)};
    if ((*builtin)->kind == BuiltinKind::dtype_class) {
      if (name == "from_name") return Value(&from_name_builtin());
      if (const auto dtype = as_dtype_value(key)) return *dtype;
    }
    if ((*builtin)->kind == BuiltinKind::storage_class) {
      if (const auto kind = as_storage_value(key)) return *kind;
    }
  }
  if (const auto* kinds = base.as<EnumClassValue>()) {
    return EnumMember{kinds->name, std::string(name)};
  }
  if (const auto* mesh = base.as<MeshRef>()) {
    const std::vector<std::string>& axes = (*mesh)->names();
    const auto it = std::find(axes.begin(), axes.end(), name);
    if (it == axes.end()) {
      refuse("TF2045", sema_.span(node.name.range), fmt::format("the mesh has no axis '{}'", name),
             axes.empty() ? "its axes have no names" : "its axes are " + join(axes, ", "));
    }
    return MeshAxisValue{*mesh, static_cast<std::size_t>(it - axes.begin())};
  }
  if (const auto* object = base.as<HostObjectRef>()) {
    if (std::optional<Value> value = (*object)->attribute(name)) return std::move(*value);
  }
  return runtime_attribute(node, base);
}

Value Evaluator::evaluate_subscript(const SubscriptSyntax& node, const Value& base) {
  if (const auto* builtin = base.as<const Builtin*>()) {
    const BuiltinKind kind = (*builtin)->kind;
    if (kind >= BuiltinKind::tensor_type && kind <= BuiltinKind::tuple_type) {
      std::vector<CallArg> items;
      const auto* tuple = node.index->as<SequenceSyntax>();
      if (tuple != nullptr && tuple->kind == ExprSyntaxKind::tuple) {
        for (const ExprSyntax* item : tuple->elements) {
          items.push_back({evaluate_type_part(*item), span(*item)});
        }
      } else {
        items.push_back({evaluate_type_part(*node.index), span(*node.index)});
      }
      return type_of_subscript(**builtin, items, span(node));
    }
  }
  if (const auto* expr = base.as<ExprRef>()) return runtime_subscript(node, *expr);
  if (const auto* sequence = base.as<SequenceValue>()) return subscript_sequence(node, *sequence);
  if (const auto* object = base.as<HostObjectRef>()) {
    if (std::optional<Value> value = (*object)->item(evaluate(*node.index))) {
      return std::move(*value);
    }
  }
  if (base.is<MeshRef>()) {
    refuse_here("TF2102", node, "slices of a mesh are not supported yet");
  }
  refuse_here("TF2047", node, fmt::format("{} has no items", describe(base)));
}

Value Evaluator::subscript_sequence(const SubscriptSyntax& node, const SequenceValue& base) {
  const std::vector<Value>& items = *base.items;
  const auto size = static_cast<std::int64_t>(items.size());
  const auto* slice = node.index->as<SliceSyntax>();
  if (slice == nullptr) {
    const Value index = evaluate(*node.index);
    const std::optional<std::int64_t> at = integer_of(index);
    if (!at) {
      refuse_here("TF2047", *node.index,
                  fmt::format("an index into a sequence is an int, not {}", describe(index)));
    }
    if (*at >= size || *at < -size) {
      refuse_here("TF2047", *node.index,
                  fmt::format("index {} is outside of a sequence of {}", *at, size));
    }
    return items[static_cast<std::size_t>(*at < 0 ? *at + size : *at)];
  }
  const auto part = [&](const ExprSyntax* syntax) -> std::optional<std::int64_t> {
    if (syntax == nullptr) return std::nullopt;
    const Value value = evaluate(*syntax);
    if (value.is<NoneValue>()) return std::nullopt;
    const std::optional<std::int64_t> at = integer_of(value);
    if (!at) {
      refuse_here("TF2047", *syntax,
                  fmt::format("the bound of a slice is an int, not {}", describe(value)));
    }
    return at;
  };
  const std::int64_t step = part(slice->step).value_or(1);
  if (step == 0) refuse_here("TF2047", *slice->step, "the step of a slice is not 0");
  const std::int64_t least = step > 0 ? 0 : -1;
  const std::int64_t greatest = step > 0 ? size : size - 1;
  const auto clamp = [&](std::optional<std::int64_t> at, std::int64_t fallback) {
    if (!at) return fallback;
    return std::clamp(*at < 0 ? *at + size : *at, least, greatest);
  };
  const std::int64_t start = clamp(part(slice->lower), step > 0 ? least : greatest);
  const std::int64_t stop = clamp(part(slice->upper), step > 0 ? greatest : least);
  std::vector<Value> picked;
  for (__int128 i = start; step > 0 ? i < stop : i > stop; i += step) {
    picked.push_back(items[static_cast<std::size_t>(i)]);
  }
  return base.is_list ? Value::list(std::move(picked)) : Value::tuple(std::move(picked));
}

CallArgs Evaluator::evaluate_arguments(const CallSyntax& node, ArgumentKindWanted wanted,
                                       const OpGroup* group) {
  CallArgs args;
  args.span = span(node);
  const std::size_t first_coordinate = group == nullptr ? SIZE_MAX : coordinates_from(*group);
  for (const ArgumentSyntax& argument : node.arguments) {
    if (argument.kind == ArgumentKind::star || argument.kind == ArgumentKind::double_star) {
      refuse("TF2108", sema_.span(argument.range), "arguments cannot be unpacked into a call",
             "name each argument: f(a, b) instead of f(*values)");
    }
    const ExprSyntax& value = *argument.value;
    const bool dimension =
        wanted == ArgumentKindWanted::compile_time || args.positional.size() >= first_coordinate;
    CallArg arg{dimension ? evaluate_type_part(value) : evaluate_argument(value), span(value)};
    if (argument.kind == ArgumentKind::keyword) {
      args.keywords.push_back(
          {argument.name.text, sema_.span(argument.name.range), std::move(arg)});
    } else {
      args.positional.push_back(std::move(arg));
    }
  }
  return args;
}

Value Evaluator::evaluate_call(const CallSyntax& node, const Value& callee) {
  if (const auto* builtin = callee.as<const Builtin*>()) {
    if ((*builtin)->kind == BuiltinKind::tir_form) {
      return call_form(node, **builtin, evaluate_arguments(node, ArgumentKindWanted::operands));
    }
    return call_builtin(**builtin, evaluate_arguments(node, ArgumentKindWanted::compile_time),
                        BuiltinContext{topologies_});
  }
  if (const auto* group = callee.as<const OpGroup*>()) {
    const CallArgs args = evaluate_arguments(node, ArgumentKindWanted::operands, *group);
    if (all_static_scalars(args)) {
      if (const Builtin* twin = compile_time_twin((*group)->name)) {
        return call_builtin(*twin, args, BuiltinContext{topologies_});
      }
    }
    return call_op(node, **group, args);
  }
  if (callee.is<CallableRef>() || callee.is<ModuleRef>()) {
    return call_function(node, callee, evaluate_arguments(node, ArgumentKindWanted::operands));
  }
  if (callee.is<HostObjectRef>()) {
    refuse_here("TF2044", node, fmt::format("{} cannot be called", describe(callee)),
                "nothing captured is called while a program is read; decorate it with @func, or "
                "compute its result before");
  }
  refuse_here("TF2044", node, fmt::format("{} cannot be called", describe(callee)));
}

}  // namespace tilefoundry
