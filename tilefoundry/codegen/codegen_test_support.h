// Programs built by hand, compiled, loaded and called: for the tests of code generation.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tilefoundry/codegen/generator.h"
#include "tilefoundry/codegen/linker.h"
#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/passes/loop_nest.h"
#include "tilefoundry/runtime/loader.h"
#include "tilefoundry/support/files.h"
#include "tilefoundry/target/cpu_target.h"

namespace tilefoundry {

inline TensorTypeRef tensor(Shape shape, DType dtype = DType::f32, LayoutRef layout = nullptr) {
  return TensorType::make(std::move(shape), dtype, std::move(layout));
}

inline VarRef param(const std::string& name, Shape shape, DType dtype = DType::f32) {
  return Var::make(name, tensor(std::move(shape), dtype));
}

// A module with one function that is its entry.
inline ModuleRef module_of(std::vector<VarRef> params, StmtRef body, std::size_t outputs = 1,
                           const std::string& name = "f", TargetRef target = nullptr) {
  ModuleParts parts;
  parts.name = "M";
  parts.functions = {PrimFunction::make(name, std::move(params), std::move(body), outputs)};
  parts.entry = name;
  parts.target = target ? target : default_target();
  return Module::make(std::move(parts));
}

// Arguments of a call; arrays are moved, not copied.
struct Arrays {
  std::vector<HostArray> list;
  template <class... Array>
  Arrays(Array&&... arrays) {  // NOLINT(google-explicit-constructor)
    (list.push_back(std::forward<Array>(arrays)), ...);
  }
};

// A compiled module; its folder goes with it.
struct Compiled {
  LinkableModule linkable;
  std::shared_ptr<TemporaryFolder> folder;
  LinkedModule linked;
  std::shared_ptr<RuntimeModule> run;

  std::vector<HostArray> operator()(const Arrays& inputs, int threads = 1) const {
    CallOptions options;
    options.threads = threads;
    return (*run)(inputs.list, options);
  }
};

inline Compiled compile_module(const ModuleRef& module) {
  Compiled out;
  out.linkable = generate(module);
  out.folder = std::make_shared<TemporaryFolder>();
  out.linked = link_into(out.linkable, out.folder->path());
  out.run = std::make_shared<RuntimeModule>(RuntimeLibrary::open(out.linked.library_path),
                                            module->name(), out.linked.source);
  return out;
}

template <class T>
HostArray array_of(const std::string& dtype, std::vector<std::int64_t> shape,
                   const std::vector<T>& values) {
  HostArray array = HostArray::make(dtype, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i) array.values<T>()[i] = values[i];
  return array;
}

inline HostArray floats(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  return array_of<float>("f32", std::move(shape), values);
}

// Values of a fixed pattern in about [-2, 2].
inline std::vector<float> pattern(std::size_t count, int seed = 1) {
  std::vector<float> values(count);
  std::uint32_t state = static_cast<std::uint32_t>(seed) * 2654435761u + 12345u;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<std::int32_t>(state >> 8)) / 4194304.0f - 2.0f;
  }
  return values;
}

template <class T>
std::vector<T> values_of(const HostArray& array) {
  const T* data = array.values<T>();
  return {data, data + array.size()};
}

// dst[i...] = body(one element of each source), all of one shape.
inline StmtRef pointwise(const std::vector<VarRef>& sources, const VarRef& dst,
                         const ScalarBody& body, ForMode innermost = ForMode::vectorized) {
  const Shape& shape = as_tensor(dst->type())->shape();
  StmtRef nest = make_nest(shape, [&](const Shape& at) {
    ScalarBuilder builder;
    std::vector<ExprRef> operands;
    for (const VarRef& source : sources) operands.push_back(builder.load(source, at));
    builder.store(dst, body(builder, operands), at);
    return builder.take();
  });
  if (shape.size() != 1) return nest;
  return stmt_cast<For>(nest)->with_mode(innermost);
}

}  // namespace tilefoundry
