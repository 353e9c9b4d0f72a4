#include "tilefoundry/ir/structural.h"

#include <functional>

#include <gtest/gtest.h>

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"

namespace tilefoundry {
namespace {

const OpClass& concat_class() {
  static const OpClass& cls = DynamicOpClassBuilder("Joined", Dialect::tf, "structural_test")
                                  .input({"parts", InputPattern::tensor, false, true})
                                  .attr({"axis", AttrKind::integer, true, false, {}, {}})
                                  .build();
  return cls;
}
const OpClass& mul_class() {
  static const OpClass& cls = DynamicOpClassBuilder("Mul", Dialect::tf, "structural_test")
                                  .dsl("mul")
                                  .input({"lhs"})
                                  .input({"rhs"})
                                  .build();
  return cls;
}

TensorTypeRef f32(Shape shape) { return TensorType::make(std::move(shape), DType::f32); }

ExprRef joined(std::vector<ExprRef> parts, std::int64_t axis, TypeRef type = f32({8})) {
  return Call::make(concat_class().make({axis}), std::move(parts), std::move(type));
}
ExprRef mul(const ExprRef& a, const ExprRef& b, const std::string& name = "") {
  return Call::make(mul_class().make({}), {a, b}, a->type(), Metadata{name, {}});
}

// One program with a knob for everything that equality looks at.
struct Knobs {
  std::string function = "forward";
  std::string param = "x";
  bool is_const = false;
  Shape shape = {4};
  DType dtype = DType::f32;
  StorageKind storage = StorageKind::gmem;
  std::int64_t stride = 1;
  std::string axis_name = "m";
  std::int64_t mesh_size = 4;
  ShardAttr shard = {ShardKind::broadcast, 0, ""};
  std::int64_t axis = 0;
  double constant = 1.0;
  bool swap = false;
  TypeRef result = f32({8});
  std::string local = "y";
  std::optional<std::string> entry = "forward";
  std::optional<Topologies> topologies;
};

ModuleRef program(const Knobs& knobs) {
  const MeshRef mesh = Mesh::make({Topology::make("cta", knobs.mesh_size)}, Layout::make({4}, {1}),
                                  {knobs.axis_name});
  const LayoutRef layout =
      ShardLayout::make(Layout::make(knobs.shape, Shape{knobs.stride}), {knobs.shard}, mesh);
  const VarRef x =
      Var::make(knobs.param, TensorType::make(knobs.shape, knobs.dtype, layout, knobs.storage),
                knobs.is_const);
  const VarRef z = Var::make("z", f32({4}));
  const ExprRef y = mul(z, Constant::scalar(DType::f32, knobs.constant), knobs.local);
  const ExprRef cat = joined(knobs.swap ? std::vector<ExprRef>{y, x} : std::vector<ExprRef>{x, y},
                             knobs.axis, knobs.result);
  const FunctionRef fn = Function::make(knobs.function, {x, z}, mul(z, cat));
  return Module::make(
      {.name = "Mlp", .functions = {fn}, .entry = knobs.entry, .topologies = knobs.topologies});
}

TEST(Structural, I40_I41_every_part_takes_part) {
  struct Case {
    std::function<void(Knobs&)> change;
    std::string difference;
  };
  const std::string param = "Module Mlp / function forward / parameter x";
  const std::string call = "Module Mlp / function forward / return / mul.args[1]";
  const std::vector<Case> cases = {
      {[](Knobs& k) { k.function = "f", k.entry.reset(); },
       "Module Mlp / entry: forward versus none"},
      {[](Knobs& k) { k.param = "w"; }, param + " / name: x versus w"},
      {[](Knobs& k) { k.is_const = true; }, param + ": Tensor versus ConstTensor"},
      {[](Knobs& k) { k.shape = {5}; }, param + " / type / shape: (4,) versus (5,)"},
      {[](Knobs& k) { k.dtype = DType::f16; }, param + " / type / dtype: f32 versus f16"},
      {[](Knobs& k) { k.storage = StorageKind::smem; },
       param + " / type / storage: gmem versus smem"},
      {[](Knobs& k) { k.stride = 2; },
       param + " / type / layout / layout / strides: (1,) versus (2,)"},
      {[](Knobs& k) { k.shard = {ShardKind::partial, 0, "sum"}; },
       param + " / type / layout / attrs: (Broadcast()) versus (Partial(sum))"},
      {[](Knobs& k) { k.axis_name = "n"; },
       param + " / type / layout / mesh / names: (m) versus (n)"},
      {[](Knobs& k) { k.mesh_size = 8; },
       param + " / type / layout / mesh / topologies: (cta: 4) versus (cta: 8)"},
      {[](Knobs& k) { k.axis = 1; }, call + " / attribute axis: 0 versus 1"},
      {[](Knobs& k) { k.result = f32({9}); }, call + " / type / shape: (8,) versus (9,)"},
      {[](Knobs& k) { k.swap = true; }, call + " / joined.args[0]: Var versus Call"},
      {[](Knobs& k) { k.constant = 2.0; },
       call + " / joined.args[1] / mul.args[1] / value: 1.0 versus 2.0"},
      {[](Knobs& k) { k.topologies = Topologies{}; }, "Module Mlp / topologies: they differ"},
  };
  const ModuleRef base = program({});
  EXPECT_FALSE(structural_difference(base, program({})));
  EXPECT_EQ(structural_hash(base), structural_hash(program({})));
  for (const Case& item : cases) {
    Knobs knobs;
    item.change(knobs);
    const auto difference = structural_difference(base, program(knobs));
    ASSERT_TRUE(difference) << item.difference;
    EXPECT_EQ(difference->text(), item.difference);
  }
}

TEST(Structural, local_names_and_sharing_take_no_part) {
  Knobs renamed;
  renamed.local = "other";
  EXPECT_FALSE(structural_difference(program({}), program(renamed)));
  const VarRef x = Var::make("x", f32({4}));
  const ExprRef once = mul(x, x);
  EXPECT_FALSE(structural_difference(mul(once, once), mul(mul(x, x), mul(x, x))));
  EXPECT_EQ(structural_hash(mul(once, once)), structural_hash(mul(mul(x, x), mul(x, x))));
}

TEST(Structural, parameters_correspond_by_position) {
  const auto fn = [](bool swapped) {
    const VarRef a = Var::make("a", f32({4}));
    const VarRef b = Var::make("b", f32({4}));
    return Function::make("f", {a, b}, swapped ? mul(b, a) : mul(a, b));
  };
  EXPECT_FALSE(structural_difference(fn(false), fn(false)));
  const auto difference = structural_difference(fn(false), fn(true));
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->text(),
            "function f / return / mul.args[0]: the variables a and b do not correspond");
  EXPECT_NE(structural_hash(fn(false)), structural_hash(fn(true)));
}

TEST(Structural, shared_squarings_and_long_chains_are_linear) {
  const auto squares = [](int count, double last) {
    const VarRef x = Var::make("x", f32({}));
    ExprRef y = mul(x, Constant::scalar(DType::f32, last));
    for (int i = 0; i < count; ++i) y = mul(y, y);
    return Function::make("f", {x}, y);
  };
  EXPECT_FALSE(structural_difference(squares(64, 1.0), squares(64, 1.0)));
  EXPECT_EQ(structural_hash(squares(64, 1.0)), structural_hash(squares(64, 1.0)));
  const auto difference = structural_difference(squares(100000, 1.0), squares(100000, 2.0));
  ASSERT_TRUE(difference);
  EXPECT_LT(difference->path.size(), 300u);
  EXPECT_NE(difference->path.find(" steps) / "), std::string::npos);
}

TEST(Structural, callees_are_compared_and_origins_are_not) {
  const auto tower = [](double last, bool with_origin) {
    const VarRef x = Var::make("x", f32({}));
    FunctionRef fn = Function::make("f0", {x}, mul(x, Constant::scalar(DType::f32, last)));
    for (int i = 1; i < 31; ++i) {
      const VarRef p = Var::make("x", f32({}));
      const ExprRef inner = Call::make(fn, {p}, p->type());
      fn = Function::make("f" + std::to_string(i), {p}, Call::make(fn, {inner}, p->type()), nullptr,
                          {}, with_origin ? fn : nullptr);
    }
    return fn;
  };
  EXPECT_FALSE(structural_difference(tower(1.0, false), tower(1.0, true)));
  EXPECT_EQ(structural_hash(tower(1.0, false)), structural_hash(tower(1.0, true)));
  const auto difference = structural_difference(tower(1.0, false), tower(2.0, false));
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->message, "1.0 versus 2.0");
}

TEST(Structural, constants_compare_by_bits) {
  const auto value = [](double number) -> ExprRef { return Constant::scalar(DType::f32, number); };
  EXPECT_TRUE(structural_difference(value(0.0), value(-0.0)));
  EXPECT_FALSE(structural_difference(value(std::numeric_limits<double>::quiet_NaN()),
                                     value(std::numeric_limits<double>::quiet_NaN())));
}

// for i: for j: y[i, j] = x[a, b]
PrimFunctionRef nest(bool transposed, ForMode mode, bool nested_blocks, std::int64_t stop) {
  const VarRef x = Var::make("x", f32({8, 8}));
  const VarRef y = Var::make("y", f32({8, 8}));
  const VarRef i = loop_var("i");
  const VarRef j = loop_var(transposed ? "k" : "j");
  const Shape read = transposed ? Shape{j->dim(), i->dim()} : Shape{i->dim(), j->dim()};
  const VarRef v = Var::make("v", scalar_type(DType::f32));
  const Block inner = {BlockItem::let(v, load(x, read)),
                       BlockItem::of(store(y, v, {i->dim(), j->dim()})),
                       BlockItem::of(Return::make())};
  StmtRef body = make_block(inner);
  if (nested_blocks) body = Sequential::make({Sequential::make({}), body});
  const StmtRef outer = For::make(i, 0, 8, 1, For::make(j, 0, stop, 1, body, mode));
  return PrimFunction::make("k", {x, y}, outer, 1);
}

TEST(Structural, statements_under_binding_of_loop_variables) {
  const auto base = nest(false, ForMode::serial, false, 8);
  EXPECT_FALSE(structural_difference(base, nest(false, ForMode::serial, true, 8)));
  EXPECT_EQ(structural_hash(base), structural_hash(nest(false, ForMode::serial, false, 8)));
  EXPECT_EQ(structural_hash(base), structural_hash(nest(false, ForMode::serial, true, 8)));
  const auto text = [&](const PrimFunctionRef& other) {
    const auto difference = structural_difference(base, other);
    return difference ? difference->text() : "equal";
  };
  EXPECT_EQ(
      text(nest(true, ForMode::serial, false, 8)),
      "function k / body[0] / For / body[0] / For / body[0] / let v / load.args[1] / dimension: "
      "i versus k");
  EXPECT_EQ(text(nest(false, ForMode::parallel, false, 8)),
            "function k / body[0] / For / body[0] / For / mode: serial versus parallel");
  EXPECT_EQ(text(nest(false, ForMode::serial, false, 7)),
            "function k / body[0] / For / body[0] / For / stop: 8 versus 7");
}

TEST(Structural, long_blocks_do_not_recurse) {
  const auto block = [](bool with_return) {
    Block items;
    const VarRef x = Var::make("x", f32({8}));
    for (int i = 0; i < 100000; ++i) {
      items.push_back(BlockItem::let(Var::make("v", scalar_type(DType::f32)), load(x, {0})));
    }
    if (with_return) items.push_back(BlockItem::of(Return::make()));
    return PrimFunction::make("k", {x}, make_block(items), 0);
  };
  EXPECT_FALSE(structural_difference(block(true), block(true)));
  EXPECT_TRUE(structural_difference(block(true), block(false)));
}

}  // namespace
}  // namespace tilefoundry
