#include "tilefoundry/text/script.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

struct PublicName {
  std::string_view name;
  std::string_view module;
};

// Where the language's own names come from.
constexpr std::array kPublicNames = {
    PublicName{"func", "tilefoundry"},
    PublicName{"prim_func", "tilefoundry"},
    PublicName{"module", "tilefoundry"},
    PublicName{"Tensor", "tilefoundry.dsl"},
    PublicName{"ConstTensor", "tilefoundry.dsl"},
    PublicName{"Tuple", "tilefoundry.dsl"},
    PublicName{"tf", "tilefoundry.dsl"},
    PublicName{"T", "tilefoundry.dsl"},
    PublicName{"DimVar", "tilefoundry.dsl"},
    PublicName{"tile", "tilefoundry.dsl"},
    PublicName{"DimVarRangePat", "tilefoundry.dsl"},
    PublicName{"ceildiv", "tilefoundry.dsl"},
    PublicName{"Mesh", "tilefoundry.dsl"},
    PublicName{"Topology", "tilefoundry.dsl"},
    PublicName{"Split", "tilefoundry.dsl"},
    PublicName{"Partial", "tilefoundry.dsl"},
    PublicName{"Broadcast", "tilefoundry.dsl"},
    PublicName{"Dynamic", "tilefoundry.dsl"},
    PublicName{"Layout", "tilefoundry.ir.types.shard"},
    PublicName{"ComposedLayout", "tilefoundry.ir.types.shard"},
    PublicName{"ShardLayout", "tilefoundry.ir.types.shard"},
    PublicName{"Constant", "tilefoundry.ir.core"},
    PublicName{"DimValue", "tilefoundry.ir.core"},
};

// Builtins of Python that the text uses.
constexpr std::array<std::string_view, 4> kBuiltins = {"float", "range", "min", "max"};

bool is_language_name(const std::string& name) {
  const auto same = [&](std::string_view other) { return other == name; };
  return std::any_of(kPublicNames.begin(), kPublicNames.end(),
                     [&](const PublicName& known) { return known.name == name; }) ||
         std::any_of(kBuiltins.begin(), kBuiltins.end(), same);
}

constexpr std::size_t index_of(Dialect dialect) { return dialect == Dialect::tf ? 0 : 1; }

// A name derived from `stem` for which `is_free` holds.
template <class IsFree>
std::string free_name(const std::string& stem, IsFree is_free) {
  std::string name = stem;
  for (int suffix = 1; !is_free(name); ++suffix) name = fmt::format("{}_{}", stem, suffix);
  return name;
}

bool pattern_fits(InputPattern pattern, const ExprRef& arg) {
  if (pattern == InputPattern::any || !arg->type()) return true;
  if (pattern == InputPattern::tuple) return as_tuple(arg->type()) != nullptr;
  const TensorType* tensor = as_tensor(arg->type());
  return tensor != nullptr && (pattern == InputPattern::tensor || tensor->rank() == 0);
}

// Whether overload resolution accepts the arguments for this schema.
bool accepts(const OpClass& cls, const std::vector<ExprRef>& args) {
  const auto& inputs = cls.inputs();
  if (args.size() < cls.least_arity()) return false;
  if (args.size() > inputs.size() && !cls.variadic()) return false;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!pattern_fits(inputs[std::min(i, inputs.size() - 1)].pattern, args[i])) return false;
  }
  return true;
}

}  // namespace

void refuse_print(const char* code, const std::string& message, const Span& span,
                  const std::string& hint) {
  throw ValueError(Diagnostic{.code = code, .message = message, .span = span, .hint = hint});
}

std::string Script::define(const std::string& name, NameSet& taken) {
  std::string result =
      free_name(is_valid_name(name) ? name : valid_name(name), [&](const std::string& candidate) {
        return !is_language_name(candidate) && !taken.contains(candidate);
      });
  taken.insert(result);
  defined_.insert(result);
  return result;
}

void Script::settle() {
  const auto is_free = [&](const std::string& name) {
    return !is_language_name(name) && !defined_.contains(name) && !globals_.contains(name) &&
           !scan_.params().contains(name);
  };
  for (const auto& node : scan_.dim_vars()) {
    const std::string name = free_name(valid_name(node->as_var()->name), is_free);
    globals_.insert(name);
    dim_names_.emplace(node.get(), name);
  }
  for (const MeshRef& mesh : scan_.meshes()) {
    const std::string name = free_name(valid_name(mesh->topologies().front()->name()), is_free);
    globals_.insert(name);
    mesh_names_.emplace(mesh.get(), name);
  }
  settle_declarations();
}

void Script::settle_declarations() {
  for (const auto& node : scan_.dim_vars()) {
    const DimVar& var = *node->as_var();
    declarations_ += fmt::format("{} = {}({}, {}, {})\n", dim_names_.at(node.get()), use("DimVar"),
                                 python_string_literal(var.name), var.lo, var.hi);
  }
  for (const MeshRef& mesh : scan_.meshes()) {
    declarations_ +=
        fmt::format("{} = {}\n", mesh_names_.at(mesh.get()), mesh_text(*mesh, context(nullptr)));
  }
}

std::string Script::local_spelling(const std::string& name) const {
  return free_name(
      name, [&](const std::string& candidate) { return !scan_.params().contains(candidate); });
}

std::string Script::use(std::string_view public_name) {
  for (const PublicName& known : kPublicNames) {
    if (known.name != public_name) continue;
    std::string spelled = local_spelling(std::string(public_name));
    imports_[std::string(known.module)].insert(
        spelled == public_name ? spelled : fmt::format("{} as {}", public_name, spelled));
    return spelled;
  }
  return std::string(public_name);
}

void Script::import_name(const std::string& module, const std::string& name) {
  imports_[module].insert(name);
}

std::string Script::op_spelling(const Op& op, const std::vector<ExprRef>& args) {
  const OpClass& cls = op.op_class();
  const OpAlias* alias = matching_alias(op);
  const std::string& name = alias != nullptr ? alias->name : cls.dsl_name();
  const void* key = alias != nullptr ? static_cast<const void*>(alias) : &cls;
  if (plain_ops_.contains(key)) return name;
  const std::vector<OpCandidate> candidates = find_ops(cls.dialect(), name);
  if (candidates.size() == 1 && candidates.front().cls == &cls) plain_ops_.insert(key);
  for (const OpCandidate& candidate : candidates) {
    if (candidate.cls == &cls && candidate.alias == alias) return name;
    if (accepts(*candidate.cls, args)) break;
  }
  // The name means another op here, or the class is in no table: its class name is its own.
  return cls.name();
}

std::string Script::op_name(const Op& op, const std::vector<ExprRef>& args,
                            const FunctionNames& names) {
  const OpClass& cls = op.op_class();
  if (!cls.provider().empty()) providers_.insert(cls.provider());
  std::string name = op_spelling(op, args);
  if (cls.dialect() == Dialect::T) return use("T") + "." + name;
  const bool hidden = name == cls.name() || names.params.contains(name) ||
                      defined_.contains(name) || globals_.contains(name) || is_language_name(name);
  if (hidden) return use("tf") + "." + name;
  import_name("tilefoundry.dsl.tf", name);
  return name;
}

TextContext Script::context(const FunctionNames* names) {
  TextContext context;
  context.atom_name = [this, names](const DimNode& node) -> std::string {
    if (node.as_var() != nullptr) {
      const auto it = dim_names_.find(&node);
      return it != dim_names_.end() ? it->second : node.as_var()->name;
    }
    const auto* var = dynamic_cast<const Var*>(node.as_atom());
    if (names != nullptr && var != nullptr) {
      const auto it = names->vars.find(var);
      if (it != names->vars.end()) return it->second;
    }
    return node.as_atom()->dim_name();
  };
  context.mesh_name = [this](const MeshRef& mesh) {
    const auto it = mesh_names_.find(mesh.get());
    return it != mesh_names_.end() ? it->second : std::string();
  };
  context.public_name = [this](std::string_view name) { return use(name); };
  return context;
}

const NameSet& Script::avoided(Dialect dialect) {
  NameSet& names = avoided_[index_of(dialect)];
  if (std::exchange(avoided_known_[index_of(dialect)], true)) return names;
  for (const PublicName& known : kPublicNames) {
    const bool other_namespace = known.name == (dialect == Dialect::tf ? "T" : "tf");
    if (!other_namespace) names.insert(std::string(known.name));
  }
  for (const std::string_view name : kBuiltins) names.insert(std::string(name));
  names.insert(defined_.begin(), defined_.end());
  names.insert(globals_.begin(), globals_.end());
  if (dialect == Dialect::tf) {
    for (std::string& name : op_names(dialect)) names.insert(std::move(name));
  }
  return names;
}

std::string Script::text() {
  std::string out;
  for (const std::string& provider : providers_) out += fmt::format("import {}\n", provider);
  for (const auto& [module, names] : imports_) {
    out += fmt::format("from {} import {}\n", module, fmt::join(names, ", "));
  }
  if (!declarations_.empty()) out += "\n" + declarations_;
  return out + body;
}

}  // namespace tilefoundry
