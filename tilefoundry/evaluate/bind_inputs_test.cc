#include "tilefoundry/evaluate/bind_inputs.h"

#include <gtest/gtest.h>

#include "tilefoundry/evaluate/evaluator.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

TypeRef f32(Shape shape) { return TensorType::make(std::move(shape), DType::f32); }

// "code message" of the refusal of a call of a function with parameters a, b, c.
std::string refusal(const std::vector<TypeRef>& types, const std::vector<HostTensor>& inputs) {
  std::vector<VarRef> params;
  for (std::size_t i = 0; i < types.size(); ++i) {
    params.push_back(Var::make(std::string(1, static_cast<char>('a' + i)), types[i]));
  }
  try {
    evaluate(nullptr, *Function::make("f", params, params.front()), inputs);
  } catch (const CallError& error) {
    return error.diagnostic().code + " " + error.diagnostic().message;
  }
  return "";
}

HostTensor zeros(std::vector<std::int64_t> shape, DType dtype = DType::f32) {
  return {dtype, std::move(shape)};
}

TEST(BindInputs, names_what_is_wrong) {
  const Dim s = dim_var("S", 2, 64);
  EXPECT_EQ(refusal({f32({4})}, {}), "TF6012 f takes 1 inputs, got 0");
  EXPECT_EQ(refusal({f32({4})}, {zeros({4}, DType::i32)}),
            "TF6013 parameter 'a' (f32 of shape (4,)) got dtype i32, wanted f32");
  EXPECT_EQ(refusal({f32({4})}, {zeros({4, 1})}),
            "TF6014 parameter 'a' (f32 of shape (4,)) got rank 2 (shape (4, 1)), wanted rank 1");
  EXPECT_EQ(refusal({f32({4})}, {zeros({5})}),
            "TF6015 axis 0 of parameter 'a' (f32 of shape (4,)) got extent 5, wanted 4");
  EXPECT_EQ(refusal({f32({s}), f32({1, s})}, {zeros({5}), zeros({1, 6})}),
            "TF6016 axis 1 of parameter 'b' (f32 of shape (1, S)) makes the dimension S 6, an "
            "earlier parameter makes it 5");
  EXPECT_EQ(refusal({f32({s})}, {zeros({64})}),
            "TF6017 axis 0 of parameter 'a' (f32 of shape (S,)) makes the dimension S 64, outside "
            "its range 2 <= S < 64");
  EXPECT_EQ(refusal({f32({s})}, {zeros({1})}).substr(0, 6), "TF6017");
  EXPECT_EQ(refusal({TupleType::make({f32({4})})}, {zeros({4})}).substr(0, 6), "TF6018");
}

TEST(BindInputs, derived_extents_are_checked_whatever_their_order) {
  const Dim s = dim_var("S", 1, 64);
  EXPECT_EQ(refusal({f32({s * 2}), f32({s})}, {zeros({6}), zeros({3})}), "");
  EXPECT_EQ(refusal({f32({s * 2}), f32({s})}, {zeros({7}), zeros({3})}),
            "TF6015 axis 0 of parameter 'a' (f32 of shape (S * 2,)) got extent 7, wanted 6 (S * 2 "
            "is 6 here)");
  EXPECT_EQ(refusal({f32({s * 2})}, {zeros({6})}).substr(0, 6), "TF6011");
}

TEST(BindInputs, integer_scalars_bind_as_dimensions) {
  const VarRef n = Var::make("n", TensorType::make({}, DType::i32));
  HostTensor five(DType::i32, {});
  five.set_int(0, 5);
  const DimBindings dims = bind_parameters({{"n", n->type(), n.get()}}, {five}, {});
  EXPECT_EQ(extent_under(n->dim() * 2 + 1, dims), 11);
}

TEST(HostTensor, corner_shapes) {
  EXPECT_EQ(zeros({}).numel(), 1);
  EXPECT_EQ(zeros({3, 0, 1LL << 62}).numel(), 0);
  EXPECT_THROW(zeros({1LL << 40, 1LL << 40}), ValueError);
  EXPECT_EQ(host_strides({2, 3, 4}), (std::vector<std::int64_t>{12, 4, 1}));
  EXPECT_EQ(zeros({2, 6}).reshaped({3, 4}).shape(), (std::vector<std::int64_t>{3, 4}));
  std::vector<std::int64_t> at{0, 2};
  EXPECT_TRUE(next_coordinate(at, {2, 3}));
  EXPECT_EQ(at, (std::vector<std::int64_t>{1, 0}));
}

}  // namespace
}  // namespace tilefoundry
