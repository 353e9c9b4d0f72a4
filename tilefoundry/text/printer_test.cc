#include "tilefoundry/text/printer.h"

#include <gtest/gtest.h>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/text/print_test_support.h"
#include "tilefoundry/text/type_text.h"

namespace tilefoundry {
namespace {

using namespace print_test;  // NOLINT

class Machine final : public Target {
 public:
  explicit Machine(int cores) : cores_(cores) {}
  const std::string& name() const override { return name_; }
  std::string repr() const override { return "Machine(cores=" + std::to_string(cores_) + ")"; }
  std::string provider() const override { return "my.targets"; }
  std::string class_name() const override { return "Machine"; }
  bool equals(const Target& other) const override {
    const auto* machine = dynamic_cast<const Machine*>(&other);
    return machine != nullptr && machine->cores_ == cores_;
  }

 private:
  std::string name_ = "machine";
  int cores_;
};

// A Module with a weight whose entry is `forward`.
ModuleRef layer(const std::string& name) {
  const VarRef x = var("x", f32({4}));
  const VarRef w = var("w", f32({4}), true);
  return Module::make({.name = name,
                       .functions = {Function::make("forward", {x, w}, times(x, w))},
                       .entry = "forward"});
}

ExprRef call_entry(const ModuleRef& child, const ExprRef& x) {
  return Call::make(child->entry_function(), {x}, x->type());
}

TEST(Printer, I10_I13_I18_I19_I20_I22_the_whole_tree) {
  const ModuleRef base = layer("Layer");
  const ModuleRef up = attach_copy(*base, "up");
  const ModuleRef down = attach_copy(*base, "down");
  const VarRef x = var("x", f32({4}));
  // Through an elaborated instance and through the entry itself.
  const auto entry = FunctionRef(as_function(*down->entry_function()));
  const FunctionRef instance =
      Function::make("forward", entry->params(), entry->body(), nullptr, {}, entry);
  const ExprRef y = call_entry(up, x);
  const ExprRef z = Call::make(instance, {y}, x->type());
  const FunctionRef helper = Function::make("helper", {x}, spark(x));
  const FunctionRef forward = Function::make("forward", {x}, Call::make(helper, {z}, x->type()));
  const ModuleRef root = Module::make({.name = "Mlp",
                                       .functions = {helper, forward},
                                       .children = {up, down},
                                       .methods = {{"size", "def size(self):\n    return 4\n"}},
                                       .entry = "forward",
                                       .target = TargetRef(new Machine(4))});
  EXPECT_EQ(as_script(root),
            "from my.targets import Machine\n"
            "from tilefoundry import func, module\n"
            "from tilefoundry.dsl import ConstTensor, Tensor\n"
            "from tilefoundry.dsl.tf import spark, times\n"
            "\n\n"
            "@module(entry=\"forward\", target=Machine(cores=4))\n"
            "class Mlp:\n"
            "    @module(entry=\"forward\")\n"
            "    class up:\n"
            "        @func\n"
            "        def forward(x: Tensor[(4,), \"f32\"], w: ConstTensor[(4,), \"f32\"]) -> "
            "Tensor[(4,), \"f32\"]:\n"
            "            v0 = times(x, w)\n"
            "            return v0\n"
            "\n"
            "    @module(entry=\"forward\")\n"
            "    class down:\n"
            "        @func\n"
            "        def forward(x: Tensor[(4,), \"f32\"], w: ConstTensor[(4,), \"f32\"]) -> "
            "Tensor[(4,), \"f32\"]:\n"
            "            v0 = times(x, w)\n"
            "            return v0\n"
            "\n"
            "    @func\n"
            "    def helper(x: Tensor[(4,), \"f32\"]) -> Tensor[(4,), \"f32\"]:\n"
            "        v0 = spark(x)\n"
            "        return v0\n"
            "\n"
            "    @func\n"
            "    def forward(x: Tensor[(4,), \"f32\"]) -> Tensor[(4,), \"f32\"]:\n"
            "        v0 = up(x)\n"
            "        v1 = down(v0)\n"
            "        v2 = helper(v1)\n"
            "        return v2\n"
            "\n"
            "    def size(self):\n"
            "        return 4\n");
}

TEST(Printer, I14_I15_I23_only_what_a_module_declares) {
  const auto decorator = [](ModuleParts parts) {
    parts.name = "M";
    const std::string text = as_script(Module::make(std::move(parts)));
    const std::size_t at = text.find("@module");
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(decorator({}), "@module()");
  EXPECT_EQ(decorator({.topologies = Topologies{}}), "@module(topologies=())");
  EXPECT_EQ(decorator({.topologies = Topologies{Topology::make("cta", 132)}}),
            "@module(topologies=(Topology(\"cta\", 132),))");
  EXPECT_EQ(decorator({.target = TargetRef(new Machine(2))}), "@module(target=Machine(cores=2))");
}

TEST(Printer, I16_I17_a_dimension_of_a_topology_is_declared) {
  const Dim n = dim_var("N", 1, 4097);
  const std::string text = as_script(Module::make(
      {.name = "M", .topologies = Topologies{Topology::make("cta", ceildiv(n, 128))}}));
  EXPECT_NE(text.find("from tilefoundry.dsl import DimVar, Topology, ceildiv\n"),
            std::string::npos);
  EXPECT_NE(text.find("\nN = DimVar(\"N\", 1, 4097)\n"), std::string::npos);
  EXPECT_NE(text.find("Topology(\"cta\", ceildiv(N, 128))"), std::string::npos);
}

TEST(Printer, I12_mixed_modules_are_refused_in_public_and_dumped_inside) {
  const VarRef x = var("x", f32({4}));
  const VarRef a = var("a", f32({4}));
  const VarRef b = var("b", f32({4}));
  const ModuleRef mixed =
      Module::make({.name = "M",
                    .functions = {Function::make("f", {x}, spark(x)),
                                  PrimFunction::make("g", {a, b}, copy(a, b), 1)}});
  try {
    as_script(mixed);
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_EQ(error.diagnostic().code, "TF3072");
    EXPECT_NE(error.diagnostic().message.find("HIR functions (f) and TIR functions (g)"),
              std::string::npos);
  }
  const std::string text = print_module_text(mixed);
  EXPECT_NE(text.find("    @func\n    def f("), std::string::npos);
  EXPECT_NE(text.find("    @prim_func(outputs=1)\n    def g("), std::string::npos);
}

TEST(Printer, a_child_call_in_a_function_printed_alone_is_refused) {
  const ModuleRef up = layer("up");
  const VarRef x = var("x", f32({4}));
  const FunctionRef forward = Function::make("forward", {x}, call_entry(up, x));
  try {
    as_script(forward);
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_EQ(error.diagnostic().code, "TF3073");
    EXPECT_EQ(error.diagnostic().hint, "print the Module that owns the child");
  }
}

TEST(Printer, a_function_from_outside_prints_above_the_module) {
  const VarRef x = var("x", f32({4}));
  const FunctionRef outside = Function::make("forward", {x}, spark(x));
  const FunctionRef forward = Function::make("forward", {x}, Call::make(outside, {x}, x->type()));
  const std::string text = as_script(Module::make({.name = "M", .functions = {forward}}));
  EXPECT_NE(text.find("\n\n@func(name=\"forward\")\ndef forward_1(x: "), std::string::npos);
  EXPECT_NE(text.find("        v0 = forward_1(x)\n"), std::string::npos);
}

TEST(Printer, an_op_named_like_a_sibling_is_qualified) {
  const VarRef x = var("x", f32({4}));
  const ModuleRef module =
      Module::make({.name = "M", .functions = {Function::make("spark", {x}, spark(x))}});
  EXPECT_NE(as_script(module).find("v0 = tf.spark(x)\n"), std::string::npos);
}

TEST(TypeText, I26_canonical_and_I27_compact_forms) {
  const auto type = [](StorageKind storage) {
    return TensorType::make({4, 64}, DType::bf16, nullptr, storage);
  };
  EXPECT_EQ(type_text(type(StorageKind::gmem)), "Tensor[(4, 64), \"bf16\"]");
  EXPECT_EQ(type_text(type(StorageKind::smem)), "Tensor[(4, 64), \"bf16\", \"smem\"]");
  EXPECT_EQ(compact_type_text(type(StorageKind::gmem)), "bf16[4, 64]");
  EXPECT_EQ(compact_type_text(type(StorageKind::smem)), "bf16[4, 64] @smem");
  EXPECT_EQ(type_text(TupleType::make({f32({}), f32({1})})),
            "Tuple[Tensor[(), \"f32\"], Tensor[(1,), \"f32\"]]");
}

TEST(TypeText, layouts_print_in_full) {
  const MeshRef mesh = Mesh::make({Topology::make("cta", 4)}, Layout::make({4}, {1}), {"x"});
  const LayoutRef shard =
      ShardLayout::make(Layout::make(Shape{8, 2}, Shape{2, 1}), {{ShardKind::split, 0, ""}}, mesh);
  EXPECT_EQ(layout_text(shard),
            "ShardLayout(layout=Layout(shape=(8, 2), strides=(2, 1)), attrs=(Split(0),), "
            "mesh=Mesh(topologies=(Topology(\"cta\", 4),), layout=Layout(shape=(4,), "
            "strides=(1,)), names=(\"x\",)))");
  EXPECT_EQ(layout_text(ComposedLayout::make(nullptr, 3, Layout::make({4}, {1}))),
            "ComposedLayout(inner=None, offset=3, outer=Layout(shape=(4,), strides=(1,)))");
  EXPECT_EQ(layout_text(Layout::make(IntTuple::flat({4}), std::nullopt)), "Layout(shape=(4,))");
  const VarRef x = var("x", TensorType::make({8, 2}, DType::f32, shard));
  const std::string text = as_script(Function::make("f", {x}, spark(x)));
  EXPECT_NE(text.find("\ncta = Mesh(topologies="), std::string::npos);
  EXPECT_NE(text.find("attrs=(Split(0),), mesh=cta)]"), std::string::npos);
}

TEST(TypeText, I31_every_dtype_prints_its_name_quoted) {
  for (const std::string& name : DType::names()) {
    const DType dtype = DType::from_name(name);
    EXPECT_EQ(attr_text(dtype), "\"" + name + "\"");
    EXPECT_EQ(type_text(TensorType::make({1}, dtype)), "Tensor[(1,), \"" + name + "\"]");
  }
}

}  // namespace
}  // namespace tilefoundry
