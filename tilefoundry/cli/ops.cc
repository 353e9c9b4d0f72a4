#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tilefoundry/cli/command.h"
#include "tilefoundry/ir/op_class.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"
#include "tilefoundry/text/type_text.h"

namespace tilefoundry::cli {
namespace {

std::string dialect_name(const OpClass& cls) { return cls.dialect() == Dialect::tf ? "tf" : "T"; }

// matmul(lhs, rhs), reduce(x, *, axes, keepdim=True, kind="mean")
std::string signature(const OpClass& cls) {
  std::vector<std::string> parts;
  for (const OpInput& input : cls.inputs()) {
    parts.push_back(input.variadic ? "*" + input.name
                                   : input.name + (input.optional ? "=None" : ""));
  }
  for (const OpAttr& attr : cls.attrs()) {
    parts.push_back(attr.required ? attr.name + "=" : attr.name + "=" + attr_text(attr.fallback));
  }
  return fmt::format("{}.{}({})", dialect_name(cls), cls.dsl_name(), join(parts, ", "));
}

std::vector<std::string> alias_names(const OpClass& cls) {
  std::vector<std::string> names;
  for (const OpAlias& alias : cls.aliases()) names.push_back(alias.name);
  return names;
}

nlohmann::ordered_json describe_json(const OpClass& cls) {
  nlohmann::ordered_json inputs = nlohmann::ordered_json::array();
  for (const OpInput& input : cls.inputs()) {
    inputs.push_back(
        {{"name", input.name}, {"optional", input.optional}, {"variadic", input.variadic}});
  }
  nlohmann::ordered_json attrs = nlohmann::ordered_json::array();
  for (const OpAttr& attr : cls.attrs()) {
    nlohmann::ordered_json entry = {
        {"name", attr.name}, {"kind", attr_kind_name(attr.kind)}, {"required", attr.required}};
    if (!attr.required) entry["default"] = attr_text(attr.fallback);
    if (!attr.choices.empty()) entry["choices"] = attr.choices;
    attrs.push_back(std::move(entry));
  }
  return {{"dialect", dialect_name(cls)}, {"class", cls.name()},      {"name", cls.dsl_name()},
          {"summary", cls.summary()},     {"inputs", inputs},         {"attrs", attrs},
          {"aliases", alias_names(cls)},  {"effect", cls.is_effect()}};
}

std::string describe(const OpClass& cls) {
  std::string out = fmt::format("{}\n    {}\n", signature(cls), cls.summary());
  for (const OpAttr& attr : cls.attrs()) {
    out += fmt::format("    {}: {}{}{}\n", attr.name, attr_kind_name(attr.kind),
                       attr.choices.empty() ? "" : ", one of " + join(attr.choices, ", "),
                       attr.required ? ", required" : "");
  }
  const std::vector<std::string> aliases = alias_names(cls);
  if (!aliases.empty()) out += fmt::format("    aliases: {}\n", join(aliases, ", "));
  return out;
}

std::vector<const OpClass*> matching(const std::string& name) {
  std::vector<const OpClass*> out;
  std::vector<std::string> names;
  for (const OpClass* cls : registered_op_classes()) {
    const std::vector<std::string> aliases = alias_names(*cls);
    const std::string qualified = dialect_name(*cls) + "." + cls->dsl_name();
    names.push_back(cls->dsl_name());
    names.insert(names.end(), aliases.begin(), aliases.end());
    const bool hit = name.empty() || cls->dsl_name() == name || cls->name() == name ||
                     qualified == name ||
                     std::find(aliases.begin(), aliases.end(), name) != aliases.end();
    if (hit) out.push_back(cls);
  }
  if (!out.empty()) return out;
  const std::string close = closest_match(name, names);
  throw RegistryError(Diagnostic{.code = "TF9004",
                                 .message = fmt::format("there is no op \"{}\"", name),
                                 .hint = close.empty()
                                             ? "`tilefoundry ops` lists them"
                                             : fmt::format("did you mean \"{}\"?", close)});
}

}  // namespace

int run_ops(const Options& options) {
  const std::vector<const OpClass*> classes = matching(options.op);
  if (options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const OpClass* cls : classes) list.push_back(describe_json(*cls));
    const nlohmann::ordered_json out = {
        {"schema", "tilefoundry.ops"}, {"schema_version", 1}, {"ops", std::move(list)}};
    write_out(out);
    return kOk;
  }
  std::string text;
  for (const OpClass* cls : classes) {
    text += options.op.empty() ? fmt::format("{}\n", signature(*cls)) : describe(*cls);
  }
  write_out(text);
  return kOk;
}

}  // namespace tilefoundry::cli
