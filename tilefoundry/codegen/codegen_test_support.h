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
#include "tilefoundry/runtime/loader.h"
#include "tilefoundry/support/files.h"
#include "tilefoundry/target/cpu_target.h"

namespace tilefoundry {

// Collects scalar statements, each operation under a name of its own, as lowered code has them.
class ScalarBuilder {
 public:
  ExprRef binary(BinaryKind kind, ExprRef lhs, ExprRef rhs) {
    return bind(scalar_binary(kind, std::move(lhs), std::move(rhs)));
  }
  ExprRef unary(UnaryKind kind, ExprRef x) { return bind(scalar_unary(kind, std::move(x))); }
  ExprRef cast(DType dtype, ExprRef x) { return bind(scalar_cast(dtype, std::move(x))); }
  ExprRef select(ExprRef condition, ExprRef if_true, ExprRef if_false) {
    return bind(tilefoundry::select(std::move(condition), std::move(if_true), std::move(if_false)));
  }
  ExprRef load(const VarRef& tensor, const Shape& index) {
    return bind(tilefoundry::load(tensor, index));
  }
  ExprRef constant(DType dtype, double value) { return Constant::scalar(dtype, value); }
  void store(const VarRef& tensor, ExprRef value, const Shape& index) {
    block_.push_back(BlockItem::of(tilefoundry::store(tensor, std::move(value), index)));
  }
  Block take() { return std::move(block_); }

 private:
  ExprRef bind(ExprRef value) {
    VarRef var = Var::make("v", value->type());
    block_.push_back(BlockItem::let(var, std::move(value)));
    return var;
  }
  Block block_;
};

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

// dst[i] = body(one element of each source), all of one axis.
template <class Body>
StmtRef pointwise(const std::vector<VarRef>& sources, const VarRef& dst, const Body& body) {
  const VarRef i = loop_var("i");
  ScalarBuilder builder;
  std::vector<ExprRef> operands;
  for (const VarRef& source : sources) operands.push_back(builder.load(source, {i->dim()}));
  builder.store(dst, body(builder, operands), {i->dim()});
  return For::make(i, 0, as_tensor(dst->type())->shape()[0], 1, make_block(builder.take()),
                   ForMode::vectorized);
}

}  // namespace tilefoundry
