#include "tilefoundry/frontend/builtins.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "tilefoundry/frontend/operators.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

struct BuiltinTables {
  std::vector<Builtin> language;
  std::vector<Builtin> python;
  std::map<std::string, const Builtin*, std::less<>> by_name;
  std::map<std::string, const Builtin*, std::less<>> python_by_name;
};

const BuiltinTables& tables() {
  static const auto* tables = [] {
    auto* made = new BuiltinTables();
    add_type_builtins(made->language);
    add_layout_builtins(made->language);
    add_target_builtins(made->language);
    add_python_builtins(made->python);
    for (const Builtin& builtin : made->language) made->by_name.emplace(builtin.name, &builtin);
    for (const Builtin& builtin : made->python) {
      made->python_by_name.emplace(builtin.name, &builtin);
    }
    return made;
  }();
  return *tables;
}

const Builtin* find_in(const std::map<std::string, const Builtin*, std::less<>>& table,
                       std::string_view name) {
  const auto it = table.find(name);
  return it == table.end() ? nullptr : it->second;
}

bool is_optional(const std::string& parameter) { return parameter.find('=') != std::string::npos; }

std::string parameter_name(const std::string& parameter) {
  return parameter.substr(0, parameter.find('='));
}

}  // namespace

const Builtin* find_builtin(std::string_view name) { return find_in(tables().by_name, name); }

const Builtin* find_tir_form(std::string_view name) {
  const Builtin* builtin = find_builtin(name);
  return builtin != nullptr && builtin->kind == BuiltinKind::tir_form ? builtin : nullptr;
}

const Builtin* find_python_builtin(std::string_view name) {
  return find_in(tables().python_by_name, name);
}

std::vector<std::string> python_builtin_names() {
  std::vector<std::string> names;
  for (const Builtin& builtin : tables().python) names.push_back(builtin.name);
  return names;
}

const Builtin* compile_time_twin(std::string_view op_name) {
  const std::string_view twin = compile_time_name(op_name);
  return twin.empty() ? nullptr : find_python_builtin(twin);
}

std::string builtin_signature(const Builtin& builtin) {
  return fmt::format("{}({})", builtin.name, join(builtin.parameters, ", "));
}

Value call_builtin(const Builtin& builtin, const CallArgs& args, const BuiltinContext& ctx) {
  const std::string hint = "it is " + builtin_signature(builtin);
  const std::vector<std::string>& parameters = builtin.parameters;
  std::vector<const CallArg*> bound(parameters.size(), nullptr);
  const bool variadic = !parameters.empty() && parameters.front().starts_with("*");
  if (variadic) return builtin.call(bound, args, ctx);
  if (args.positional.size() > parameters.size()) {
    refuse(
        "TF2041", args.positional[parameters.size()].span,
        fmt::format("'{}' takes at most {}", builtin.name, counted(parameters.size(), "argument")),
        hint);
  }
  for (std::size_t i = 0; i < args.positional.size(); ++i) bound[i] = &args.positional[i];
  for (const KeywordArg& keyword : args.keywords) {
    const auto it = std::find_if(
        parameters.begin(), parameters.end(),
        [&](const std::string& parameter) { return parameter_name(parameter) == keyword.name; });
    if (it == parameters.end()) {
      refuse("TF2041", keyword.name_span,
             fmt::format("'{}' has no argument '{}'", builtin.name, keyword.name), hint);
    }
    const CallArg*& slot = bound[static_cast<std::size_t>(it - parameters.begin())];
    if (slot != nullptr) {
      refuse("TF2041", keyword.name_span,
             fmt::format("'{}' gets '{}' twice", builtin.name, keyword.name), hint);
    }
    slot = &keyword.arg;
  }
  for (std::size_t i = 0; i < bound.size(); ++i) {
    if (bound[i] == nullptr && !is_optional(parameters[i])) {
      refuse("TF2041", args.span,
             fmt::format("'{}' lacks its argument '{}'", builtin.name, parameters[i]), hint);
    }
  }
  return builtin.call(bound, args, ctx);
}

void refuse_argument(const CallArg& arg, std::string_view wanted) {
  refuse("TF2042", arg.span, fmt::format("wanted {}, got {}", wanted, describe(arg.value)));
}

Dim dim_argument(const CallArg& arg) {
  std::optional<Dim> dim = as_dim_value(arg.value);
  if (!dim) refuse_argument(arg, "an int or a dimension");
  return std::move(*dim);
}

std::int64_t int_argument(const CallArg& arg) {
  const auto* integer = arg.value.as<std::int64_t>();
  if (integer == nullptr) refuse_argument(arg, "an int");
  return *integer;
}

const std::string& string_argument(const CallArg& arg) {
  const auto* text = arg.value.as<std::string>();
  if (text == nullptr) refuse_argument(arg, "a string");
  return *text;
}

const std::vector<Value>& sequence_argument(const CallArg& arg) {
  const std::vector<Value>* items = arg.value.items();
  if (items == nullptr) refuse_argument(arg, "a tuple or a list");
  return *items;
}

LayoutRef layout_argument(const CallArg& arg) {
  const auto* layout = arg.value.as<LayoutRef>();
  if (layout == nullptr) {
    refuse_argument(arg, "a layout such as Layout((4, 8), (8, 1))");
  }
  return *layout;
}

Topologies topologies_argument(const CallArg& arg, const BuiltinContext& ctx) {
  std::vector<Value> items{arg.value};
  if (arg.value.items() != nullptr) items = *arg.value.items();
  Topologies levels;
  for (const Value& item : items) {
    if (const auto* level = item.as<Ref<const Topology>>()) {
      levels.push_back(*level);
      continue;
    }
    const auto* name = item.as<std::string>();
    if (name == nullptr) {
      refuse("TF2042", arg.span,
             fmt::format("wanted a Topology or the name of a level, got {}", describe(item)));
    }
    std::vector<std::string> known;
    if (ctx.topologies != nullptr) {
      for (const Ref<const Topology>& level : *ctx.topologies) known.push_back(level->name());
    }
    const auto it = std::find(known.begin(), known.end(), *name);
    if (it == known.end()) {
      refuse("TF2043", arg.span, fmt::format("no level '{}' is declared here", *name),
             known.empty() ? "declare it: @module(topologies=(Topology(name, size),))"
                           : "the levels are " + join(known, ", "));
    }
    levels.push_back((*ctx.topologies)[static_cast<std::size_t>(it - known.begin())]);
  }
  return levels;
}

}  // namespace tilefoundry
