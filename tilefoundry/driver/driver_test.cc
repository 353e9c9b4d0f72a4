#include "tilefoundry/driver/driver.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tilefoundry/frontend/loader.h"
#include "tilefoundry/ir/structural.h"
#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ops/binary.h"
#include "tilefoundry/passes/core_lowering.h"
#include "tilefoundry/passes/host_entry.h"
#include "tilefoundry/passes/pipeline.h"
#include "tilefoundry/registry/typeinfer.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/target/cpu_target.h"
#include "tilefoundry/target/cuda_target.h"
#include "tilefoundry/text/printer.h"

namespace tilefoundry {
namespace {

constexpr const char* kHeader =
    "from tilefoundry import func, module, prim_func\n"
    "from tilefoundry.dsl import ConstTensor, DimVar, T, Tensor, Tuple\n"
    "from tilefoundry.dsl.tf import add, exp, mul, rms_norm, transpose\n"
    "from tilefoundry.target import CpuTarget, CudaTarget\n";

ModuleRef load(const std::string& text) {
  const auto buffer = make_ref<SourceBuffer>("test.py", kHeader + text);
  return select(load_source(buffer), "").module;
}

constexpr const char* kChain =
    "@func\n"
    "def f(x: Tensor[(8, 16), \"f32\"], y: Tensor[(8, 16), \"f32\"]) -> Tensor[(8, 16), \"f32\"]:\n"
    "    a = add(x, y)\n"
    "    b = mul(a, y)\n"
    "    return exp(b)\n";

std::string tir_of(const ModuleRef& module, const CompilerOptions& options = {}) {
  return print_module_text(lower(module, options));
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// Records the module that the first pass sees.
TEST(Driver, P23_P24_a_target_is_attached_before_any_pass_runs_and_the_authored_module_stays) {
  const ModuleRef module = load(kChain);
  EXPECT_EQ(module->target(), nullptr);
  EXPECT_TRUE(same_target(lower(module)->target(), default_target()));
  CompilerOptions options;
  options.target = CpuTarget::make("none");
  EXPECT_TRUE(same_target(lower(module, options)->target(), options.target));
  EXPECT_EQ(module->target(), nullptr);
}

TEST(Driver, P25_an_explicit_target_that_differs_from_the_declared_one_is_refused) {
  const ModuleRef module = load(
      "@module(entry=\"f\", target=CpuTarget())\nclass M:\n"
      "    @func\n"
      "    def f(x: Tensor[(8,), \"f32\"]) -> Tensor[(8,), \"f32\"]:\n"
      "        return exp(x)\n");
  CompilerOptions cuda;
  cuda.target = CudaTarget::make();
  for (const auto& verb : {+[](const ModuleRef& m, const CompilerOptions& o) { lower(m, o); },
                           +[](const ModuleRef& m, const CompilerOptions& o) { build(m, o); },
                           +[](const ModuleRef& m, const CompilerOptions& o) { compile(m, o); }}) {
    try {
      verb(module, cuda);
      FAIL() << "no error";
    } catch (const PassError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("CpuTarget()"), std::string::npos) << text;
      EXPECT_NE(text.find("CudaTarget()"), std::string::npos) << text;
    }
  }
  CompilerOptions equal;
  equal.target = CpuTarget::make();
  EXPECT_NO_THROW(lower(module, equal));
}

TEST(Driver, P26_build_refuses_a_module_that_owns_no_target) {
  const ModuleRef lowered = lower(load(kChain))->with_target(nullptr);
  EXPECT_THROW(build(lowered), PassError);
}

TEST(Driver, P27_P28_a_built_module_is_callable_and_both_routes_give_one_source) {
  const ModuleRef module = load(kChain);
  EXPECT_EQ(generate_source(lower(module)), generate_source(lower(module)));
  const auto runtime = compile(module);
  std::vector<HostArray> inputs;
  for (int i = 0; i < 2; ++i) {
    inputs.push_back(HostArray::make("f32", {8, 16}));
    for (int k = 0; k < 128; ++k) inputs.back().values<float>()[k] = 0.01F * static_cast<float>(k);
  }
  const std::vector<HostArray> outputs = (*runtime)(inputs);
  ASSERT_EQ(outputs.size(), 1U);
  for (int k = 0; k < 128; ++k) {
    const double v = 0.01F * static_cast<float>(k);
    EXPECT_NEAR(outputs[0].values<float>()[k], std::exp(2 * v * v), 1e-4) << k;
  }
}

TEST(Driver, Flat_loops_run_in_blocks_and_keep_their_tail) {
  const ModuleRef module = load(
      "N = DimVar(\"N\", 0, 100000)\n"
      "@func\n"
      "def f(x: Tensor[(N,), \"f32\"]) -> Tensor[(N,), \"f32\"]:\n"
      "    return add(x, x)\n");
  EXPECT_EQ(count_of(tir_of(module), "T.parallel"), 1U);
  const auto runtime = compile(module);
  for (const std::int64_t n : {0, 1, 8191, 8192, 8193, 20001}) {
    std::vector<HostArray> inputs;
    inputs.push_back(HostArray::make("f32", {n}));
    for (std::int64_t k = 0; k < n; ++k) {
      inputs[0].values<float>()[k] = static_cast<float>(k + 1);
    }
    const std::vector<HostArray> outputs = (*runtime)(inputs);
    ASSERT_EQ(outputs[0].shape, std::vector<std::int64_t>{n});
    for (std::int64_t k = 0; k < n; ++k) {
      ASSERT_EQ(outputs[0].values<float>()[k], static_cast<float>(2 * (k + 1))) << n << " " << k;
    }
  }
}

template <class Program>
constexpr bool all_verbs_take =
    std::is_invocable_v<decltype(lower), Program, CompilerOptions, std::vector<PassTiming>*,
                        std::vector<std::string>*> &&
    std::is_invocable_v<decltype(build), Program, CompilerOptions> &&
    std::is_invocable_v<decltype(compile), Program, CompilerOptions>;
template <class Program>
constexpr bool any_verb_takes =
    std::is_invocable_v<decltype(lower), Program, CompilerOptions, std::vector<PassTiming>*,
                        std::vector<std::string>*> ||
    std::is_invocable_v<decltype(build), Program, CompilerOptions> ||
    std::is_invocable_v<decltype(compile), Program, CompilerOptions>;

TEST(Driver, P18_P19_the_verbs_take_a_module_and_no_bare_function_or_target) {
  EXPECT_TRUE(all_verbs_take<ModuleRef>);
  EXPECT_FALSE(any_verb_takes<FunctionRef>);
  EXPECT_FALSE(any_verb_takes<PrimFunctionRef>);
  EXPECT_FALSE((std::is_invocable_v<decltype(build), ModuleRef, TargetRef>));
}

TEST(Driver, P70_a_module_with_a_cpu_entry_passes_through_unchanged) {
  const ModuleRef lowered = lower(load(kChain));
  EXPECT_EQ(insert_default_host_entry(lowered), lowered);
  EXPECT_THROW(insert_default_host_entry(load(kChain)), PassError);
}

TEST(Driver, P20_options_have_deterministic_text) {
  CompilerOptions a;
  CompilerOptions b;
  EXPECT_EQ(a.canonical_text(), b.canonical_text());
  b.target = CudaTarget::make();
  EXPECT_NE(a.canonical_text(), b.canonical_text());
  b.target = nullptr;
  b.disabled_passes = {"fuse_loops"};
  EXPECT_NE(a.canonical_text(), b.canonical_text());
}

TEST(Driver, P1_P5_lowering_is_the_pipeline_and_leaves_its_input_alone) {
  const ModuleRef module = load(kChain)->with_target(default_target());
  const std::string before = print_module_text(module);
  const std::size_t hash = structural_hash(module);
  PassManager manager = default_pipeline();
  EXPECT_EQ(print_module_text(manager.run(module)), tir_of(module));
  EXPECT_EQ(print_module_text(module), before);
  EXPECT_EQ(structural_hash(module), hash);
}

TEST(Driver, P6_differently_configured_pipelines_do_not_influence_each_other) {
  const ModuleRef module = load(kChain);
  CompilerOptions unfused;
  unfused.disabled_passes = {"fuse_loops"};
  const std::string fused_text = tir_of(module);
  const std::string unfused_text = tir_of(module, unfused);
  EXPECT_NE(fused_text, unfused_text);
  EXPECT_EQ(tir_of(module), fused_text);
  EXPECT_EQ(tir_of(module, unfused), unfused_text);
}

TEST(HirToTir, P34_P35_results_become_trailing_parameters) {
  const ModuleRef module = load(
      "@func\n"
      "def f(x: Tensor[(8,), \"f32\"], y: Tensor[(8,), \"f32\"]):\n"
      "    return add(x, y), mul(x, y)\n");
  const ModuleRef lowered = lower(module);
  const auto* function = as_prim_function(*lowered->functions().front());
  ASSERT_NE(function, nullptr);
  ASSERT_EQ(function->params().size(), 4U);
  EXPECT_EQ(function->output_count(), 2U);
  EXPECT_EQ(function->params()[0]->name(), "x");
  EXPECT_EQ(function->params()[1]->name(), "y");
}

TEST(HirToTir, P69_bufferize_leaves_one_allocation_per_logical_buffer) {
  CompilerOptions options;
  options.passes = "hir_to_tir,bufferize";
  EXPECT_EQ(count_of(tir_of(load(kChain), options), "alloc_tensor"), 3U);
}

// A user op that doubles, with typing and a lowering of its own.
const OpClass& twice_op() {
  static const OpClass& cls = []() -> const OpClass& {
    const OpClass& made = DynamicOpClassBuilder("DriverTestTwice", Dialect::tf, "test")
                              .dsl("driver_test_twice")
                              .summary("x + x")
                              .input({"x", InputPattern::tensor, false, false})
                              .build();
    register_op_class(made);
    typeinfer_registry().add<TypeInferFn>(
        made, [](const Call& call, TypeInferContext& ctx) { return ctx.type_of(call.args()[0]); });
    return made;
  }();
  return cls;
}

TEST(HirToTir, P36_P38_P39_P40_P41_a_user_op_lowers_through_the_five_functions) {
  const OpClass& cls = twice_op();
  const auto buffer = make_ref<SourceBuffer>(
      "test.py", std::string(kHeader) +
                     "from tilefoundry.dsl.tf import driver_test_twice\n"
                     "@func\n"
                     "def f(x: Tensor[(8,), \"f32\"]) -> Tensor[(8,), \"f32\"]:\n"
                     "    y = exp(x)\n"
                     "    return add(driver_test_twice(y), y)\n");
  const ModuleRef module = select(load_source(buffer), "").module;
  try {
    lower(module);
    FAIL() << "no error";
  } catch (const PassError& error) {
    EXPECT_NE(std::string(error.what()).find("DriverTestTwice"), std::string::npos);
  }
  int lowered = 0;
  hir_lowering_registry().add<HirLoweringFn>(
      cls, [&](LoweringContext& ctx, const Callable& target, const Call& call) -> VarRef {
        ++lowered;
        EXPECT_EQ(&target.node_class(), &twice_op());
        const VarRef x = ctx.lower(call.args()[0]);
        EXPECT_EQ(ctx.lower(call.args()[0]), x);
        EXPECT_EQ(x->type(), call.args()[0]->type());
        const VarRef a = ctx.fresh(call.type(), "name");
        EXPECT_NE(a->name(), ctx.fresh(call.type(), "name")->name());
        const VarRef out = ctx.alloc(call.type(), "twice");
        const VarRef i = loop_var("i");
        const VarRef v = Var::make("v", scalar_type(DType::f32));
        const ExprRef sum = scalar_binary(BinaryKind::add, v, v);
        ctx.emit(For::make(i, 0, 8, 1,
                           LetStmt::make(v, load(x, {i->dim()}), store(out, sum, {i->dim()}))));
        ctx.emit_bind(a, tensor_view(out, {0}, {8}));
        return out;
      });
  const std::string text = tir_of(module);
  EXPECT_EQ(lowered, 1);
  EXPECT_EQ(count_of(text, "for i in"), 1U) << text;
}

// Replaces a handler while it lives.
class Replaced {
 public:
  explicit Replaced(std::function<TypeRelationFn> handler)
      : old_(*type_relation_registry().find<TypeRelationFn>(Binary::op_class())) {
    type_relation_registry().replace<TypeRelationFn>(Binary::op_class(), std::move(handler));
  }
  ~Replaced() { type_relation_registry().replace<TypeRelationFn>(Binary::op_class(), old_); }

 private:
  std::function<TypeRelationFn> old_;
};

TEST(Relations, V42_replacing_an_ops_relation_changes_its_inferred_shape_and_its_fusion) {
  const char* text =
      "@func\n"
      "def f(x: Tensor[(8, 16), \"f32\"], y: Tensor[(8, 16), \"f32\"]):\n"
      "    return exp(add(x, y))\n";
  const char* square =
      "@func\n"
      "def f(x: Tensor[(16, 16), \"f32\"], y: Tensor[(16, 16), \"f32\"]):\n"
      "    return exp(add(x, y))\n";
  EXPECT_EQ(count_of(tir_of(load(text)), "for i in"), 1U);
  EXPECT_EQ(count_of(tir_of(load(square)), "for i in"), 1U);
  // The result is written transposed: [i, j] -> [j, i].
  const Replaced transposed([](const Call&, const std::vector<TypeRef>& types, TypeInferContext&) {
    const Shape& shape = as_tensor(types[0])->shape();
    const BoundaryAccess straight = BoundaryAccess::of({iter(0), iter(1)});
    return AccessRelationResult(shape,
                                {straight, straight, BoundaryAccess::of({iter(1), iter(0)})});
  });
  const ModuleRef module = load(text);
  const auto& function = static_cast<const Function&>(*module->functions().front());
  EXPECT_EQ(as_tensor(function.return_type())->shape(), (Shape{16, 8}));
  EXPECT_EQ(count_of(tir_of(module), "for i in"), 2U);
  EXPECT_EQ(count_of(tir_of(load(square)), "for i in"), 2U);
}

TEST(Stages, A_lowered_module_prints_as_text_that_loads_again) {
  const ModuleRef lowered = lower(load(kChain));
  const std::string text = print_module_text(lowered);
  const auto buffer = make_ref<SourceBuffer>("dump.py", text);
  const ModuleRef again = select(load_source(buffer), "").module;
  EXPECT_EQ(print_module_text(again), text);
  const auto difference = structural_difference(lowered, again);
  EXPECT_FALSE(difference.has_value()) << (difference ? difference->text() : "");
}

}  // namespace
}  // namespace tilefoundry
