// Prototypes from text to TIR.
#include <gtest/gtest.h>

#include "tilefoundry/analysis/specialize.h"
#include "tilefoundry/frontend/loader.h"
#include "tilefoundry/ir/hir/dispatch.h"
#include "tilefoundry/ir/structural.h"
#include "tilefoundry/passes/hir_to_tir.h"
#include "tilefoundry/registry/typeinfer.h"
#include "tilefoundry/registry/verify.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/text/printer.h"

namespace tilefoundry {
namespace {

constexpr const char* kHead = R"(from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, DimVar, DimVarRangePat, Layout, Mesh, Tensor, Topology
from tilefoundry.dsl import ShardLayout, S as Split
from tilefoundry.dsl.tf import *
from tilefoundry.ir.types import TensorType

N = DimVar("N", 1, 100)
S = DimVar("S", 1, 8)

@func
def f(w: ConstTensor[(3,), "f32"], x: Tensor[(S, 3), "f32"]) -> Tensor[(S, 3), "f32"]:
    pass

@f.specialize(DimVarRangePat("S", 4, 8))
def large(w: ConstTensor[(3,), "f32"], x: Tensor[(S, 3), "f32"]):
    return x * w

@f.specialize(DimVarRangePat("S", 1, 4))
def small(w: ConstTensor[(3,), "f32"], x: Tensor[(S, 3), "f32"]):
    return x + w
)";

LoadedFile load(const std::string& text) {
  return load_source(make_ref<SourceBuffer>("test.py", kHead + text));
}

FunctionRef function(const LoadedFile& file, const std::string& name) {
  for (const FunctionRef& each : file.functions) {
    if (each->name() == name) return each;
  }
  return nullptr;
}

ModuleRef lowered(const std::string& text, const std::string& selector) {
  const ModuleRef module = select(load(text), selector).module;
  const ModuleRef out = HirToTirPass().run(module);
  verify_module(out);
  return out;
}

PrimFunctionRef prim(const ModuleRef& module, const std::string& name) {
  const CallableRef found = module->find_function(name);
  return PrimFunctionRef(found ? as_prim_function(*found) : nullptr);
}

const DispatchCall* only_dispatch(const PrimFunction& function) {
  const DispatchCall* found = nullptr;
  std::vector<StmtRef> pending{function.body()};
  while (!pending.empty()) {
    const StmtRef stmt = pending.back();
    pending.pop_back();
    if (const auto* dispatch = stmt_cast<DispatchCall>(stmt)) found = dispatch;
    for_each_child_stmt(*stmt, [&](const StmtRef& child) { pending.push_back(child); });
  }
  return found;
}

std::string refusal(const std::string& text, const std::string& selector) {
  try {
    lowered(text, selector);
  } catch (const Error& error) {
    const Diagnostic& diagnostic = error.diagnostics()[0];
    return diagnostic.code + " " + diagnostic.message + " | " + diagnostic.hint;
  }
  return "";
}

TEST(DispatchLowering, P53_P54_variants_are_functions_of_the_whole_envelope) {
  const ModuleRef module = lowered("", "f");
  for (const char* name : {"f$S$4_8", "f$S$1_4"}) {
    const PrimFunctionRef variant = prim(module, name);
    ASSERT_TRUE(variant) << name;
    EXPECT_EQ(as_tensor(variant->params()[1]->type())->shape(), (Shape{dim_var("S", 1, 8), 3}));
    EXPECT_EQ(variant->output_count(), 1U);
    EXPECT_TRUE(variant->hidden_shapes().empty());
  }
  EXPECT_EQ(module->functions().size(), 3U);
}

TEST(DispatchLowering, P55_P56_P57_the_entry_is_one_dispatch_call) {
  const ModuleRef module = lowered("", "f");
  const PrimFunctionRef entry = prim(module, "f");
  const auto* dispatch = stmt_cast<DispatchCall>(entry->body());
  ASSERT_NE(dispatch, nullptr);
  EXPECT_EQ(dispatch->callee_name(), "f");
  ASSERT_EQ(dispatch->subjects().size(), 1U);
  const auto* subject = expr_cast<ShapeOfExpr>(dispatch->subjects()[0]);
  ASSERT_NE(subject, nullptr);
  EXPECT_EQ(subject->param(), ExprRef(entry->params()[1]));
  EXPECT_EQ(subject->axis(), 0U);
  ASSERT_EQ(dispatch->case_patterns().size(), 2U);
  ASSERT_EQ(dispatch->case_calls().size(), 2U);
  EXPECT_EQ(dispatch->case_patterns()[0]->repr(), "DimVarRangePat(\"S\", 4, 8)");
  EXPECT_EQ(dispatch->case_patterns()[1]->repr(), "DimVarRangePat(\"S\", 1, 4)");
  EXPECT_EQ(dispatch->case_calls()[0]->callee()->symbol(), "f$S$4_8");
  EXPECT_EQ(dispatch->case_calls()[1]->callee()->symbol(), "f$S$1_4");
  for (const auto& call : dispatch->case_calls()) EXPECT_EQ(call->args().size(), 3U);
  const auto* fallback = stmt_cast<Sequential>(dispatch->fallback());
  ASSERT_NE(fallback, nullptr);
  ASSERT_EQ(fallback->stmts().size(), 1U);
  EXPECT_NE(stmt_cast<Abort>(fallback->stmts()[0]), nullptr);
}

TEST(DispatchLowering, P64_hidden_scalars_stand_behind_the_visible_parameters) {
  const ModuleRef module = lowered("", "f");
  const PrimFunctionRef entry = prim(module, "f");
  ASSERT_EQ(entry->hidden_shapes().size(), 1U);
  const HiddenShape& hidden = entry->hidden_shapes()[0];
  EXPECT_EQ(hidden.var->name(), "x_shape_0");
  EXPECT_EQ(hidden.var->type(), TypeRef(TensorType::make({}, DType::i32)));
  EXPECT_EQ(entry->params().size(), 3U);
  EXPECT_EQ(entry->all_params().back(), hidden.var);
  EXPECT_EQ(entry->callable_type()->parameters().size(), 3U);
}

std::vector<std::string> symbols(const ModuleRef& module, const std::string& caller) {
  std::vector<std::string> out;
  const DispatchCall* dispatch = only_dispatch(*prim(module, caller));
  if (dispatch == nullptr) return out;
  for (const auto& call : dispatch->case_calls()) out.push_back(call->callee()->symbol());
  return out;
}

TEST(DispatchLowering, P58_P59_a_call_has_the_reachable_cases) {
  const auto reached = [](const std::string& dim, const std::string& extent) {
    const std::string text = dim + "\n@func\ndef g(w: Tensor[(3,), \"f32\"], y: Tensor[(" + extent +
                             ", 3), \"f32\"]):\n    return f(w, y * 2.0)\n";
    return symbols(lowered(text, "g"), "g");
  };
  using Symbols = std::vector<std::string>;
  EXPECT_EQ(reached("T = DimVar(\"T\", 1, 3)", "T"), (Symbols{"f$S$1_4"}));
  EXPECT_EQ(reached("T = DimVar(\"T\", 2, 6)", "T"), (Symbols{"f$S$4_8", "f$S$1_4"}));
  EXPECT_EQ(reached("T = DimVar(\"T\", 4, 8)", "T"), (Symbols{"f$S$4_8"}));
  EXPECT_EQ(reached("T = 4", "T"), (Symbols{"f$S$4_8"}));
  EXPECT_EQ(reached("T = 3", "T"), (Symbols{"f$S$1_4"}));
}

TEST(DispatchLowering, the_subject_of_a_call_is_the_callers_own_extent) {
  const ModuleRef module = lowered(R"(
T = DimVar("T", 2, 6)
@func
def g(w: Tensor[(3,), "f32"], u: Tensor[(3, T), "f32"], y: Tensor[(T, 3), "f32"]):
    return f(w, y * 2.0)
)",
                                   "g");
  const PrimFunctionRef g = prim(module, "g");
  const auto* subject = expr_cast<ShapeOfExpr>(only_dispatch(*g)->subjects()[0]);
  EXPECT_EQ(subject->param(), ExprRef(g->params()[1]));
  EXPECT_EQ(subject->axis(), 1U);
  ASSERT_EQ(g->hidden_shapes().size(), 1U);
  EXPECT_EQ(g->hidden_shapes()[0].var->name(), "u_shape_1");
}

TEST(DispatchLowering, P60_other_extents_are_refused_at_the_call) {
  const std::string text = R"(
T = DimVar("T", 1, 4)
@func
def g(w: Tensor[(3,), "f32"], y: Tensor[(T, 3), "f32"], z: Tensor[(1, 3), "f32"]):
    return f(w, concat(y, z, axis=0))
)";
  EXPECT_EQ(refusal(text, "g"),
            "TF4421 f is called with the extent T + 1 as S, from which no variant follows | the "
            "extent of an argument that picks a variant is a number or a DimVar");
}

TEST(DispatchLowering, P61_an_empty_reachable_set_is_refused) {
  const std::string text = R"(
@func
def g(w: Tensor[(3,), "f32"], y: Tensor[(9, 3), "f32"]):
    return f(w, y)
)";
  EXPECT_EQ(refusal(text, "g"),
            "TF4422 no variant of f takes the extent 9 | S is in [1, 8); the variants' ranges are "
            "[4, 8), [1, 4)");
}

TEST(DispatchTyping, a_call_has_the_declared_result_at_its_dimensions) {
  const LoadedFile file = load(R"(
T = DimVar("T", 2, 6)
@func
def g(w: Tensor[(3,), "f32"], y: Tensor[(T, 3), "f32"]):
    return f(w, y)
@func
def h(w: Tensor[(3,), "f32"], y: Tensor[(5, 3), "f32"]):
    return f(w, y)
)");
  EXPECT_EQ(as_tensor(function(file, "g")->return_type())->shape(), (Shape{dim_var("T", 2, 6), 3}));
  EXPECT_EQ(as_tensor(function(file, "h")->return_type())->shape(), (Shape{5, 3}));
}

TEST(DispatchTyping, arguments_must_agree_and_fit) {
  const auto error = [](const std::string& text) -> std::string {
    try {
      load(text);
    } catch (const Error& raised) {
      return raised.diagnostics()[0].message;
    }
    return "";
  };
  EXPECT_NE(error(R"(
@func
def g(w: Tensor[(4,), "f32"], y: Tensor[(5, 3), "f32"]):
    return f(w, y)
)")
                .find("has shape (4,), wanted (3,)"),
            std::string::npos);
  EXPECT_NE(error(R"(
@func
def p(x: Tensor[(S,), "f32"], y: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:
    pass
@p.specialize(DimVarRangePat("S", 1, 8))
def every(x: Tensor[(S,), "f32"], y: Tensor[(S,), "f32"]):
    return x + y
@func
def g(x: Tensor[(4,), "f32"], y: Tensor[(5,), "f32"]):
    return p(x, y)
)")
                .find("has shape (5,), wanted (S,)"),
            std::string::npos);
}

class Parity final : public Pattern {
 public:
  std::string repr() const override { return "Parity(even=True)"; }
};

TEST(DispatchText, I37_I38_other_patterns_and_variants_without_a_label) {
  const TypeRef type = TensorType::make({dim_var("S", 1, 8)}, DType::f32);
  const FunctionRef base = Function::make("p", {Var::make("x", type)}, nullptr, type);
  const auto add = [&](PatternRef pattern) {
    const VarRef x = Var::make("x", type);
    base->add_variant(Function::make_variant(*base, {x}, x, {std::move(pattern)}));
  };
  add(make_ref<Parity>());
  add(DimVarRangePat::make("S", 1, 8));
  const std::string text = hir_function_to_python(base);
  EXPECT_NE(text.find("@p.specialize(Parity(even=True))\ndef p_Parity_even_True_("),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("@p.specialize(DimVarRangePat(\"S\", 1, 8))\ndef p_S_1_8("),
            std::string::npos);
  EXPECT_EQ(text, hir_function_to_python(base));
  ModuleParts parts;
  parts.name = "M";
  parts.functions = {base};
  try {
    HirToTirPass().run(Module::make(parts));
    FAIL();
  } catch (const PassError& error) {
    EXPECT_EQ(error.diagnostics()[0].code, "TF4423");
  }
}

TEST(DispatchText, I36_I44_the_print_loads_as_equal_prototypes) {
  const LoadedFile file = load("");
  const std::string text = hir_function_to_python(function(file, "f"));
  const LoadedFile again = load_source(make_ref<SourceBuffer>("again.py", text));
  ASSERT_EQ(again.functions.size(), 1U);
  EXPECT_FALSE(structural_difference(again.functions[0], function(file, "f")));
  EXPECT_EQ(again.functions[0]->variants()[0]->label(), "large");
  EXPECT_EQ(hir_function_to_python(again.functions[0]), text);
}

TEST(DispatchText, P55_lowered_text_loads_as_an_equal_module) {
  const ModuleRef module = lowered("", "f");
  const std::string text = as_script(module);
  const LoadedFile again = load_source(make_ref<SourceBuffer>("again.py", text));
  ASSERT_EQ(again.modules.size(), 1U);
  EXPECT_FALSE(structural_difference(again.modules[0], module));
  EXPECT_EQ(as_script(again.modules[0]), text);
}

// --- specialization --------------------------------------------------------------------------

TEST(Specialize, every_type_and_attribute_is_restated) {
  const LoadedFile file = load(R"(
@func
def g(x: Tensor[(S, N), "f32"], y: Tensor[(N, 4), "f32"]):
    z = matmul(x, y)
    return reshape(z, new_shape=(S * 4,)), x[0:1]
)");
  const FunctionRef g = function(file, "g");
  EXPECT_FALSE(is_concrete(*g));
  EXPECT_EQ(residual_dims(*g).size(), 2U);
  const FunctionRef some = specialize_function(g, {{"S", 5}});
  EXPECT_EQ(some->origin(), g);
  EXPECT_EQ(some->bound_dims(), (DimExtents{{"S", 5}}));
  ASSERT_EQ(residual_dims(*some).size(), 1U);
  EXPECT_EQ(residual_dims(*some)[0].name, "N");
  const FunctionRef whole = specialize_concretely(g, {{"S", 5}, {"N", 7}, {"unused", 3}});
  EXPECT_TRUE(is_concrete(*whole));
  for (const ExprRef& expr : post_order({whole->body()})) {
    for_each_leaf(expr->type(), [](const TensorType& leaf) {
      for (const Dim& extent : leaf.shape()) EXPECT_TRUE(extent.is_static());
    });
  }
  const TupleType& result = *as_tuple(whole->return_type());
  EXPECT_EQ(as_tensor(result.fields()[0])->shape(), (Shape{20}));
  EXPECT_EQ(as_tensor(result.fields()[1])->shape(), (Shape{1, 7}));
  EXPECT_EQ(specialize_function(g, {{"unused", 3}}), g);
  // The other order gives an equal function.
  EXPECT_FALSE(structural_difference(specialize_function(some, {{"N", 7}}), whole));
  EXPECT_EQ(retype(whole, nullptr), whole);
}

TEST(Specialize, layouts_meshes_and_scopes_are_restated) {
  const LoadedFile file = load(R"(
levels = Mesh((Topology("cta", S),), Layout((S,), (1,)), ("m",))
@func
def g(x: Tensor[(S, 4), "f32", ShardLayout(layout=Layout((S, 4), (4, 1)), attrs=(Split(0),), mesh=levels)]):
    with levels:
        y = x + x
    return y
)");
  const FunctionRef bound = specialize_function(function(file, "g"), {{"S", 6}});
  EXPECT_TRUE(is_concrete(*bound));
  const auto& layout =
      static_cast<const ShardLayout&>(*as_tensor(bound->params()[0]->type())->layout());
  EXPECT_TRUE(layout.mesh()->topologies()[0]->size().is(6));
  const auto& call = static_cast<const Call&>(*bound->body());
  EXPECT_EQ(call.scope()->meshes()[0], layout.mesh());
}

TEST(Specialize, bounds_and_windows_of_loops_are_restated) {
  const LoadedFile file = load(R"(
@func
def g(x: Tensor[(S, N), "f32"]):
    total = zeros(TensorType((1, N), "f32"))
    for i in range(S):
        total = total + x[i:i + 1] * 2.0
    return total
)");
  const FunctionRef bound = specialize_concretely(function(file, "g"), {{"S", 5}, {"N", 7}});
  EXPECT_TRUE(is_concrete(*bound));
  const auto* loop = expr_cast<GridRegionExpr>(bound->body());
  ASSERT_NE(loop, nullptr);
  EXPECT_TRUE(loop->extent().is(5));
  EXPECT_EQ(as_tensor(loop->carried_args()[0]->type())->shape(), (Shape{1, 7}));
  EXPECT_EQ(retype(bound, nullptr), bound);
  EXPECT_FALSE(structural_difference(
      specialize_function(specialize_function(function(file, "g"), {{"N", 7}}), {{"S", 5}}),
      bound));
}

TEST(Specialize, weights_that_a_call_leaves_out_are_restated) {
  const LoadedFile file = load(R"(
@module(entry="forward")
class Child:
    @func
    def forward(x: Tensor[(3,), "f32"], w: ConstTensor[(N, 3), "f32"]):
        return x * w

@module(entry="g")
class Owner:
    child = Child
    @func
    def g(x: Tensor[(3,), "f32"], y: Tensor[(N, 3), "f32"]):
        return child(x) + y
)");
  const FunctionRef g(as_function(*select(file, "Owner").module->entry_function()));
  const FunctionRef bound = specialize_concretely(g, {{"N", 7}});
  EXPECT_EQ(as_tensor(bound->return_type())->shape(), (Shape{7, 3}));
  EXPECT_TRUE(is_concrete(*bound));
}

TEST(Specialize, calls_of_prototypes_become_their_variants) {
  const LoadedFile file = load(R"(
@func
def g(w: Tensor[(3,), "f32"], x: Tensor[(S, 3), "f32"], y: Tensor[(2, 3), "f32"]):
    return f(w, x) * 2.0, f(w, y)
)");
  const FunctionRef g = function(file, "g");
  EXPECT_TRUE(is_dispatched(*g));
  const FunctionRef bound = specialize_concretely(g, {{"S", 5}});
  EXPECT_TRUE(is_concrete(*bound));
  const auto variant_called = [](const ExprRef& expr) {
    return as_function(*static_cast<const Call&>(*expr).target())->origin()->label();
  };
  const auto& fields = static_cast<const Tuple&>(*bound->body()).elements();
  EXPECT_EQ(variant_called(static_cast<const Call&>(*fields[0]).args()[0]), "large");
  EXPECT_EQ(variant_called(fields[1]), "small");
  EXPECT_EQ(variant_for(function(file, "f"), {{"S", 3}})->label(), "small");
  EXPECT_EQ(specialize_function(function(file, "f"), {{"S", 4}})->origin()->label(), "large");
}

TEST(Specialize, refusals) {
  const LoadedFile file = load("");
  const FunctionRef f = function(file, "f");
  const auto code = [&](const DimExtents& dims, bool concretely = false) -> std::string {
    try {
      concretely ? specialize_concretely(f, dims) : specialize_function(f, dims);
    } catch (const Error& error) {
      return error.diagnostics()[0].code;
    }
    return "";
  };
  EXPECT_EQ(code({{"S", 8}}), "TF3432");
  EXPECT_EQ(code({{"S", 0}}), "TF3432");
  EXPECT_EQ(code({}, true), "TF3433");
  EXPECT_THROW(variant_for(f, {}), ValueError);
}

}  // namespace
}  // namespace tilefoundry
