#include "tilefoundry/frontend/public_names.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "tilefoundry/frontend/builtins.h"
#include "tilefoundry/types/storage.h"

namespace tilefoundry {
namespace {

// A name that exists in the Python package and that a program may import, but not use natively.
class PythonOnlyName final : public HostObject {
 public:
  explicit PythonOnlyName(std::string path) : path_(std::move(path)) {}
  std::string describe() const override {
    return fmt::format("'{}', which only the Python door can use,", path_);
  }

 private:
  std::string path_;
};

struct PublicModule {
  // Names of builtins, enumerations and sub-modules.
  std::vector<std::string> names;
  // Names for Python alone; `any` takes every name.
  std::vector<std::string> python_names;
  bool any = false;
};

const std::vector<std::string> kKinds = {"BinaryKind", "UnaryKind", "ReduceKind"};
const std::vector<std::string> kShard = {
    "Layout",    "ComposedLayout", "ShardLayout", "Mesh", "Topology", "Split",
    "Broadcast", "Partial",        "Dynamic",     "S",    "B",        "P"};

std::vector<std::string> together(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::map<std::string, PublicModule, std::less<>> make_modules() {
  std::map<std::string, PublicModule, std::less<>> modules;
  modules["tilefoundry"] = {
      {"func", "prim_func", "module", "intrinsic", "default_target", "dsl", "ir", "target"},
      {"lower", "build", "compile", "jit", "evaluate", "CompilerOptions", "as_script",
       "parse_module", "parse_file", "RuntimeModule"}};
  modules["tilefoundry.dsl"] = {
      together(together({"Tensor", "ConstTensor", "Tuple", "tf", "T", "storage", "DimVar",
                         "DimVarRangePat", "ceildiv", "DType", "StorageKind", "tile", "where"},
                        kShard),
               kKinds),
      {}};
  modules["tilefoundry.dsl.tf"] = {};
  modules["tilefoundry.dsl.T"] = {};
  modules["tilefoundry.dsl.storage"] = {together({"StorageKind"}, storage_names()), {}};
  modules["tilefoundry.ir"] = {{"types", "hir", "tir", "core"}, {}, true};
  modules["tilefoundry.ir.types"] = {
      together({"DType", "TensorType", "TupleType", "StorageKind", "dim", "shard", "storage"},
               kShard),
      {"Type", "UnitType", "CallableType"}};
  modules["tilefoundry.ir.types.dim"] = {{"DimVar", "ceildiv", "DimVarRangePat"}, {"ShapeDim"}};
  modules["tilefoundry.ir.types.shard"] = {kShard, {"ShardAttr", "IntTuple"}};
  modules["tilefoundry.ir.types.storage"] = {together({"StorageKind"}, storage_names()),
                                             {"resolve_storage"}};
  modules["tilefoundry.ir.hir"] = {kKinds, {}, true};
  modules["tilefoundry.ir.tir"] = {kKinds, {}, true};
  modules["tilefoundry.ir.core"] = {together({"Constant", "DimValue"}, kKinds), {}, true};
  modules["tilefoundry.target"] = {{"CpuTarget", "CudaTarget", "default_target"}, {"Target"}};
  modules["tilefoundry.module"] = {{"module"}, {"Module"}};
  for (const char* path :
       {"tilefoundry.inspection", "tilefoundry.dump", "tilefoundry.visitor_registry",
        "tilefoundry.ir.visitor", "tilefoundry.passes", "tilefoundry.codegen",
        "tilefoundry.analysis", "tilefoundry.inspection.viewer", "tilefoundry.evaluator",
        "tilefoundry.runtime", "tilefoundry.isl"}) {
    modules[path].any = true;
  }
  return modules;
}

const std::map<std::string, PublicModule, std::less<>>& modules() {
  static const auto* modules = new std::map<std::string, PublicModule, std::less<>>(make_modules());
  return *modules;
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The module's own description; modules below a known "any" module count as known.
const PublicModule* find_module(std::string_view path) {
  const auto it = modules().find(path);
  if (it != modules().end()) return &it->second;
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return nullptr;
  const PublicModule* outer = find_module(path.substr(0, dot));
  return outer != nullptr && outer->any ? outer : nullptr;
}

}  // namespace

bool is_public_module(std::string_view path) { return find_module(path) != nullptr; }

std::vector<std::string> public_modules() {
  std::vector<std::string> paths;
  for (const auto& [path, contents] : modules()) paths.push_back(path);
  return paths;
}

std::optional<Dialect> op_namespace(std::string_view path) {
  if (path == "tilefoundry.dsl.tf") return Dialect::tf;
  if (path == "tilefoundry.dsl.T") return Dialect::T;
  return std::nullopt;
}

std::optional<Value> public_name(Sema& sema, std::string_view path, std::string_view name) {
  if (const std::optional<Dialect> dialect = op_namespace(path)) {
    const OpGroup* group = sema.op_group(*dialect, name);
    if (group != nullptr) return Value(group);
    const Builtin* form = *dialect == Dialect::T ? find_tir_form(name) : nullptr;
    if (form != nullptr) return Value(form);
    return std::nullopt;
  }
  const PublicModule* contents = find_module(path);
  if (contents == nullptr) return std::nullopt;
  std::string below = fmt::format("{}.{}", path, name);
  if (modules().contains(below)) {
    // `tilefoundry.module` is a module and the decorator of that name, which is what is meant.
    if (!has(contents->names, name) || find_builtin(name) == nullptr) {
      return Value(NamespaceValue{std::move(below)});
    }
  }
  if (has(contents->names, name)) {
    if (has(kKinds, name)) return Value(EnumClassValue{std::string(name)});
    if (has(storage_names(), name)) return Value(storage_from_name(name));
    if (const Builtin* builtin = find_builtin(name)) return Value(builtin);
  }
  if (contents->any || has(contents->python_names, name)) {
    return Value(HostObjectRef(make_ref<PythonOnlyName>(std::move(below))));
  }
  return std::nullopt;
}

std::vector<std::string> public_names(std::string_view path) {
  if (const std::optional<Dialect> dialect = op_namespace(path)) return op_names(*dialect);
  const PublicModule* contents = find_module(path);
  return contents == nullptr ? std::vector<std::string>() : contents->names;
}

}  // namespace tilefoundry
