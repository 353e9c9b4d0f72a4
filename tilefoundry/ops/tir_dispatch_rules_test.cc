// The rule of DispatchCall: refused and accepted.
#include <gtest/gtest.h>

#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/registry/verify.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

class Parity final : public Pattern {
 public:
  std::string repr() const override { return "Parity()"; }
};

struct TirDispatch : testing::Test {
  VarRef x = Var::make("x", TensorType::make({dim_var("S", 1, 8), 3}, DType::f32));
  VarRef y = Var::make("y", TensorType::make({dim_var("S", 1, 8), 3}, DType::f32));
  ExprRef extent = ShapeOfExpr::make(x, 0);
  PatternRef low = DimVarRangePat::make("S", 1, 4);
  PatternRef high = DimVarRangePat::make("S", 4, 8);
  StmtRef abort = Sequential::make({Abort::make("no variant")});
  Ref<const Evaluate> call = Evaluate::call(
      SymbolRef::make("f$S", CallableType::make(UnitType::make(), {x->type(), y->type()})), {x, y});

  std::string refused(const StmtRef& body) {
    try {
      verify_prim_function(PrimFunction::make("f", {x, y}, body, 1), nullptr);
    } catch (const VerifyError& error) {
      return error.diagnostic().message;
    }
    return "";
  }
  std::string refused(std::vector<ExprRef> subjects, std::vector<PatternRef> patterns,
                      std::vector<Ref<const Evaluate>> calls, StmtRef fallback) {
    return refused(DispatchCall::make("f", std::move(subjects), std::move(patterns),
                                      std::move(calls), std::move(fallback)));
  }
};

TEST_F(TirDispatch, P55_has_one_extent_as_its_subject) {
  EXPECT_EQ(refused({extent}, {low, high}, {call, call}, abort), "");
  const std::string wanted = "needs one subject, the extent of a tensor's axis";
  EXPECT_NE(refused({}, {low}, {call}, abort).find(wanted), std::string::npos);
  EXPECT_NE(refused({extent, extent}, {low}, {call}, abort).find(wanted), std::string::npos);
  EXPECT_NE(refused({dim_value(3)}, {low}, {call}, abort).find(wanted), std::string::npos);
  const VarRef stranger = Var::make("z", x->type());
  EXPECT_NE(refused({ShapeOfExpr::make(stranger, 0)}, {low}, {call}, abort).find("before it is"),
            std::string::npos);
}

TEST_F(TirDispatch, P56_cases_are_ranges_of_one_dimension_and_calls) {
  EXPECT_NE(refused({extent}, {make_ref<Parity>()}, {call}, abort).find("no range of a dimension"),
            std::string::npos);
  const PatternRef other = DimVarRangePat::make("N", 4, 8);
  EXPECT_NE(refused({extent}, {low, other}, {call, call}, abort).find("over S and over N"),
            std::string::npos);
  const StmtRef op = copy(x, y);
  const Ref<const Evaluate> effect(stmt_cast<Evaluate>(op));
  EXPECT_NE(refused({extent}, {low}, {effect}, abort).find("not the call of a function"),
            std::string::npos);
  const Ref<const Evaluate> short_call = Evaluate::call(call->callee(), {x});
  EXPECT_NE(refused({extent}, {low}, {short_call}, abort).find("takes 2 arguments, got 1"),
            std::string::npos);
}

TEST_F(TirDispatch, P57_the_fallback_is_one_abort) {
  const std::string wanted = "its fallback is not exactly one Abort";
  for (const StmtRef& fallback :
       {StmtRef(Abort::make("bare")), StmtRef(Sequential::make({})), copy(x, y),
        StmtRef(Sequential::make({Abort::make("a"), Abort::make("b")})),
        StmtRef(Sequential::make({copy(x, y)}))}) {
    EXPECT_NE(refused({extent}, {low}, {call}, fallback).find(wanted), std::string::npos);
  }
}

// The arguments of a call may be what the callee's dimensions become in it.
TEST_F(TirDispatch, arguments_agree_on_the_dimensions_of_the_callee) {
  const auto tensor = [](Shape shape) { return TensorType::make(std::move(shape), DType::f32); };
  const auto called = [&](const Shape& first, const Shape& second) {
    const VarRef a = Var::make("a", tensor(first));
    const VarRef b = Var::make("b", tensor(second));
    try {
      verify_prim_function(
          PrimFunction::make("g", {a, b}, Evaluate::call(call->callee(), {a, b}), 1), nullptr);
    } catch (const VerifyError& error) {
      return error.diagnostic().message;
    }
    return std::string();
  };
  EXPECT_EQ(called({4, 3}, {4, 3}), "");
  EXPECT_EQ(called({dim_var("T", 1, 4), 3}, {dim_var("T", 1, 4), 3}), "");
  EXPECT_NE(called({4, 3}, {5, 3}), "");
  EXPECT_NE(called({4, 4}, {4, 4}), "");
  EXPECT_NE(called({4}, {4}), "");
}

}  // namespace
}  // namespace tilefoundry
