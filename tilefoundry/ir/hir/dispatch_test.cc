#include "tilefoundry/ir/hir/dispatch.h"

#include <gtest/gtest.h>

#include "tilefoundry/ir/module.h"
#include "tilefoundry/ir/structural.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

const DimVar kS{"S", 1, 16};

TypeRef row() { return TensorType::make({dim_var("S", 1, 16)}, DType::f32); }

FunctionRef prototype(const std::string& name = "f") {
  return Function::make(name, {Var::make("x", row())}, nullptr, row());
}

FunctionRef variant(const Function& base, PatternRef pattern, const std::string& label = "") {
  const VarRef x = Var::make("x", row());
  return Function::make_variant(base, {x}, x, {std::move(pattern)}, label);
}

FunctionRef variant(const Function& base, std::int64_t lo, std::int64_t hi,
                    const std::string& label = "") {
  return variant(base, DimVarRangePat::make("S", lo, hi), label);
}

std::string code_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.diagnostics()[0].code;
  }
  return "";
}

std::string refusal(const FunctionRef& base, const FunctionRef& added) {
  return code_of([&] { base->add_variant(added); });
}

class Parity final : public Pattern {
 public:
  std::string repr() const override { return "Parity(even=True)"; }
};

TEST(Dispatch, P62_ranges_that_do_not_fit_are_refused) {
  const FunctionRef f = prototype();
  EXPECT_EQ(refusal(f, variant(*f, 4, 4)), "TF3421");
  EXPECT_EQ(refusal(f, variant(*f, 8, 4)), "TF3421");
  EXPECT_EQ(refusal(f, variant(*f, DimVarRangePat::make("N", 1, 4))), "TF3422");
  EXPECT_EQ(refusal(f, variant(*f, 0, 4)), "TF3423");
  EXPECT_EQ(refusal(f, variant(*f, 8, 17)), "TF3423");
  f->add_variant(variant(*f, 4, 8));
  EXPECT_EQ(refusal(f, variant(*f, 4, 8)), "TF3424");
  EXPECT_EQ(refusal(f, variant(*f, 7, 16)), "TF3424");
  EXPECT_EQ(refusal(f, variant(*f, 1, 5)), "TF3424");
  EXPECT_EQ(refusal(f, variant(*f, 5, 6)), "TF3424");
  EXPECT_EQ(f->variants().size(), 1U);
}

TEST(Dispatch, P62_every_gap_is_shown) {
  const FunctionRef f = prototype();
  EXPECT_EQ(code_of([&] { check_partition(*f, {}); }), "TF3427");
  f->add_variant(variant(*f, 8, 12));
  f->add_variant(variant(*f, 2, 6));
  try {
    check_partition(*f, {});
    FAIL();
  } catch (const VerifyError& error) {
    const Diagnostic& diagnostic = error.diagnostics()[0];
    EXPECT_EQ(diagnostic.code, "TF3428");
    EXPECT_EQ(diagnostic.message, "no variant of f has S in [1, 2), [6, 8), [12, 16)");
    EXPECT_EQ(diagnostic.hint, "S is in [1, 16), the variants' ranges are [8, 12), [2, 6)");
  }
}

TEST(Dispatch, P62_every_extent_of_the_envelope_has_one_variant) {
  const FunctionRef f = prototype();
  for (const auto& [lo, hi] : {std::pair{5, 11}, {1, 2}, {11, 16}, {2, 5}}) {
    f->add_variant(variant(*f, lo, hi));
  }
  check_partition(*f, {});
  for (std::int64_t extent = kS.lo; extent < kS.hi; ++extent) {
    int holding = 0;
    for (const FunctionRef& each : f->variants()) holding += variant_range(*each)->holds(extent);
    EXPECT_EQ(holding, 1) << extent;
    EXPECT_TRUE(variant_range(*variant_for(*f, extent))->holds(extent));
  }
  EXPECT_EQ(variant_for(*f, 0), nullptr);
  EXPECT_EQ(variant_for(*f, 16), nullptr);
}

TEST(Dispatch, a_prototype_of_a_module_is_sealed) {
  const FunctionRef f = prototype();
  f->add_variant(variant(*f, 1, 16));
  ModuleParts parts;
  parts.name = "M";
  parts.functions = {f};
  const ModuleRef module = Module::make(parts);
  EXPECT_EQ(refusal(f, variant(*f, 1, 16)), "TF3420");
  // Attached under another name it is a copy, with copies of the variants.
  const ModuleRef copy = attach_copy(*module, "N");
  const Function& copied = *as_function(*copy->functions()[0]);
  ASSERT_EQ(copied.variants().size(), 1U);
  EXPECT_NE(copied.variants()[0], f->variants()[0]);
  EXPECT_TRUE(copied.sealed());
  EXPECT_FALSE(structural_difference(FunctionRef(&copied), f));
}

TEST(Dispatch, a_module_refuses_a_gap) {
  const FunctionRef f = prototype();
  f->add_variant(variant(*f, 1, 15));
  ModuleParts parts;
  parts.name = "M";
  parts.functions = {f};
  EXPECT_EQ(code_of([&] { Module::make(parts); }), "TF3428");
}

TEST(Dispatch, a_variant_has_the_signature_of_its_base) {
  const FunctionRef f = prototype();
  const auto with = [&](std::vector<VarRef> params) {
    return Function::make_variant(*f, params, params[0], {DimVarRangePat::make("S", 1, 4)});
  };
  EXPECT_EQ(refusal(f, with({Var::make("y", row())})), "TF3425");
  EXPECT_EQ(refusal(f, with({Var::make("x", row(), true)})), "TF3425");
  EXPECT_EQ(refusal(f, with({Var::make("x", row()), Var::make("y", row())})), "TF3425");
  const TypeRef other = TensorType::make({dim_var("S", 1, 16)}, DType::i32);
  EXPECT_EQ(refusal(f, with({Var::make("x", other)})), "TF3425");
}

TEST(Dispatch, a_variant_that_reaches_its_base_is_refused) {
  const FunctionRef f = prototype();
  const FunctionRef g = prototype("g");
  const auto calling = [&](const Function& base, const FunctionRef& callee) {
    const VarRef x = Var::make("x", row());
    return Function::make_variant(base, {x}, Call::make(callee, {x}, row()),
                                  {DimVarRangePat::make("S", 1, 16)});
  };
  EXPECT_EQ(refusal(f, calling(*f, f)), "TF3426");
  f->add_variant(calling(*f, g));
  EXPECT_EQ(refusal(g, calling(*g, f)), "TF3426");
}

TEST(Dispatch, P55_the_canonical_axis_is_the_first_bare_one) {
  const Dim s = dim_var("S", 1, 16);
  const std::vector<VarRef> params = {
      Var::make("a", TensorType::make({s * Dim(2), Dim(4)}, DType::f32)),
      Var::make("b", TensorType::make({Dim(3), s, s}, DType::f32)),
      Var::make("c", TensorType::make({s}, DType::f32))};
  const auto axis = canonical_axis(params, "S");
  ASSERT_TRUE(axis);
  EXPECT_EQ(axis->param, 1U);
  EXPECT_EQ(axis->axis, 1U);
  EXPECT_EQ(axis->dim, kS);
  EXPECT_FALSE(canonical_axis(params, "N"));
}

TEST(Dispatch, P58_reachable_variants) {
  const FunctionRef f = prototype();
  f->add_variant(variant(*f, 1, 4));
  f->add_variant(variant(*f, 4, 16));
  const auto reach = [&](std::int64_t lo, std::int64_t hi) {
    return reachable_variants(*f, {lo, hi}).size();
  };
  EXPECT_EQ(reach(1, 3), 1U);
  EXPECT_EQ(reach(2, 6), 2U);
  EXPECT_EQ(reach(3, 4), 1U);
  EXPECT_EQ(reach(4, 5), 1U);
  EXPECT_EQ(reachable_variants(*f, {3, 4})[0], 0U);
  EXPECT_EQ(reachable_variants(*f, {4, 5})[0], 1U);
  EXPECT_EQ(reach(16, 17), 0U);
  EXPECT_EQ(reach(0, 1), 0U);
}

TEST(Dispatch, P59_extents_as_ranges) {
  const auto four = extent_range(Dim(4));
  EXPECT_EQ(four->lo, 4);
  EXPECT_EQ(four->hi, 5);
  const auto t = extent_range(dim_var("T", 4, 8));
  EXPECT_EQ(t->lo, 4);
  EXPECT_EQ(t->hi, 8);
  EXPECT_FALSE(extent_range(dim_var("T", 4, 8) + Dim(1)));
}

TEST(Dispatch, I38_made_labels_are_stable_and_distinct) {
  const FunctionRef f = prototype();
  EXPECT_EQ(synthesized_label(*variant(*f, 1, 4)), "f_S_1_4");
  EXPECT_EQ(synthesized_label(*variant(*f, 4, 16)), "f_S_4_16");
  EXPECT_EQ(synthesized_label(*variant(*f, make_ref<Parity>())), "f_Parity_even_True_");
}

TEST(Dispatch, equality_sees_ranges_and_their_order_but_no_labels) {
  const auto make = [](std::vector<std::pair<int, int>> ranges, const std::string& label) {
    const FunctionRef f = prototype();
    for (const auto& [lo, hi] : ranges) f->add_variant(variant(*f, lo, hi, label));
    return f;
  };
  const FunctionRef f = make({{1, 4}, {4, 16}}, "a");
  EXPECT_FALSE(structural_difference(f, make({{1, 4}, {4, 16}}, "b")));
  EXPECT_EQ(structural_hash(f), structural_hash(make({{1, 4}, {4, 16}}, "b")));
  EXPECT_TRUE(structural_difference(f, make({{1, 5}, {5, 16}}, "a")));
  EXPECT_TRUE(structural_difference(f, make({{4, 16}, {1, 4}}, "a")));
  EXPECT_TRUE(structural_difference(f, make({{1, 4}}, "a")));
}

}  // namespace
}  // namespace tilefoundry
