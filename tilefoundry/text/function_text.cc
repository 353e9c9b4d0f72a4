#include "tilefoundry/text/function_text.h"

#include <array>

#include <fmt/format.h>

#include "tilefoundry/support/text.h"

namespace tilefoundry {

FunctionNames name_params(const std::vector<VarRef>& params, NameScope& scope) {
  static const NameSet none;
  NameScope own(&none);
  FunctionNames names;
  for (const VarRef& param : params) {
    const std::string name = own.fresh(param->name());
    names.params.insert(name);
    names.vars.emplace(param.get(), name);
    scope.take(name);
  }
  return names;
}

std::string params_text(const std::vector<VarRef>& params, const FunctionNames& names,
                        const TextContext& context) {
  std::vector<std::string> parts;
  for (const VarRef& param : params) {
    const TensorType* tensor = as_tensor(param->type());
    std::string type =
        tensor != nullptr
            ? tensor_text(*tensor, param->is_const() ? "ConstTensor" : "Tensor", context)
            : type_text(param->type(), context);
    parts.push_back(fmt::format("{}: {}", names.vars.at(param.get()), type));
  }
  return join(parts, ", ");
}

std::vector<std::string> renaming_arguments(const std::string& name,
                                            const std::string& defined_name,
                                            const std::vector<VarRef>& params,
                                            const FunctionNames& names) {
  std::vector<std::string> out;
  if (name != defined_name) out.push_back("name=" + python_string_literal(name));
  std::vector<std::string> renamed;
  for (const VarRef& param : params) {
    const std::string& printed = names.vars.at(param.get());
    if (printed == param->name()) continue;
    renamed.push_back(fmt::format("{}: {}", python_string_literal(printed),
                                  python_string_literal(param->name())));
  }
  if (!renamed.empty()) out.push_back(fmt::format("param_names={{{}}}", join(renamed, ", ")));
  return out;
}

std::string decorator_text(const std::string& decorator,
                           const std::vector<std::string>& arguments) {
  if (arguments.empty()) return "@" + decorator;
  return fmt::format("@{}({})", decorator, fmt::join(arguments, ", "));
}

std::string pattern_text(Script& script, const PatternRef& pattern) {
  if (as_range(pattern) == nullptr) return pattern->repr();
  const std::string repr = pattern->repr();
  return script.use("DimVarRangePat") + repr.substr(repr.find('('));
}

std::string op_call_text(Script& script, const Op& op, const std::vector<ExprRef>& args,
                         const std::vector<std::string>& arg_texts, const FunctionNames& names,
                         const TextContext& context) {
  const OpClass& cls = op.op_class();
  const std::string name = script.op_name(op, args, names);
  // The class's own name fixes nothing.
  const bool by_class = name.ends_with("." + cls.name());
  const OpAlias* alias = by_class ? nullptr : matching_alias(op);
  std::string out = name + "(";
  bool first = true;
  const auto add = [&](const std::string& part) {
    if (!std::exchange(first, false)) out += ", ";
    out += part;
  };
  for (const std::string& text : arg_texts) add(text);
  for (std::size_t i = 0; i < cls.attrs().size(); ++i) {
    const std::string& attr = cls.attrs()[i].name;
    bool fixed = false;
    if (alias != nullptr) {
      for (const auto& [fixed_name, value] : alias->fixed) fixed = fixed || fixed_name == attr;
    }
    if (!fixed) add(attr + "=" + attr_text(op.attr(i), context));
  }
  return out + ")";
}

void check_builtins(const std::string& line, const FunctionNames& names, const Span& span) {
  static constexpr std::array<std::string_view, 4> kBuiltins = {"float", "range", "min", "max"};
  for (const std::string_view builtin : kBuiltins) {
    if (!names.params.contains(std::string(builtin))) continue;
    const std::size_t at = line.find(std::string(builtin) + "(");
    if (at == std::string::npos) continue;
    const bool whole = at == 0 || line[at - 1] == ' ' || line[at - 1] == '(' ||
                       line[at - 1] == '[' || line[at - 1] == '=' || line[at - 1] == '-';
    if (!whole) continue;
    refuse_print("TF3071",
                 fmt::format("the parameter {} hides the builtin of that name, which this value "
                             "needs: {}",
                             builtin, line),
                 span, "rename the parameter");
  }
}

}  // namespace tilefoundry
